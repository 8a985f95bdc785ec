"""Diagnostics against loops over the steps that count."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import diagnostics, optimization, sequences
from sc2impala.settings.learning import AdamSettings
from tests.learner import table_agent as table

T, B = 6, 4
REPLAYED = np.array([False, True, False, False])


def evaluate(learn_step_mul=True, change=lambda pi, mu, env: None, replayed=REPLAYED):
    """Diagnostics of random sequences, and the arrays that they were computed from."""
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    change(pi, mu, env)
    rng = np.random.RandomState(3)
    vs, advantages = rng.normal(size=[2, T, B]).astype(np.float32)
    with tf.Graph().as_default(), table.session() as session:
        agent = table.TableAgent(pi, learn_step_mul)
        steps = sequences.unroll(agent, table.make_batch(env, mu, replayed))
        found = diagnostics.diagnostics(agent.policy, steps, vs, advantages)
        session.run(tf.global_variables_initializer())
        return session.run(found), (pi, mu, env, vs, advantages)


def counted_steps(env):
    """(t, b) of the steps in new columns that were not aborted."""
    return [
        (t, b) for t, b in np.ndindex(T, B) if not REPLAYED[b] and not env.info.aborted[t + 1, b]
    ]


def test_agree_with_numpy():
    found, (pi, mu, env, vs, advantages) = evaluate()
    assert env.info.aborted[1:, ~REPLAYED].any()
    values = {}
    for t, b in counted_steps(env):
        function = mu.action['function'][t + 1, b]
        log_rho = table.log_prob_at(pi, mu, t, t + 1, b) - table.log_prob_at(
            mu, mu, t + 1, t + 1, b
        )
        values.setdefault('rho/mean', []).append(np.exp(log_rho))
        values.setdefault('rho/clipped', []).append(log_rho > 0)
        log_pi, log_mu = (table.heads_at(o, s, b, function) for o, s in ((pi, t), (mu, t + 1)))
        for head, log_p in log_pi.items():
            entropy = -np.sum(np.exp(log_p) * log_p)
            values.setdefault('entropy/' + head, []).append(entropy)
        kl = sum(np.sum(np.exp(log_mu[h]) * (log_mu[h] - log_pi[h])) for h in log_pi)
        values.setdefault('kl/behaviour', []).append(kl)
    assert 0 < len(values['entropy/screen']) < len(values['entropy/function'])
    expected = {tag: np.mean(series) for tag, series in values.items()}
    index = tuple(zip(*counted_steps(env)))
    a, v, target = advantages[index], pi.baseline[:-1][index], vs[index]
    expected['advantage/mean'], expected['advantage/std'] = np.mean(a), np.std(a)
    expected['baseline/explained_variance'] = 1 - np.var(target - v) / np.var(target)
    expected['kl/behaviour_max'] = np.max(values['kl/behaviour'])
    expected['steps/valid'] = len(counted_steps(env)) / (T * (~REPLAYED).sum())
    expected['baseline/mean'] = np.mean(v)
    ranges = {'rho': values['rho/mean'], 'advantage': a, 'baseline': v, 'target': target}
    for name, series in ranges.items():
        expected[name + '/min'], expected[name + '/max'] = np.min(series), np.max(series)
    assert set(found) == set(expected)
    for tag, value in expected.items():
        np.testing.assert_allclose(found[tag], value, rtol=1e-4, err_msg=tag)


def test_the_same_policy_has_weights_of_one():
    def same(pi, mu, env):
        for a, b in zip(tf.nest.flatten(pi), tf.nest.flatten(mu)):
            b[1:] = a[:-1]

    found, _ = evaluate(change=same)
    assert abs(found['rho/mean'] - 1) < 1e-5 and abs(found['kl/behaviour']) < 1e-5


def test_a_fixed_multiplier_has_no_entropy():
    assert 'entropy/step_mul' not in evaluate(learn_step_mul=False)[0]


def test_without_a_step_that_counts_everything_is_zero():
    found, _ = evaluate(replayed=np.ones([B], bool))
    assert set(found.values()) == {0.0}


def test_large_weights_stay_finite():
    def far_apart(pi, mu, env):
        pi.step_mul_logits[:] *= 300
        mu.step_mul_logits[:] *= -300

    assert all(np.isfinite(value) for value in evaluate(change=far_apart)[0].values())


def test_the_size_of_weights_and_moments_after_an_update():
    """Of the weights that are trained, also where the loss does not depend on some."""
    start = [np.array([3.0, -4.0], np.float32), np.array([[2.0]], np.float32)]
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [tf.Variable(array, use_resource=True) for array in start]
        loss = tf.reduce_sum(tf.constant([1.0, 5.0]) * variables[0])
        settings = AdamSettings(adam_beta2=0.9, clip_grad_norm=0.0)
        train, _ = optimization.adam_step(loss, variables, 0.5, settings, 'adam')
        found = diagnostics.measure_weights(variables, 'adam', train)
        session.run(tf.global_variables_initializer())
        found = session.run(found)
    # The first step of Adam changes each weight by the learning rate.
    np.testing.assert_allclose(found['weight_norm'], np.sqrt(2.5**2 + 4.5**2 + 4), rtol=1e-4)
    np.testing.assert_allclose(found['adam/max_second_moment'], 0.1 * 25, rtol=1e-5)


@pytest.mark.parametrize('constant, expected', [(0.0, 1.0), (3.0, 1.0), (None, 0.0)])
def test_explained_variance(constant, expected):
    """An error that is always the same is no variance; a constant explains none."""
    targets = np.random.RandomState(0).normal(size=[T, B]).astype(np.float32)
    values = np.zeros_like(targets) if constant is None else targets + np.float32(constant)
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = [tf.constant(x) for x in (targets, values, np.ones_like(targets))]
        found = session.run(diagnostics.explained_variance(*tensors))
    np.testing.assert_allclose(found, expected, atol=1e-5)
