"""Sampling with a temperature: how often each choice is taken, and what stays as it is."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents, structs
from sc2impala.agents.wrapper import Temperature
from tests import fakes

K, NUM_STEPS, MAX_STEP_MUL = 3000, 10, 4
HEADS = ('function', 'screen', 'step_mul')


class Acting:
    """One observation in K environments, and one step of an agent, as often as it is asked for."""

    def __init__(self, temperature, conditioned=False, greedy=False):
        observation_spec, action_spec = fakes.make_specs()
        rng = np.random.RandomState(0)
        one = fakes.random_observation(observation_spec, [1], rng)
        one['available_actions'] = np.arange(len(action_spec.function_names))[np.newaxis] != 1
        with tf.Graph().as_default():
            tf.set_random_seed(0)
            agent = agents.make_agent(
                'fully_conv',
                observation_spec,
                action_spec,
                MAX_STEP_MUL,
                argument_conditioning=conditioned,
            )
            agent.create_variables(observation_spec)
            observation = tf.nest.map_structure(lambda x: tf.constant(np.repeat(x, K, 0)), one)
            env_output = structs.EnvOutput((), (), tf.zeros([K], tf.bool), observation)
            inputs = ({'function': tf.zeros([K], tf.int32)}, env_output)
            playing = agent if temperature is None else Temperature(agent, temperature)
            assert playing.weights == agent.weights
            assert playing.output_spec() == agent.output_spec()
            self.step = tf.placeholder(tf.int64, [])
            seed = tf.stack([tf.constant(3, tf.int64), self.step])
            self.output, _ = playing.act(inputs, playing.initial_state(K), greedy, seed=seed)
            self.session = tf.Session()
            self.session.run(tf.global_variables_initializer())
            self.spread(agent.weights)

    def spread(self, weights):
        """Gives the logits of some heads a deviation of 1; their biases are 0."""
        output = self()
        for head in HEADS:
            logits = logits_of(output, head)
            names = (f'heads/{head}/w:0', f'heads/{head}/pixels/w:0')
            (weight,) = [w for w in weights if w.name in names]
            scaled = self.session.run(weight) / logits[logits > -1e8].std()
            weight.load(scaled, self.session)

    def __call__(self, step=0):
        return self.session.run(self.output, {self.step: step})


def logits_of(output, head):
    return output.step_mul_logits if head == 'step_mul' else output.action_logits[head]


def choices_of(output, head):
    return output.step_mul - 1 if head == 'step_mul' else output.action[head]


def softmax(logits):
    exponentials = np.exp(logits - logits.max())
    return exponentials / exponentials.sum()


@pytest.mark.long
@pytest.mark.parametrize('temperature', [0.4, 2.5])
def test_choices_are_drawn_from_the_softmax_of_the_divided_logits(temperature):
    acting = Acting(temperature)
    outputs = [acting(step) for step in range(NUM_STEPS)]
    for head in HEADS:
        logits = logits_of(outputs[0], head)[0].astype(np.float64)
        choices = np.concatenate([choices_of(output, head) for output in outputs])
        frequencies = np.bincount(choices, minlength=len(logits)) / len(choices)
        expected = softmax(logits / temperature)
        assert np.abs(softmax(logits) - expected).max() > 0.05, head
        # Five standard errors.
        error = np.sqrt(expected * (1 - expected) / len(choices))
        assert (np.abs(frequencies - expected) < 5 * error + 1e-4).all(), head


def test_arguments_that_depend_on_the_function_have_the_temperature_too():
    output = Acting(0.4, conditioned=True)()
    function = np.bincount(output.action['function']).argmax()
    rows = output.action['function'] == function
    logits = output.action_logits['screen'][rows].astype(np.float64)
    assert (logits == logits[0]).all()
    frequencies = np.bincount(output.action['screen'][rows], minlength=logits.shape[1])
    assert np.abs(frequencies / rows.sum() - softmax(logits[0])).max() > 0.05
    expected = softmax(logits[0] / 0.4)
    error = np.sqrt(expected * (1 - expected) / rows.sum())
    assert (np.abs(frequencies / rows.sum() - expected) < 5 * error + 2 / rows.sum()).all()


def test_the_logits_stay_those_of_the_agent():
    own, tempered = Acting(None)(), Acting(0.4)()
    for head in HEADS:
        np.testing.assert_array_equal(logits_of(tempered, head), logits_of(own, head))
    np.testing.assert_array_equal(tempered.baseline, own.baseline)


def test_one_is_the_agent_itself():
    own, tempered = Acting(None)(), Acting(1.0)()
    for head in HEADS:
        np.testing.assert_array_equal(choices_of(tempered, head), choices_of(own, head))


@pytest.mark.long
def test_towards_zero_it_is_greedy_and_what_is_unavailable_is_never_played():
    greedy, cold = Acting(1.0, greedy=True)(), Acting(1e-3)()
    hot = Acting(1000.0)()
    for head in HEADS:
        assert (choices_of(cold, head) == choices_of(greedy, head)).mean() > 0.99
    assert set(hot.action['function']) == set(range(hot.action_logits['function'].shape[1])) - {1}


def test_a_greedy_choice_does_not_depend_on_it():
    first, second = Acting(0.1, greedy=True)(), Acting(10.0, greedy=True)()
    for head in HEADS:
        np.testing.assert_array_equal(choices_of(first, head), choices_of(second, head))


@pytest.mark.parametrize('temperature', [0.0, -1.0])
def test_it_is_positive(temperature):
    with pytest.raises(ValueError, match='expected more than 0'):
        Temperature(None, temperature)
