"""Actors, their queue and the replay table, as a run builds them."""

import dataclasses
import types

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, envs, replay
from sc2impala.errors import UserError
from sc2impala.learner import phases, summaries
from sc2impala.runtime import experience, graph
from sc2impala.settings.groups import ActorSettings, AgentSettings, ReplaySettings
from tests.learner import table_agent

ACTORS = ActorSettings(num_actors=2, num_envs=3, unroll_length=4)
REPLAY = ReplaySettings(replay_proportion=0.5, replay_buffer_size=7, replay_compression='none')
BATCH_SIZE = 4


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
    return graph.make_agent(AgentSettings('fully_conv'), specs, 8, None)


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


@pytest.fixture(scope='module')
def spec(specs):
    """Of one sequence."""
    with tf.Graph().as_default():
        return actors.sequence_spec(make_agent(specs), specs[0], ACTORS.unroll_length)


def build(specs, spec, make_env=None, **settings):
    def make(actor):
        seeds = range(10 * actor, 10 * actor + ACTORS.num_envs)
        return envs.make_environment('simulator', 'MoveToBeacon', seeds, *specs, max_step_mul=8)

    numbers = dataclasses.replace(ACTORS, **settings)
    return experience.build_experience(
        [make_agent(specs)] * numbers.num_actors,
        spec,
        make_env or make,
        numbers,
        BATCH_SIZE,
        phases.policy_version(),
    )


def sequences(spec, count, value=1):
    return [
        np.full((count,) + shape, value, dtype) for shape, dtype in actors.component_specs(spec)
    ]


@pytest.mark.parametrize('asked_for, capacity', [(0, 4 + 3), (9, 9)])
def test_each_actor_fills_the_same_queue(specs, spec, asked_for, capacity):
    source = build(specs, spec, queue_capacity=asked_for)
    assert len(source.envs) == len(source.enqueue_ops) == 2
    size = source.queue.size()
    dequeued = source.queue.dequeue_many(6)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for number, enqueue in enumerate(source.enqueue_ops):
            session.run(enqueue)
            assert session.run(size) == 3 * (number + 1)
        played = session.run(dequeued)
        # Two actors play different games, and so do the environments of each.
        screens = played.env_outputs.observation['screen']['player_relative'][:, 0]
        assert len({screen.tobytes() for screen in screens}) > 1
        assert played.env_outputs.done.shape == (6, 5)
        assert played.sequence_info.actor.tolist() == [0, 0, 0, 1, 1, 1]
        assert not played.sequence_info.policy_updates.any()
        for _ in range(capacity // 3):
            session.run(source.enqueue_ops[0])
        assert session.run(size) == capacity // 3 * 3
        blocked = session.make_callable(source.enqueue_ops[1])
        session.run(source.queue.queue.close(cancel_pending_enqueues=True))
        with pytest.raises(tf.errors.CancelledError):
            blocked()


def test_environments_are_closed_if_one_cannot_be_made(specs, spec):
    tape = []

    class Game:
        def __init__(self, actor):
            if actor == 1:
                raise UserError('StarCraft II does not run')
            env = envs.make_environment(
                'simulator', 'MoveToBeacon', range(3), *specs, max_step_mul=8
            )
            self.__dict__.update(vars(env))
            self.num_envs, self.observation_spec = env.num_envs, env.observation_spec
            self.reset, self.step = env.reset, env.step

        def close(self):
            tape.append('close')

    with pytest.raises(UserError, match='does not run'):
        build(specs, spec, Game)
    assert tape == ['close']


def test_the_table_holds_the_elements_of_the_queue(spec):
    table = experience.make_replay_table(REPLAY, spec, seed=0)
    arrays = sequences(spec, 2)
    table.insert(arrays)
    assert (table.capacity, table.size) == (7, 2)
    assert experience.raw_bytes(REPLAY, spec) == 7 * sum(a.nbytes for a in arrays) // 2


def test_a_table_of_an_older_version_has_sequences_that_come_from_nowhere(spec):
    """It was saved without `SequenceInfo`, whose components are the last ones."""
    table = experience.make_replay_table(REPLAY, spec, seed=0)
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
        table = experience.make_replay_table(settings, spec, seed)
        keys = table.insert(sequences(spec, 30)).tolist()
        results.append((keys, [table.sample(4).keys.tolist() for _ in range(5)]))
    assert results[0] == results[1] != results[2]


@pytest.mark.parametrize('compression, least', [('none', ''), ('zstd', 'at least ')])
def test_a_table_that_does_not_fit(spec, monkeypatch, compression, least):
    settings = dataclasses.replace(REPLAY, replay_compression=compression)
    needed = experience.raw_bytes(settings, spec)
    if compression == 'zstd':
        specs = actors.component_specs(spec)
        needed = replay.min_compressed_bytes(specs, settings.replay_buffer_size)
    monkeypatch.setattr(experience.memory, 'available_bytes', lambda: needed)
    assert experience.make_replay_table(settings, spec, seed=0) is not None
    monkeypatch.setattr(experience.memory, 'available_bytes', lambda: needed - 1)
    message = f'--replay_buffer_size=7 takes {least}[0-9].* at most 6 sequences'
    with pytest.raises(UserError, match=message):
        experience.make_replay_table(settings, spec, seed=0)


@pytest.mark.parametrize('compression', ['none', 'zstd'])
def test_metrics_of_the_table(spec, compression):
    settings = dataclasses.replace(REPLAY, replay_compression=compression)
    table = experience.make_replay_table(settings, spec, seed=0)
    batch = types.SimpleNamespace(keys=tf.constant([-1], tf.int64))
    summary = summaries.merge(experience.replay_metrics(table, batch))
    with tf.Session() as session:
        for size in (0, 2):
            table.insert(sequences(spec, size))
            assert table_agent.scalars(session.run(summary)) == {
                'replay/sequences': size,
                'replay/mebibytes': np.float32(table.num_bytes / 2.0**20),
            }


def test_the_sampler_and_its_exponent(spec):
    settings = dataclasses.replace(REPLAY, replay_sampler='prioritised', priority_exponent=2.0)
    table = experience.make_replay_table(settings, spec, seed=0)
    assert table.has_priorities
    table.insert(sequences(spec, 2), np.array([1.0, 3.0]))
    probabilities = {p for _ in range(10) for p in table.sample(2).probabilities}
    np.testing.assert_allclose(sorted(probabilities), [0.1, 0.9])


def test_priorities_go_to_tables_that_have_some(spec):
    """An algorithm that returns priorities works with uniform sampling as well."""
    assert experience.priority_updates(None) is None
    table = experience.make_replay_table(REPLAY, spec, seed=0)
    assert experience.priority_updates(table) is None
    calls = []

    class Prioritized:
        has_priorities = True

        def update_priorities(self, keys, priorities):
            calls.append((keys.tolist(), priorities.tolist()))

    update = experience.priority_updates(Prioritized())
    with tf.Session() as session:
        session.run(update(tf.constant([3], tf.int64), tf.constant([0.5])))
    assert calls == [([3], [0.5])]
