"""Alignment of unrolls by the observation that was acted on; masks and counts."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import sequences
from tests.learner import table_agent as table
from tests.learner.labels import random_labels

T, B = 5, 4
REPLAYED = np.array([False, True, False, True])


@pytest.fixture(scope='module')
def case():
    """Arrays of the learner, the behaviour and the environment; and the results on them."""
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    with tf.Graph().as_default(), tf.Session() as session:
        agent = table.TableAgent(pi)
        batch = table.make_batch(env, mu, REPLAYED)
        steps = sequences.unroll(agent, batch)
        results = [
            steps,
            sequences.countable(steps),
            sequences.count_frames(steps),
            sequences.replayed(batch),
        ]
        session.run(tf.global_variables_initializer())
        return (pi, mu, env) + tuple(session.run(results))


def assert_same(found, expected):
    tf.nest.map_structure(np.testing.assert_array_equal, found, expected)


def test_rewards_and_behaviour_follow_the_outputs_of_the_learner(case):
    pi, mu, env, steps = case[:4]
    np.testing.assert_array_equal(steps.rewards, env.reward[1:])
    np.testing.assert_array_equal(steps.done, env.done[1:])
    assert_same(steps.infos, tf.nest.map_structure(lambda a: a[1:], env.info))
    assert_same(steps.behaviour, tf.nest.map_structure(lambda a: a[1:], mu))
    assert_same(steps.learner, tf.nest.map_structure(lambda a: a[:-1], pi))
    np.testing.assert_array_equal(steps.bootstrap_value, pi.baseline[-1])


def test_the_mask_leaves_out_the_steps_that_aborted(case):
    _, _, env, steps = case[:4]
    assert steps.mask.dtype == np.float32
    np.testing.assert_array_equal(steps.mask, 1.0 - env.info.aborted[1:])


def test_new_and_replayed_columns(case):
    np.testing.assert_array_equal(case[3].is_new, ~REPLAYED)
    np.testing.assert_array_equal(case[6], np.float32(REPLAYED))


def test_statistics_are_of_new_columns_without_aborted_episodes(case):
    env, (done, infos) = case[2], case[4]
    aborted = env.info.aborted[1:]
    np.testing.assert_array_equal(done, env.done[1:] & ~aborted & ~REPLAYED)
    np.testing.assert_array_equal(infos.aborted, aborted & ~REPLAYED)
    np.testing.assert_array_equal(infos.episode_return, env.info.episode_return[1:])


def test_frames_are_those_that_were_played_in_new_columns(case):
    mu, frames = case[1], case[5]
    assert frames == mu.step_mul[1:, ~REPLAYED].sum() and frames.dtype == np.int64


class TestDemonstrations:
    """Steps that a demonstrator played belong to the observation that it acted on."""

    @staticmethod
    def run(with_demonstrations):
        pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
        env = table.random_env_outputs(2, T, B)
        labels = random_labels(3, table.HEADS, table.MAX_STEP_MUL, [T + 1, B], plays=0.5)
        env = env._replace(observation={'demonstration': labels})
        with tf.Graph().as_default(), tf.Session() as session:
            agent = table.TableAgent(pi)
            steps = sequences.unroll(
                agent, table.make_batch(env, mu, REPLAYED), with_demonstrations
            )
            session.run(tf.global_variables_initializer())
            steps, (done, _) = session.run([steps, sequences.countable(steps)])
        return env, labels['plays'][:-1], steps, done

    def test_carry_no_loss_unless_asked_for(self):
        env, plays, steps, _ = self.run(with_demonstrations=False)
        assert plays.any() and not plays.all()
        np.testing.assert_array_equal(steps.demonstrated, plays)
        np.testing.assert_array_equal(steps.mask, ~env.info.aborted[1:] & ~plays)

    def test_are_trained_on_when_asked_for(self):
        env, _, steps, _ = self.run(with_demonstrations=True)
        np.testing.assert_array_equal(steps.mask, ~env.info.aborted[1:])

    @pytest.mark.parametrize('with_demonstrations', [False, True])
    def test_enter_no_statistic_of_the_agent(self, with_demonstrations):
        env, plays, _, done = self.run(with_demonstrations)
        expected = env.done[1:] & ~env.info.aborted[1:] & ~REPLAYED & ~plays
        assert expected.any()
        np.testing.assert_array_equal(done, expected)
