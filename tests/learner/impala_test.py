"""The update of IMPALA: loss and gradient against NumPy, and what it must count or ignore."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import learner, vtrace
from sc2impala.learner import optimization, summaries
from sc2impala.learner.impala import Impala, ImpalaSettings
from tests.learner import table_agent as table

T, B = 6, 4
ENDS = 'min', 'max'
COSTS = {
    'policy_gradient': 1.0,
    'baseline': 0.7,
    'entropy': 0.03,
    'policy_cloning': 0.4,
    'value_cloning': 0.2,
}
REPLAYED = np.array([False, True, False, True])


class _Case:
    """One update on random data, and its results.

    With beta1 = beta2 = 0 and an epsilon far above every gradient, Adam is gradient descent with
    rate learning_rate / epsilon, here 1: the change of a variable is its gradient.
    """

    def __init__(
        self,
        unroll_length=T,
        seed=0,
        change=lambda pi, mu, env: None,
        is_replay=None,
        num_replay=None,
        learn_step_mul=True,
        probabilities=None,
        **settings,
    ):
        self.pi = table.random_outputs(seed, unroll_length, B)
        self.mu = table.random_outputs(seed + 1, unroll_length, B)
        self.env = table.random_env_outputs(seed + 2, unroll_length, B)
        change(self.pi, self.mu, self.env)
        with tf.Graph().as_default(), table.session() as session:
            agent = table.TableAgent(self.pi, learn_step_mul)
            batch = table.make_batch(self.env, self.mu, is_replay, num_replay)
            if probabilities is not None:
                batch = batch._replace(probabilities=tf.constant(probabilities))
            output = learner.build_learner(agent, batch, 1e9, make_settings(**settings))
            summary = summaries.merge(output.metrics)
            session.run(tf.global_variables_initializer())
            before = session.run(agent.variables)
            self.output, serialized = session.run([output, summary])
            after = session.run(agent.variables)
        self.gradients = tf.nest.map_structure(lambda a, b: a - b, before, after)
        self.summary = table.scalars(serialized)
        self.histograms = table.histograms(serialized)

    def reference(self, replayed, clip_advantage=False):
        """Function from pi to the terms of the loss, with the targets held constant."""
        vs, advantages = table.vtrace_targets(self.pi, self.mu, self.env, 0.9)
        if clip_advantage:
            advantages = np.maximum(advantages, 0)
        return lambda pi: table.loss_terms(pi, self.mu, self.env, vs, advantages, replayed, COSTS)


def make_settings(**settings):
    """Costs of the reference, and gradient descent with rate 1; see `_Case`."""
    defaults = dict(
        discounting=0.9,
        baseline_cost=COSTS['baseline'],
        entropy_cost=COSTS['entropy'],
        final_entropy_cost=-1.0,
        policy_cloning_cost=COSTS['policy_cloning'],
        value_cloning_cost=COSTS['value_cloning'],
        learning_rate=1e8,
        adam_beta1=0.0,
        adam_beta2=0.0,
        adam_epsilon=1e8,
        clip_grad_norm=0.0,
    )
    return ImpalaSettings(**dict(defaults, **settings))


@pytest.fixture(scope='module')
def plain():
    """An update without replay; tests must not change it."""
    return _Case()


@pytest.fixture(scope='module')
def replayed():
    """An update of which some columns are replayed; tests must not change it."""
    return _Case(is_replay=REPLAYED)


@pytest.mark.parametrize('unroll_length', [1, T])
@pytest.mark.parametrize('clip_advantage', [False, True])
def test_losses_agree_with_numpy(unroll_length, clip_advantage):
    case = _Case(unroll_length, is_replay=REPLAYED, clip_advantage=clip_advantage)
    expected = case.reference(REPLAYED, clip_advantage)(case.pi)
    for name, value in expected.items():
        np.testing.assert_allclose(case.summary['loss/' + name], value, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        case.summary['loss/total_loss'], sum(expected.values()), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize('exponent', [0.0, 0.7])
def test_replayed_columns_have_importance_weights(replayed, exponent):
    """New ones do not, whatever the probabilities."""
    probabilities = np.array([1e-3, 0.5, 0.9, 0.1], np.float32)
    case = _Case(is_replay=REPLAYED, probabilities=probabilities, importance_exponent=exponent)
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
    free, clipped = plain, _Case(clip_advantage=True)
    assert free.summary['loss/policy_gradient'] != clipped.summary['loss/policy_gradient']
    assert free.summary['loss/baseline'] == clipped.summary['loss/baseline']


def test_trace_decay_changes_both_targets(plain):
    whole, decayed = plain, _Case(trace_decay=0.5)
    for name in ('policy_gradient', 'baseline'):
        assert whole.summary['loss/' + name] != decayed.summary['loss/' + name]


def test_upgo_is_one_more_policy_gradient():
    """It reaches the policy and not the baseline, in proportion to its cost."""
    without, once, twice = (_Case(upgo_cost=cost) for cost in (0.0, 1.0, 2.0))
    assert 'loss/upgo' not in without.summary
    assert once.summary['loss/upgo'] * 2 == twice.summary['loss/upgo'] != 0
    assert once.summary['loss/baseline'] == without.summary['loss/baseline']
    np.testing.assert_array_equal(without.gradients[2], once.gradients[2])
    for a, b, c in zip(*[tf.nest.flatten(x.gradients[:2]) for x in (without, once, twice)]):
        np.testing.assert_allclose(c - b, b - a, atol=1e-4)
        assert not np.allclose(a, b)


def test_no_replay_is_plain_impala_bit_for_bit(plain):
    no_column = _Case(is_replay=np.zeros([B], bool), num_replay=2)
    assert 'loss/policy_cloning' not in plain.summary
    assert no_column.summary['loss/policy_cloning'] == 0.0
    assert no_column.summary['loss/value_cloning'] == 0.0
    assert plain.summary['loss/total_loss'] == no_column.summary['loss/total_loss']
    tf.nest.map_structure(np.testing.assert_array_equal, plain.gradients, no_column.gradients)


def test_plain_impala_written_by_hand_bit_for_bit():
    """The update with R = 0 against a short IMPALA made of the same parts."""
    case = _Case(learning_rate=0.01, adam_beta1=0.9, adam_beta2=0.999, adam_epsilon=1e-5)
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
    permuted = _Case(is_replay=REPLAYED[order], change=permute)
    np.testing.assert_allclose(
        case.summary['loss/total_loss'], permuted.summary['loss/total_loss'], rtol=1e-6
    )
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(a[:, order], b, atol=1e-6),
        case.gradients,
        permuted.gradients,
    )
    assert case.output.num_env_frames_and_train == permuted.output.num_env_frames_and_train


def test_frames_count_the_multipliers_that_were_played_in_new_columns(replayed):
    case = replayed
    played = case.mu.step_mul[1:]
    assert case.output.num_env_frames_and_train == played[:, ~REPLAYED].sum()
    assert played[:, ~REPLAYED].sum() != case.pi.step_mul[:-1][:, ~REPLAYED].sum()


def test_frames_with_a_fixed_multiplier():
    def fixed(pi, mu, env):
        mu.step_mul[:] = 24

    case = _Case(is_replay=REPLAYED, learn_step_mul=False, change=fixed)
    assert case.output.num_env_frames_and_train == T * 2 * 24


def test_fixed_multiplier_is_not_a_choice():
    def other_multipliers(pi, mu, env):
        mu.step_mul_logits[:] += np.random.RandomState(8).normal(size=mu.step_mul_logits.shape)

    cases = [_Case(learn_step_mul=False), _Case(learn_step_mul=False, change=other_multipliers)]
    assert cases[0].summary['loss/total_loss'] == cases[1].summary['loss/total_loss']
    assert not cases[0].gradients[1].any()


def test_replayed_and_aborted_episodes_are_in_no_statistic(replayed):
    case = replayed
    done, aborted = case.env.done[1:], case.env.info.aborted[1:]
    assert (done & REPLAYED & ~aborted).any() and (aborted & REPLAYED).any()
    np.testing.assert_array_equal(case.output.done, done & ~aborted & ~REPLAYED)
    np.testing.assert_array_equal(case.output.infos.aborted, aborted & ~REPLAYED)

    def more_replayed_ends(pi, mu, env):
        env.done[:, REPLAYED] = True
        env.info.aborted[:, REPLAYED] = False
        env.info.episode_return[:, REPLAYED] = 1000.0

    other = _Case(is_replay=REPLAYED, change=more_replayed_ends)
    np.testing.assert_array_equal(
        *[each.output.infos.episode_return[each.output.done] for each in (case, other)]
    )


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

    aborted, rewarded, ended = (_Case(change=c) for c in (abort, abort_with_reward, terminal))
    assert aborted.summary == rewarded.summary
    assert aborted.summary['loss/baseline'] != ended.summary['loss/baseline']
    vs, _ = table.vtrace_targets(aborted.pi, aborted.mu, aborted.env, 0.9)
    assert vs[3, 2] == aborted.pi.baseline[3, 2]


@pytest.mark.parametrize('clip', [0.0, 0.5])
def test_gradient_norm_is_summarised_before_clipping(clip, plain):
    free, clipped = plain, _Case(clip_grad_norm=clip)
    norm = np.sqrt(sum(np.sum(g.astype(np.float64) ** 2) for g in tf.nest.flatten(free.gradients)))
    np.testing.assert_allclose(clipped.summary['grad_norm'], norm, rtol=1e-4)
    assert norm > 0.5
    scale = clip / norm if clip else 1.0
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(scale * a, b, atol=1e-4),
        free.gradients,
        clipped.gradients,
    )


@pytest.mark.parametrize(
    'final, decay, costs',
    [
        (0.001, 1.0, (0.01, 0.0055, 0.001)),
        (0.001, 0.8, (0.01, 0.004375, 0.001)),
        (0.001, 0.0, (0.01, 0.001, 0.001)),
        (-1.0, 1.0, (0.01, 0.01, 0.01)),
    ],
)
def test_schedules_follow_the_frames(final, decay, costs):
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    settings = make_settings(
        learning_rate=0.1,
        final_learning_rate=0.02,
        entropy_cost=0.01,
        final_entropy_cost=final,
        entropy_decay=decay,
    )
    with tf.Graph().as_default(), table.session() as session:
        output = learner.build_learner(
            table.TableAgent(pi), table.make_batch(env, mu), 1000, settings
        )
        summary = summaries.merge(output.metrics)
        session.run(tf.global_variables_initializer())
        step = tf.train.get_global_step()
        for frames, rate, cost in zip((0, 500, 2000), (0.1, 0.06, 0.02), costs):
            session.run(step.assign(frames))
            values = table.scalars(session.run(summary))
            np.testing.assert_allclose(values['learning_rate'], rate, rtol=1e-5)
            np.testing.assert_allclose(values['entropy_cost'], cost, rtol=1e-5)


def test_documented_tags(replayed):
    case = replayed
    assert set(case.summary) == {
        'loss/policy_gradient',
        'loss/baseline',
        'loss/entropy',
        'loss/policy_cloning',
        'loss/value_cloning',
        'loss/total_loss',
        'learning_rate',
        'entropy_cost',
        'grad_norm',
        'entropy/function',
        'entropy/screen',
        'entropy/step_mul',
        'steps/valid',
        'rho/mean',
        'rho/clipped',
        'kl/behaviour',
        'kl/behaviour_max',
        'advantage/mean',
        'advantage/std',
        'baseline/mean',
        'baseline/explained_variance',
        'weight_norm',
        'adam/max_second_moment',
        *(f'{of}/{end}' for of in ('rho', 'advantage', 'baseline', 'target') for end in ENDS),
    }
    assert set(case.histograms) == {'action/function', 'action/screen', 'action/step_mul'}


def test_discount_per_frame_depends_on_the_multiplier(plain):
    per_frame = _Case(discounting_per_frame=True)
    assert per_frame.summary['loss/baseline'] != plain.summary['loss/baseline']


def test_a_gradient_that_is_not_finite_changes_nothing():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    env.reward[2, 1] = np.nan
    env.info.aborted[:] = False
    with tf.Graph().as_default(), table.session() as session:
        agent = table.TableAgent(pi)
        batch = table.make_batch(env, mu)
        output = learner.build_learner(agent, batch, 1e9, make_settings(clip_grad_norm=1.0))
        session.run(tf.global_variables_initializer())
        before = session.run(agent.variables)
        with pytest.raises(tf.errors.InvalidArgumentError, match=optimization.NOT_FINITE):
            session.run(output.num_env_frames_and_train)
        tf.nest.map_structure(np.testing.assert_array_equal, before, session.run(agent.variables))
        assert session.run(tf.train.get_global_step()) == 0


@pytest.mark.parametrize('chosen', [None, [2]])
def test_trains_only_the_variables_it_is_given(chosen):
    """By default the weights of the agent: others in the graph that the loss depends on stay."""
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    with tf.Graph().as_default(), table.session() as session:
        agent, teacher = table.TableAgent(pi), table.TableAgent(mu)
        batch = table.make_batch(env, mu)
        taught, _ = teacher.unroll(None, None, ())
        batch = batch._replace(agent_outputs=taught)
        variables = [agent.variables[2]] if chosen else None
        output = learner.build_learner(agent, batch, 1e9, make_settings(), variables)
        session.run(tf.global_variables_initializer())
        before = session.run([agent.variables, teacher.variables])
        session.run(output.num_env_frames_and_train)
        after = session.run([agent.variables, teacher.variables])
    changed = tf.nest.map_structure(lambda a, b: not np.array_equal(a, b), before, after)
    assert changed[0] == [dict.fromkeys(table.HEADS, not chosen), not chosen, True]
    assert not any(tf.nest.flatten(changed[1]))


def test_no_graph_collection_is_used():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    with tf.Graph().as_default():
        output = learner.build_learner(table.TableAgent(pi), table.make_batch(env, mu), 1e9)
        summaries.merge(output.metrics)
        assert tf.summary.merge_all() is None


def test_refuses_an_agent_without_a_policy():
    env, mu = table.random_env_outputs(2, T, B), table.random_outputs(1, T, B)
    with tf.Graph().as_default():
        agent = table.TableAgent(mu)
        del agent.policy
        with pytest.raises(ValueError, match='Impala needs an agent with policy, but TableAgent'):
            learner.build_learner(agent, table.make_batch(env, mu), 1e9)


def test_refuses_an_unknown_reward_clipping():
    env, mu = table.random_env_outputs(2, T, B), table.random_outputs(1, T, B)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="but is 'hard'"):
        settings = make_settings(reward_clipping='hard')
        learner.build_learner(table.TableAgent(mu), table.make_batch(env, mu), 1e9, settings)
