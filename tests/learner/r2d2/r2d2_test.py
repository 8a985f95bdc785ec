"""The update of R2D2: loss, gradient and priorities against NumPy, and what it must leave alone."""

import types

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.learner import optimization
from sc2impala.learner.algorithm import Sequences, build_update, new_priorities
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from sc2impala.learner.r2d2.settings import R2d2Settings
from sc2impala.learner.r2d2.update import R2D2
from tests.hashing_test import numpy_uniform
from tests.learner import table_agent as table
from tests.learner import value_agent

T, B, R, H = 6, 5, 3, 4
NUM_STEPS, DISCOUNTING, EXPONENT, MAX_SHARE = 3, 0.8, 0.7, 0.6
PROBABILITIES = np.array([1.0, 1.0, 0.02, 0.3, 0.1], np.float32)
KEYS = np.array([40, 41, 7, 9, 3])


def make_settings(**values):
    """With gradient descent of rate 1: see `impala_test`."""
    chosen = dict(
        r2d2_num_steps=NUM_STEPS,
        r2d2_burn_in=2,
        discounting=DISCOUNTING,
        discounting_per_frame=True,
        importance_exponent=EXPONENT,
        priority_max_share=MAX_SHARE,
        r2d2_learning_rate=1e6,
        r2d2_final_learning_rate=1e6,
        adam_beta1=0.0,
        adam_beta2=0.0,
        adam_epsilon=1e6,
        clip_grad_norm=0.0,
    )
    return R2d2Settings(**dict(chosen, **values))


class Case:
    """Updates on one batch of random data; by default the target network has other weights."""

    def __init__(
        self,
        replays=True,
        num_updates=1,
        counted=1,
        agent_state=(),
        played=0,
        ends=None,
        **settings,
    ):
        num_versions = max(1, settings.get('r2d2_bootstrap_heads', 0))
        self.online, self.target = (table.random_outputs(i, T, B * num_versions) for i in range(2))
        self.mu = table.random_outputs(2, T, B)
        self.env = value_agent.observed(table.random_env_outputs(3, T, B))
        self.env.observation['player'] = np.random.RandomState(4).randint(0, 9, (T + 1, B, 11))
        if ends is not None:
            table.set_ends(self.env, ends)
        is_replay = [False, False] + [replays] * R
        with tf.Graph().as_default(), table.session() as session:
            agent = value_agent.ValueAgent(
                self.online, of_copy=self.target, num_versions=num_versions
            )
            batch = table.make_batch(self.env, self.mu, is_replay, R, agent_state)
            batch = batch._replace(
                probabilities=tf.constant(PROBABILITIES), keys=tf.constant(KEYS, tf.int64)
            )
            frames = tf.train.get_or_create_global_step()
            schedule = optimization.Schedule(frames, 1000)
            algorithm = R2D2(make_settings(**settings))
            update = build_update(algorithm, agent, batch, agent.weights, schedule)
            session.run(tf.global_variables_initializer())
            count = [v for v in tf.global_variables() if v.op.name == 'target_num_updates'][0]
            session.run([count.assign(counted), frames.assign(played)])
            before = session.run(agent.variables)
            self.targets = [session.run(agent.copy.variables)]
            self.onlines = [before]
            for _ in range(num_updates):
                self.update = session.run(update._replace(train=()))
                session.run(update.train)
                self.targets.append(session.run(agent.copy.variables))
                self.onlines.append(session.run(agent.variables))
            self.powers = session.run(
                {v.op.name: v for v in tf.global_variables() if 'power' in v.op.name}
            )
            self.counted = session.run(count)
        self.gradients = tf.nest.map_structure(lambda a, b: a - b, before, self.onlines[1])

    def errors(self):
        """Targets - Q, and the mask, [T, B] of all columns."""
        targets = value_agent.targets(
            self.online, self.target, self.mu, self.env, NUM_STEPS, DISCOUNTING
        )
        mask = ~self.env.info.aborted[1:]
        return targets - value_agent.q_values(self.online, self.mu), mask


WEIGHTS = (PROBABILITIES[2:].min() / PROBABILITIES[2:]) ** EXPONENT


