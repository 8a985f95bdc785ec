"""PopArt: statistics against NumPy, outputs preserved, and the same learning for any scale."""

import dataclasses

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents, learner
from sc2impala.agents import value_statistics
from sc2impala.learner import diagnostics, value_normalisation
from sc2impala.learner.critic_pretraining.settings import CriticPretrainingSettings
from sc2impala.learner.impala.settings import ImpalaSettings
from tests import fakes
from tests.learner import table_agent as table
from tests.runtime import tiny

T, B = 6, 4
RNG = np.random.RandomState(0)


def evaluate(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(function(*[tf.constant(a) for a in arrays]))


def test_moments_are_weighted():
    values = RNG.normal(3, 2, size=[T, B]).astype(np.float32)
    weights = (RNG.uniform(size=[T, B]) < 0.6).astype(np.float32)
    mean, variance = evaluate(value_normalisation.moments, values, weights)
    counted = values[weights > 0]
    np.testing.assert_allclose([mean, variance], [counted.mean(), counted.var()], rtol=1e-5)


def test_moments_of_each_map():
    values = RNG.normal(3, 2, size=[T, B]).astype(np.float32)
    weights = RNG.uniform(size=[T, B]).astype(np.float32)
    tasks = RNG.choice([0, 1, 3], size=[T, B]).astype(np.int32)
    mean, variance, present = evaluate(
        lambda *a: value_normalisation.moments_by_task(*a, num_tasks=4), values, weights, tasks
    )
    assert present.tolist() == [True, True, False, True]
    for task in range(4):
        own = tasks == task
        expected = [0.0, 0.0]
        if task != 2:
            expected_mean = np.average(values[own], weights=weights[own])
            squares = (values[own] - expected_mean) ** 2
            expected = [expected_mean, np.average(squares, weights=weights[own])]
        np.testing.assert_allclose([mean[task], variance[task]], expected, rtol=1e-5)


class TestSeveralMaps:
    """Statistics, scales and outputs of three maps; of the last one nothing is seen."""

    TASKS = np.array([[0, 1], [1, 1], [0, 0]], np.int32)

    def make(self, session, **options):
        observation_spec, action_spec = fakes.make_specs()
        spec = dataclasses.replace(observation_spec, num_tasks=3)
        tf.set_random_seed(1)
        agent = agents.make_agent(
            'fully_conv', spec, action_spec, 4, value_normalisation='popart', **options
        )
        observation = fakes.random_observation(spec, [3, 2], np.random.RandomState(0))
        observation['task'] = self.TASKS
        env = table.random_env_outputs(2, 2, 2)._replace(observation=observation)
        actions = {name: tf.zeros([3, 2], tf.int32) for name in action_spec.heads}
        output, _ = agent.unroll(actions, table.tensors(env), agent.initial_state(2))
        session.run(tf.global_variables_initializer())
        return agent, output.baseline, observation

    @pytest.mark.parametrize('separate_critic', [False, True])
    def test_the_baseline_is_the_output_of_the_map_and_stays(self, separate_critic):
        targets = (RNG.normal(size=[3, 2]) + 50 * self.TASKS).astype(np.float32)
        weights = np.array([[1, 1], [1, 0], [0, 1]], np.float32)
        with tf.Graph().as_default(), tf.Session() as session:
            agent, baseline, _ = self.make(session, separate_critic=separate_critic)
            normalisation = value_normalisation.ValueNormalisation(agent, 0.5)
            tasks = tf.constant(self.TASKS)
            follow = normalisation.followed(
                tf.no_op(), tf.constant(targets), tf.constant(weights), tasks
            )
            divided = normalisation.divided(tf.ones([3, 2]), tasks, power=2)
            before, ones = session.run([baseline, divided])
            np.testing.assert_array_equal(ones, np.ones([3, 2]))
            for _ in range(5):
                session.run(follow)
            after, shares = session.run([baseline, divided])
            found = agent.value_statistics
            mean, variance, counts = session.run([found.mean, found.variance, found.num_batches])
            metrics = session.run(normalisation.metrics())
        np.testing.assert_allclose(before, after, rtol=1e-3, atol=1e-4)
        assert counts.tolist() == [6, 6, 1] and (mean[2], variance[2]) == (0, 1)
        expected = [(0.0, 1.0), (0.0, 1.0)]
        for batch in range(5):
            rate = max(0.5, 1 / (batch + 2))
            for task in range(2):
                own = (task == self.TASKS) & (weights > 0)
                mean_of, variance_of = expected[task]
                square = variance_of + mean_of**2
                new_mean = (1 - rate) * mean_of + rate * targets[own].mean()
                new_square = (1 - rate) * square + rate * (targets[own] ** 2).mean()
                expected[task] = new_mean, new_square - new_mean**2
        np.testing.assert_allclose(np.transpose([mean, variance])[:2], expected, rtol=1e-3)
        np.testing.assert_allclose(shares, 1 / np.maximum(variance, 1e-4)[self.TASKS], rtol=1e-5)
        assert metrics['value/mean_1'] == mean[1] and 'value/scale_2' in metrics

    def test_no_gradient_reaches_the_outputs_of_other_maps(self):
        with tf.Graph().as_default(), tf.Session() as session:
            agent, baseline, _ = self.make(session)
            layer = agent.value_statistics.layer
            gradients = tf.gradients(tf.reduce_sum(baseline[:, 1]), layer.b)[0]
            found = session.run(gradients)
        assert found[2] == 0 and found[0] == 1 and found[1] == 2

    def test_the_policy_does_not_see_the_map_unless_it_should(self):
        sizes = []
        for task_input in (False, True):
            with tf.Graph().as_default(), tf.Session() as session:
                agent, _, _ = self.make(session, task_input=task_input)
                sizes.append(sum(v.shape.num_elements() for v in agent.weights))
        assert sizes[1] > sizes[0]


@pytest.mark.parametrize('rate', [0.0, 0.1, 1.0])
def test_mixed_is_the_moving_average_of_both_moments(rate):
    mean, variance, batch_mean, batch_variance = np.float32([2, 3, -1, 0.5])
    found = evaluate(
        value_normalisation.mixed, mean, variance, batch_mean, batch_variance, np.float32(rate)
    )
    expected_mean = (1 - rate) * mean + rate * batch_mean
    square = (1 - rate) * (variance + mean**2) + rate * (batch_variance + batch_mean**2)
    np.testing.assert_allclose(found, [expected_mean, square - expected_mean**2], rtol=1e-6)


def test_a_small_variance_at_a_large_mean_is_not_lost():
    values = np.float32([5000, 0.01, 5000.001, 0.01, 0.5])
    _, variance = evaluate(value_normalisation.mixed, *values)
    np.testing.assert_allclose(variance, 0.01, rtol=0.01)


def test_rescaled_preserves_outputs():
    w, b, h = (RNG.normal(size=shape).astype(np.float32) for shape in ([5, 1], [1], [20, 5]))
    old, new = np.float32([3, 0.5]), np.float32([-40, 200])
    new_w, new_b = evaluate(
        lambda *a: value_normalisation.rescaled(a[0], a[1], (a[2], a[3]), (a[4], a[5])),
        w,
        b,
        *old,
        *new,
    )
    before, after = old[0] + old[1] * (h.dot(w) + b), new[0] + new[1] * (h.dot(new_w) + new_b)
    assert not np.allclose(w, new_w)
    np.testing.assert_allclose(before, after, atol=1e-4)


class Case:
    """An agent with statistics in a session, and one update of it on random sequences."""

    def __init__(self, session, agent_name='fully_conv', scaling=1.0, critic=False, **settings):
        specs = fakes.make_specs()
        tf.set_random_seed(0)
        self.session = session
        self.agent = agents.make_agent(
            agent_name, *specs, 4, argument_conditioning=True, value_normalisation='popart'
        )
        rng = np.random.RandomState(0)
        env = table.random_env_outputs(2, T, B)
        observation = fakes.random_observation(specs[0], [T + 1, B], rng)
        env = env._replace(observation=observation, reward=5 + env.reward)
        start = self.agent.initial_state(B)
        actions = {name: tf.zeros([T + 1, B], tf.int32) for name in specs[1].heads}
        played, _ = self.agent.unroll(actions, table.tensors(env), start)
        self.baseline = played.baseline
        # The recorded policy, and a recorded baseline that is off by one.
        mu = tf.nest.map_structure(
            lambda t: np.ones(t.shape.as_list(), t.dtype.as_numpy_dtype), played
        )
        batch = table.make_batch(env, mu, [False, False, False, True], agent_state=start)
        arguments = dict(discounting=0.9, reward_scaling=scaling, adam_epsilon=1e-8, **settings)
        if critic:
            arguments['critic_pretrain_all_variables'] = True
            settings = CriticPretrainingSettings(critic_learning_rate=0.0, **arguments)
            output = learner.build_critic_learner(self.agent, batch, settings)
        else:
            output = learner.build_learner(self.agent, batch, 1e9, ImpalaSettings(**arguments))
        self._train = output.num_env_frames_and_train
        self._summary = diagnostics.merge(output.metrics)
        session.run(tf.global_variables_initializer())

    def update(self):
        """Runs an update; returns its scalars."""
        return table.scalars(self.session.run([self._summary, self._train])[0])

    def statistics(self):
        found = self.agent.value_statistics
        return self.session.run([found.mean, found.variance, found.num_batches, found.scale])


@pytest.mark.long
@pytest.mark.parametrize('agent_name, critic', [('fully_conv', False), ('impala_resnet', True)])
def test_statistics_follow_the_targets_and_the_baseline_stays(agent_name, critic):
    """With a learning rate of 0 nothing but the statistics and the last layer changes."""
    rate = {} if critic else {'learning_rate': 0.0}
    with tf.Graph().as_default(), tf.Session() as session:
        case = Case(session, agent_name, critic=critic, **rate)
        assert case.statistics() == [0, 1, 1, 1]
        before = session.run([case.baseline, case.agent.value_statistics.layer.w])
        tags = [case.update() for _ in range(4)]
        after = session.run([case.baseline, case.agent.value_statistics.layer.w])
        mean, variance, num_batches, scale = case.statistics()
    assert (tags[0]['value/mean'], tags[0]['value/scale'], num_batches) == (0, 1, 5)
    assert mean > 1 and abs(scale - np.sqrt(variance)) < 1e-5 and scale > 1.2
    assert not np.allclose(before[1], after[1])
    np.testing.assert_allclose(before[0], after[0], rtol=1e-5, atol=1e-5)


@pytest.mark.long
def test_losses_are_in_units_of_the_scale():
    with tf.Graph().as_default(), tf.Session() as session:
        case = Case(session, learning_rate=0.0)
        first = case.update()
        scale = case.statistics()[-1]
        second = case.update()
    assert scale > 1.2
    for name, power in (('baseline', 2), ('value_cloning', 2), ('policy_gradient', 1)):
        np.testing.assert_allclose(
            first['loss/' + name], scale**power * second['loss/' + name], rtol=1e-4
        )
    np.testing.assert_allclose(first['advantage/std'], scale * second['advantage/std'], rtol=1e-4)
    for name in ('entropy', 'policy_cloning'):
        np.testing.assert_allclose(first['loss/' + name], second['loss/' + name], rtol=1e-6)


@pytest.mark.long
def test_learning_does_not_depend_on_the_size_of_rewards():
    """Once the statistics are those of the returns; the initial ones count as one batch of many."""
    losses = []
    for scaling in (1.0, 1000.0):
        with tf.Graph().as_default(), tf.Session() as session:
            # The recorded baseline is the same in both and would not fit.
            case = Case(session, scaling=scaling, learning_rate=1e-3, value_cloning_cost=0.0)
            found = case.agent.value_statistics
            for variable, value in (
                (found.mean, 10 * scaling),
                (found.variance, (5 * scaling) ** 2),
                (found.num_batches, 1e6),
            ):
                variable.load(value, session)
            losses.append([case.update()['loss/baseline'] for _ in range(20)])
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-2, atol=1e-3)
    assert losses[0][-1] < 0.5 * losses[0][0]


