"""Bootstrapped heads: versions that share torso and core only, and which of them plays."""

import numpy as np
import pytest
import sonnet as snt
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents
from sc2impala.agents import bootstrap
from sc2impala.agents.heads import HeadOutputs
from sc2impala.agents.wrapper import EpsilonGreedy
from tests import fakes

K, H, T, SEED = 4, 3, 12, 11


def make_agent(name='fully_conv', num_heads=H, fixed_step_mul=None):
    env = fakes.FakeEnvironment(K, agent=name)
    specs = env.observation_spec, env.action_spec
    agent = agents.make_agent(name, *specs, 6, fixed_step_mul, bootstrap_heads=num_heads)
    agent.create_variables(specs[0])
    return agent


def random_outputs(*leading):
    rng = np.random.RandomState(0)

    def draw(*shape):
        return rng.normal(size=[*leading, *shape]).astype(np.float32)

    return HeadOutputs({'function': draw(5), 'screen': draw(16)}, draw(3), draw())


def test_versions_are_folded_selected_and_averaged():
    outputs = random_outputs(2, K, H)
    version = np.array([2, 0, 1, 2])
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = tf.nest.map_structure(tf.constant, outputs)
        first = tf.nest.map_structure(lambda t: t[0], tensors)
        folded, selected, mean = session.run(
            (
                bootstrap.fold(tensors),
                bootstrap.select(first, tf.constant(version, tf.int32)),
                bootstrap.mean(first),
            )
        )
    for array, whole, one, average in zip(*map(tf.nest.flatten, (outputs, folded, selected, mean))):
        assert whole.shape == (2, K * H, *array.shape[3:])
        for k in range(K):
            np.testing.assert_array_equal(whole[:, k * H : (k + 1) * H], array[:, k])
            np.testing.assert_array_equal(one[k], array[0, k, version[k]])
        np.testing.assert_allclose(average, array[0].mean(axis=1), rtol=1e-5, atol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize('name', sorted(agents.AGENTS))
def test_every_agent_gets_versions_with_weights_of_their_own(name):
    with tf.Graph().as_default():
        single = {v.op.name: v.shape for v in make_agent(name, num_heads=0).weights}
    with tf.Graph().as_default():
        agent = make_agent(name)
        weights = {v.op.name: v.shape for v in agent.weights}
        copy = agent.make_copy('target')
        assert [v.shape for v in copy.weights] == [v.shape for v in agent.weights]
        everything = {v.op.name for v in tf.global_variables()}
    assert single.items() <= weights.items() and len(single) < len(weights)
    of_heads = [name for name in single if name.startswith('heads/')]
    assert any('baseline' in name for name in of_heads)
    assert any('function' in name for name in of_heads)
    assert len(weights) == len(single) + (H - 1) * len(of_heads)
    # No parts that nobody uses.
    assert everything == set(weights) | {f'target/{name}' for name in weights}


class Acting:
    """An actor whose games last a few steps, and what each version says of each step."""

    def __init__(self, epsilon=0.0, num_unrolls=2):
        with tf.Graph().as_default() as self.graph, tf.Session() as session:
            tf.set_random_seed(0)
            env = fakes.FakeEnvironment(K)
            agent = make_agent('fully_conv_lstm')
            acting = EpsilonGreedy(agent, [epsilon], follows_episodes=True)
            output = actors.build_actor(acting, env, T, seed=SEED).output
            session.run(tf.global_variables_initializer())
            session.run(tf.local_variables_initializer())
            unrolls = [session.run(output) for _ in range(num_unrolls)]
            self.played, env_outputs = (
                tf.nest.map_structure(
                    lambda *arrays: np.swapaxes(
                        np.concatenate([arrays[0][:, :1]] + [a[:, 1:] for a in arrays], axis=1),
                        0,
                        1,
                    ),
                    *[getattr(unroll, name) for unroll in unrolls],
                )
                for name in ('agent_outputs', 'env_outputs')
            )
            self.done = env_outputs.done
            inputs = tf.nest.map_structure(tf.constant, (self.played.action, env_outputs))
            outputs, _ = agent.unroll(*inputs, agent.initial_state(K))
            self.outputs = session.run(outputs)
            state = agent.initial_state(K)
            first = tf.nest.map_structure(lambda t: t[0], inputs)
            self.mean = session.run(agent.act(first, state)[0])

    def version(self, t, k):
        """That whose baseline was recorded for observation t."""
        of_all = self.outputs.baseline[t, k * H : (k + 1) * H]
        distances = np.abs(of_all - self.played.baseline[t + 1, k])
        assert distances.min() < 1e-5 and np.sort(distances)[1] > 1e-4
        return int(distances.argmin())


@pytest.fixture(scope='module')
def acting():
    return Acting()


def test_one_version_plays_an_episode(acting):
    num_steps = len(acting.done) - 1
    versions = np.array([[acting.version(t, k) for k in range(K)] for t in range(num_steps)])
    starts = np.array(acting.done[:-1])
    assert starts.sum() > 2 * K
    np.testing.assert_array_equal(versions[1:][~starts[1:]], versions[:-1][~starts[1:]])
    # Games, and the episodes of each, have different ones.
    assert set(versions[0]) != {versions[0][0]}
    assert set(versions[starts]) == set(range(H))
    for t, k in np.ndindex(num_steps, K):
        np.testing.assert_allclose(
            acting.played.action_logits['function'][t + 1, k],
            acting.outputs.action_logits['function'][t, k * H + versions[t, k]],
            rtol=1e-4,
            atol=1e-5,
        )


def test_otherwise_it_is_their_mean(acting):
    for name, logits in acting.mean.action_logits.items():
        of_all = acting.outputs.action_logits[name][0]
        expected = of_all.reshape(K, H, -1).mean(axis=1)
        np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-5)
    of_all = acting.outputs.baseline[0].reshape(K, H)
    np.testing.assert_allclose(acting.mean.baseline, of_all.mean(axis=1), rtol=1e-4, atol=1e-5)
    assert of_all.std(axis=1).min() > 1e-3