def test_loss_and_gradient_agree_with_numpy():
    case = Case()
    errors, mask = case.errors()
    errors, mask = errors[:, -R:], mask[:, -R:]
    loss = np.sum(0.5 * errors**2 * mask * WEIGHTS)
    np.testing.assert_allclose(case.update.metrics['loss/total_loss'], loss, rtol=1e-4)
    action_logits, step_mul_logits, baseline = case.gradients
    to_q = -errors * mask * WEIGHTS
    # None to the value of the last state, to new columns, and through the targets.
    expected = np.zeros([T + 1, B])
    expected[:T, -R:] = to_q
    np.testing.assert_allclose(baseline, expected, atol=2e-3)
    for t, b in np.ndindex(T, R):
        column = B - R + b
        action, step_mul = value_agent.played_at(case.mu, t, column)
        used = {'function', 'step_mul'}
        if table.HEAD_USED['screen'][action['function']]:
            used.add('screen')
        found = dict(action_logits, step_mul=step_mul_logits)
        for name, choice in dict(action, step_mul=step_mul - 1).items():
            size = found[name].shape[-1]
            share = to_q[t, b] / len(used) if name in used else 0.0
            of_head = share * ((np.arange(size) == choice) - 1 / size)
            np.testing.assert_allclose(found[name][t, column], of_head, atol=2e-3)
    assert np.abs(to_q).max() > 0.1 and (mask == 0).any()


def test_priorities_are_those_of_replayed_columns():
    case = Case()
    errors, mask = case.errors()
    expected = []
    for b in range(B - R, B):
        sizes = np.abs(errors[mask[:, b], b])
        expected.append(MAX_SHARE * sizes.max() + (1 - MAX_SHARE) * sizes.mean())
    np.testing.assert_allclose(case.update.priorities, expected, rtol=1e-4)
    assert case.update.priority_keys.tolist() == KEYS[-R:].tolist()


def test_steps_of_the_burn_in_are_not_learned_from():
    """Only an agent with a recurrent state has any."""
    case = Case(agent_state=np.zeros([B, 1], np.float32))
    errors, mask = case.errors()
    expected = np.zeros([T + 1, B])
    expected[2:T, -R:] = (-errors * mask)[2:, -R:] * WEIGHTS
    np.testing.assert_allclose(case.gradients[2], expected, atol=2e-3)
    priorities = [
        MAX_SHARE * e.max() + (1 - MAX_SHARE) * e.mean()
        for e in (np.abs(errors[2:, b])[mask[2:, b]] for b in range(B - R, B))
    ]
    np.testing.assert_allclose(case.update.priorities, priorities, rtol=1e-4)


def test_frames_and_episodes_are_those_of_new_columns():
    case = Case()
    assert case.update.frames == case.mu.step_mul[1:, : B - R].sum()
    ended = case.env.done & ~case.env.info.aborted
    ended[:, B - R :] = False
    np.testing.assert_array_equal(case.update.done, ended[1:])
    case = Case(replays=False)
    assert case.update.frames == case.mu.step_mul[1:].sum()


def test_steps_that_were_new_in_another_sequence_are_not_counted():
    """The first two are those of the burn-in."""
    case = Case(agent_state=np.zeros([B, 1], np.float32))
    assert case.update.frames == case.mu.step_mul[3:, : B - R].sum()
    ended = case.env.done & ~case.env.info.aborted
    ended[:, B - R :] = False
    np.testing.assert_array_equal(case.update.done, ended[3:])
    assert (ended[3:] != ended[1:-2]).any()
    aborted = case.env.info.aborted[3:].copy()
    aborted[:, B - R :] = False
    np.testing.assert_array_equal(case.update.infos.aborted, aborted)
    assert len(case.update.metrics['action/function']) == (T - 2) * (B - R)


def test_sequences_overlap_by_the_burn_in():
    algorithm = R2D2(make_settings(r2d2_burn_in=2))
    for spec, overlap in (((), 0), ((tf.TensorSpec([4], tf.float32),), 2)):
        agent = types.SimpleNamespace(state_spec=lambda spec=spec: spec)
        assert algorithm.sequences(agent).overlap == overlap
    assert Impala(ImpalaSettings()).sequences(None) == Sequences()


