"""Acting epsilon-greedily: what is played, how often, and that it follows from the seed."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents, structs
from sc2impala.agents.wrapper import EpsilonGreedy
from tests import fakes

K, MAX_STEP_MUL = 200, 6


class Acting:
    """One step of an agent in K environments, as often as it is asked for."""

    def __init__(self, epsilons, fixed_step_mul=None, greedy=False, seeded=True):
        observation_spec, action_spec = fakes.make_specs()
        rng = np.random.RandomState(0)
        observation = fakes.random_observation(observation_spec, [K], rng)
        self.available = rng.uniform(size=[K, len(action_spec.function_names)]) < 0.5
        self.available[:, 0] = True
        observation['available_actions'] = self.available
        with tf.Graph().as_default() as self.graph:
            tf.set_random_seed(0)
            agent = agents.make_agent(
                'fully_conv', observation_spec, action_spec, MAX_STEP_MUL, fixed_step_mul
            )
            agent.create_variables(observation_spec)
            env_output = structs.EnvOutput(
                (), (), tf.zeros([K], tf.bool), tf.nest.map_structure(tf.constant, observation)
            )
            inputs = ({'function': tf.zeros([K], tf.int32)}, env_output)
            self.seed = tf.placeholder(tf.int64, [2]) if seeded else None
            self.output, _ = EpsilonGreedy(agent, epsilons).act(
                inputs, agent.initial_state(K), greedy, seed=self.seed
            )
            self.best = agent.action_values.greedy(self.output)
            self.session = tf.Session()
            self.session.run(tf.global_variables_initializer())

    def __call__(self, step=0):
        feed = {} if self.seed is None else {self.seed: [7, step]}
        return self.session.run((self.output, self.best), feed)


def differs(output, best):
    """Where a choice is not the best one, bool [K]."""
    return np.any([output.action[n] != best.action[n] for n in best.action], axis=0)


@pytest.mark.parametrize('options', [dict(epsilons=[0.0]), dict(epsilons=[1.0], greedy=True)])
def test_without_epsilon_the_best_action_is_played(options):
    output, best = Acting(**options)()
    assert not differs(output, best).any()
    np.testing.assert_array_equal(output.step_mul, best.step_mul)


def test_random_actions_are_uniform_over_what_is_available():
    acting = Acting([1.0])
    outputs = [acting(step)[0] for step in range(30)]
    functions = np.stack([output.action['function'] for output in outputs])
    assert acting.available[np.arange(K), functions].all()
    # Where three of four functions are available.
    rows = acting.available.sum(axis=1) == 3
    assert rows.sum() > 20
    for function in range(acting.available.shape[1]):
        share = np.mean(functions[:, rows & acting.available[:, function]] == function)
        assert abs(share - 1 / 3) < 0.06
    step_muls = np.bincount(np.stack([output.step_mul for output in outputs]).ravel())[1:]
    assert len(step_muls) == MAX_STEP_MUL
    expected = 30 * K / MAX_STEP_MUL
    # 5 degrees of freedom: 20.5 is exceeded once in a thousand.
    assert np.sum((step_muls - expected) ** 2) / expected < 20.5
    points = np.stack([output.action['screen'] for output in outputs]).ravel()
    assert len(set(points)) == outputs[0].action_logits['screen'].shape[-1]


def test_each_environment_has_its_epsilon():
    epsilons = np.repeat([0.0, 0.2, 0.9], [70, 70, 60])
    acting = Acting(epsilons)
    shares = np.mean([differs(*acting(step)) for step in range(40)], axis=0)
    assert not shares[:70].any()
    # A random action is hardly ever the best one: several hundred choices.
    assert abs(shares[70:140].mean() - 0.2) < 0.03
    assert abs(shares[140:].mean() - 0.9) < 0.03


@pytest.mark.long
def test_the_seed_determines_what_is_played():
    first, second = Acting([0.5]), Acting([0.5])
    tf.nest.map_structure(np.testing.assert_array_equal, first(3)[0], second(3)[0])
    assert differs(first(3)[0], first(4)[0]).sum() > 50


def test_without_a_seed_every_step_differs():
    acting = Acting([0.5], seeded=False)
    assert differs(acting()[0], acting()[0]).sum() > 50


@pytest.mark.parametrize('epsilon', [0.0, 1.0])
def test_a_fixed_step_multiplier_stays(epsilon):
    output, _ = Acting([epsilon], fixed_step_mul=3)()
    np.testing.assert_array_equal(output.step_mul, 3)


def test_plays_in_the_place_of_an_agent():
    env = fakes.FakeEnvironment(3)
    specs = env.observation_spec, env.action_spec
    with tf.Graph().as_default(), tf.Session() as session:
        agent = agents.make_agent('fully_conv_lstm', *specs, MAX_STEP_MUL)
        agent.create_variables(specs[0])
        acting = EpsilonGreedy(agent, [0.0, 0.5, 1.0])
        assert acting.weights == agent.weights
        output = actors.build_actor(acting, env, 4, seed=1).output
        session.run(tf.global_variables_initializer())
        session.run(tf.local_variables_initializer())
        played = session.run(output).agent_outputs
    available = played.action_logits['function'][:, 1:] > -1e8
    functions = played.action['function'][:, 1:]
    assert np.take_along_axis(available, functions[..., np.newaxis], axis=-1).all()
    with pytest.raises(ValueError, match='cannot be given choices'):
        acting.act((), (), given={})
