"""The expectation of log pi over candidates against a slow sum over them."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.agents.policy import UNAVAILABLE_LOGIT, Choice, JointPolicy
from sc2impala.structs import AgentOutput

HEADS = {'function': 4, 'screen': 6, 'queued': 2}
USED = {'screen': np.array([0, 1, 1, 0]), 'queued': np.array([0, 0, 1, 1])}
MAX_STEP_MUL = 3
SHAPE = (2, 3)
NUM_CANDIDATES = 5


def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def slow(logits, step_mul_logits, choice, step_mul, candidates, weights):
    """One step: a sum over candidates; arguments only of those with the chosen function."""
    total = log_softmax(step_mul_logits)[step_mul - 1]
    log_p = {head: log_softmax(values) for head, values in logits.items()}
    for index, weight in zip(candidates['function'], weights):
        total += weight * log_p['function'][index]
    alike = candidates['function'] == choice['function']
    for head in ('screen', 'queued'):
        if USED[head][choice['function']]:
            for index, weight in zip(candidates[head][alike], weights[alike]):
                total += weight / weights[alike].sum() * log_p[head][index]
    return total


@pytest.fixture
def inputs():
    random = np.random.RandomState(0)
    logits = {
        head: random.normal(size=SHAPE + (size,)).astype(np.float32) for head, size in HEADS.items()
    }
    logits['function'][..., 3] = UNAVAILABLE_LOGIT
    step_mul_logits = random.normal(size=SHAPE + (MAX_STEP_MUL,)).astype(np.float32)
    shape = SHAPE + (NUM_CANDIDATES,)
    candidates = {head: random.randint(size, size=shape) for head, size in HEADS.items()}
    candidates['function'] = random.randint(3, size=shape)
    # Of the others, which have no weight, any value is allowed.
    candidates['function'][..., -1] = 3
    weights = random.random_sample(shape).astype(np.float32)
    weights[..., -1] = 0.0
    weights /= weights.sum(axis=-1, keepdims=True)
    choice = {head: values[..., 0] for head, values in candidates.items()}
    step_mul = random.randint(1, MAX_STEP_MUL + 1, size=SHAPE)
    return logits, step_mul_logits, choice, step_mul, candidates, weights


def build(inputs):
    logits, step_mul_logits, choice, step_mul, candidates, weights = inputs
    integers = {head: tf.constant(values, tf.int32) for head, values in choice.items()}
    parameters = {head: tf.constant(values) for head, values in logits.items()}
    output = AgentOutput({}, parameters, None, tf.constant(step_mul_logits), None)
    expected = JointPolicy(HEADS, USED, True).expected_log_prob(
        output,
        Choice(integers, tf.constant(step_mul, tf.int32)),
        {head: tf.constant(values, tf.int32) for head, values in candidates.items()},
        tf.constant(weights),
    )
    return expected, parameters


def test_is_the_sum_over_candidates(inputs):
    logits, step_mul_logits, choice, step_mul, candidates, weights = inputs
    wanted = np.zeros(SHAPE)
    for place in np.ndindex(*SHAPE):
        wanted[place] = slow(
            {head: values[place] for head, values in logits.items()},
            step_mul_logits[place],
            {head: values[place] for head, values in choice.items()},
            step_mul[place],
            {head: values[place] for head, values in candidates.items()},
            weights[place],
        )
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(build(inputs)[0])
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


def test_gradients_are_the_difference_of_distributions(inputs):
    """d/dlogit sum_m w_m log pi(a_m) = target - pi; 0 for unavailable functions."""
    with tf.Graph().as_default(), tf.Session() as session:
        expected, parameters = build(inputs)
        gradient = session.run(tf.gradients(expected, parameters['function'])[0])
    logits, weights = inputs[0]['function'], inputs[-1]
    target = np.zeros(logits.shape)
    for place in np.ndindex(*SHAPE):
        np.add.at(target[place], inputs[-2]['function'][place], weights[place])
    np.testing.assert_allclose(gradient, target - np.exp(log_softmax(logits)), atol=1e-5)
    np.testing.assert_array_equal(gradient[..., 3], 0.0)


def test_one_candidate_is_a_label(inputs):
    logits, step_mul_logits, choice, step_mul, candidates, weights = inputs
    weights[...] = np.arange(NUM_CANDIDATES) == 0
    with tf.Graph().as_default(), tf.Session() as session:
        expected, parameters = build(inputs)
        output = AgentOutput({}, parameters, None, tf.constant(step_mul_logits), None)
        integers = {head: tf.constant(values, tf.int32) for head, values in choice.items()}
        of_label = JointPolicy(HEADS, USED, True).log_prob(
            output, Choice(integers, tf.constant(step_mul, tf.int32))
        )
        found = session.run([expected, of_label])
    np.testing.assert_allclose(*found, rtol=1e-5)
