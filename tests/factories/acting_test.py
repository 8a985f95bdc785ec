"""Who explores: games of all actors on one ladder, and evaluations with an epsilon of their own."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents
from sc2impala.agents.wrapper import MaxStepMul, Temperature
from sc2impala.factories import acting
from sc2impala.learner.r2d2.settings import R2d2Settings
from sc2impala.learner.r2d2.update import R2D2
from tests import fakes
from tests.runtime.tiny import make_settings

K = 3


@pytest.fixture
def agent():
    with tf.Graph().as_default():
        observation_spec, action_spec = fakes.make_specs()
        made = agents.make_agent('fully_conv', observation_spec, action_spec, 4)
        made.create_variables(observation_spec)
        yield made


def explored(playing, num_steps=200):
    """The share of steps in which each of K games plays something else than the best action."""
    env = fakes.FakeEnvironment(K)
    observation = tf.nest.map_structure(tf.constant, env.reset())
    env_output = fakes.structs.EnvOutput((), (), tf.zeros([K], tf.bool), observation)
    inputs = {'function': tf.zeros([K], tf.int32)}, env_output
    step = tf.placeholder(tf.int64, [])
    seed = tf.stack([tf.constant(0, tf.int64), step])
    state = playing.initial_state(K)
    chosen, best = (
        playing.act(inputs, state, greedy=greedy, seed=seed)[0].action for greedy in (False, True)
    )
    differs = tf.reduce_any(
        tf.stack([tf.not_equal(chosen[name], best[name]) for name in chosen]), axis=0
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return np.mean([session.run(differs, {step: i}) for i in range(num_steps)], axis=0)


def test_a_policy_is_sampled(agent):
    settings = make_settings()
    algorithm = acting.main_algorithm(settings)
    assert algorithm.acting_agents(agent, 2, K) == [agent, agent]
    assert acting.in_evaluation(settings, agent) is agent


def test_trainings_do_not_depend_on_the_temperature_of_evaluations(agent):
    settings = make_settings(temperature=0.5)
    assert acting.main_algorithm(settings).acting_agents(agent, 1, K) == [agent]
    assert isinstance(acting.in_evaluation(settings, agent), Temperature)
    assert isinstance(acting.as_policy(settings, agent), Temperature)


@pytest.mark.parametrize('algorithm', ['impala', 'r2d2'])
def test_trainings_do_not_depend_on_how_often_evaluations_act(agent, algorithm):
    settings = make_settings(eval_max_step_mul=2, algorithm=algorithm)
    for actor in acting.main_algorithm(settings).acting_agents(agent, 1, K):
        assert not isinstance(actor, MaxStepMul)
    assert isinstance(acting.in_evaluation(settings, agent), MaxStepMul)
    assert isinstance(acting.as_policy(settings, agent), MaxStepMul)


def test_each_game_of_all_actors_has_its_epsilon(agent):
    algorithm = R2D2(R2d2Settings(r2d2_epsilon=0.7, r2d2_epsilon_steepness=5.0))
    first, second = algorithm.acting_agents(agent, 2, K)
    epsilons = [0.7 ** (1 + index) for index in range(2 * K)]
    for playing, expected in ((first, epsilons[:K]), (second, epsilons[K:])):
        np.testing.assert_allclose(explored(playing), expected, atol=0.11)


def test_an_evaluation_has_its_own(agent):
    settings = make_settings(algorithm='r2d2', r2d2_epsilon=0.0, r2d2_evaluation_epsilon=0.5)
    shares = explored(acting.in_evaluation(settings, agent))
    np.testing.assert_allclose(shares, 0.5, atol=0.11)
