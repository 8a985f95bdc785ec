"""Batches of recordings: the same structure as those of actors, consecutive, with own states."""

import dataclasses

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents, demonstrations
from sc2impala.envs import players
from sc2impala.evaluation import recording
from sc2impala.learner import demonstration_source, sequences, sources
from sc2impala.learner.batch import stage
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.settings.groups import OutputSettings
from tests import fakes

T, D, N = 4, 3, 2
SPEC, ACTION_SPEC = fakes.make_specs()
LABELLED = dataclasses.replace(SPEC, demonstration_heads=tuple(ACTION_SPEC.heads))
COMPONENTS = demonstrations.components_of(SPEC.structure(), list(ACTION_SPEC.heads))


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    """Random episodes of the fake game."""
    env = fakes.FakeEnvironment(3)
    random = players.RandomPlayer(env.action_spec, np.random.RandomState(0))

    def play(env_output):
        action = random.act(env_output.observation)
        return action, np.full([3], 2 + action['function'][0] % 2, np.int32)

    heads = dict(ACTION_SPEC.heads)
    about = {'map_name': 'Fake', 'player': 'random', 'functions': [], 'heads': heads}
    writer = recording.new_writer(str(tmp_path_factory.mktemp('recorded')), about, env, 3)
    recording.record(env, play, writer, 9, StopRequest(), OutputSettings())
    return demonstrations.Recording(writer.folder)


def make_streams(recorded, count=D, seed=0):
    rng = np.random.RandomState(seed)
    return demonstrations.Streams([recorded], count, T, COMPONENTS, rng)


def make_agent(name='fully_conv_lstm'):
    tf.set_random_seed(0)
    agent = agents.make_agent(name, LABELLED, ACTION_SPEC, 4)
    agent.create_variables(LABELLED)
    return agent


def make_source(agent, recorded, count=D):
    spec = actors.sequence_spec(agent, LABELLED, T)
    streams = make_streams(recorded, count)
    return demonstration_source.DemonstrationSource(streams, spec, count)


def without_state(batch):
    return batch._replace(num_replay=(), stream_state=())


def initialized():
    session = tf.Session()
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    return session


@pytest.mark.parametrize('agent_name', ['fully_conv', 'fully_conv_lstm'])
def test_structure_is_that_of_sequences_of_actors(recorded, agent_name):
    with tf.Graph().as_default():
        agent = make_agent(agent_name)
        source = make_source(agent, recorded)
        queue = actors.SequenceQueue(actors.sequence_spec(agent, LABELLED, T), 8)
        of_queue = without_state(sources.QueueSource(queue, D).next_batch())
        batch = source.next_batch()
        tf.nest.assert_same_structure(of_queue, without_state(batch))
        for ours, theirs in zip(tf.nest.flatten(without_state(batch)), tf.nest.flatten(of_queue)):
            assert ours.dtype == theirs.dtype
            assert ours.shape.as_list() == theirs.shape.as_list()
        assert len(tf.nest.flatten(batch.stream_state)) == (2 if 'lstm' in agent_name else 0)


def test_columns_are_the_streams(recorded):
    expected = make_streams(recorded)
    with tf.Graph().as_default():
        batch = make_source(make_agent(), recorded).next_batch()
        with initialized() as session:
            for _ in range(5):
                steps = {n: np.swapaxes(a, 0, 1) for n, a in expected.next().items()}
                found = session.run(without_state(batch))
                label = found.env_outputs.observation['demonstration']
                for head in ACTION_SPEC.heads:
                    np.testing.assert_array_equal(label['action'][head], steps['action/' + head])
                    # What led to an observation is the label of the one before.
                    played = found.agent_outputs.action[head]
                    np.testing.assert_array_equal(played, steps['last_action/' + head])
                    np.testing.assert_array_equal(played[1:], label['action'][head][:-1])
                np.testing.assert_array_equal(label['step_mul'], steps['step_mul'])
                np.testing.assert_array_equal(found.agent_outputs.step_mul, steps['last_step_mul'])
                assert label['valid'].all() and label['plays'].all()
                np.testing.assert_array_equal(found.env_outputs.reward, steps['reward'])
                np.testing.assert_array_equal(found.env_outputs.done, steps['done'])
                np.testing.assert_array_equal(
                    found.env_outputs.info.episode_return, steps['episode_return']
                )
                np.testing.assert_array_equal(
                    found.env_outputs.observation['screen']['player_relative'],
                    steps['observation/screen/player_relative'],
                )
                assert not found.env_outputs.info.aborted.any() and not found.is_replay.any()
                assert not found.agent_outputs.action_logits['function'].any()


