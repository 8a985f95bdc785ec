"""The desk: which requests count, who is forgotten, and what the accounts are told."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, structs
from sc2impala.cluster import desk as desk_lib
from sc2impala.cluster import messages, requests
from sc2impala.cluster.accounts import Accounts
from sc2impala.cluster.requests import Reply, Request
from tests import fakes

RUN, K, T = 'run', 2, 3
OBSERVATION_SPEC, ACTION_SPEC = fakes.make_specs()
HEADS = sorted(ACTION_SPEC.heads)
STEP_MUL = 5


def scalar(dtype):
    return tf.TensorSpec([], dtype)


SPECS = desk_lib.Specs(
    states=((scalar(tf.float32),), ()),
    env_output=actors.env_output_spec(OBSERVATION_SPEC),
    agent_output=structs.AgentOutput(
        {name: scalar(tf.int32) for name in HEADS}, {}, scalar(tf.int32), {}, scalar(tf.float32)
    ),
    teacher_logits=(),
)
START = ((np.zeros([1], np.float32),), ())


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Office:
    """A desk whose agent adds 1 to the state, and plays the state in every head."""

    def __init__(self):
        self.clock = Clock()
        self.accounts = Accounts(RUN, clock=self.clock)
        self.desk = desk_lib.Desk(RUN, SPECS, T, self.accounts, self.clock)

    def serve(self, *asked, version=(0, 0)):
        """Sequences, and {slot: reply} of some requests."""
        headers = [request.to_bytes() for request, _ in asked]
        batch, sequences = self.desk.receive(headers, [c for _, c in asked], START, version)
        self.num_games = len(batch.env_output.done)
        ((state,), _) = batch.states
        state = state + 1
        output = structs.AgentOutput(
            {name: state.astype(np.int32) for name in HEADS},
            {},
            np.full(state.shape, STEP_MUL, np.int32),
            {},
            state,
        )
        slots, texts = self.desk.reply(output, (), ((state,), ()))
        replies = [requests.read_reply(text, K) for text in texts]
        return sequences, dict(zip(slots.tolist(), replies))


def ask(number, actor='a' * 16, thread=0, slot=7, reward=0.0, **changes):
    """A request, and its content."""
    request = Request(RUN, actor, -1, 'host', thread, slot, number, K)._replace(**changes)
    env = tf.nest.map_structure(
        lambda s: np.zeros([K] + s.shape.as_list(), s.dtype.as_numpy_dtype), SPECS.env_output
    )
    totals = env.info._replace(
        episode_frames=np.full([K], number * STEP_MUL, np.int32),
        episode_steps=np.full([K], number, np.int32),
    )
    env = env._replace(reward=np.full([K], reward, np.float32), info=totals)
    return request, messages.pack(tf.nest.flatten(env), messages.NONE)


@pytest.fixture
def office():
    return Office()


def test_requests_and_replies_travel():
    request = ask(3)[0]
    assert requests.read_request(request.to_bytes()) == request
    reply = Reply(3, 'a' * 16, 1, np.arange(6, dtype=np.int32).reshape([3, 2]))
    found = requests.read_reply(reply.to_bytes(), 2)
    assert found[:3] == reply[:3]
    np.testing.assert_array_equal(found.choices, reply.choices)
    # One that is not for K games can be told from one that is.
    assert requests.read_reply(reply.to_bytes(), 4).choices.size == 0


@pytest.mark.parametrize(
    'text',
    [b'', b'[]', b'{"run": 1}', ask(0, slot=-1)[0].to_bytes(), ask(0, games=0)[0].to_bytes()]
    + [ask(-1)[0].to_bytes(), ask(0, thread='x')[0].to_bytes(), b'\xff'],
)
def test_what_is_no_request_is_refused(text, office):
    with pytest.raises(ValueError):
        requests.read_request(text)
    office.desk.receive([text], [b''], START, (0, 0))
    assert office.accounts.traffic().refused == 1


def test_states_go_on_and_sequences_overlap_by_a_step(office):
    found = []
    for number in range(2 * T + 1):
        sequences, replies = office.serve(ask(number, reward=number), version=(10 * number, number))
        found += sequences
        assert replies[7].number == number
        assert (replies[7].choices[:-1] == number + 1).all()
        assert (replies[7].choices[-1] == STEP_MUL).all()
    first, second = found
    np.testing.assert_array_equal(first.env_outputs.reward, [[0, 1, 2, 3]] * K)
    np.testing.assert_array_equal(second.env_outputs.reward, [[3, 4, 5, 6]] * K)
    # The choice that led to a step, and the state before the first one.
    np.testing.assert_array_equal(first.agent_outputs.baseline, [[0, 1, 2, 3]] * K)
    np.testing.assert_array_equal(first.agent_state[0], [0] * K)
    np.testing.assert_array_equal(second.agent_state[0], [T] * K)
    assert set(second.sequence_info.policy_updates) == {T}
    assert set(second.sequence_info.policy_frames) == {10 * T}
    amounts = office.accounts.amounts()
    assert amounts.queued == 2 * T * K * STEP_MUL and amounts.is_balanced()


def test_a_request_that_is_repeated_is_one_step(office):
    office.serve(ask(0))
    _, first = office.serve(ask(1), ask(1))
    assert office.num_games == K and first[7].number == 1
    _, again = office.serve(ask(1, slot=9))
    # To the new connection; the old one's queue is free.
    assert list(again) == [9] and (again[9].choices == first[7].choices).all()
    assert office.desk.take_free_slots().tolist() == [7]
    _, late = office.serve(ask(0, slot=9))
    assert not late
    _, following = office.serve(ask(2, slot=9))
    assert (following[9].choices[0] == 3).all()
    _, gap = office.serve(ask(5, slot=9))
    assert gap[9].starts_anew


def test_games_of_several_threads_in_one_batch(office):
    office.serve(ask(0))
    _, replies = office.serve(ask(1), ask(0, thread=1, slot=8), ask(0, actor='b' * 16, slot=9))
    assert {slot: reply.choices[0, 0] for slot, reply in replies.items()} == {7: 2, 8: 1, 9: 1}
    assert len(office.accounts.present()) == 2


def test_requests_of_another_run_and_of_the_wrong_size_are_not_served(office):
    request, content = ask(0)
    _, replies = office.serve((request, content[:-1]), ask(0, run='other', actor='c' * 16))
    assert not replies and office.num_games == 1
    traffic = office.accounts.traffic()
    assert (traffic.refused, traffic.of_other_runs) == (1, 1)


def test_who_is_silent_is_forgotten_and_starts_anew(office):
    office.serve(ask(0))
    # A pause of the learner is not the actor's.
    office.clock.now += 10 * desk_lib.FORGET_SECS
    _, replies = office.serve(ask(1))
    assert replies[7].number == 1
    for number in range(int(desk_lib.FORGET_SECS) + 1):
        office.clock.now += 1.0
        office.serve(ask(number, actor='b' * 16, slot=8))
    assert office.desk.take_free_slots().tolist() == [7]
    _, replies = office.serve(ask(2))
    assert replies[7].starts_anew
    _, replies = office.serve(ask(0))
    assert (replies[7].choices[0] == 1).all()


def test_the_last_request_settles_the_account(office):
    for number in range(T + 2):
        office.serve(ask(number))
    _, replies = office.serve((ask(0)[0]._replace(ending=True), b''))
    assert not replies and not office.accounts.present()
    assert office.desk.take_free_slots().tolist() == [7]
    amounts = office.accounts.amounts()
    assert amounts.is_balanced() and amounts.aborted == K * STEP_MUL