def test_nothing_is_learned_before_there_is_something_to_replay():
    case = Case(replays=False, num_updates=3, counted=0, adam_beta1=0.9, adam_beta2=0.999)
    tf.nest.map_structure(np.testing.assert_array_equal, case.onlines[0], case.onlines[-1])
    assert case.counted == 0 and case.update.metrics['loss/total_loss'] == 0
    # Neither does Adam count a step, whose averages are corrected by the number of steps.
    np.testing.assert_allclose(sorted(case.powers.values()), [0.9, 0.999])
    assert case.update.priority_keys.tolist() == [-1] * R


def test_the_target_network_is_copied_every_few_updates():
    case = Case(num_updates=5, counted=0, r2d2_target_period=2, adam_epsilon=1e7)
    # Before updates 0, 2 and 4; the weights that were copied are those before the update.
    for update, copied in ((0, 0), (1, 0), (2, 2), (3, 2), (4, 4)):
        tf.nest.map_structure(
            np.testing.assert_array_equal, case.targets[update + 1], case.onlines[copied]
        )
    assert case.counted == 5
    assert (case.onlines[2][2] != case.onlines[0][2]).any()


def test_without_rescaling_targets_are_returns():
    case = Case(r2d2_value_rescaling=False, r2d2_num_steps=1, discounting=0.0)
    mask = ~case.env.info.aborted[1:, -R:]
    errors = case.env.reward[1:, -R:] - value_agent.q_values(case.online, case.mu)[:, -R:]
    expected = np.sum(0.5 * errors**2 * mask * WEIGHTS)
    np.testing.assert_allclose(case.update.metrics['loss/total_loss'], expected, rtol=1e-4)


@pytest.mark.long
@pytest.mark.parametrize('num_heads, decay, weight', [(0, 0.0, 0.5), (H, 0.0, 0.5), (0, 0.8, 0.25)])
def test_gains_are_learned(num_heads, decay, weight):
    case = Case(
        gain_rewards=(('food_used', 0.5),),
        gain_decay=decay,
        played=400,
        r2d2_bootstrap_heads=num_heads,
        r2d2_value_rescaling=False,
        r2d2_num_steps=1,
        discounting=0.0,
    )
    supply = case.env.observation['player'][..., 3]
    gained = np.where(case.env.done[1:], 0.0, weight * np.diff(supply, axis=0))
    targets = (case.env.reward[1:] + gained)[:, -R:]
    mask = ~case.env.info.aborted[1:, -R:]
    heads = [of_version(case.online, h) for h in range(H)] if num_heads else [case.online]
    errors = [targets - value_agent.q_values(head, case.mu)[:, -R:] for head in heads]
    expected = np.mean([np.sum(0.5 * error**2 * mask * WEIGHTS) for error in errors])
    np.testing.assert_allclose(case.update.metrics['loss/total_loss'], expected, rtol=1e-4)


def test_munchausen_targets():
    """One step: r + bonus + discount * soft value, all of the target network."""
    temperature, weight = 0.3, 0.9
    case = Case(
        r2d2_munchausen=weight,
        r2d2_temperature=temperature,
        r2d2_num_steps=1,
        r2d2_value_rescaling=False,
        discounting_per_frame=False,
    )
    loss = 0.0
    for t, column in np.ndindex(T, R):
        b = B - R + column
        if case.env.info.aborted[t + 1, b]:
            continue
        played = value_agent.value_at(case.target, t, b, *value_agent.played_at(case.mu, t, b))
        bonus = np.clip(played - value_agent.soft_value_at(case.target, t, b, temperature), -1, 0)
        target = case.env.reward[t + 1, b] + weight * bonus
        if not case.env.done[t + 1, b]:
            following = value_agent.soft_value_at(case.target, t + 1, b, temperature)
            target += DISCOUNTING * following
        value = value_agent.value_at(case.online, t, b, *value_agent.played_at(case.mu, t, b))
        loss += 0.5 * (target - value) ** 2 * WEIGHTS[column]
    np.testing.assert_allclose(case.update.metrics['loss/total_loss'], loss, rtol=1e-4)


def of_version(outputs, h):
    """The columns of one version of the heads."""
    return tf.nest.map_structure(lambda array: array[:, h::H], outputs)


