"""Reward shaping against loops over single steps, and in the targets of the agent."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import reward_shaping, sequences, targets
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from sc2impala.learner.optimization import Schedule
from sc2impala.settings.learning import REWARD_SHAPINGS, ReturnSettings
from tests.learner import table_agent as table

T, B = 5, 4
PI, MU = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
ENV = table.random_env_outputs(2, T, B)
KINDS = sorted(set(REWARD_SHAPINGS) - {'none'})
TRANSFORMED = dict(discounting=0.9, reward_scaling=3.0, reward_clipping='abs_one')


def settings_of(kind, cost=0.3, **values):
    return ReturnSettings(reward_shaping=kind, reward_shaping_cost=cost, **values)


def evaluate(function, settings, env=ENV, replayed=None):
    """Runs function(policy, steps, settings) on the random data."""
    with tf.Graph().as_default(), tf.Session() as session:
        agent = table.TableAgent(PI)
        steps = sequences.unroll(agent, table.make_batch(env, MU, replayed))
        results = function(agent.policy, steps, settings)
        session.run(tf.global_variables_initializer())
        return session.run(results)


def transformed():
    """Rewards of [T, B] after scaling and clipping as in TRANSFORMED."""
    return np.clip(3.0 * ENV.reward[1:], -1, 1)


def reference_measure(kind, t, b):
    """What step t of column b is charged for."""
    if kind == 'fixed':
        # No step follows another one in the random data: its multiplier, to the end of the episode.
        return min(MU.step_mul[t + 1, b], ENV.info.episode_frames[t + 1, b])
    if kind == 'entropy':
        logs = table.heads_at(MU, t + 1, b, MU.action['function'][t + 1, b])
        return -sum(np.sum(np.exp(log_p) * log_p) for log_p in logs.values())
    discount = 0.0 if ENV.done[t + 1, b] else 0.9
    return abs(transformed()[t, b] + discount * PI.baseline[t + 1, b] - PI.baseline[t, b])


def reference_shaped(kind, cost=0.3):
    """Shaped rewards, [T, B]."""
    measure = [[reference_measure(kind, t, b) for b in range(B)] for t in range(T)]
    return transformed() - cost * np.array(measure)


def env_with(rewards):
    """The random data with other rewards, [T, B]."""
    return ENV._replace(reward=np.concatenate([ENV.reward[:1], rewards]).astype(np.float32))


def test_every_kind_can_be_chosen():
    assert ['none', *reward_shaping.MEASURES] == list(REWARD_SHAPINGS)


@pytest.mark.parametrize('kind', KINDS)
def test_targets_are_those_of_the_shaped_rewards(kind):
    """Shaping comes after scaling and clipping, in all targets of policy and baseline."""
    shaped = env_with(reference_shaped(kind))
    _, found = evaluate(targets.vtrace_targets, settings_of(kind, **TRANSFORMED))
    vs, advantages = table.vtrace_targets(PI, MU, shaped, 0.9)
    np.testing.assert_allclose(found.vs, vs, atol=1e-4)
    np.testing.assert_allclose(found.pg_advantages, advantages, atol=1e-4)
    assert not np.allclose(vs, table.vtrace_targets(PI, MU, env_with(transformed()), 0.9)[0])
    for function in (targets.return_targets, targets.upgo_advantages):
        np.testing.assert_allclose(
            evaluate(function, settings_of(kind, **TRANSFORMED)),
            evaluate(function, ReturnSettings(discounting=0.9), shaped),
            atol=1e-4,
        )


@pytest.mark.parametrize('kind', KINDS)
def test_mean_rewards_of_new_steps(kind):
    replayed = np.array([False, True, False, False])
    found = evaluate(targets.shaping_metrics, settings_of(kind, **TRANSFORMED), replayed=replayed)
    counted = ~ENV.info.aborted[1:] & ~replayed
    assert 0 < counted.sum() < T * (B - 1)
    shaped = reference_shaped(kind)
    np.testing.assert_allclose(found['reward/shaped'], shaped[counted].mean(), rtol=1e-4)
    np.testing.assert_allclose(found['reward/unshaped'], transformed()[counted].mean(), rtol=1e-4)
    difference = (shaped - transformed())[counted].mean()
    np.testing.assert_allclose(found['reward/shaping'], difference, rtol=1e-4)


def test_a_negative_cost_is_a_bonus():
    found = evaluate(targets.shaping_metrics, settings_of('entropy', cost=-0.3, **TRANSFORMED))
    assert found['reward/shaped'] > found['reward/unshaped'] and found['reward/shaping'] > 0


def test_a_demonstrator_is_not_charged_for_the_entropy_of_the_agent():
    plays = np.zeros([T + 1, B], bool)
    plays[1, 2] = plays[3, 0] = True
    env = ENV._replace(observation={'demonstration': {'plays': plays}})

    def measure(policy, steps, unused_settings):
        return reward_shaping.behaviour_entropy(policy, steps, None, None)

    found = evaluate(measure, None, env)
    expected = [[reference_measure('entropy', t, b) for b in range(B)] for t in range(T)]
    np.testing.assert_allclose(found, np.where(plays[:-1], 0.0, expected), rtol=1e-4)


def shaped_with_parameters(kind):
    """Shaped rewards of new variables, and these: learner outputs, behaviour logits, rewards."""
    agent = table.TableAgent(PI)
    steps = sequences.unroll(agent, table.make_batch(ENV, MU))
    logits = tf.nest.map_structure(tf.Variable, steps.behaviour.action_logits)
    steps = steps._replace(behaviour=steps.behaviour._replace(action_logits=logits))
    rewards = tf.Variable(steps.rewards)
    shaped = reward_shaping.shape_rewards(
        agent.policy, steps, rewards, tf.fill([T, B], 0.9), settings_of(kind)
    )
    return shaped, [*agent.weights, *tf.nest.flatten(logits)], rewards


@pytest.mark.parametrize('kind', KINDS)
def test_no_gradient_flows_through_it(kind):
    with tf.Graph().as_default(), tf.Session() as session:
        shaped, parameters, rewards = shaped_with_parameters(kind)
        assert tf.gradients(shaped, parameters) == [None] * len(parameters)
        # Not even through the rewards in the temporal difference.
        (gradient,) = tf.gradients(shaped, [rewards])
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(gradient), np.ones([T, B]))


def test_without_shaping_nothing_is_added():
    with tf.Graph().as_default():
        rewards = tf.ones([T, B])
        assert reward_shaping.shape_rewards(None, None, rewards, None, ReturnSettings()) is rewards
        assert targets.shaping_metrics(None, None, ReturnSettings()) == {}


def test_unknown_kind():
    with pytest.raises(ValueError, match="but is 'curiosity'"):
        evaluate(targets.return_targets, settings_of('curiosity'))


def test_impala_summarises_rewards_and_leaves_the_returns_of_episodes_alone():
    def update(**values):
        with tf.Graph().as_default(), table.session() as session:
            agent = table.TableAgent(PI)
            steps = tf.train.get_or_create_global_step()
            built = Impala(ImpalaSettings(discounting=0.9, **values)).build_update(
                agent, table.make_batch(ENV, MU), agent.weights, Schedule(steps, 1000)
            )
            session.run(tf.global_variables_initializer())
            return session.run([built.infos, built.done, built.metrics])

    infos, done, metrics = update(reward_shaping='entropy', reward_shaping_cost=0.3)
    raw_infos, raw_done, raw_metrics = update()
    np.testing.assert_array_equal(infos.episode_return, raw_infos.episode_return)
    np.testing.assert_array_equal(done, raw_done)
    tags = {'reward/unshaped', 'reward/shaping', 'reward/shaped'}
    assert set(metrics) - set(raw_metrics) == tags
    assert not np.isclose(metrics['loss/baseline'], raw_metrics['loss/baseline'])