@pytest.mark.long
def test_without_a_step_that_counts_the_statistics_stay():
    with tf.Graph().as_default(), tf.Session() as session:
        case = Case(session)
        normalisation = value_normalisation.ValueNormalisation(case.agent, 0.1)
        update = normalisation.followed(tf.no_op(), tf.ones([T, B]), tf.zeros([T, B]))
        session.run(update)
        assert case.statistics() == [0, 1, 1, 1]


def test_alike_returns_keep_a_smallest_scale():
    with tf.Graph().as_default(), tf.Session() as session:
        case = Case(session)
        normalisation = value_normalisation.ValueNormalisation(case.agent, 1.0)
        session.run(normalisation.followed(tf.no_op(), tf.ones([T, B]), tf.ones([T, B])))
        mean, variance, _, scale = case.statistics()
    assert (mean, variance) == (1, 0) and scale == np.float32(value_statistics.MIN_SCALE)


def test_another_agent_is_left_as_it_is():
    with tf.Graph().as_default():
        normalisation = value_normalisation.ValueNormalisation(object(), 0.1)
        train, values = tf.no_op(), tf.ones([T, B])
        assert normalisation.divided(values, power=2) is values
        assert normalisation.followed(train, values, values) is train
        assert normalisation.metrics() == {}


@pytest.mark.slow
def test_trains_resumes_and_is_evaluated(tmp_path):
    """The statistics are part of the checkpoint and of the weights of an agent."""
    flags = ('--deterministic', '--value_normalisation=popart', *tiny.REPLAY)
    flags += (f'--num_critic_pretrain_frames={tiny.FRAMES_PER_UPDATE}',)
    tiny.train(tmp_path / 'whole', 3, *flags)
    tiny.train(tmp_path / 'new', 1, *flags, f'--init_checkpoint={tmp_path / "whole"}')
    whole = tiny.variables(tmp_path / 'whole', tiny.checkpoint_frames(tmp_path / 'whole')[-1])
    (name,) = [name for name in whole if name.endswith('value_statistics/num_batches')]
    assert whole[name] > 4
    new = tiny.variables(tmp_path / 'new', tiny.checkpoint_frames(tmp_path / 'new')[0])
    assert new[name] == whole[name]
    assert tiny.evaluate(tmp_path / 'whole', '--num_episodes=2') == 0
    assert 'value/scale' in tiny.summaries(tmp_path / 'whole')
