"""Critic pre-training: returns and gradient against NumPy, and the policy that must not move."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents, learner
from tests import fakes
from tests.learner import table_agent as table

T, B = 6, 3


def _tensors(nest):
    return tf.nest.map_structure(tf.constant, nest)


def _returns(env, values, discounting):
    """G_t = r_t + gamma_t G_{t+1}, column by column; an aborted step stands for its value."""
    result = np.zeros([T, B])
    for b in range(B):
        following = float(values[T, b])
        for t in reversed(range(T)):
            discount = 0.0 if env.done[t + 1, b] else discounting
            following = env.reward[t + 1, b] + discount * following
            if env.info.aborted[t + 1, b]:
                following = float(values[t, b])
            result[t, b] = following
    return result


def test_loss_and_gradient_agree_with_numpy():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    trained = 1.0 - env.info.aborted[1:]
    error = (pi.baseline[:-1] - _returns(env, pi.baseline, 0.9)) * trained
    with tf.Graph().as_default(), tf.Session() as session:
        agent = table.TableAgent(pi)
        output = learner.build_critic_learner(
            agent,
            (),
            _tensors(env),
            _tensors(mu),
            batch_size_from_replay=1,
            discounting=0.9,
            learning_rate=1e8,
            adam_beta1=0.0,
            adam_beta2=0.0,
            adam_epsilon=1e8,
        )
        summary = tf.summary.merge_all(learner.CRITIC_SUMMARIES)
        assert tf.summary.merge_all() is None
        session.run(tf.global_variables_initializer())
        before = session.run(agent.variables)
        result, serialized = session.run([output, summary])
        after = session.run(agent.variables)
        assert session.run(learner.critic_frames()) == result.num_critic_frames_and_train
        assert tf.train.get_global_step() is None
    values = {v.tag: v.simple_value for v in tf.Summary.FromString(serialized).value}
    assert set(values) == {'critic_pretrain/baseline_loss', 'critic_pretrain/grad_norm'}
    np.testing.assert_allclose(
        values['critic_pretrain/baseline_loss'], np.sum(0.5 * error**2), rtol=1e-5
    )
    logits_before, step_mul_before, baseline_before = before
    tf.nest.map_structure(
        np.testing.assert_array_equal, [logits_before, step_mul_before], after[:2]
    )
    np.testing.assert_allclose((baseline_before - after[2])[:-1], error, atol=1e-5)
    assert not (baseline_before - after[2])[-1].any()
    assert result.num_critic_frames_and_train == mu.step_mul[1:, :-1].sum()
    assert not result.done[:, -1].any()


@pytest.mark.parametrize('name', sorted(agents.AGENTS))
@pytest.mark.parametrize('train_all', [False, True])
def test_only_the_critic_of_every_agent_moves(name, train_all):
    specs = fakes.make_specs()
    rng = np.random.RandomState(0)
    env = table.random_env_outputs(2, T, B)
    env = env._replace(observation=fakes.random_observation(specs[0], [T + 1, B], rng))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent = agents.make_agent(name, specs[0], specs[1], 4)
        env = _tensors(env)
        state = agent.initial_state(B)
        actions = {n: tf.zeros([T + 1, B], tf.int32) for n in specs[1].heads}
        played, _ = agent.unroll(actions, env, state)
        behaviour = tf.nest.map_structure(lambda t: tf.ones(t.shape, t.dtype), played)
        output = learner.build_critic_learner(
            agent,
            state,
            env,
            behaviour,
            train_all_variables=train_all,
            discounting=0.5,
            learning_rate=0.001,
        )
        summary = tf.summary.merge_all(learner.CRITIC_SUMMARIES)
        policy = [played.action_logits, played.step_mul_logits]
        session.run(tf.global_variables_initializer())
        logits_before = session.run(policy)
        losses = []
        for _ in range(30):
            serialized, _ = session.run([summary, output.num_critic_frames_and_train])
            values = {v.tag: v.simple_value for v in tf.Summary.FromString(serialized).value}
            losses.append(values['critic_pretrain/baseline_loss'])
        logits_after = session.run(policy)
    assert losses[-1] < 0.9 * losses[0]
    equal = [
        np.array_equal(a, b)
        for a, b in zip(tf.nest.flatten(logits_before), tf.nest.flatten(logits_after))
    ]
    assert all(equal) if not train_all else not all(equal)


def test_refuses_an_agent_whose_critic_has_nothing_of_its_own():
    with tf.Graph().as_default():
        weights = tf.Variable(tf.ones([3]), use_resource=True)
        shared = weights.read_value()
        outputs = table.random_outputs(0, T, B)._replace(
            action_logits={'function': shared}, step_mul_logits=shared, baseline=2.0 * shared
        )
        with pytest.raises(ValueError, match='critic of this agent shares all its variables'):
            learner.critic.critic_variables(outputs, [weights])