def test_the_recurrent_state_goes_on_from_batch_to_batch(recorded):
    """Batch after batch gives what one long unroll gives, with episodes that begin in between."""
    with tf.Graph().as_default():
        agent = make_agent()
        batch = make_source(agent, recorded).next_batch()
        steps = sequences.unroll(agent, batch)
        outputs = (steps.learner.baseline, steps.learner.action_logits)
        with initialized() as session:
            results = [session.run((without_state(batch), outputs)) for _ in range(4)]
            parts = [found for found, _ in results]
            whole = tf.nest.map_structure(
                lambda *arrays: np.concatenate(arrays),
                *[(part.agent_outputs.action, part.env_outputs) for part in parts],
            )
            assert whole[1].done[1:].any()
            long, _ = agent.unroll(
                *tf.nest.map_structure(tf.constant, whole), agent.initial_state(D)
            )
            expected = session.run((long.baseline, long.action_logits))
    found = tf.nest.map_structure(
        lambda *arrays: np.concatenate(arrays), *[outputs for _, outputs in results]
    )
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(
            a, np.delete(b, np.arange(T, len(b), T + 1), axis=0), rtol=1e-4, atol=1e-5
        ),
        found,
        expected,
    )
    # A state of zeros, as agent_state has it, would give something else.
    assert not parts[1].agent_state[0].any()
    with tf.Graph().as_default():
        agent = make_agent()
        second = tf.nest.map_structure(tf.constant, (whole[0], whole[1]))
        second = tf.nest.map_structure(lambda t: t[T + 1 : 2 * T + 1], second)
        fresh, _ = agent.unroll(*second, agent.initial_state(D))
        with initialized() as session:
            assert np.abs(session.run(fresh.baseline) - expected[0][T + 1 : 2 * T + 1]).max() > 1e-4


def test_columns_beside_those_of_another_source(recorded):
    with tf.Graph().as_default():
        agent = make_agent()
        spec = actors.sequence_spec(agent, LABELLED, T)
        queue = actors.SequenceQueue(spec, 8)
        ones = tf.nest.map_structure(lambda s: tf.ones([4] + s.shape.as_list(), s.dtype), spec)
        enqueue = queue.enqueue_many(ones)
        source = demonstration_source.JoinedSource(
            sources.QueueSource(queue, N), make_source(agent, recorded)
        )
        batch = source.next_batch()
        assert batch.num_replay == 0
        steps = sequences.unroll(agent, batch)
        with initialized() as session:
            session.run(enqueue)
            expected = make_streams(recorded)
            states = []
            for _ in range(2):
                arrays = expected.next()
                found, (mask, _) = session.run(
                    (without_state(batch), (steps.is_new, steps.learner.baseline))
                )
                states.append(session.run(batch.stream_state))
                np.testing.assert_array_equal(found.is_replay, [False] * N + [True] * D)
                assert mask.tolist() == [True] * N + [False] * D
                reward = found.env_outputs.reward
                assert (reward[:, :N] == 1).all() and reward.shape == (T + 1, N + D)
                np.testing.assert_array_equal(reward[:, N:], arrays['reward'].T)
                assert (found.agent_state[0][:N] == 1).all()
                assert found.keys.tolist() == [-1] * (N + D)
    assert states[0][0].shape[0] == D
    assert np.abs(states[0][0] - states[1][0]).max() > 1e-4


def test_staged_batches_have_the_state_of_the_batch_before(recorded):
    """The state is read when a batch is used, not when it is copied ahead."""

    def baselines(staged):
        with tf.Graph().as_default():
            agent = make_agent()
            batch = make_source(agent, recorded).next_batch()
            put = tf.no_op()
            if staged:
                batch, (put, _) = stage(batch, '/cpu:0')
            baseline = sequences.unroll(agent, batch).learner.baseline
            with initialized() as session:
                session.run(put)
                return [session.run([baseline, put])[0] for _ in range(4)]

    for plain, staged in zip(baselines(False), baselines(True)):
        np.testing.assert_allclose(plain, staged, atol=1e-6)
