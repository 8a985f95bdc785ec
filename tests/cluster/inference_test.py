"""Central inference: what actors play and learn is what they would with agents of their own."""

import contextlib
import threading

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents
from sc2impala.agents import policy
from sc2impala.agents import teacher as teacher_lib
from sc2impala.cluster import inference, requests
from sc2impala.cluster import run_info as run_info
from sc2impala.cluster.accounts import Accounts
from sc2impala.cluster.inference_client import InferenceClient
from sc2impala.cluster.link import Link
from sc2impala.cluster.outbox import Identity
from sc2impala.cluster_actors.central import first_output, flat_arrays
from sc2impala.learner import phases
from tests import fakes

K, T, UNROLLS, MAX_STEP_MUL = 3, 4, 3, 16
RUN = 'run'
RUN_INFO = run_info.RunInfo(RUN, run_info.versions(), {}, 0, [], {}, 1)


def pseudo_sample(logits, unused_seed=None):
    """A choice that depends on the logits alone, and is not the most probable one."""
    return tf.argmax(logits + 3.0 * tf.sin(50.0 * logits), axis=-1, output_type=tf.int32)


@pytest.fixture
def repeatable(monkeypatch):
    """Choices do not depend on the random numbers of a graph."""
    monkeypatch.setattr(policy, 'sample_categorical', pseudo_sample)


def make_agent(specs, name='fully_conv_lstm'):
    tf.set_random_seed(0)
    agent = agents.make_agent(name, *specs, MAX_STEP_MUL)
    agent.create_variables(specs[0])
    return agent


def make_teacher(specs, agent):
    """Of the same kind, with other weights; it acts from the start."""
    with tf.name_scope(teacher_lib.SCOPE):
        copy = make_agent(specs)
    return teacher_lib.Teacher(copy, agent, tf.constant(0.5))


def randomise(agent, session, teacher=None):
    rng = np.random.RandomState(1)
    for weight in [*agent.weights, *(teacher.agent.weights if teacher else ())]:
        weight.load(rng.normal(scale=0.05, size=weight.shape.as_list()), session)
    if teacher:
        session.run(teacher.freeze)


class Learner:
    """Plays for actors, in a thread, until it is closed."""

    def __init__(self, server, unroll_length=T, capacity=1000, has_teacher=False):
        self.graph = tf.Graph()
        self.accounts = Accounts(RUN)
        with self.graph.as_default():
            specs = fakes.make_specs()
            agent = make_agent(specs)
            teacher = make_teacher(specs, agent) if has_teacher else None
            self._spec = actors.sequence_spec(agent, specs[0], unroll_length, teacher)
            queue = actors.SequenceQueue(self._spec, capacity)
            version = phases.policy_version()
            self._built = inference.build_inference(
                agent,
                queue,
                inference.specs_of_step(agent, specs[0], teacher),
                RUN,
                self.accounts,
                version,
                teacher,
            )
            run_info.local_variables(RUN_INFO)
            self._one = queue.dequeue_many(1)
            self._size = queue.size()
            self.session = tf.Session(server.target)
            self.session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            randomise(agent, self.session, teacher)
        self.batches = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        with contextlib.suppress(tf.errors.OpError):
            while True:
                self.session.run(self._built.step)
                self.batches += 1

    def take(self, count):
        """The next sequences, in the order in which they were complete."""
        found = [self.session.run(self._one) for _ in range(count)]
        return tf.nest.map_structure(lambda *arrays: np.concatenate(arrays), *found)

    def size(self):
        return self.session.run(self._size)

    def close(self):
        self.session.run(self._built.close)
        self._thread.join()
        self.session.close()


@pytest.fixture
def learner(server, repeatable):
    opened = Learner(server)
    yield opened
    opened.close()


class Actor:
    """Games that the learner plays."""

    def __init__(self, server, actor='a' * 16, thread=0, seed=0, num_envs=K):
        self.env = fakes.FakeEnvironment(num_envs, max_step_mul=MAX_STEP_MUL, seed=seed)
        self.stop = threading.Event()

        def make_link(graph):
            return Link(server.address, graph, RUN_INFO, 60.0, self.stop, print)

        self.client = InferenceClient(make_link, RUN, Identity(actor, 3, 'host'), thread)
        self._spec = actors.env_output_spec(self.env.observation_spec, [num_envs])
        self.output, self.number = first_output(self.env, self._spec), 0

    def components(self):
        return flat_arrays(self.output, self._spec)

    def play(self, steps):
        heads = sorted(self.env.action_spec.heads)
        for _ in range(steps):
            *action, step_mul = self.client.ask(self.number, self.components())
            self.output = self.env.step(dict(zip(heads, action)), step_mul)
            self.number += 1


