"""The joint action distribution compared with loops over single steps."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents import policy as policy_lib

HEADS = {'function': 4, 'screen': 6, 'queued': 2, 'select_add': 3}
HEAD_USED = {
    'screen': np.array([False, True, True, False]),
    'queued': np.array([False, False, True, True]),
    'select_add': np.array([False, True, False, False]),
}
MAX_STEP_MUL = 5
T, B = 7, 3


def _outputs(seed, unavailable=None):
    """AgentOutput of [T, B] as arrays, function logits masked where `unavailable`."""
    rng = np.random.RandomState(seed)
    logits = {name: 2 * rng.normal(size=[T, B, n]).astype(np.float32) for name, n in HEADS.items()}
    if unavailable is not None:
        logits['function'][unavailable] = policy_lib.UNAVAILABLE_LOGIT
    return structs.AgentOutput(
        action={name: rng.randint(n, size=[T, B]).astype(np.int32) for name, n in HEADS.items()},
        action_logits=logits,
        step_mul=rng.randint(1, MAX_STEP_MUL + 1, size=[T, B]).astype(np.int32),
        step_mul_logits=rng.normal(size=[T, B, MAX_STEP_MUL]).astype(np.float32),
        baseline=np.zeros([T, B], np.float32),
    )


def _used(function):
    return ['function'] + [name for name in HEAD_USED if HEAD_USED[name][function]]


def _log_softmax(logits):
    logits = np.asarray(logits, np.float64)
    return logits - np.log(np.sum(np.exp(logits - logits.max()))) - logits.max()


def _reference(term, choice, learn_step_mul, *parameters):
    """Sums term(list of log-softmaxes, index) over the used heads of each step."""
    result = np.zeros([T, B])
    for t, b in np.ndindex(T, B):
        for name in _used(choice.action['function'][t, b]):
            logs = [_log_softmax(p.action_logits[name][t, b]) for p in parameters]
            result[t, b] += term(logs, choice.action[name][t, b])
        if learn_step_mul:
            logs = [_log_softmax(p.step_mul_logits[t, b]) for p in parameters]
            result[t, b] += term(logs, choice.step_mul[t, b] - 1)
    return result


def _tensors(nest):
    return tf.nest.map_structure(tf.constant, nest)


@pytest.mark.parametrize('learn_step_mul', [True, False])
def test_equals_loops_over_steps(learn_step_mul):
    policy = policy_lib.JointPolicy(HEADS, HEAD_USED, learn_step_mul)
    mu, pi = _outputs(0), _outputs(1)
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = _tensors(mu), _tensors(pi)
        log_prob, entropy, kl = session.run(
            [
                policy.log_prob(tensors[1], tensors[0]),
                policy.entropy(tensors[1], tensors[0]),
                policy.kl(tensors[0], tensors[1], tensors[0]),
            ]
        )
    np.testing.assert_allclose(
        log_prob, _reference(lambda logs, i: logs[0][i], mu, learn_step_mul, pi), atol=1e-5
    )
    np.testing.assert_allclose(
        entropy,
        _reference(lambda logs, i: -np.sum(np.exp(logs[0]) * logs[0]), mu, learn_step_mul, pi),
        atol=1e-5,
    )
    np.testing.assert_allclose(
        kl,
        _reference(
            lambda logs, i: np.sum(np.exp(logs[0]) * (logs[0] - logs[1])),
            mu,
            learn_step_mul,
            mu,
            pi,
        ),
        atol=1e-5,
    )


def test_unused_heads_contribute_nothing_and_get_no_gradient():
    policy = policy_lib.JointPolicy(HEADS, HEAD_USED, learn_step_mul=True)
    mu, pi = _outputs(0), _outputs(1)
    mu.action['function'][:] = 3  # Uses 'queued' only.
    with tf.Graph().as_default(), tf.Session() as session:
        mu_t, pi_t = _tensors(mu), _tensors(pi)
        total = (
            policy.log_prob(pi_t, mu_t) + policy.entropy(pi_t, mu_t) + policy.kl(mu_t, pi_t, mu_t)
        )
        gradients = session.run(
            {name: tf.gradients(total, pi_t.action_logits[name])[0] for name in HEADS}
        )
    assert not gradients['screen'].any() and not gradients['select_add'].any()
    assert gradients['queued'].any() and gradients['function'].any()


def test_no_gradient_to_the_behaviour_policy():
    policy = policy_lib.JointPolicy(HEADS, HEAD_USED, learn_step_mul=True)
    with tf.Graph().as_default():
        mu, pi = _tensors(_outputs(0)), _tensors(_outputs(1))
        kl = policy.kl(mu, pi, mu)
        behaviour = tf.nest.flatten([mu.action_logits, mu.step_mul_logits])
        assert tf.gradients(kl, behaviour) == [None] * len(behaviour)


def test_masked_functions_keep_everything_finite():
    unavailable = np.zeros([T, B, HEADS['function']], bool)
    unavailable[..., 1:] = np.random.RandomState(2).uniform(size=[T, B, 3]) < 0.7
    mu, pi = _outputs(0, unavailable), _outputs(1, unavailable)
    policy = policy_lib.JointPolicy(HEADS, HEAD_USED, learn_step_mul=True)
    with tf.Graph().as_default(), tf.Session() as session:
        mu_t, pi_t = _tensors(mu), _tensors(pi)
        mu_t.action['function'] = tf.zeros([T, B], tf.int32)
        values = [policy.kl(mu_t, pi_t, mu_t), policy.entropy(pi_t, mu_t)]
        gradient = tf.gradients(values, pi_t.action_logits['function'])[0]
        for array in session.run(values + [gradient]):
            assert np.isfinite(array).all()
        assert not session.run(gradient)[unavailable].any()


def test_divergence_from_a_uniform_choice_of_what_is_available():
    """The mean of both directions, by loops; its gradient is finite and 0 for what is masked."""
    policy = policy_lib.JointPolicy(HEADS, HEAD_USED, True)
    unavailable = np.random.RandomState(3).uniform(size=[T, B, HEADS['function']]) < 0.4
    unavailable[..., 0] = False
    pi = _outputs(1, unavailable)

    def term(logs, unused_choice):
        (log_p,) = logs
        log_p = log_p[log_p > 0.5 * policy_lib.UNAVAILABLE_LOGIT]
        log_u = -np.log(len(log_p))
        forth = np.sum(np.exp(log_p) * (log_p - log_u))
        back = np.mean(log_u - log_p)
        return 0.5 * (forth + back)

    with tf.Graph().as_default(), tf.Session() as session:
        tensors = _tensors(pi)
        value = policy.uniform_kl(tensors, tensors)
        slopes = tf.gradients(value, tensors.action_logits['function'])
        found, (slope,) = session.run([value, slopes])
    np.testing.assert_allclose(found, _reference(term, pi, True, pi), rtol=1e-4, atol=1e-5)
    assert np.isfinite(slope).all() and not slope[unavailable].any()
    num_available = (~unavailable).sum(axis=-1)
    assert (slope[~unavailable & (num_available > 1)[..., np.newaxis]] != 0).all()


def test_mask_blocks_gradients_and_samples():
    logits = np.random.RandomState(3).normal(size=[200, 4]).astype(np.float32)
    available = np.random.RandomState(4).uniform(size=[200, 4]) < 0.4
    available[:, 2] = True
    policy = policy_lib.JointPolicy({'function': 4}, {}, learn_step_mul=False)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        logits_t = tf.constant(logits)
        masked = policy_lib.mask_unavailable(logits_t, tf.constant(available))
        sample = policy_lib.sample_categorical(masked)
        mode = policy.mode({'function': masked})['function']
        gradient = tf.gradients(tf.nn.log_softmax(masked)[:, 2], logits_t)[0]
        gradient, mode, *samples = session.run([gradient, mode] + [sample])
        assert not gradient[~available].any()
        rows = np.arange(200)
        assert available[rows, mode].all()
        for _ in range(20):
            samples.append(session.run(sample))
        assert all(available[rows, each].all() for each in samples)
        assert any((each != mode).any() for each in samples)


def test_sampling_follows_the_distribution():
    probabilities = np.array([0.1, 0.2, 0.7], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        logits = tf.tile(tf.math.log(probabilities)[tf.newaxis], [20000, 1])
        counts = np.bincount(session.run(policy_lib.sample_categorical(logits)))
    np.testing.assert_allclose(counts / 20000.0, probabilities, atol=0.015)


def test_result_does_not_depend_on_the_order_of_dictionaries():
    mu, pi = _outputs(0), _outputs(1)
    backwards = {name: HEADS[name] for name in reversed(list(HEADS))}
    reversed_pi = pi._replace(
        action_logits={name: pi.action_logits[name] for name in reversed(list(HEADS))}
    )
    results = []
    with tf.Graph().as_default(), tf.Session() as session:
        for heads, outputs in ((HEADS, pi), (backwards, reversed_pi)):
            policy = policy_lib.JointPolicy(heads, HEAD_USED, learn_step_mul=True)
            results.append(session.run(policy.log_prob(_tensors(outputs), _tensors(mu))))
    np.testing.assert_array_equal(*results)


def test_used_heads():
    policy = policy_lib.JointPolicy(HEADS, HEAD_USED, learn_step_mul=True)
    choice = _outputs(0)
    with tf.Graph().as_default(), tf.Session() as session:
        used = session.run(policy.used_heads(_tensors(choice)))
    for name, table in HEAD_USED.items():
        np.testing.assert_array_equal(used[name], table[choice.action['function']])
    assert used['function'].all()


def test_head_used_must_match_heads():
    with pytest.raises(ValueError, match='head_used'):
        policy_lib.JointPolicy(HEADS, {'screen': HEAD_USED['screen']}, learn_step_mul=True)
