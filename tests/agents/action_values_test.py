"""Action values against loops over single steps and over all actions."""

import itertools

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents import policy as policy_lib
from sc2impala.agents.action_values import ActionValues, Choice

HEADS = {'function': 4, 'screen': 6, 'queued': 2, 'select_add': 3}
HEAD_USED = {
    'screen': np.array([False, True, True, False]),
    'queued': np.array([False, False, True, True]),
    'select_add': np.array([False, True, False, False]),
}
MAX_STEP_MUL = 5
T, B = 7, 3


def make_outputs(seed):
    """AgentOutput of [T, B] as arrays; at each step one to four functions are available."""
    rng = np.random.RandomState(seed)
    logits = {name: 2 * rng.normal(size=[T, B, n]).astype(np.float32) for name, n in HEADS.items()}
    logits['function'] += 30
    available = rng.uniform(size=[T, B, HEADS['function']]) < 0.6
    available[..., 0] |= ~available.any(axis=-1)
    logits['function'][~available] = policy_lib.UNAVAILABLE_LOGIT
    action = {name: rng.randint(n, size=[T, B]).astype(np.int32) for name, n in HEADS.items()}
    action['function'] = np.argmax(available + rng.uniform(size=available.shape), axis=-1)
    return structs.AgentOutput(
        action=dict(action, function=action['function'].astype(np.int32)),
        action_logits=logits,
        step_mul=rng.randint(1, MAX_STEP_MUL + 1, size=[T, B]).astype(np.int32),
        step_mul_logits=rng.normal(size=[T, B, MAX_STEP_MUL]).astype(np.float32),
        baseline=5 * rng.normal(size=[T, B]).astype(np.float32),
    )


def slow_value(outputs, t, b, action, step_mul, learn_step_mul):
    """V and the mean advantage of the heads in use, at one step, in float64."""
    chosen = {'function': action['function']}
    chosen.update((n, action[n]) for n in HEAD_USED if HEAD_USED[n][action['function']])
    logits = {name: outputs.action_logits[name][t, b].astype(np.float64) for name in chosen}
    if learn_step_mul:
        chosen['step_mul'] = step_mul - 1
        logits['step_mul'] = outputs.step_mul_logits[t, b].astype(np.float64)
    advantages = []
    for name, choice in chosen.items():
        among = [logit for logit in logits[name] if logit > -1e8]
        advantages.append(logits[name][choice] - sum(among) / len(among))
    return outputs.baseline[t, b] + sum(advantages) / len(advantages)


def all_actions(outputs, t, b, learn_step_mul):
    available = np.flatnonzero(outputs.action_logits['function'][t, b] > -1e8)
    sizes = [range(HEADS[name]) for name in HEAD_USED]
    step_muls = range(1, MAX_STEP_MUL + 1) if learn_step_mul else [1]
    for function, step_mul, *arguments in itertools.product(available, step_muls, *sizes):
        yield dict(zip(HEAD_USED, arguments), function=function), step_mul


def evaluate(function, outputs, learn_step_mul):
    policy = policy_lib.JointPolicy(HEADS, HEAD_USED, learn_step_mul)
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = tf.nest.map_structure(tf.constant, outputs)
        return session.run(function(ActionValues(policy), tensors))