@pytest.mark.parametrize('mask', [1.0, 0.5])
def test_each_version_of_the_heads_learns_from_targets_of_its_own(mask):
    case = Case(r2d2_bootstrap_heads=H, r2d2_bootstrap_mask=mask)
    counted = ~case.env.info.aborted[1:]
    learns = np.array([[numpy_uniform(key, h) < mask for h in range(H)] for key in KEYS])
    loss, gradient = 0.0, np.zeros([T + 1, B * H])
    priorities, values = np.zeros([R, H]), []
    for h in range(H):
        online, target = of_version(case.online, h), of_version(case.target, h)
        values.append(value_agent.q_values(online, case.mu))
        errors = (
            value_agent.targets(online, target, case.mu, case.env, NUM_STEPS, DISCOUNTING)
            - values[-1]
        )
        for b, weight in zip(range(B - R, B), WEIGHTS):
            sizes = np.abs(errors[counted[:, b], b])
            priorities[b - B + R, h] = MAX_SHARE * sizes.max() + (1 - MAX_SHARE) * sizes.mean()
            if learns[b, h]:
                loss += np.sum(0.5 * sizes**2) * weight / H
                gradient[:T, b * H + h] = -errors[:, b] * counted[:, b] * weight / H
    np.testing.assert_allclose(case.update.metrics['loss/total_loss'], loss, rtol=1e-4)
    np.testing.assert_allclose(case.gradients[2], gradient, atol=2e-3)
    # Also those of heads that do not learn from a sequence.
    np.testing.assert_allclose(case.update.priorities, priorities.mean(axis=1), rtol=1e-4)
    deviations = np.std(values, axis=0)[:, -R:][counted[:, -R:]]
    np.testing.assert_allclose(case.update.metrics['q/std_of_heads'], deviations.mean(), rtol=1e-4)
    assert learns[-R:].all() == (mask == 1) and learns[-R:].any()
    assert case.update.frames == case.mu.step_mul[1:, : B - R].sum()


@pytest.mark.parametrize('burn_in', [0, 2])
def test_first_priorities_are_those_of_the_values_that_were_recorded(burn_in):
    """The actor has valued the observations 0 to T - 1; its outputs come one step later."""
    mu = table.random_outputs(2, T, B)
    env = table.random_env_outputs(3, T, B)
    values = tf.nest.map_structure(lambda array: array[1:], mu)
    errors = value_agent.targets(values, values, mu, env, NUM_STEPS, DISCOUNTING)
    errors = np.abs(errors - value_agent.q_values(values, mu))
    expected = []
    for b in range(B):
        sizes = errors[burn_in:, b][~env.info.aborted[1 + burn_in : T, b]]
        expected.append(MAX_SHARE * sizes.max() + (1 - MAX_SHARE) * sizes.mean())
    with tf.Graph().as_default(), tf.Session() as session:
        batch_major = tf.nest.map_structure(
            lambda array: tf.constant(np.moveaxis(array, 0, 1)), (env, mu)
        )
        zeros = tf.zeros([B], tf.int32)
        sequences = structs.ActorOutput(
            tf.zeros([B, 1]), *batch_major, structs.SequenceInfo(zeros, zeros, zeros, zeros)
        )
        algorithm = R2D2(make_settings(r2d2_burn_in=burn_in))
        agent = value_agent.ValueAgent(table.random_outputs(0, T, B))
        result = session.run(new_priorities(algorithm, agent)(sequences))
    np.testing.assert_allclose(result, expected, rtol=1e-4)


def test_epsilons_are_a_ladder():
    algorithm = R2D2(make_settings(r2d2_epsilon=0.4, r2d2_epsilon_steepness=7.0))
    np.testing.assert_allclose(
        algorithm.epsilons(4), [0.4, 0.4 ** (1 + 7 / 3), 0.4 ** (1 + 14 / 3), 0.4**8]
    )
    assert algorithm.epsilons(1) == [0.4]


def test_a_batch_without_replay_is_refused():
    with tf.Graph().as_default():
        outputs = table.random_outputs(0, T, B)
        env = value_agent.observed(table.random_env_outputs(1, T, B))
        agent = value_agent.ValueAgent(outputs)
        with pytest.raises(ValueError, match='needs a batch with replayed columns'):
            R2D2(make_settings()).build_update(
                agent, table.make_batch(env, outputs), agent.weights, None
            )
