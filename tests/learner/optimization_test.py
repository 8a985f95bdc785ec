"""Schedules, the reduction of losses, the step of Adam, and the variables of the critic."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import optimization
from sc2impala.settings.learning import AdamSettings
from tests.learner import table_agent as table

# With these, Adam is gradient descent with rate learning_rate / epsilon.
DESCENT = dict(adam_beta1=0.0, adam_beta2=0.0, adam_epsilon=1e8)


def adam_step(loss, variables, clip_grad_norm=0.0):
    settings = AdamSettings(clip_grad_norm=clip_grad_norm, **DESCENT)
    return optimization.adam_step(loss, variables, 1e8, settings, name='adam')


@pytest.mark.parametrize(
    'part, values', [(1.0, (1.0, 0.6, 0.2, 0.2)), (0.5, (1.0, 0.2, 0.2, 0.2)), (0.0, (1.0, 0.2))]
)
def test_schedule_is_linear_in_the_frames(part, values):
    with tf.Graph().as_default(), tf.Session() as session:
        frames = tf.Variable(0, dtype=tf.int64, use_resource=True, trainable=False)
        value = optimization.Schedule(frames, 1000).linear(1.0, 0.2, part)
        session.run(tf.global_variables_initializer())
        for number, expected in zip((0, 500, 1000, 3000), values):
            session.run(frames.assign(number))
            np.testing.assert_allclose(session.run(value), expected, rtol=1e-6)


def test_schedule_rises_over_the_warm_up():
    with tf.Graph().as_default(), tf.Session() as session:
        frames = tf.Variable(0, dtype=tf.int64, use_resource=True, trainable=False)
        value = optimization.Schedule(frames, 1000).linear(1.0, 0.2, warmup=200)
        session.run(tf.global_variables_initializer())
        for number, expected in ((0, 0.0), (50, 0.25 * 0.96), (200, 0.84), (500, 0.6), (1000, 0.2)):
            session.run(frames.assign(number))
            np.testing.assert_allclose(session.run(value), expected, rtol=1e-6)


def test_terms_are_masked_summed_and_weighted():
    rng = np.random.RandomState(0)
    a, b = rng.normal(size=[2, 4, 3]).astype(np.float32)
    mask = np.float32(rng.uniform(size=[4, 3]) < 0.5)
    with tf.Graph().as_default(), tf.Session() as session:
        weighted, total = session.run(
            optimization.weighted_sum({'a': (2.0, a), 'b': (tf.constant(0.5), b)}, mask)
        )
    np.testing.assert_allclose(weighted['a'], 2 * (a * mask).sum(), rtol=1e-5)
    np.testing.assert_allclose(weighted['b'], 0.5 * (b * mask).sum(), rtol=1e-5)
    np.testing.assert_allclose(total, weighted['a'] + weighted['b'], rtol=1e-6)


@pytest.mark.parametrize('clip, scale', [(0.0, 1.0), (2.5, 0.5), (100.0, 1.0)])
def test_step_down_the_gradient_clipped_by_its_global_norm(clip, scale):
    with tf.Graph().as_default(), tf.Session() as session:
        x, y, unused = (tf.Variable(v, use_resource=True) for v in ([1.0, 1.0], 1.0, 1.0))
        train, norm = adam_step(3.0 * x[0] + 4.0 * y, [x, y, unused], clip)
        session.run(tf.global_variables_initializer())
        assert session.run([train, norm])[1] == 5.0
        np.testing.assert_allclose(session.run(x), [1 - 3 * scale, 1.0], rtol=1e-5)
        np.testing.assert_allclose(session.run(y), 1 - 4 * scale, rtol=1e-5)
        assert session.run(unused) == 1.0


def test_a_step_that_is_left_out_changes_nothing():
    """The moments, and the number of steps that corrects them, as little as the variables."""
    settings = AdamSettings()
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.Variable([1.0, 2.0], use_resource=True)
        when = tf.placeholder(tf.bool, [])
        train, norm = optimization.adam_step(
            tf.reduce_sum(x * x), [x], 0.1, settings, name='adam', when=when
        )
        y = tf.Variable([1.0, 2.0], use_resource=True)
        always, _ = optimization.adam_step(tf.reduce_sum(y * y), [y], 0.1, settings, name='other')
        session.run(tf.global_variables_initializer())
        before = session.run(tf.global_variables())
        assert session.run([train, norm], {when: False})[1] > 4
        for a, b in zip(before, session.run(tf.global_variables())):
            np.testing.assert_array_equal(a, b)
        for _ in range(3):
            session.run([train, always], {when: True})
        np.testing.assert_array_equal(*session.run([x, y]))
        assert session.run(x)[0] < 0.9


def test_only_what_is_given_is_trained_and_its_slots_have_the_name():
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = (tf.Variable(1.0, use_resource=True, name=name) for name in 'xy')
        train, _ = adam_step(x * y, [x])
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run(x) != 1.0 and session.run(y) == 1.0
        names = {variable.op.name for variable in tf.global_variables()}
    assert names == {'x', 'y', 'x/adam', 'x/adam_1', 'beta1_power', 'beta2_power'}


@pytest.mark.parametrize('clip', [0.0, 1.0])
@pytest.mark.parametrize('slope', [np.nan, np.inf])
def test_a_gradient_that_is_not_finite_changes_nothing(clip, slope):
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = (tf.Variable(1.0, use_resource=True) for _ in range(2))
        train, _ = adam_step(slope * x + y, [x, y], clip)
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match='the gradient is not finite'):
            session.run(train)
        assert session.run([x, y]) == [1.0, 1.0]


@pytest.mark.parametrize('count', [0, 1])
def test_refuses_a_loss_that_depends_on_no_variable(count):
    with tf.Graph().as_default():
        x, y = (tf.Variable(1.0, use_resource=True) for _ in range(2))
        with pytest.raises(ValueError, match=f'none of the {count} variables'):
            adam_step(2.0 * x, [y][:count])


def test_refuses_an_agent_whose_critic_has_no_variables_of_its_own():
    with tf.Graph().as_default():
        weights = tf.Variable(tf.ones([3]), use_resource=True)
        shared = weights.read_value()
        outputs = table.random_outputs(0, 6, 3)._replace(
            action_logits={'function': shared}, step_mul_logits=shared, baseline=2.0 * shared
        )
        with pytest.raises(ValueError, match='critic of this agent shares all its variables'):
            optimization.critic_variables(outputs, [weights])


def test_the_critic_has_what_only_the_baseline_depends_on():
    with tf.Graph().as_default():
        torso, policy, baseline, unused = (
            tf.Variable(tf.ones([3]), use_resource=True) for _ in range(4)
        )
        outputs = table.random_outputs(0, 6, 3)._replace(
            action_logits={'function': torso * policy},
            step_mul_logits=policy * 1.0,
            baseline=torso * baseline,
        )
        variables = [torso, policy, baseline, unused]
        (own,) = optimization.critic_variables(outputs, variables)
        assert own is baseline
