"""The server: which requests count, who is forgotten, and what the accounts are told."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, structs
from sc2impala.cluster import inference_server, messages, requests
from sc2impala.cluster.accounts import Accounts
from sc2impala.cluster.requests import Reply, Request
from tests import fakes

RUN, K, T = 'run', 2, 3
OBSERVATION_SPEC, ACTION_SPEC = fakes.make_specs()
HEADS = sorted(ACTION_SPEC.heads)
STEP_MUL = 5


def scalar(dtype):
    return tf.TensorSpec([], dtype)


SPECS = inference_server.Specs(
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
    """A server whose agent adds 1 to the state, and plays the state in every head."""

    def __init__(self):
        self.clock = Clock()
        self.accounts = Accounts(RUN, clock=self.clock)
        self.server = inference_server.InferenceServer(RUN, SPECS, T, self.accounts, self.clock)

    def serve(self, *asked, version=(0, 0)):
        """Sequences, and {slot: reply} of some requests."""
        headers = [request.to_bytes() for request, _ in asked]
        batch, sequences = self.server.receive(headers, [c for _, c in asked], START, version)
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
        slots, texts = self.server.reply(output, (), ((state,), ()))
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
def learner():
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
def test_what_is_no_request_is_refused(text, learner):
    with pytest.raises(ValueError):
        requests.read_request(text)
    learner.server.receive([text], [b''], START, (0, 0))
    assert learner.accounts.traffic().refused == 1


def test_states_go_on_and_sequences_overlap_by_a_step(learner):
    found = []
    for number in range(2 * T + 1):
        sequences, replies = learner.serve(
            ask(number, reward=number), version=(10 * number, number)
        )
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
    amounts = learner.accounts.amounts()
    assert amounts.queued == 2 * T * K * STEP_MUL and amounts.is_balanced()


def test_a_request_that_is_repeated_is_one_step(learner):
    learner.serve(ask(0))
    _, first = learner.serve(ask(1), ask(1))
    assert learner.num_games == K and first[7].number == 1
    _, again = learner.serve(ask(1, slot=9))
    # To the new connection; the old one's queue is free.
    assert list(again) == [9] and (again[9].choices == first[7].choices).all()
    assert learner.server.take_free_slots().tolist() == [7]
    _, late = learner.serve(ask(0, slot=9))
    assert not late
    _, following = learner.serve(ask(2, slot=9))
    assert (following[9].choices[0] == 3).all()
    _, gap = learner.serve(ask(5, slot=9))
    assert gap[9].starts_anew


def test_games_of_several_threads_in_one_batch(learner):
    learner.serve(ask(0))
    _, replies = learner.serve(ask(1), ask(0, thread=1, slot=8), ask(0, actor='b' * 16, slot=9))
    assert {slot: reply.choices[0, 0] for slot, reply in replies.items()} == {7: 2, 8: 1, 9: 1}
    assert len(learner.accounts.present()) == 2


def test_requests_of_another_run_and_of_the_wrong_size_are_not_served(learner):
    request, content = ask(0)
    _, replies = learner.serve((request, content[:-1]), ask(0, run='other', actor='c' * 16))
    assert not replies and learner.num_games == 1
    traffic = learner.accounts.traffic()
    assert (traffic.refused, traffic.of_other_runs) == (1, 1)


def test_who_is_silent_is_forgotten_and_starts_anew(learner):
    learner.serve(ask(0))
    # A pause of the learner is not the actor's.
    learner.clock.now += 10 * inference_server.FORGET_SECS
    _, replies = learner.serve(ask(1))
    assert replies[7].number == 1
    for number in range(int(inference_server.FORGET_SECS) + 1):
        learner.clock.now += 1.0
        learner.serve(ask(number, actor='b' * 16, slot=8))
    assert learner.server.take_free_slots().tolist() == [7]
    _, replies = learner.serve(ask(2))
    assert replies[7].starts_anew
    _, replies = learner.serve(ask(0))
    assert (replies[7].choices[0] == 1).all()


def test_the_last_request_settles_the_account(learner):
    for number in range(T + 2):
        learner.serve(ask(number))
    _, replies = learner.serve((ask(0)[0]._replace(ending=True), b''))
    assert not replies and not learner.accounts.present()
    assert learner.server.take_free_slots().tolist() == [7]
    amounts = learner.accounts.amounts()
    assert amounts.is_balanced() and amounts.aborted == K * STEP_MUL
