"""Rewards from which agents learn, against loops over single steps, and in updates."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.learner import counts, optimization, rewards, sequences
from sc2impala.learner.algorithm import build_update
from sc2impala.settings.learning import REWARD_SHAPINGS, ReturnSettings
from tests.learner import table_agent as table
from tests.learner.labels import random_labels

T, B, PIXELS = 5, 4, 6
PI, MU = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
ENV = table.random_env_outputs(2, T, B)
KINDS = sorted(set(REWARD_SHAPINGS) - {'none'})
TRANSFORMED = dict(discounting=0.9, reward_scaling=3.0, reward_clipping='abs_one')
REPLAYED = np.array([False, True, False, False])


def settings_of(kind, cost=0.3, **values):
    return ReturnSettings(reward_shaping=kind, reward_shaping_cost=cost, **values)


def evaluate(settings, env=ENV, replayed=None):
    """Rewards of [T, B] and their means by tag."""
    with tf.Graph().as_default(), tf.Session() as session:
        batch, metrics = rewards.learned(
            table.TableAgent(PI), table.make_batch(env, MU, replayed), settings
        )
        session.run(tf.global_variables_initializer())
        found, metrics = session.run([batch.env_outputs.reward, metrics])
    assert found.shape == (T + 1, B)
    np.testing.assert_array_equal(found[0], env.reward[0])
    return found[1:], metrics


def transformed():
    """Rewards of [T, B] after scaling and clipping as in TRANSFORMED."""
    return np.clip(3.0 * ENV.reward[1:], -1, 1)


def reference_measure(kind, t, b):
    """The amount that step t of column b is charged for."""
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


def update(name='impala', env=ENV, frames=0, **values):
    """Fetches an update of a phase of 1000 frames, built with the rewards of the game."""
    entry = {**learner.PRETRAINING, **learner.ALGORITHMS}[name]
    settings = entry.load_settings()(discounting=0.9, **values)
    with tf.Graph().as_default(), table.session() as session:
        agent = table.TableAgent(PI)
        counter = tf.train.get_or_create_global_step()
        schedule = optimization.Schedule(counter, 1000)
        batch, algorithm = table.make_batch(env, MU), entry.load()(settings)
        built = build_update(algorithm, agent, batch, agent.weights, schedule)
        session.run(tf.global_variables_initializer())
        session.run(counter.assign(frames))
        return session.run([built.infos, built.done, built.metrics])


class TestTransformation:
    @pytest.mark.parametrize(
        'clipping, expected',
        [
            ('abs_one', [-1, -0.5, 0, 1, 1]),
            ('none', [-20, -0.5, 0, 1, 20]),
            (
                'soft_asymmetric',
                [-1.5 * np.tanh(4), -1.5 * np.tanh(0.1), 0, 5 * np.tanh(0.2), 5 * np.tanh(4)],
            ),
        ],
    )
    def test_rewards_are_scaled_then_clipped(self, clipping, expected):
        with tf.Graph().as_default(), tf.Session() as session:
            given = tf.constant([[-200.0, -5.0, 0.0, 10.0, 200.0]])
            found = session.run(rewards.transform(given, 0.1, clipping))
        np.testing.assert_allclose(found, [expected], rtol=1e-5, atol=1e-6)

    def test_unknown_clipping(self):
        with pytest.raises(ValueError, match="`clipping` must be one of .*, but is 'hard'"):
            evaluate(ReturnSettings(reward_clipping='hard'))

    def test_without_shaping_nothing_else_changes(self):
        found, metrics = evaluate(ReturnSettings(**TRANSFORMED))
        np.testing.assert_allclose(found, transformed(), rtol=1e-6)
        assert metrics == {}

    @pytest.mark.parametrize('name', ['impala', 'appo', 'critic_pretraining', 'cloning'])
    def test_every_algorithm_with_returns_has_the_settings(self, name):
        assert issubclass(learner.settings_groups()[name], ReturnSettings)


class TestShaping:
    def test_every_kind_can_be_chosen(self):
        assert ['none', *rewards.MEASURES] == list(REWARD_SHAPINGS)

    @pytest.mark.parametrize('kind', KINDS)
    def test_comes_after_scaling_and_clipping(self, kind):
        found, _ = evaluate(settings_of(kind, **TRANSFORMED))
        np.testing.assert_allclose(found, reference_shaped(kind), rtol=1e-4, atol=1e-5)

    @pytest.mark.parametrize('kind', KINDS)
    def test_mean_rewards_of_new_steps(self, kind):
        _, found = evaluate(settings_of(kind, **TRANSFORMED), replayed=REPLAYED)
        counted = ~ENV.info.aborted[1:] & ~REPLAYED
        assert 0 < counted.sum() < T * (B - 1)
        shaped = reference_shaped(kind)
        np.testing.assert_allclose(found['reward/shaped'], shaped[counted].mean(), rtol=1e-4)
        unshaped = transformed()[counted].mean()
        np.testing.assert_allclose(found['reward/unshaped'], unshaped, rtol=1e-4)
        difference = (shaped - transformed())[counted].mean()
        np.testing.assert_allclose(found['reward/shaping'], difference, rtol=1e-4)

    def test_a_negative_cost_is_a_bonus(self):
        _, found = evaluate(settings_of('entropy', cost=-0.3, **TRANSFORMED))
        assert found['reward/shaped'] > found['reward/unshaped'] and found['reward/shaping'] > 0

    def test_a_demonstrator_is_not_charged_for_the_entropy_of_the_agent(self):
        plays = np.zeros([T + 1, B], bool)
        plays[1, 2] = plays[3, 0] = True
        env = ENV._replace(observation={'demonstration': {'plays': plays}})
        found, _ = evaluate(settings_of('entropy', cost=1.0), env)
        charged = [[reference_measure('entropy', t, b) for b in range(B)] for t in range(T)]
        expected = ENV.reward[1:] - np.where(plays[:-1], 0.0, charged)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)

    @pytest.mark.parametrize('kind', KINDS)
    def test_no_gradient_flows_through_it(self, kind):
        with tf.Graph().as_default(), tf.Session() as session:
            agent = table.TableAgent(PI)
            batch = table.make_batch(ENV, MU)
            given = tf.Variable(batch.env_outputs.reward)
            logits = tf.nest.map_structure(tf.Variable, batch.agent_outputs.action_logits)
            batch = batch._replace(
                env_outputs=batch.env_outputs._replace(reward=given),
                agent_outputs=batch.agent_outputs._replace(action_logits=logits),
            )
            learned, _ = rewards.learned(agent, batch, settings_of(kind))
            shaped = learned.env_outputs.reward
            parameters = [*agent.weights, *tf.nest.flatten(logits)]
            assert tf.gradients(shaped, parameters) == [None] * len(parameters)
            # Not even through the rewards in the temporal difference.
            (gradient,) = tf.gradients(shaped, [given])
            session.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(session.run(gradient), np.ones([T + 1, B]))

    def test_unknown_kind(self):
        with pytest.raises(ValueError, match="but is 'curiosity'"):
            evaluate(settings_of('curiosity'))

    @pytest.mark.long
    @pytest.mark.parametrize('name', ['impala', 'appo', 'cloning', 'critic_pretraining'])
    def test_returns_of_episodes_are_those_of_the_game(self, name):
        env = ENV._replace(observation=_labels()) if name == 'cloning' else ENV
        infos, done, metrics = update(
            name, env, reward_shaping='entropy', reward_shaping_cost=0.3, reward_scaling=2.0
        )
        raw_infos, raw_done, raw_metrics = update(name, env)
        np.testing.assert_array_equal(infos.episode_return, raw_infos.episode_return)
        np.testing.assert_array_equal(done, raw_done)
        tags = {'reward/unshaped', 'reward/shaping', 'reward/shaped'}
        assert set(metrics) - set(raw_metrics) == tags
        (tag,) = [tag for tag in metrics if tag.split('/')[-1] in ('baseline', 'baseline_loss')]
        assert not np.isclose(metrics[tag], raw_metrics[tag])


def _labels():
    """An observation of [T + 1, B] in which every function is available, with random labels."""
    shape = [T + 1, B]
    labels = random_labels(3, table.HEADS, table.MAX_STEP_MUL, shape)
    available = np.ones([*shape, table.HEADS['function']], bool)
    return {'demonstration': labels, 'available_actions': available}


class TestRecurrentStateOfStreams:
    def test_is_read_before_the_update_changes_it(self):
        """The pass that computes the temporal difference starts from the same state."""

        class Counting(table.TableAgent):
            def unroll(self, actions, env_outputs, core_state, given=None):
                outputs, _ = super().unroll(actions, env_outputs, core_state, given)
                baseline = outputs.baseline + core_state
                # As in every agent, the state depends on where episodes end.
                last_state = core_state + 1.0 + 0.0 * tf.cast(env_outputs.done[0], tf.float32)
                return outputs._replace(baseline=baseline), last_state

        with tf.Graph().as_default(), tf.Session() as session:
            agent = Counting(PI)
            state = tf.Variable(tf.zeros([B]), use_resource=True, trainable=False)
            batch = table.make_batch(ENV, MU, agent_state=tf.zeros([B]))
            batch = batch._replace(stream_state=state)
            batch, _ = rewards.learned(agent, batch, settings_of('uncertainty', discounting=0.9))
            steps = sequences.unroll(agent, batch)
            session.run(tf.global_variables_initializer())
            for expected in range(3):
                found, baseline = session.run([steps.rewards, steps.learner.baseline])
                np.testing.assert_allclose(baseline, PI.baseline[:-1] + expected, rtol=1e-5)
                values = PI.baseline + expected
                discounts = np.where(ENV.done[1:], 0.0, 0.9)
                error = np.abs(ENV.reward[1:] + discounts * values[1:] - values[:-1])
                np.testing.assert_allclose(found, ENV.reward[1:] - 0.3 * error, rtol=1e-4)


WEIGHTS = (('food_used', 0.5), ('spent_minerals', -0.02), ('explored', 0.1), ('visited', -0.3))


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
OBSERVED = ENV._replace(observation=OBSERVATION)


def phi(t, b, observation=OBSERVATION):
    """The potential of one observation."""
    explored, visited = (
        100 * np.mean([pixel > 0 for pixel in observation['minimap'][layer][t, b].ravel()])
        for layer in ('visibility_map', 'visited')
    )
    supply = observation['player'][t, b, 3]
    spent = observation['score_cumulative'][t, b, 11]
    return 0.5 * supply - 0.02 * spent + 0.1 * explored - 0.3 * visited


def reference_gains():
    """The rewards for gains, [T, B]."""
    gained = [[phi(t + 1, b) - phi(t, b) for b in range(B)] for t in range(T)]
    return np.where(ENV.done[1:], 0.0, gained)


class TestGains:
    def test_columns_are_those_of_pysc2(self):
        features = pytest.importorskip('pysc2.lib.features')
        for name, enumeration in (
            ('player', features.Player),
            ('score_cumulative', features.ScoreCumulative),
        ):
            assert list(counts.COLUMNS[name]) == [column.name for column in enumeration]
        assert len(counts.COUNTS) == len(features.Player) + len(features.ScoreCumulative)

    def test_are_added_after_scaling(self):
        assert ENV.done[1:].any() and not ENV.done[1:].all()
        settings = ReturnSettings(reward_scaling=2.0, gain_rewards=WEIGHTS)
        found, metrics = evaluate(settings, OBSERVED)
        expected = 2.0 * ENV.reward[1:] + reference_gains()
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
        counted = ~ENV.info.aborted[1:]
        assert counted.any() and not counted.all()
        mean = reference_gains()[counted].mean()
        np.testing.assert_allclose(metrics['reward/shaping'], mean, rtol=1e-4)
        assert metrics['reward/shaped'] != metrics['reward/unshaped']

    def test_add_to_another_kind_of_shaping(self):
        found, _ = evaluate(settings_of('fixed', gain_rewards=WEIGHTS), OBSERVED)
        alone, _ = evaluate(settings_of('fixed'), OBSERVED)
        np.testing.assert_allclose(found - alone, reference_gains(), rtol=1e-4, atol=1e-4)

    def test_their_sum_depends_on_the_start_and_the_end_alone(self):
        """What is gained and lost again does not pay (Ng, Harada and Russell 1999, theorem 1)."""
        env = OBSERVED._replace(done=np.zeros_like(ENV.done))
        found, _ = evaluate(ReturnSettings(gain_rewards=WEIGHTS), env)
        total = (found - ENV.reward[1:]).sum(axis=0)
        np.testing.assert_allclose(total, [phi(T, b) - phi(0, b) for b in range(B)], rtol=1e-4)

    @pytest.mark.long
    @pytest.mark.parametrize('name', ['impala', 'appo'])
    @pytest.mark.parametrize('played, share', [(0, 1.0), (100, 0.75), (400, 0.0), (900, 0.0)])
    def test_fall_with_the_frames_of_the_phase(self, name, played, share):
        def metrics(**values):
            return update(name, OBSERVED, played, **values)[2]

        found = metrics(gain_rewards=WEIGHTS, gain_decay=0.4)
        expected = metrics(gain_rewards=tuple((count, share * weight) for count, weight in WEIGHTS))
        np.testing.assert_allclose(found.pop('reward/gain_share'), share)
        assert set(found) == set(expected)
        for tag in ('reward/shaping', 'reward/shaped', 'loss/baseline', 'loss/policy_gradient'):
            np.testing.assert_allclose(found[tag], expected[tag], rtol=1e-4, atol=1e-5)
        full = metrics(gain_rewards=WEIGHTS)
        assert (full['loss/baseline'] == found['loss/baseline']) == (share == 1)

    def test_do_not_fall_before_the_training(self):
        metrics = update('critic_pretraining', OBSERVED, 900, gain_rewards=WEIGHTS, gain_decay=0.4)
        assert 'reward/gain_share' not in metrics[2]
        full = update('critic_pretraining', OBSERVED, gain_rewards=WEIGHTS)
        tag = 'critic_pretrain/baseline_loss'
        np.testing.assert_allclose(metrics[2][tag], full[2][tag], rtol=1e-5)

    def test_an_unobserved_count_is_an_error(self):
        env = ENV._replace(observation={'player': OBSERVATION['player']})
        with pytest.raises(KeyError, match='score_cumulative'):
            evaluate(ReturnSettings(gain_rewards=WEIGHTS), env)