def local_unrolls(num_envs=K, seed=0, has_teacher=False):
    """What an actor with an agent of its own, and perhaps a teacher, plays."""
    with tf.Graph().as_default(), tf.Session() as session:
        env = fakes.FakeEnvironment(num_envs, max_step_mul=MAX_STEP_MUL, seed=seed)
        specs = env.observation_spec, env.action_spec
        agent = make_agent(specs)
        teacher = make_teacher(specs, agent) if has_teacher else None
        output = actors.build_actor(agent, env, T, actor=3, teacher=teacher).output
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        randomise(agent, session, teacher)
        return [session.run(output) for _ in range(UNROLLS)]


def test_sequences_are_those_of_local_inference(server, learner):
    """Observations, choices, logits, baselines and recurrent states, over ends of episodes."""
    expected = local_unrolls()
    assert any(unroll.env_outputs.done[:, 1:].any() for unroll in expected)
    assert len(np.unique(expected[0].agent_outputs.step_mul)) > 2
    assert len(np.unique(expected[0].agent_outputs.action['function'])) > 2
    actor = Actor(server)
    # The last step of an unroll is known with the request after it.
    actor.play(UNROLLS * T + 1)
    for unroll in expected:
        tf.nest.map_structure(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5),
            learner.take(K),
            unroll,
        )
    assert not learner.size()


@pytest.mark.long
def test_a_teacher_plays_beside_the_agent(server, repeatable):
    """It has a recurrent state of its own, over ends of episodes, in the learner's process."""
    expected = local_unrolls(has_teacher=True)
    assert all(unroll.teacher_logits.valid[:, 1:].all() for unroll in expected)
    with contextlib.closing(Learner(server, has_teacher=True)) as learner:
        Actor(server).play(UNROLLS * T + 1)
        found = [learner.take(K) for _ in expected]
    for unroll, sequences in zip(expected, found):
        tf.nest.map_structure(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5),
            sequences.teacher_logits,
            unroll.teacher_logits,
        )
    assert not np.allclose(
        found[0].teacher_logits.step_mul_logits, found[0].agent_outputs.step_mul_logits
    )


@pytest.mark.long
def test_several_actors_do_not_see_each_others_games(server, learner):
    """Each plays what it would play alone, with other numbers of games, and in batches of all."""
    expected = [local_unrolls(num_envs, seed) for seed, num_envs in ((5, 2), (6, 4))]
    players = [
        Actor(server, '5' * 16, thread=0, seed=5, num_envs=2),
        Actor(server, '5' * 16, thread=1, seed=6, num_envs=4),
    ]
    threads = [threading.Thread(target=p.play, args=[UNROLLS * T + 1]) for p in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = learner.take(UNROLLS * 6)
    columns = tf.nest.map_structure(lambda *a: np.concatenate(a), *expected[0], *expected[1])

    def ordered(unrolls):
        # Sequences of both come in any order.
        screens = unrolls.env_outputs.observation['screen']['unit_hit_points']
        order = np.lexsort(screens.reshape([UNROLLS * 6, -1]).T)
        return tf.nest.map_structure(lambda a: a[order], unrolls)

    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5),
        ordered(found).agent_outputs,
        ordered(columns).agent_outputs,
    )


def test_a_repeated_request_is_answered_again_and_played_once(server, learner):
    actor = Actor(server)
    actor.play(2)
    first = actor.client.ask(2, actor.components())
    again = actor.client.ask(2, actor.components())
    np.testing.assert_array_equal(first, again)
    heads = sorted(actor.env.action_spec.heads)
    *action, step_mul = again
    actor.output = actor.env.step(dict(zip(heads, action)), step_mul)
    actor.number = 3
    actor.play(UNROLLS * T - 2)
    expected = local_unrolls()
    for unroll in expected:
        np.testing.assert_array_equal(
            learner.take(K).agent_outputs.step_mul, unroll.agent_outputs.step_mul
        )


def test_an_actor_that_dies_in_a_call_does_not_hold_up_others(server, learner):
    """One has asked and does not take the answer; what it asked with is not asked again."""
    dead, alive = Actor(server, 'd' * 16), Actor(server, 'e' * 16, seed=1)
    dead.play(1)
    header = dead.client._request._replace(number=1).to_bytes()
    content = b''.join(a.tobytes() for a in dead.components())
    with tf.Graph().as_default(), tf.device(run_info.DEVICE + '/device:CPU:0'):
        send = requests.request_queue().enqueue([header, content])
        with tf.Session('grpc://' + server.address) as session:
            session.run(send)
    alive.play(T + 1)
    assert learner.take(K).env_outputs.reward.shape == (K, T + 1)
    amounts = learner.accounts.amounts()
    assert amounts.is_balanced() and amounts.played >= amounts.queued > 0


def test_a_connection_that_breaks_is_made_again_with_another_reply_queue(server, learner):
    actor = Actor(server)
    actor.play(2)
    slot = actor.client._request.slot
    actor.client._link.close()
    actor.client._link = None
    actor.play(UNROLLS * T - 1)
    assert actor.client._request.slot != slot
    for unroll in local_unrolls():
        np.testing.assert_array_equal(
            learner.take(K).agent_outputs.step_mul, unroll.agent_outputs.step_mul
        )
