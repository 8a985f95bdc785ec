"""The update of APPO: losses and gradients against NumPy, epochs, masks, early stops."""

import dataclasses

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.learner import diagnostics, optimization, phases
from sc2impala.learner.appo.settings import AppoSettings
from sc2impala.learner.appo.update import Appo
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from tests.learner import table_agent as table

T, B = 6, 4
REPLAYED = np.array([False, True, False, True])
DESCENT = dict(
    learning_rate=1e8, adam_beta1=0.0, adam_beta2=0.0, adam_epsilon=1e8, clip_grad_norm=0.0
)
"""Gradient descent with rate 1: the change of a variable is minus its gradient."""

PLAIN = dict(
    DESCENT,
    discounting=0.9,
    appo_clip=0.0,
    appo_normalise_advantages=False,
    baseline_cost=0.0,
    entropy_cost=0.0,
    final_entropy_cost=-1.0,
)
"""The policy gradient alone."""


class ColumnAgent(table.TableAgent):
    """Outputs are variables, of the columns whose numbers are the recurrent state."""

    def unroll(self, actions, env_outputs, core_state, given=None):
        outputs, _ = super().unroll(actions, env_outputs, core_state, given)
        return tf.nest.map_structure(lambda t: tf.gather(t, core_state, axis=1), outputs), (
            core_state
        )


class Case:
    """Updates of one batch of random data: gradients if there is one, else changes."""

    def __init__(
        self, algorithm=Appo, change=lambda pi, mu, env: None, updates_before=None, **settings
    ):
        self.pi, self.mu = (table.random_outputs(seed, T, B) for seed in (0, 1))
        self.env = table.random_env_outputs(2, T, B)
        change(self.pi, self.mu, self.env)
        replayed = settings.pop('replayed', np.zeros([B], bool))
        settings_class = AppoSettings if algorithm is Appo else ImpalaSettings
        values = dict(PLAIN, **settings)
        names = {field.name for field in dataclasses.fields(settings_class)}
        made = settings_class(**{n: v for n, v in values.items() if n in names})
        with tf.Graph().as_default(), table.session() as session:
            agent = ColumnAgent(self.pi)
            batch = table.make_batch(self.env, self.mu, replayed, agent_state=tf.range(B))
            if updates_before is not None:
                zeros = tf.zeros([B], tf.int32)
                info = structs.SequenceInfo(zeros, zeros, zeros, tf.constant(updates_before))
                batch = batch._replace(sequence_info=info)
                phases.policy_version()
            schedule = optimization.Schedule(tf.train.get_or_create_global_step(), 1e9)
            update = algorithm(made).build_update(agent, batch, agent.weights, schedule)
            summary = diagnostics.merge(update.metrics)
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            if updates_before is not None:
                phases.policy_version()[1].load(10, session)
            before = session.run(agent.variables)
            serialized, _, self.frames = session.run([summary, update.train, update.frames])
            after = session.run(agent.variables)
        self.gradients = tf.nest.map_structure(lambda a, b: a - b, before, after)
        self.summary = table.scalars(serialized)

    def goals(self):
        """vs and the advantages without the weight of their own step, [T, B]."""
        vs, _ = table.vtrace_targets(self.pi, self.mu, self.env, 0.9)
        values, env = self.pi.baseline, self.env
        next_vs = np.concatenate([vs[1:], values[T:]])
        discounts = np.where(env.done[1:], 0, 0.9)
        found = env.reward[1:] + discounts * next_vs - values[:T]
        return vs, np.where(env.info.aborted[1:], 0, found)


def on_policy(pi, mu, env):
    """The behaviour is what the learner does."""
    for learner, behaviour in zip(tf.nest.flatten(pi), tf.nest.flatten(mu)):
        behaviour[1:] = learner[:-1]


def log_ratio(pi, mu, t, b):
    return table.log_prob_at(pi, mu, t, t + 1, b) - table.log_prob_at(mu, mu, t + 1, t + 1, b)


def score(pi, mu, t, b):
    """The gradient of log pi(a) by head."""
    function = mu.action['function'][t + 1, b]
    chosen = {name: mu.action[name][t + 1, b] for name in table.HEADS}
    chosen['step_mul'] = mu.step_mul[t + 1, b] - 1
    logs = table.heads_at(pi, t, b, function)
    return {name: np.eye(len(log))[chosen[name]] - np.exp(log) for name, log in logs.items()}


