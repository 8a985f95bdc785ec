"""Critic pre-training: returns and gradient against NumPy; the policy must not change."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents, learner
from sc2impala.learner import diagnostics
from sc2impala.learner.critic_pretraining.settings import CriticPretrainingSettings
from tests import fakes
from tests.learner import table_agent as table

T, B = 6, 3


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
        batch = table.make_batch(env, mu, is_replay=[False, False, True])
        settings = CriticPretrainingSettings(
            discounting=0.9,
            critic_learning_rate=1e8,
            adam_beta1=0.0,
            adam_beta2=0.0,
            adam_epsilon=1e8,
            clip_grad_norm=0.0,
        )
        output = learner.build_critic_learner(agent, batch, settings)
        summary = diagnostics.merge(output.metrics)
        assert tf.summary.merge_all() is None
        session.run(tf.global_variables_initializer())
        before = session.run(agent.variables)
        result, serialized = session.run([output, summary])
        after = session.run(agent.variables)
        (counter,) = [v for v in tf.global_variables() if v.op.name == 'critic_pretrain_frames']
        assert session.run(counter) == result.num_env_frames_and_train
        assert tf.train.get_global_step() is None
    values = table.scalars(serialized)
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
    assert result.num_env_frames_and_train == mu.step_mul[1:, :-1].sum()
    assert not result.done[:, -1].any()


@pytest.mark.long
@pytest.mark.parametrize(
    'name, train_all, separate',
    [(name, False, False) for name in sorted(agents.AGENTS)]
    + [('fully_conv_lstm', True, False), ('fully_conv_lstm', True, True)],
)
def test_only_the_critic_of_every_agent_moves(name, train_all, separate):
    specs = fakes.make_specs(agent=name)
    rng = np.random.RandomState(0)
    env = table.random_env_outputs(2, T, B)
    env = env._replace(observation=fakes.random_observation(specs[0], [T + 1, B], rng))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent = agents.make_agent(name, specs[0], specs[1], 4, separate_critic=separate)
        actions = {n: tf.zeros([T + 1, B], tf.int32) for n in specs[1].heads}
        played, _ = agent.unroll(actions, table.tensors(env), agent.initial_state(B))
        behaviour = tf.nest.map_structure(
            lambda t: np.ones(t.shape.as_list(), t.dtype.as_numpy_dtype), played
        )
        batch = table.make_batch(env, behaviour, agent_state=agent.initial_state(B))
        settings = CriticPretrainingSettings(
            discounting=0.5, critic_learning_rate=0.001, critic_pretrain_all_variables=train_all
        )
        output = learner.build_critic_learner(agent, batch, settings)
        summary = diagnostics.merge(output.metrics)
        policy = [played.action_logits, played.step_mul_logits]
        session.run(tf.global_variables_initializer())
        logits_before = session.run(policy)
        losses = []
        for _ in range(30):
            serialized, _ = session.run([summary, output.num_env_frames_and_train])
            losses.append(table.scalars(serialized)['critic_pretrain/baseline_loss'])
        logits_after = session.run(policy)
    assert losses[-1] < 0.9 * losses[0]
    equal = [
        np.array_equal(a, b)
        for a, b in zip(tf.nest.flatten(logits_before), tf.nest.flatten(logits_after))
    ]
    assert all(equal) if not train_all or separate else not all(equal)


def test_without_frames_the_phase_is_left_out():
    assert CriticPretrainingSettings().num_frames == 0
    settings = CriticPretrainingSettings(num_critic_pretrain_frames=7)
    assert settings.num_frames == 7


def test_trains_no_variable_of_another_agent():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    with tf.Graph().as_default():
        agent, other = table.TableAgent(pi), table.TableAgent(mu)
        batch = table.make_batch(env, mu)
        with pytest.raises(ValueError, match='shares all its variables'):
            learner.build_critic_learner(agent, batch, variables=other.weights)
