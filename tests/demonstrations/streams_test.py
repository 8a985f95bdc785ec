"""Streams: consecutive sequences of whole episodes."""

import numpy as np
import pytest

from sc2impala import demonstrations
from tests.demonstrations import games

LENGTHS = [3, 8, 5, 12, 1]


def streams(folder, num_streams=2, unroll_length=4, seed=0, components=games.COMPONENTS):
    recordings = [demonstrations.Recording(path) for path in demonstrations.find(str(folder))]
    rng = np.random.RandomState(seed)
    return demonstrations.Streams(recordings, num_streams, unroll_length, components, rng)


@pytest.fixture
def folder(tmp_path):
    games.record(tmp_path / 'a', LENGTHS[:3])
    games.record(tmp_path / 'b', LENGTHS[3:], chunk_steps=5, first=3)
    return tmp_path


@pytest.mark.parametrize('unroll_length', [1, 4, 7])
def test_sequences_follow_each_other(folder, unroll_length):
    source = streams(folder, 3, unroll_length)
    sequences = [source.next() for _ in range(12)]
    for sequence in sequences:
        assert sequence['reward'].shape == (3, unroll_length + 1)
    for before, after in zip(sequences, sequences[1:]):
        last = before['action/function'][:, -1]
        np.testing.assert_array_equal(after['last_action/function'][:, 0], last)
        np.testing.assert_array_equal(after['reward'][:, 0], last.astype(np.float32) / 10)


def whole(source, count):
    """`count` sequences as one, by name [B, steps, ...]."""
    parts = [source.next() for _ in range(count)]
    return {name: np.concatenate([part[name] for part in parts], axis=1) for name in parts[0]}


def test_episodes_are_whole_and_outcomes_belong_to_the_action_before(folder):
    steps = whole(streams(folder, 2, 4), 30)
    number = games.number_of(steps)
    for row in range(2):
        assert steps['done'][row, 0] and not steps['reward'][row, 0]
        for t in range(1, number.shape[1]):
            last = number[row, t - 1]
            assert steps['last_action/function'][row, t] == last
            assert steps['last_step_mul'][row, t] == 1 + last % 8
            assert steps['reward'][row, t] == np.float32(last) / np.float32(10)
            assert steps['episode_steps'][row, t] == last % 100 + 1
            ends = last % 100 == LENGTHS[last // 100] - 1
            assert steps['done'][row, t] == ends
            assert number[row, t] % 100 == 0 if ends else number[row, t] == last + 1


def test_every_episode_is_played_before_any_is_played_again(folder):
    number = whole(streams(folder, 1, 4), 60)['action/function'][0]
    # The first episode may begin in its middle.
    starts = number[1:][number[1:] % 100 == 0] // 100
    order = [number[0] // 100] + starts.tolist()
    for epoch in range(3):
        assert sorted(order[5 * epoch : 5 * epoch + 5]) == [0, 1, 2, 3, 4]


def test_streams_do_not_start_at_the_same_point(tmp_path):
    games.record(tmp_path / 'a', [80], chunk_steps=4)
    first = streams(tmp_path, 16).next()['action/function'][:, 0]
    assert len(set(first.tolist())) > 4 and (first % 4 == 0).all()


def test_the_seed_determines_the_order(folder):
    def first(seed):
        return whole(streams(folder, 2, 4, seed), 9)['action/function'].tolist()

    assert first(1) == first(1) != first(2)


def test_only_what_is_asked_for_is_returned(folder):
    components = [c for c in games.COMPONENTS if 'available' not in c.name]
    sequence = streams(folder, components=components).next()
    assert 'observation/available_actions' not in sequence
    assert sequence['observation/screen/selected'].shape == (2, 5, 3, 2)


@pytest.mark.parametrize(
    'component, complaint',
    [
        (('observation/player', 'i4', (11,)), r'has no observation/player, expected .*\[11\]'),
        (('action/screen', 'i4', (2,)), r'has action/screen int32 \[\], expected .* \[2\]'),
    ],
)
def test_a_recording_that_lacks_something(folder, component, complaint):
    name, dtype, shape = component
    wanted = demonstrations.Component(name, np.dtype(dtype), shape)
    with pytest.raises(ValueError, match=complaint):
        streams(folder, components=[*games.COMPONENTS, wanted])


def test_what_is_returned_belongs_to_the_caller(folder):
    source = streams(folder)
    first = source.next()
    copies = {name: array.copy() for name, array in first.items()}
    source.next()
    for name, array in first.items():
        np.testing.assert_array_equal(array, copies[name])