def policy_gradient(pi, mu, advantages, clip=0.0):
    """The gradient of the clipped surrogate in the structure of `Case.gradients`."""
    found = {name: np.zeros_like(a, np.float64) for name, a in pi.action_logits.items()}
    found['step_mul'] = np.zeros_like(pi.step_mul_logits, np.float64)
    for t, b in np.ndindex(T, B):
        ratio, a = np.exp(log_ratio(pi, mu, t, b)), advantages[t, b]
        if clip and (ratio > 1 + clip and a > 0 or ratio < 1 / (1 + clip) and a < 0):
            continue
        for name, of_head in score(pi, mu, t, b).items():
            found[name][t, b] = -ratio * a * of_head
    step_mul = found.pop('step_mul')
    return [found, step_mul]


def assert_close(found, expected, atol=2e-4):
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=atol), found, expected
    )


def test_the_gradient_is_that_of_the_policy_gradient_with_the_whole_ratio():
    """One epoch, one minibatch, no clipping: - pi / mu * A * grad log pi."""
    case = Case()
    _, advantages = case.goals()
    assert_close(case.gradients[:2], policy_gradient(case.pi, case.mu, advantages))
    assert not case.gradients[2].any()


def test_on_policy_the_update_is_that_of_impala():
    costs = dict(baseline_cost=0.7, entropy_cost=0.03, replayed=REPLAYED, trace_decay=0.8)
    appo = Case(change=on_policy, **costs)
    impala = Case(Impala, change=on_policy, **costs)
    assert_close(appo.gradients, impala.gradients, atol=2e-5)
    assert appo.frames == impala.frames
    for tag in set(impala.summary) - {'loss/policy_gradient', 'loss/total_loss'}:
        np.testing.assert_allclose(appo.summary[tag], impala.summary[tag], rtol=1e-4, atol=1e-5)


def test_clipping_takes_the_gradient_from_steps_that_went_too_far():
    case = Case(appo_clip=0.3)
    _, advantages = case.goals()
    expected = policy_gradient(case.pi, case.mu, advantages, clip=0.3)
    assert_close(case.gradients[:2], expected)
    assert 0 < case.summary['appo/clipped'] < 1


def test_losses_agree_with_numpy():
    case = Case(
        appo_clip=0.3, baseline_cost=0.7, appo_value_clip=0.5, appo_normalise_advantages=True
    )
    vs, advantages = case.goals()
    valid = ~case.env.info.aborted[1:]
    mean, std = advantages[valid].mean(), advantages[valid].std()
    policy = baseline = 0.0
    for t, b in zip(*np.nonzero(valid)):
        ratio, a = np.exp(log_ratio(case.pi, case.mu, t, b)), (advantages[t, b] - mean) / std
        policy -= min(ratio * a, np.clip(ratio, 1 / 1.3, 1.3) * a)
        value, old = float(case.pi.baseline[t, b]), float(case.mu.baseline[t + 1, b])
        near = old + np.clip(value - old, -0.5, 0.5)
        baseline += 0.5 * max((vs[t, b] - value) ** 2, (vs[t, b] - near) ** 2)
    np.testing.assert_allclose(case.summary['loss/policy_gradient'], policy, rtol=1e-3)
    np.testing.assert_allclose(case.summary['loss/baseline'], 0.7 * baseline, rtol=1e-4)
    np.testing.assert_allclose(case.summary['advantage/std'], 1, rtol=1e-3)


def test_gae_ignores_the_age_of_the_data():
    """Its targets do not depend on mu; those of V-trace do."""

    def further(pi, mu, env):
        mu.step_mul_logits[:] *= 3

    costs = dict(baseline_cost=1.0, appo_advantage='gae')
    found = [Case(change=c, **costs).gradients[2] for c in (lambda *nests: None, further)]
    assert_close(found[0], found[1], atol=1e-6)
    assert not np.allclose(found[0], Case(baseline_cost=1.0).gradients[2], atol=1e-2)


def test_no_gradient_at_the_bootstrap_step_and_at_aborted_steps():
    everything = dict(baseline_cost=1.0, entropy_cost=0.1, appo_normalise_advantages=True)
    case = Case(replayed=REPLAYED, appo_epochs=2, appo_minibatches=2, **everything)
    aborted = case.env.info.aborted[1:]
    assert aborted.any()
    for gradient in tf.nest.flatten(case.gradients):
        assert not gradient[-1].any()
        assert not gradient[:-1][aborted].any()
        assert gradient[:-1][~aborted].any()


