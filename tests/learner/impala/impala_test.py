"""The loss of IMPALA and its gradient, against NumPy and against an update written by hand."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from sc2impala.learner import optimization
from sc2impala.learner.impala.update import Impala
from tests.learner import table_agent as table
from tests.learner.impala.impala_case import COSTS, REPLAYED, B, Case, T, make_settings


@pytest.mark.parametrize('unroll_length', [1, T])
@pytest.mark.parametrize('clip_advantage', [False, True])
def test_losses_agree_with_numpy(unroll_length, clip_advantage):
    case = Case(unroll_length, is_replay=REPLAYED, clip_advantage=clip_advantage)
    expected = case.reference(REPLAYED, clip_advantage)(case.pi)
    for name, value in expected.items():
        np.testing.assert_allclose(case.summary['loss/' + name], value, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        case.summary['loss/total_loss'], sum(expected.values()), rtol=1e-5, atol=1e-5
    )


def test_self_imitation_clips_the_advantages_of_replayed_columns():
    case = Case(is_replay=REPLAYED, self_imitation=True)
    expected = case.reference(REPLAYED, self_imitation=True)(case.pi)
    for name, value in expected.items():
        np.testing.assert_allclose(case.summary['loss/' + name], value, rtol=1e-5, atol=1e-5)
    _, advantages = table.vtrace_targets(case.pi, case.mu, case.env, 0.9)
    for columns in (REPLAYED, ~REPLAYED):
        counted = columns & ~case.env.info.aborted[1:]
        assert (advantages[counted] < 0).any() and (advantages[counted] > 0).any()


@pytest.mark.parametrize('exponent', [0.0, 0.7])
def test_replayed_columns_have_importance_weights(replayed, exponent):
    """New ones do not, whatever the probabilities."""
    probabilities = np.array([1e-3, 0.5, 0.9, 0.1], np.float32)
    case = Case(is_replay=REPLAYED, probabilities=probabilities, importance_exponent=exponent)
    weights = np.array([1.0, 0.2**exponent, 1.0, 1.0])
    for found, without in zip(*map(tf.nest.flatten, (case.gradients, replayed.gradients))):
        shape = [1, B] + [1] * (found.ndim - 2)
        np.testing.assert_allclose(found, without * weights.reshape(shape), rtol=1e-3, atol=1e-4)


def test_priorities_are_made_of_advantages():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    settings = make_settings(priority_max_share=0.3, clip_advantage=True)
    with tf.Graph().as_default(), table.session() as session:
        agent = table.TableAgent(pi)
        schedule = optimization.Schedule(tf.train.get_or_create_global_step(), 1000)
        plain, replays = (
            Impala(settings).build_update(
                agent, table.make_batch(env, mu, is_replay), agent.weights, schedule
            )
            for is_replay in (None, REPLAYED)
        )
        assert plain.priorities is None and replays.priority_keys is None
        session.run(tf.global_variables_initializer())
        priorities = session.run(replays.priorities)
    _, advantages = table.vtrace_targets(pi, mu, env, 0.9)
    for b in range(B):
        sizes = np.abs(advantages[~env.info.aborted[1:, b], b])
        expected = 0.3 * sizes.max() + 0.7 * sizes.mean()
        np.testing.assert_allclose(priorities[b], expected, rtol=1e-4)


def test_gradients_agree_with_numpy(replayed):
    case = replayed
    terms = case.reference(REPLAYED)
    rng = np.random.RandomState(7)
    groups = [case.pi.action_logits, case.pi.step_mul_logits, case.pi.baseline]
    for array, gradient in zip(tf.nest.flatten(groups), tf.nest.flatten(case.gradients)):
        for _ in range(12):
            index = tuple(rng.randint(size) for size in array.shape)
            np.testing.assert_allclose(
                gradient[index], _slope(terms, case.pi, array, index), rtol=1e-3, atol=2e-4
            )


def _slope(terms, pi, array, index):
    """Central difference of the total loss with respect to array[index]."""
    saved, losses = array[index], []
    for step in (1e-2, -1e-2):
        array[index] = saved + step
        losses.append((sum(terms(pi).values()), np.float64(array[index])))
    array[index] = saved
    (high, x_high), (low, x_low) = losses
    return (high - low) / (x_high - x_low)


def test_no_gradient_at_the_bootstrap_step_and_at_aborted_steps(replayed):
    case = replayed
    aborted = case.env.info.aborted[1:]
    assert aborted.any()
    for gradient in tf.nest.flatten(case.gradients):
        assert not gradient[-1].any()
        assert not gradient[:-1][aborted].any()
        assert gradient[:-1][~aborted].any()


def test_clip_advantage_changes_the_loss(plain):
    free, clipped = plain, Case(clip_advantage=True)
    assert free.summary['loss/policy_gradient'] != clipped.summary['loss/policy_gradient']
    assert free.summary['loss/baseline'] == clipped.summary['loss/baseline']


def test_trace_decay_changes_both_targets(plain):
    whole, decayed = plain, Case(trace_decay=0.5)
    for name in ('policy_gradient', 'baseline'):
        assert whole.summary['loss/' + name] != decayed.summary['loss/' + name]


@pytest.mark.long
def test_upgo_is_one_more_policy_gradient():
    """It reaches the policy and not the baseline, in proportion to its cost."""
    without, once, twice = (Case(upgo_cost=cost) for cost in (0.0, 1.0, 2.0))
    assert 'loss/upgo' not in without.summary
    assert once.summary['loss/upgo'] * 2 == twice.summary['loss/upgo'] != 0
    assert once.summary['loss/baseline'] == without.summary['loss/baseline']
    np.testing.assert_array_equal(without.gradients[2], once.gradients[2])
    for a, b, c in zip(*[tf.nest.flatten(x.gradients[:2]) for x in (without, once, twice)]):
        np.testing.assert_allclose(c - b, b - a, atol=1e-4)
        assert not np.allclose(a, b)


def test_no_replay_is_plain_impala_bit_for_bit(plain):
    no_column = Case(is_replay=np.zeros([B], bool), num_replay=2)
    assert 'loss/policy_cloning' not in plain.summary
    assert no_column.summary['loss/policy_cloning'] == 0.0
    assert no_column.summary['loss/value_cloning'] == 0.0
    assert plain.summary['loss/total_loss'] == no_column.summary['loss/total_loss']
    tf.nest.map_structure(np.testing.assert_array_equal, plain.gradients, no_column.gradients)


def test_plain_impala_written_by_hand_bit_for_bit():
    """The update with R = 0 against a short IMPALA made of the same parts."""
    case = Case(learning_rate=0.01, adam_beta1=0.9, adam_beta2=0.999, adam_epsilon=1e-5)
    with tf.Graph().as_default(), table.session() as session:
        agent = table.TableAgent(case.pi)
        env, mu = table.tensors(case.env), table.tensors(case.mu)
        pi, _ = agent.unroll(None, env, ())
        last_value = pi.baseline[-1]
        mu = tf.nest.map_structure(lambda x: x[1:], mu)
        pi = tf.nest.map_structure(lambda x: x[:-1], pi)
        mask = 1.0 - tf.cast(env.info.aborted[1:], tf.float32)
        log_prob = agent.policy.log_prob(pi, mu)
        returns = vtrace.from_importance_weights(
            log_prob - agent.policy.log_prob(mu, mu),
            0.9 * tf.cast(tf.logical_not(env.done[1:]), tf.float32),
            env.reward[1:],
            pi.baseline,
            last_value,
            mask=mask,
        )
        loss = tf.add_n(
            [
                tf.reduce_sum(-log_prob * returns.pg_advantages * mask),
                COSTS['entropy'] * tf.reduce_sum(-agent.policy.entropy(pi, mu) * mask),
                COSTS['baseline'] * tf.reduce_sum(0.5 * tf.square(returns.vs - pi.baseline) * mask),
            ]
        )
        train = tf.train.AdamOptimizer(0.01, 0.9, 0.999, 1e-5).minimize(loss)
        session.run(tf.global_variables_initializer())
        before = session.run(agent.variables)
        total, _ = session.run([loss, train])
        after = session.run(agent.variables)
    assert np.float32(total) == np.float32(case.summary['loss/total_loss'])
    tf.nest.map_structure(
        lambda a, b, change: np.testing.assert_array_equal(a - b, change),
        before,
        after,
        case.gradients,
    )


def test_order_of_columns_changes_nothing(replayed):
    order = np.array([2, 0, 3, 1])

    def permute(pi, mu, env):
        for array in tf.nest.flatten([pi, mu, env]):
            array[:] = array[:, order]

    case = replayed
    permuted = Case(is_replay=REPLAYED[order], change=permute)
    np.testing.assert_allclose(
        case.summary['loss/total_loss'], permuted.summary['loss/total_loss'], rtol=1e-6
    )
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(a[:, order], b, atol=1e-6),
        case.gradients,
        permuted.gradients,
    )
    assert case.output.num_env_frames_and_train == permuted.output.num_env_frames_and_train


def test_fixed_multiplier_is_not_a_choice():
    def other_multipliers(pi, mu, env):
        mu.step_mul_logits[:] += np.random.RandomState(8).normal(size=mu.step_mul_logits.shape)

    cases = [Case(learn_step_mul=False), Case(learn_step_mul=False, change=other_multipliers)]
    assert cases[0].summary['loss/total_loss'] == cases[1].summary['loss/total_loss']
    assert not cases[0].gradients[1].any()


def test_an_aborted_episode_is_not_terminal():
    """Its last step changes no loss, and the steps before see the value of where it stopped."""

    def abort(pi, mu, env):
        env.done[:] = False
        env.info.aborted[:] = False
        env.done[4, 2] = env.info.aborted[4, 2] = True

    def abort_with_reward(pi, mu, env):
        abort(pi, mu, env)
        env.reward[4, 2] = 100.0

    def terminal(pi, mu, env):
        abort(pi, mu, env)
        env.info.aborted[4, 2] = False

    aborted, rewarded, ended = (Case(change=c) for c in (abort, abort_with_reward, terminal))
    assert aborted.summary == rewarded.summary
    assert aborted.summary['loss/baseline'] != ended.summary['loss/baseline']
    vs, _ = table.vtrace_targets(aborted.pi, aborted.mu, aborted.env, 0.9)
    assert vs[3, 2] == aborted.pi.baseline[3, 2]


def test_discount_per_frame_depends_on_the_multiplier(plain):
    per_frame = Case(discounting_per_frame=True)
    assert per_frame.summary['loss/baseline'] != plain.summary['loss/baseline']
