from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import rewards as learner_rewards
from sc2impala.settings.learning import REWARD_CLIPPINGS
from sc2impala.watch import advantages


@pytest.mark.parametrize('clipping', REWARD_CLIPPINGS)
def test_rewards_are_those_of_the_learner(clipping):
    rewards = np.array([-3.0, -0.5, 0.0, 0.25, 7.0], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        expected = session.run(learner_rewards.transform(tf.constant(rewards), 2.0, clipping))
    found = advantages.learned_rewards(rewards, 2.0, clipping)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_an_unknown_clipping():
    with pytest.raises(ValueError, match='expected none, abs_one or soft_asymmetric'):
        advantages.learned_rewards(np.zeros(1), 1.0, 'other')


def test_nothing_follows_the_last_step():
    np.testing.assert_allclose(advantages.discounts([8, 8, 8], 0.5, False), [0.5, 0.5, 0])
    np.testing.assert_allclose(advantages.discounts([16, 4, 8], 0.5, True), [0.25, 0.5**0.5, 0])


def test_errors_and_returns():
    rewards, discounts = np.array([1.0, 2.0, 4.0]), np.array([0.5, 0.25, 0.0])
    values = np.array([10.0, 20.0, 30.0])
    errors = advantages.td_errors(rewards, discounts, values)
    assert errors.tolist() == [1 + 10 - 10, 2 + 7.5 - 20, 4 - 30]
    returns = advantages.discounted_returns(rewards, discounts)
    assert returns.tolist() == [1 + 0.5 * 3, 2 + 0.25 * 4, 4]


def test_the_description_names_what_is_left_out():
    settings = SimpleNamespace(
        discounting=0.99,
        discounting_per_frame=True,
        reward_scaling=0.1,
        reward_clipping='none',
        reward_shaping='fixed',
        gain_rewards=(('food_used', 20.0),),
    )
    text = advantages.describe(settings)
    assert 'discount 0.99 per 8 frames, rewards times 0.1' in text
    assert text.endswith('; without the shaping and gains of the training.')
