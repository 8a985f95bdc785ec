"""Rewards for gains against loops over single steps, in the targets, and what they sum to."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.learner import counts, gains, optimization, sequences, targets
from sc2impala.settings.learning import ReturnSettings
from tests.learner import table_agent as table

T, B, PIXELS = 5, 4, 6
WEIGHTS = (('food_used', 0.5), ('spent_minerals', -0.02), ('explored', 0.1), ('visited', -0.3))
PI, MU = table.random_outputs(0, T, B), table.random_outputs(1, T, B)


def random_observation(seed):
    """An observation of [T + 1, B] with all that can be gained."""
    rng = np.random.RandomState(seed)
    shape = [T + 1, B]
    observation = {
        name: rng.randint(0, 50, size=shape + [len(columns)]).astype(np.int32)
        for name, columns in counts.COLUMNS.items()
    }
    seen = rng.randint(0, 3, size=shape + [PIXELS, PIXELS + 1]).astype(np.uint8)
    visited = rng.randint(0, 3, size=seen.shape).astype(np.uint8)
    observation['minimap'] = {'visibility_map': seen, 'visited': visited}
    return observation


OBSERVATION = random_observation(3)
ENV = table.random_env_outputs(2, T, B)._replace(observation=OBSERVATION)


def phi(t, b, observation=OBSERVATION):
    """The potential of one observation."""
    explored, visited = (
        100 * np.mean([pixel > 0 for pixel in observation['minimap'][layer][t, b].ravel()])
        for layer in ('visibility_map', 'visited')
    )
    supply = observation['player'][t, b, 3]
    spent = observation['score_cumulative'][t, b, 11]
    return 0.5 * supply - 0.02 * spent + 0.1 * explored - 0.3 * visited


def reference(env=ENV):
    """The rewards for gains, [T, B]."""
    gained = [[phi(t + 1, b) - phi(t, b) for b in range(B)] for t in range(T)]
    return np.where(env.done[1:], 0.0, gained)


def evaluate(function, settings, env=ENV):
    """Runs function(policy, steps, settings) on the random data."""
    with tf.Graph().as_default(), tf.Session() as session:
        agent = table.TableAgent(PI)
        steps = sequences.unroll(agent, table.make_batch(env, MU))
        results = function(agent.policy, steps, settings)
        session.run(tf.global_variables_initializer())
        return session.run(results)


def test_columns_are_those_of_pysc2():
    features = pytest.importorskip('pysc2.lib.features')
    for name, enumeration in (
        ('player', features.Player),
        ('score_cumulative', features.ScoreCumulative),
    ):
        assert list(counts.COLUMNS[name]) == [column.name for column in enumeration]
    assert len(counts.COUNTS) == len(features.Player) + len(features.ScoreCumulative)


def test_rewards_and_targets_have_the_terms():
    assert ENV.done[1:].any() and not ENV.done[1:].all()
    settings = ReturnSettings(discounting=0.9, reward_scaling=2.0, gain_rewards=WEIGHTS)
    expected = 2.0 * ENV.reward[1:] + reference()
    rewards, _ = evaluate(targets.rewards_and_discounts, settings)
    np.testing.assert_allclose(rewards, expected, rtol=1e-5, atol=1e-5)
    shaped = ENV._replace(reward=np.concatenate([ENV.reward[:1], expected]).astype(np.float32))
    _, found = evaluate(targets.vtrace_targets, settings)
    vs, advantages = table.vtrace_targets(PI, MU, shaped, 0.9)
    np.testing.assert_allclose(found.vs, vs, atol=1e-4)
    np.testing.assert_allclose(found.pg_advantages, advantages, atol=1e-4)


def test_it_adds_to_another_kind_of_shaping():
    settings = ReturnSettings(
        discounting=0.9, reward_shaping='fixed', reward_shaping_cost=0.3, gain_rewards=WEIGHTS
    )
    found, _ = evaluate(targets.rewards_and_discounts, settings)
    alone, _ = evaluate(
        targets.rewards_and_discounts,
        ReturnSettings(discounting=0.9, reward_shaping='fixed', reward_shaping_cost=0.3),
    )
    np.testing.assert_allclose(found - alone, reference(), rtol=1e-4, atol=1e-4)


def test_mean_rewards_show_it():
    settings = ReturnSettings(discounting=0.9, gain_rewards=WEIGHTS)
    found = evaluate(targets.shaping_metrics, settings)
    counted = ~ENV.info.aborted[1:]
    assert counted.any() and not counted.all()
    np.testing.assert_allclose(found['reward/shaping'], reference()[counted].mean(), rtol=1e-4)
    assert found['reward/shaped'] != found['reward/unshaped']


def test_the_sum_depends_on_the_start_and_the_end_alone():
    """What is gained and lost again does not pay (Ng, Harada and Russell 1999, theorem 1)."""
    env = ENV._replace(done=np.zeros_like(ENV.done))
    settings = ReturnSettings(gain_rewards=WEIGHTS)
    shaped, _ = evaluate(targets.rewards_and_discounts, settings, env)
    total = (shaped - ENV.reward[1:]).sum(axis=0)
    np.testing.assert_allclose(total, [phi(T, b) - phi(0, b) for b in range(B)], rtol=1e-4)


@pytest.mark.parametrize('name', ['impala', 'appo'])
@pytest.mark.parametrize('played, share', [(0, 1.0), (100, 0.75), (400, 0.0), (900, 0.0)])
def test_they_fall_with_the_frames_of_the_phase(name, played, share):
    def metrics(**values):
        algorithm = learner.load(name)
        settings = algorithm.settings_class(discounting=0.9, **values)
        with tf.Graph().as_default(), table.session() as session:
            agent = table.TableAgent(PI)
            frames = tf.train.get_or_create_global_step()
            schedule = optimization.Schedule(frames, 1000)
            batch = table.make_batch(ENV, MU)
            update = algorithm(settings).build_update(agent, batch, agent.weights, schedule)
            session.run(tf.global_variables_initializer())
            session.run(frames.assign(played))
            return session.run(update.metrics)

    found = metrics(gain_rewards=WEIGHTS, gain_decay=0.4)
    expected = metrics(gain_rewards=tuple((count, share * weight) for count, weight in WEIGHTS))
    np.testing.assert_allclose(found.pop('reward/gain_share'), share)
    assert set(found) == set(expected)
    for tag in ('reward/shaping', 'reward/shaped', 'loss/baseline', 'loss/policy_gradient'):
        np.testing.assert_allclose(found[tag], expected[tag], rtol=1e-4, atol=1e-5)
    full = metrics(gain_rewards=WEIGHTS)
    assert (full['loss/baseline'] == found['loss/baseline']) == (share == 1)


def test_only_what_is_observed_is_offered():
    with tf.Graph().as_default():
        assert gains.pairs({}) == {}
        found = gains.pairs(table.tensors({'player': OBSERVATION['player']}))
    assert list(found) == ['player']


def test_an_unobserved_count_is_an_error():
    with tf.Graph().as_default():
        vectors = gains.pairs(table.tensors({'player': OBSERVATION['player']}))
        with pytest.raises(KeyError, match='score_cumulative'):
            gains.rewards(vectors, WEIGHTS, tf.zeros([T, B], tf.bool))
