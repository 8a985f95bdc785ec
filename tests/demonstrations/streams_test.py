"""Streams: consecutive sequences of whole episodes."""

import numpy as np
import pytest

from sc2impala import demonstrations, saved_arrays
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


@pytest.mark.parametrize('num_read', [0, 1, 5, 11])
def test_streams_go_on_from_a_state(folder, num_read):
    source, other = streams(folder, 3, 2), streams(folder, 3, 2, seed=1)
    for _ in range(num_read):
        source.next()
    for _ in range(4):
        other.next()
    other.set_state(source.get_state())
    for _ in range(30):
        first, second = source.next(), other.next()
        for name in first:
            np.testing.assert_array_equal(first[name], second[name], err_msg=name)


def test_the_state_of_other_recordings_is_refused(folder, tmp_path):
    games.record(tmp_path / 'more' / 'c', LENGTHS[::-1])
    other = streams(tmp_path / 'more')
    with pytest.raises(saved_arrays.DifferentState):
        other.set_state(streams(folder).get_state())
    with pytest.raises(saved_arrays.DifferentState, match='places'):
        streams(folder, 3).set_state(streams(folder, 2).get_state())


@pytest.mark.parametrize(
    'name, index, value, reason',
    [
        ('streams/places', (0, 0), 2, 'no episode'),
        ('streams/places', (0, 1), -1, 'no episode'),
        ('streams/places', (1, 2), 9, '9 chunks are read'),
        ('streams/places', (1, 4), 99, 'at step 99'),
        ('streams/order', (0, 1), 10**9, 'no episode'),
        ('streams/num_left', (), -1, '-1 episodes are left'),
        ('streams/num_left', (), 10**9, '1000000000 episodes are left'),
        ('random/position', (), 10**9, 'position'),
    ],
)
def test_a_damaged_state(folder, name, index, value, reason):
    source = streams(folder)
    source.next()
    state = source.get_state()
    state[name][index] = value
    with pytest.raises(ValueError, match=reason):
        source.set_state(state)