def descended(case, clip, epochs):
    """Changes after some epochs of gradient descent, with the goals of the start."""
    vs, advantages = case.goals()
    pi = tf.nest.map_structure(lambda a: a.astype(np.float64), case.pi)
    arrays = [pi.action_logits, pi.step_mul_logits]
    for _ in range(epochs):
        gradient = policy_gradient(pi, case.mu, advantages, clip)
        for array, slope in zip(tf.nest.flatten(arrays), tf.nest.flatten(gradient)):
            array -= slope
        counted = ~case.env.info.aborted[1:]
        pi.baseline[:T] -= 0.3 * counted * (pi.baseline[:T] - vs)
    start = [case.pi.action_logits, case.pi.step_mul_logits, case.pi.baseline]
    return tf.nest.map_structure(lambda a, b: a - b, start, [*arrays, pi.baseline])


@pytest.mark.parametrize('minibatches', [1, 2])
def test_epochs_are_steps_of_the_optimizer_one_after_the_other(minibatches):
    """With variables of their own for each column it does not matter which columns meet."""
    case = Case(appo_epochs=3, appo_minibatches=minibatches, appo_clip=0.3, baseline_cost=0.3)
    assert_close(case.gradients, descended(case, 0.3, 3), atol=2e-3)
    assert case.summary['appo/minibatches'] == 3 * minibatches


@pytest.mark.long
def test_epochs_stop_at_the_bound_of_the_divergence():
    """The first epoch is on-policy; the second sees what the first has changed."""
    options = dict(change=on_policy, appo_epochs=4, appo_minibatches=2)
    free, bound = Case(**options), Case(appo_max_kl=1e-6, **options)
    assert free.summary['appo/minibatches'] == 8
    assert bound.summary['appo/minibatches'] == 4
    assert free.summary['appo/kl'] > bound.summary['appo/kl'] > 1e-6
    two = Case(**dict(options, appo_epochs=2))
    tf.nest.map_structure(np.testing.assert_array_equal, two.gradients, bound.gradients)


def test_cloning_terms_are_those_of_clear():
    costs = dict(policy_cloning_cost=0.4, value_cloning_cost=0.2, replayed=REPLAYED)
    appo, impala = Case(**costs), Case(Impala, **costs)
    for name in ('policy_cloning', 'value_cloning'):
        tag = 'loss/' + name
        assert appo.summary[tag] == pytest.approx(impala.summary[tag], rel=1e-5) and (
            appo.summary[tag] > 0
        )


@pytest.mark.long
def test_columns_of_weights_that_are_too_old_carry_no_loss():
    """Ten updates ago is the present minus 10; replayed columns may be of any age."""
    versions = np.array([10, 0, 6, 7])
    replayed = np.array([False, True, False, False])
    everything = dict(baseline_cost=1.0, entropy_cost=0.1, appo_minibatches=2, replayed=replayed)
    case = Case(updates_before=versions, max_policy_lag=3, **everything)
    for gradient in tf.nest.flatten(case.gradients):
        assert not gradient[:, 2].any()
    assert case.gradients[2][:, [0, 1, 3]].any(axis=0).all()
    free = Case(updates_before=versions, **everything)
    assert free.gradients[2][:, 2].any() and free.frames == case.frames


@pytest.mark.long
def test_uniform_kl_replaces_the_entropy():
    case = Case(entropy_cost=0.1, appo_exploration='uniform_kl')
    expected = 0.0
    for t, b in zip(*np.nonzero(~case.env.info.aborted[1:])):
        function = case.mu.action['function'][t + 1, b]
        for log in table.heads_at(case.pi, t, b, function).values():
            log_u = -np.log(len(log))
            expected += 0.05 * np.sum(np.exp(log) * (log - log_u) + np.exp(log_u) * (log_u - log))
    np.testing.assert_allclose(case.summary['loss/uniform_kl'], expected, rtol=1e-4)
    assert 'loss/entropy' not in case.summary


def test_statistics_of_ratios():
    case = Case(replayed=REPLAYED)
    ratios = [
        np.exp(log_ratio(case.pi, case.mu, t, b))
        for t, b in zip(*np.nonzero(~case.env.info.aborted[1:]))
    ]
    np.testing.assert_allclose(case.summary['appo/ratio_min'], min(ratios), rtol=1e-4)
    np.testing.assert_allclose(case.summary['appo/ratio_max'], max(ratios), rtol=1e-4)
    np.testing.assert_allclose(case.summary['appo/kl'], case.summary['kl/behaviour'], rtol=1e-4)


def test_settings_that_both_share_have_one_default():
    shared = {f.name for f in dataclasses.fields(ImpalaSettings)} & {
        f.name for f in dataclasses.fields(AppoSettings)
    }
    assert {'learning_rate', 'teacher_cost', 'clip_grad_norm', 'discounting'} <= shared
    for name in shared:
        assert getattr(AppoSettings(), name) == getattr(ImpalaSettings(), name)