@pytest.mark.parametrize('learn_step_mul', [True, False])
def test_the_value_of_an_action(learn_step_mul):
    outputs = make_outputs(0)
    result = evaluate(lambda values, out: values.value(out, out), outputs, learn_step_mul)
    for t, b in np.ndindex(T, B):
        action = {name: choice[t, b] for name, choice in outputs.action.items()}
        expected = slow_value(outputs, t, b, action, outputs.step_mul[t, b], learn_step_mul)
        np.testing.assert_allclose(result[t, b], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('learn_step_mul', [True, False])
def test_greedy_is_the_best_of_all_actions(learn_step_mul):
    outputs = make_outputs(1)
    best = evaluate(lambda values, out: values.greedy(out), outputs, learn_step_mul)
    assert best.step_mul.dtype == best.action['screen'].dtype == np.int32
    functions = set()
    for t, b in np.ndindex(T, B):
        highest = max(
            slow_value(outputs, t, b, action, step_mul, learn_step_mul)
            for action, step_mul in all_actions(outputs, t, b, learn_step_mul)
        )
        action = {name: choice[t, b] for name, choice in best.action.items()}
        found = slow_value(outputs, t, b, action, best.step_mul[t, b], learn_step_mul)
        np.testing.assert_allclose(found, highest, rtol=1e-5, atol=1e-5)
        functions.add(int(action['function']))
    # Not always that of the largest logit.
    own = np.argmax(outputs.action_logits['function'], axis=-1)
    assert len(functions) > 2 and (own != best.action['function']).any()


@pytest.mark.parametrize('learn_step_mul', [True, False])
@pytest.mark.parametrize('temperature', [0.05, 2.0])
def test_the_soft_value_is_a_sum_over_all_actions(learn_step_mul, temperature):
    """Of the arguments in use only: without others in their place an action counts once."""
    outputs = make_outputs(4)
    result = evaluate(
        lambda values, out: values.soft_value(out, temperature), outputs, learn_step_mul
    )
    for t, b in np.ndindex(T, B):
        actions = {}
        for action, step_mul in all_actions(outputs, t, b, learn_step_mul):
            function = action['function']
            used = tuple(action[name] for name in HEAD_USED if HEAD_USED[name][function])
            value = slow_value(outputs, t, b, action, step_mul, learn_step_mul)
            actions[(function, step_mul) + used] = value
        values = np.array(list(actions.values()))
        expected = values.max()
        expected += temperature * np.log(np.exp((values - expected) / temperature).sum())
        np.testing.assert_allclose(result[t, b], expected, rtol=1e-5, atol=1e-5)


def test_gradients_reach_what_was_chosen_and_what_is_available():
    """dQ(a)/dlogits = (1[chosen] - 1/available) / heads in use, and dQ/dV = 1."""
    policy = policy_lib.JointPolicy(HEADS, HEAD_USED, True)
    outputs = make_outputs(2)
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = tf.nest.map_structure(tf.constant, outputs)
        value = ActionValues(policy).value(tensors, Choice(outputs.action, outputs.step_mul))
        sources = dict(tensors.action_logits, step_mul=tensors.step_mul_logits, v=tensors.baseline)
        gradients = dict(zip(sources, session.run(tf.gradients(value, list(sources.values())))))
    np.testing.assert_array_equal(gradients['v'], 1)
    choices = dict(outputs.action, step_mul=outputs.step_mul - 1)
    for t, b in np.ndindex(T, B):
        function = outputs.action['function'][t, b]
        used = ['function', 'step_mul'] + [n for n in HEAD_USED if HEAD_USED[n][function]]
        for name in choices:
            size = gradients[name].shape[-1]
            available = np.ones([size])
            if name == 'function':
                available = outputs.action_logits['function'][t, b] > -1e8
            expected = (np.arange(size) == choices[name][t, b]) - available / available.sum()
            expected = expected / len(used) if name in used else 0 * expected
            np.testing.assert_allclose(gradients[name][t, b], expected, atol=1e-6)


def test_unavailable_functions_do_not_change_values():
    outputs = make_outputs(3)
    masked = outputs.action_logits['function'] < -1e8
    lower = dict(outputs.action_logits)
    lower['function'] = np.where(masked, np.float32(-8e8), lower['function'])
    others = outputs._replace(action_logits=lower)
    first, second = (
        evaluate(lambda values, out: (values.value(out, out), values.greedy(out)), each, True)
        for each in (outputs, others)
    )
    tf.nest.map_structure(np.testing.assert_array_equal, first, second)
