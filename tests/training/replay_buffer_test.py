"""The replay buffer, as a run builds it."""

import dataclasses
import types

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, envs, replay
from sc2impala.errors import UserError
from sc2impala.factories import acting
from sc2impala.learner import diagnostics
from sc2impala.settings.groups import AgentSettings, ReplaySettings
from sc2impala.training import replay_buffer
from tests.learner import table_agent

UNROLL_LENGTH = 4
REPLAY = ReplaySettings(replay_proportion=0.5, replay_buffer_size=7, replay_compression='none')


@pytest.fixture(scope='module')
def specs():
    return envs.make_specs(
        'MoveToBeacon',
        functions=('no_op', 'Move_screen'),
        screen_size=(4, 4),
        minimap_size=(4, 4),
        screen_layers=('player_relative',),
        minimap_layers=(),
        vectors=('player',),
    )


def make_agent(specs):
    return acting.create_agent(AgentSettings('fully_conv'), specs, 8, None)


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


@pytest.fixture(scope='module')
def spec(specs):
    """Of one sequence."""
    with tf.Graph().as_default():
        return actors.sequence_spec(make_agent(specs), specs[0], UNROLL_LENGTH)


def sequences(spec, count, value=1):
    return [
        np.full((count,) + shape, value, dtype) for shape, dtype in actors.component_specs(spec)
    ]


def test_the_table_holds_the_elements_of_the_queue(spec):
    table = replay_buffer.make_replay_table(REPLAY, spec, seed=0)
    arrays = sequences(spec, 2)
    table.insert(arrays)
    assert (table.capacity, table.size) == (7, 2)
    assert replay_buffer.raw_bytes(REPLAY, spec) == 7 * sum(a.nbytes for a in arrays) // 2


def test_a_table_of_an_older_version_has_sequences_that_come_from_nowhere(spec):
    """It was saved without `SequenceInfo`, whose components are the last ones."""
    table = replay_buffer.make_replay_table(REPLAY, spec, seed=0)
    num_info = len(spec.sequence_info)
    older = replay.ReplayTable(
        7,
        actors.component_specs(spec)[:-num_info],
        replay.SAMPLERS['uniform'](),
        replay.REMOVERS['reservoir'](),
        np.random.RandomState(0),
    )
    older.insert(sequences(spec, 3)[:-num_info])
    table.set_state(older.get_state())
    components = table.sample(3).components
    assert all(array.all() for array in components[:-num_info])
    assert not any(array.any() for array in components[-num_info:])


@pytest.mark.parametrize('remover', ['fifo', 'reservoir'])
def test_the_same_seed_keeps_and_samples_the_same(spec, remover):
    settings = dataclasses.replace(REPLAY, replay_eviction=remover)
    results = []
    for seed in (0, 0, 1):
        table = replay_buffer.make_replay_table(settings, spec, seed)
        keys = table.insert(sequences(spec, 30)).tolist()
        results.append((keys, [table.sample(4).keys.tolist() for _ in range(5)]))
    assert results[0] == results[1] != results[2]


@pytest.mark.parametrize('compression, least', [('none', ''), ('zstd', 'at least ')])
def test_a_table_that_does_not_fit(spec, monkeypatch, compression, least):
    settings = dataclasses.replace(REPLAY, replay_compression=compression)
    needed = replay_buffer.raw_bytes(settings, spec)
    if compression == 'zstd':
        specs = actors.component_specs(spec)
        needed = replay.min_compressed_bytes(specs, settings.replay_buffer_size)
    monkeypatch.setattr(replay_buffer.memory, 'available_bytes', lambda: needed)
    assert replay_buffer.make_replay_table(settings, spec, seed=0) is not None
    monkeypatch.setattr(replay_buffer.memory, 'available_bytes', lambda: needed - 1)
    message = f'--replay_buffer_size=7 takes {least}[0-9].* at most 6 sequences'
    with pytest.raises(UserError, match=message):
        replay_buffer.make_replay_table(settings, spec, seed=0)


@pytest.mark.parametrize('compression', ['none', 'zstd'])
def test_metrics_of_the_table(spec, compression):
    settings = dataclasses.replace(REPLAY, replay_compression=compression)
    table = replay_buffer.make_replay_table(settings, spec, seed=0)
    batch = types.SimpleNamespace(keys=tf.constant([-1], tf.int64))
    summary = diagnostics.merge(replay_buffer.replay_metrics(table, batch))
    with tf.Session() as session:
        for size in (0, 2):
            table.insert(sequences(spec, size))
            assert table_agent.scalars(session.run(summary)) == {
                'replay/sequences': size,
                'replay/mebibytes': np.float32(table.num_bytes / 2.0**20),
            }


def test_the_sampler_and_its_exponent(spec):
    settings = dataclasses.replace(REPLAY, replay_sampler='prioritised', priority_exponent=2.0)
    table = replay_buffer.make_replay_table(settings, spec, seed=0)
    assert table.has_priorities
    table.insert(sequences(spec, 2), np.array([1.0, 3.0]))
    probabilities = {p for _ in range(10) for p in table.sample(2).probabilities}
    np.testing.assert_allclose(sorted(probabilities), [0.1, 0.9])


def test_priorities_go_to_tables_that_have_some(spec):
    """An algorithm that returns priorities works with uniform sampling as well."""
    assert replay_buffer.priority_updates(None) is None
    table = replay_buffer.make_replay_table(REPLAY, spec, seed=0)
    assert replay_buffer.priority_updates(table) is None
    calls = []

    class Prioritized:
        has_priorities = True

        def update_priorities(self, keys, priorities):
            calls.append((keys.tolist(), priorities.tolist()))

    update = replay_buffer.priority_updates(Prioritized())
    with tf.Session() as session:
        session.run(update(tf.constant([3], tf.int64), tf.constant([0.5])))
    assert calls == [([3], [0.5])]
