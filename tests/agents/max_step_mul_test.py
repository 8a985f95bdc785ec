"""Step multipliers that are cut, and everything else as the agent has it."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents, structs
from sc2impala.agents.wrapper import MaxStepMul, Temperature
from tests import fakes

K, MAX_STEP_MUL = 200, 6


def act(wrap, fixed_step_mul=None):
    """One step of what `wrap` makes of an agent; the recurrent state is that before and after."""
    observation_spec, action_spec = fakes.make_specs()
    observation = fakes.random_observation(observation_spec, [K], np.random.RandomState(0))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        longest = MAX_STEP_MUL if fixed_step_mul is None else 1
        agent = agents.make_agent(
            'fully_conv_lstm', observation_spec, action_spec, longest, fixed_step_mul
        )
        agent.create_variables(observation_spec)
        playing = wrap(agent)
        assert playing.weights == agent.weights
        assert playing.output_spec() == agent.output_spec()
        env_output = structs.EnvOutput(
            (), (), tf.zeros([K], tf.bool), tf.nest.map_structure(tf.constant, observation)
        )
        inputs = {'function': tf.zeros([K], tf.int32)}, env_output
        seed = tf.constant([3, 0], tf.int64)
        result = playing.act(inputs, playing.initial_state(K), seed=seed)
        session.run(tf.global_variables_initializer())
        return session.run(result)


@pytest.mark.long
@pytest.mark.parametrize('limit', [1, 3, 5])
def test_longer_steps_are_cut_and_nothing_else(limit):
    (own, own_state), (paced, paced_state) = act(lambda x: x), act(lambda x: MaxStepMul(x, limit))
    assert set(own.step_mul) == set(range(1, MAX_STEP_MUL + 1))
    np.testing.assert_array_equal(paced.step_mul, np.minimum(own.step_mul, limit))
    for name in own.action:
        np.testing.assert_array_equal(paced.action[name], own.action[name])
    for name in own.action_logits:
        np.testing.assert_array_equal(paced.action_logits[name], own.action_logits[name])
    np.testing.assert_array_equal(paced.step_mul_logits, own.step_mul_logits)
    np.testing.assert_array_equal(paced.baseline, own.baseline)
    for ours, theirs in zip(tf.nest.flatten(paced_state), tf.nest.flatten(own_state)):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize('limit, expected', [(2, 2), (4, 4), (9, 4)])
def test_a_fixed_step_is_cut_as_well(limit, expected):
    output, _ = act(lambda x: MaxStepMul(x, limit), fixed_step_mul=4)
    assert set(output.step_mul) == {expected}


def test_what_another_stand_in_samples_is_kept():
    tempered, _ = act(lambda x: Temperature(x, 0.2))
    both, _ = act(lambda x: MaxStepMul(Temperature(x, 0.2), 2))
    np.testing.assert_array_equal(both.step_mul, np.minimum(tempered.step_mul, 2))
    np.testing.assert_array_equal(both.action['function'], tempered.action['function'])


@pytest.mark.parametrize('limit', [0, -1])
def test_a_limit_is_positive(limit):
    with pytest.raises(ValueError, match='expected at least 1'):
        MaxStepMul(None, limit)