def test_what_was_drawn_is_a_function_of_stream_start_and_game():
    def drawn(stream, step, done, steps):
        with tf.Graph().as_default(), tf.Session() as session:
            return session.run(
                bootstrap.versions_of_episodes(
                    tf.constant([stream, step], tf.int64),
                    tf.constant(np.broadcast_to(done, [1000])),
                    tf.constant(np.broadcast_to(np.int32(steps), [1000])),
                    5,
                )
            )

    first = drawn(7, 40, True, 13)
    assert first.dtype == np.int32
    counts = np.bincount(first, minlength=5)
    assert len(counts) == 5 and np.sum((counts - 200) ** 2 / 200) < 20
    np.testing.assert_array_equal(drawn(7, 49, False, 9), first)
    for other in (drawn(8, 40, True, 13), drawn(7, 41, True, 13), drawn(7, 40, False, 13)):
        assert 0.7 < np.mean(other != first) < 0.9


class _MadeAtOnce(snt.Module):
    """Heads that do not wait for their inputs to make their variables."""

    def __init__(self):
        super().__init__(name='made_at_once')
        self.w = tf.Variable(tf.zeros([3]), name='w')


def test_heads_with_variables_are_refused():
    with tf.Graph().as_default(), pytest.raises(ValueError, match='cannot be bootstrapped'):
        bootstrap.BootstrappedHeads(_MadeAtOnce(), 2)


def test_without_a_seed_no_version_can_play_an_episode():
    with tf.Graph().as_default(), pytest.raises(ValueError, match='need a seed'):
        bootstrap.versions_of_episodes(None, tf.constant([True]), tf.constant([0]), 2)
