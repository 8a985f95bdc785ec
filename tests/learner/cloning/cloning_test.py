"""Cloning: loss, gradient and agreement against NumPy, and agents that learn a rule."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents
from sc2impala.learner import optimization
from sc2impala.learner.cloning.settings import CloningSettings
from sc2impala.learner.cloning.update import Cloning
from tests import fakes
from tests.learner import table_agent as table
from tests.learner.labels import random_labels

T, B = 6, 3
PLAIN_STEP = dict(
    cloning_learning_rate=1e8,
    final_cloning_learning_rate=1e8,
    adam_beta1=0.0,
    adam_beta2=0.0,
    adam_epsilon=1e8,
    clip_grad_norm=0.0,
)
"""An update that subtracts the gradient."""


def make_env(seed, shape, plays=0.5):
    """EnvOutput of [T + 1, B] arrays with labels, some of which are not available."""
    env = table.random_env_outputs(seed, shape[0] - 1, shape[1])
    available = np.random.RandomState(seed).uniform(size=shape + [table.HEADS['function']]) < 0.7
    labels = random_labels(seed, table.HEADS, table.MAX_STEP_MUL, shape, plays)
    return env._replace(observation={'available_actions': available, 'demonstration': labels})


def learned_steps(env):
    """The steps that the loss of the policy is summed over, as pairs (t, b)."""
    labels = env.observation['demonstration']
    for t, b in np.ndindex(T, B):
        function = labels['action']['function'][t, b]
        if env.info.aborted[t + 1, b] or not labels['valid'][t, b]:
            continue
        if env.observation['available_actions'][t, b, function]:
            yield t, b


def expected_heads(labels, t, b, learn_step_mul):
    """The heads of a label, {name: index}."""
    heads = {'function': labels['action']['function'][t, b]}
    if table.HEAD_USED['screen'][heads['function']]:
        heads['screen'] = labels['action']['screen'][t, b]
    if learn_step_mul:
        heads['step_mul'] = labels['step_mul'][t, b] - 1
    return heads


def update_once(env, pi, mu, learn_step_mul=True, **settings):
    """Metrics of an update, and the variables of the agent before and after it."""
    with tf.Graph().as_default(), table.session() as session:
        agent = table.TableAgent(pi, learn_step_mul)
        batch = table.make_batch(env, mu)
        algorithm = Cloning(CloningSettings(num_cloning_frames=1000, **settings))
        frames = tf.train.get_or_create_global_step()
        update = algorithm.build_update(
            agent, batch, agent.weights, optimization.Schedule(frames, 1000)
        )
        session.run(tf.global_variables_initializer())
        before = session.run(agent.variables)
        fetched = session.run(
            {'metrics': update.metrics, 'frames': update.frames, 'done': update.done}
        )
        session.run(update.train)
        return fetched, before, session.run(agent.variables)


@pytest.mark.parametrize('learn_step_mul', [True, False])
def test_loss_and_gradient_agree_with_numpy(learn_step_mul):
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = make_env(2, [T + 1, B])
    labels = env.observation['demonstration']
    steps = list(learned_steps(env))
    assert 3 < len(steps) < labels['valid'][:-1].sum()
    logits = dict(pi.action_logits, step_mul=pi.step_mul_logits)
    loss, gradient = 0.0, {name: np.zeros(value.shape) for name, value in logits.items()}
    for t, b in steps:
        for name, index in expected_heads(labels, t, b, learn_step_mul).items():
            log_p = table.log_softmax(logits[name][t, b])
            loss -= log_p[index]
            gradient[name][t, b] = np.exp(log_p)
            gradient[name][t, b, index] -= 1.0
    fetched, before, after = update_once(env, pi, mu, learn_step_mul, **PLAIN_STEP)
    np.testing.assert_allclose(fetched['metrics']['cloning/loss'], loss, rtol=1e-5)
    moved = tf.nest.map_structure(lambda a, b: a - b, before, after)
    for name in table.HEADS:
        np.testing.assert_allclose(moved[0][name], gradient[name], atol=1e-5)
    np.testing.assert_allclose(moved[1], gradient['step_mul'], atol=1e-5)
    assert fetched['frames'] == mu.step_mul[1:].sum()


def test_the_baseline_learns_the_returns_of_whoever_played():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = make_env(2, [T + 1, B], plays=0.5)
    fetched, before, after = update_once(
        env, pi, mu, cloning_baseline_cost=0.25, discounting=0.9, **PLAIN_STEP
    )
    error = np.zeros([T, B])
    for b in range(B):
        following = float(pi.baseline[T, b])
        for t in reversed(range(T)):
            discount = 0.0 if env.done[t + 1, b] else 0.9
            following = env.reward[t + 1, b] + discount * following
            if env.info.aborted[t + 1, b]:
                following = float(pi.baseline[t, b])
            error[t, b] = pi.baseline[t, b] - following
    np.testing.assert_allclose((before[2] - after[2])[:-1], 0.25 * error, atol=1e-5)
    expected = 0.25 * np.sum(0.5 * error**2)
    np.testing.assert_allclose(fetched['metrics']['cloning/baseline_loss'], expected, rtol=1e-5)


def test_agreement_of_the_most_probable_choices():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = make_env(3, [T + 1, B])
    labels = env.observation['demonstration']
    logits = dict(pi.action_logits, step_mul=pi.step_mul_logits)
    # Half of the labels agree with the policy in one head or another.
    for t, b in np.ndindex(T, B):
        if labels['valid'][t, b] and (t + b) % 2:
            for name in table.HEADS:
                labels['action'][name][t, b] = logits[name][t, b].argmax()
            labels['step_mul'][t, b] = logits['step_mul'][t, b].argmax() + t % 2
    counted = {}
    available = env.observation['available_actions']
    for t, b in np.ndindex(T, B):
        function = labels['action']['function'][t, b]
        if not labels['valid'][t, b] or not available[t, b, function]:
            continue
        heads = expected_heads(labels, t, b, True)
        agrees = {name: logits[name][t, b].argmax() == index for name, index in heads.items()}
        for name, value in agrees.items():
            counted.setdefault('accuracy/' + name, []).append(value)
        counted.setdefault('agreement', []).append(all(agrees.values()))
    metrics = update_once(env, pi, mu)[0]['metrics']
    for name, values in counted.items():
        np.testing.assert_allclose(metrics['cloning/' + name], np.mean(values), rtol=1e-6)
    labelled = len(counted['agreement']) / (T * B)
    np.testing.assert_allclose(metrics['cloning/labelled'], labelled, rtol=1e-6)
    assert 0.0 < metrics['cloning/agreement'] < metrics['cloning/accuracy/function'] < 1.0


def test_without_any_label_nothing_but_the_baseline_moves():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = make_env(2, [T + 1, B])
    env.observation['demonstration']['valid'][:] = False
    fetched, before, after = update_once(env, pi, mu, **PLAIN_STEP)
    metrics = fetched['metrics']
    assert metrics['cloning/loss'] == metrics['cloning/agreement'] == 0.0
    tf.nest.map_structure(np.testing.assert_array_equal, before[:2], after[:2])
    assert np.any(before[2] != after[2])


def test_observations_without_labels_are_refused():
    pi = table.random_outputs(0, T, B)
    env = table.random_env_outputs(2, T, B)
    with pytest.raises(ValueError, match='there is no demonstrator'):
        update_once(env, pi, pi)


def test_the_share_of_the_demonstrator_falls():
    def shares(last):
        settings = CloningSettings(
            num_cloning_frames=100, demonstrator_share=0.8, final_demonstrator_share=last
        )
        return [Cloning(settings).demonstrator_share(frames) for frames in (0, 50, 100, 150)]

    np.testing.assert_allclose(shares(0.2), [0.8, 0.5, 0.2, 0.2])
    np.testing.assert_allclose(shares(-1.0), [0.8] * 4)


@pytest.mark.long
@pytest.mark.parametrize('name', sorted(agents.AGENTS))
def test_every_agent_learns_the_labels_that_it_does_not_see(name):
    specs = fakes.make_specs(agent=name)
    rng = np.random.RandomState(0)
    shape = [T + 1, B]
    env = table.random_env_outputs(2, T, B, aborted=False)
    observation = fakes.random_observation(specs[0], shape, rng)
    observation['available_actions'][:] = True
    unlabelled = env._replace(observation=observation)
    labels = random_labels(1, specs[1].heads, 4, shape)
    env = env._replace(observation=dict(observation, demonstration=labels))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent = agents.make_agent(name, specs[0], specs[1], 4)
        agent.create_variables(specs[0])
        played = tf.nest.map_structure(
            lambda spec: np.ones(shape + spec.shape.as_list(), spec.dtype.as_numpy_dtype),
            agent.output_spec(),
        )
        state = agent.initial_state(B)
        batch = table.make_batch(env, played, agent_state=state)
        logits = [
            agent.unroll(batch.agent_outputs.action, table.tensors(e), state)[0].action_logits
            for e in (env, unlabelled)
        ]
        algorithm = Cloning(CloningSettings(cloning_learning_rate=0.003))
        frames = tf.train.get_or_create_global_step()
        update = algorithm.build_update(
            agent, batch, agent.weights, optimization.Schedule(frames, 10**9)
        )
        session.run(tf.global_variables_initializer())
        tf.nest.map_structure(np.testing.assert_array_equal, *session.run(logits))
        series = [session.run([update.metrics, update.train])[0] for _ in range(80)]
    first, last = series[0], series[-1]
    assert last['cloning/loss'] < 0.5 * first['cloning/loss']
    assert last['cloning/agreement'] > first['cloning/agreement'] + 0.2
