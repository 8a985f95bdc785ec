"""Truncated, terminal and aborted ends of episodes in every algorithm, from the definitions.

Each reference sums over the steps of one part of an episode. A truncated part ends with the value
of its final observation, a terminal one with 0. The step after a truncation has no loss.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.learner import sequences
from sc2impala.learner.critic_pretraining.settings import CriticPretrainingSettings
from tests.learner import table_agent as table
from tests.learner import value_agent
from tests.learner.appo import appo_test
from tests.learner.impala import impala_case
from tests.learner.r2d2 import r2d2_test

T, B = 6, 4
DISCOUNT = 0.9
ENDS = {
    (4, 0): 'reset',
    (4, 1): 'terminal',
    (4, 2): 'aborted',
    (1, 3): 'reset',
    (3, 3): 'terminal',
    (T, 3): 'reset',
}
"""By index into T + 1 steps and column. The final observations are one step before a reset."""


def change(pi, mu, env):
    table.set_ends(env, ENDS)


def parts():
    """(column, steps, whether the return bootstraps) of all parts with steps."""
    for column in range(B):
        for steps, bootstraps in table.segments(ENDS, T, column):
            if len(steps):
                yield column, steps, bootstraps


def summed(pi, env, weights, decays):
    """Sums of weighted temporal differences, [T, B]: V-trace's vs - V, or advantages.

    Args:
      pi, env: outputs of agent and environment, [T + 1, B].
      weights: of each temporal difference, [T, B].
      decays: of the differences after a step, [T, B], besides the discount.
    """
    result = np.full([T, B], np.nan)
    values = pi.baseline.astype(np.float64)
    for b, steps, bootstraps in parts():

        def value(t, b=b, steps=steps, bootstraps=bootstraps):
            return values[t, b] if t < steps.stop or bootstraps else 0.0

        for s in steps:
            result[s, b], factor = 0.0, 1.0
            for t in range(s, steps.stop):
                delta = env.reward[t + 1, b] + DISCOUNT * value(t + 1) - value(t)
                result[s, b] += factor * weights[t, b] * delta
                factor *= DISCOUNT * decays[t, b]
    return result


def check_gradients(case, baseline, advantages, ratios):
    """Compares gradients of baseline and step multiplier; no masked step has one in any head."""
    masked = np.isnan(advantages)
    assert masked.sum() == sum(kind != 'terminal' for kind in ENDS.values())
    for gradient in tf.nest.flatten(case.gradients):
        assert not gradient[:-1][masked].any() and not gradient[-1].any()
    np.testing.assert_allclose(case.gradients[2][:-1], np.where(masked, 0, baseline), atol=1e-4)
    for t, b in zip(*np.nonzero(~masked)):
        pi = np.exp(table.log_softmax(case.pi.step_mul_logits[t, b]))
        chosen = np.arange(table.MAX_STEP_MUL) == case.mu.step_mul[t + 1, b] - 1
        expected = -ratios[t, b] * advantages[t, b] * (chosen - pi)
        np.testing.assert_allclose(case.gradients[1][t, b], expected, atol=1e-3)


def ratios_of(case):
    found = np.zeros([T, B])
    for t, b in np.ndindex(T, B):
        of_pi = table.log_prob_at(case.pi, case.mu, t, t + 1, b)
        found[t, b] = np.exp(of_pi - table.log_prob_at(case.mu, case.mu, t + 1, t + 1, b))
    return found


def test_vtrace_of_impala():
    case = impala_case.Case(change=change, baseline_cost=1.0, entropy_cost=0.0)
    rhos = np.minimum(1.0, ratios_of(case))
    excess = summed(case.pi, case.env, rhos, rhos)
    values = case.pi.baseline.astype(np.float64)
    advantages = np.full([T, B], np.nan)
    for b, steps, bootstraps in parts():
        for t in steps:
            following = values[t + 1, b] + (excess[t + 1, b] if t + 1 < steps.stop else 0.0)
            if t + 1 == steps.stop and not bootstraps:
                following = 0.0
            advantages[t, b] = case.env.reward[t + 1, b] + DISCOUNT * following - values[t, b]
    check_gradients(case, -excess, advantages, rhos)


def test_generalised_advantages_of_appo():
    decay = 0.8
    case = appo_test.Case(change=change, appo_advantage='gae', trace_decay=decay, baseline_cost=1.0)
    ones = np.ones([T, B])
    advantages = summed(case.pi, case.env, ones, decay * ones)
    check_gradients(case, -advantages, advantages, ratios_of(case))


@pytest.mark.parametrize('num_steps', [1, 3])
def test_double_q_targets_of_r2d2(num_steps):
    ends = {(t, b + 1): kind for (t, b), kind in ENDS.items() if b}
    ends.update({(4, 4): 'reset'})
    case = r2d2_test.Case(ends=ends, r2d2_num_steps=num_steps, importance_exponent=0.0)
    num_trained = 0
    expected = np.zeros([T, r2d2_test.B])
    for b in range(r2d2_test.B - r2d2_test.R, r2d2_test.B):
        for steps, bootstraps in table.segments(ends, T, b):
            for s in steps:
                total, factor = 0.0, 1.0
                stop = min(s + num_steps, steps.stop)
                for t in range(s, stop):
                    total += factor * case.env.reward[t + 1, b]
                    factor *= r2d2_test.DISCOUNTING ** (case.mu.step_mul[t + 1, b] / 8)
                if stop < steps.stop or bootstraps:
                    best = value_agent.best_at(case.online, stop, b)
                    value = value_agent.value_at(case.target, stop, b, *best)
                    total += factor * value_agent.unscale(value)
                played = value_agent.played_at(case.mu, s, b)
                q_value = value_agent.value_at(case.online, s, b, *played)
                expected[s, b] = q_value - value_agent.rescale(total)
                num_trained += 1
    assert num_trained == T * r2d2_test.R - sum(kind != 'terminal' for kind in ends.values())
    np.testing.assert_allclose(case.gradients[2][:-1], expected, atol=5e-3)
    for gradient in tf.nest.flatten(case.gradients):
        assert not gradient[:-1][expected == 0].any()


def test_returns_of_critic_pretraining():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    table.set_ends(env, ENDS)
    expected = np.zeros([T, B])
    for b, steps, bootstraps in parts():
        for s in steps:
            rewards = [DISCOUNT ** (t - s) * env.reward[t + 1, b] for t in range(s, steps.stop)]
            last = DISCOUNT ** (steps.stop - s) * pi.baseline[steps.stop, b] if bootstraps else 0.0
            expected[s, b] = pi.baseline[s, b] - sum(rewards) - last
    with tf.Graph().as_default(), table.session() as session:
        agent = table.TableAgent(pi)
        settings = CriticPretrainingSettings(
            discounting=DISCOUNT,
            critic_learning_rate=1e8,
            adam_beta1=0.0,
            adam_beta2=0.0,
            adam_epsilon=1e8,
            clip_grad_norm=0.0,
        )
        output = learner.build_critic_learner(agent, table.make_batch(env, mu), settings)
        session.run(tf.global_variables_initializer())
        before = session.run(agent.variables[2])
        session.run(output.num_env_frames_and_train)
        found = before - session.run(agent.variables[2])
    np.testing.assert_allclose(found[:-1], expected, atol=1e-4)


def test_a_truncated_episode_counts_once_and_its_last_step_no_frames():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    table.set_ends(env, ENDS)
    with tf.Graph().as_default(), tf.Session() as session:
        steps = sequences.unroll(table.TableAgent(pi), table.make_batch(env, mu))
        results = sequences.countable(steps)[0], steps.frames, steps.resets
        session.run(tf.global_variables_initializer())
        done, frames, resets = session.run(results)
    counted = {(t + 1, b) for t, b in zip(*np.nonzero(done))}
    assert counted == {place for place, kind in ENDS.items() if kind != 'aborted'}
    found = {(t + 1, b) for t, b in zip(*np.nonzero(resets))}
    assert found == {place for place, kind in ENDS.items() if kind == 'reset'}
    np.testing.assert_array_equal(frames, np.where(resets, 0, mu.step_mul[1:]))
