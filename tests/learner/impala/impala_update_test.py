"""What an update of IMPALA counts, summarises and changes, and what it refuses."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.learner import diagnostics
from tests.learner import table_agent as table
from tests.learner.impala.impala_case import REPLAYED, B, Case, T, make_settings

ENDS = 'min', 'max'


def test_frames_count_the_multipliers_that_were_played_in_new_columns(replayed):
    case = replayed
    played = case.mu.step_mul[1:]
    assert case.output.num_env_frames_and_train == played[:, ~REPLAYED].sum()
    assert played[:, ~REPLAYED].sum() != case.pi.step_mul[:-1][:, ~REPLAYED].sum()


def test_frames_with_a_fixed_multiplier():
    def fixed(pi, mu, env):
        mu.step_mul[:] = 24

    case = Case(is_replay=REPLAYED, learn_step_mul=False, change=fixed)
    assert case.output.num_env_frames_and_train == T * 2 * 24


def test_replayed_and_aborted_episodes_are_in_no_statistic(replayed):
    case = replayed
    done, aborted = case.env.done[1:], case.env.info.aborted[1:]
    assert (done & REPLAYED & ~aborted).any() and (aborted & REPLAYED).any()
    np.testing.assert_array_equal(case.output.done, done & ~aborted & ~REPLAYED)
    np.testing.assert_array_equal(case.output.infos.aborted, aborted & ~REPLAYED)

    def more_replayed_ends(pi, mu, env):
        env.done[:, REPLAYED] = True
        env.info.aborted[:, REPLAYED] = False
        env.info.episode_return[:, REPLAYED] = 1000.0

    other = Case(is_replay=REPLAYED, change=more_replayed_ends)
    np.testing.assert_array_equal(
        *[each.output.infos.episode_return[each.output.done] for each in (case, other)]
    )


@pytest.mark.parametrize('clip', [0.0, 0.5])
def test_gradient_norm_is_summarised_before_clipping(clip, plain):
    free, clipped = plain, Case(clip_grad_norm=clip)
    norm = np.sqrt(sum(np.sum(g.astype(np.float64) ** 2) for g in tf.nest.flatten(free.gradients)))
    np.testing.assert_allclose(clipped.summary['grad_norm'], norm, rtol=1e-4)
    assert norm > 0.5
    scale = clip / norm if clip else 1.0
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(scale * a, b, atol=1e-4),
        free.gradients,
        clipped.gradients,
    )


@pytest.mark.parametrize(
    'final, decay, costs',
    [
        (0.001, 1.0, (0.01, 0.0055, 0.001)),
        (0.001, 0.8, (0.01, 0.004375, 0.001)),
        (0.001, 0.0, (0.01, 0.001, 0.001)),
        (-1.0, 1.0, (0.01, 0.01, 0.01)),
    ],
)
def test_schedules_follow_the_frames(final, decay, costs):
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    settings = make_settings(
        learning_rate=0.1,
        final_learning_rate=0.02,
        entropy_cost=0.01,
        final_entropy_cost=final,
        entropy_decay=decay,
    )
    with tf.Graph().as_default(), table.session() as session:
        output = learner.build_learner(
            table.TableAgent(pi), table.make_batch(env, mu), 1000, settings
        )
        summary = diagnostics.merge(output.metrics)
        session.run(tf.global_variables_initializer())
        step = tf.train.get_global_step()
        for frames, rate, cost in zip((0, 500, 2000), (0.1, 0.06, 0.02), costs):
            session.run(step.assign(frames))
            values = table.scalars(session.run(summary))
            np.testing.assert_allclose(values['learning_rate'], rate, rtol=1e-5)
            np.testing.assert_allclose(values['entropy_cost'], cost, rtol=1e-5)


def test_documented_tags(replayed):
    case = replayed
    assert set(case.summary) == {
        'loss/policy_gradient',
        'loss/baseline',
        'loss/entropy',
        'loss/policy_cloning',
        'loss/value_cloning',
        'loss/total_loss',
        'learning_rate',
        'entropy_cost',
        'grad_norm',
        'entropy/function',
        'entropy/screen',
        'entropy/step_mul',
        'steps/valid',
        'rho/mean',
        'rho/clipped',
        'kl/behaviour',
        'kl/behaviour_max',
        'advantage/mean',
        'advantage/std',
        'baseline/mean',
        'baseline/explained_variance',
        'weight_norm',
        'adam/max_second_moment',
        *(f'{of}/{end}' for of in ('rho', 'advantage', 'baseline', 'target') for end in ENDS),
    }
    assert set(case.histograms) == {'action/function', 'action/screen', 'action/step_mul'}


def test_a_gradient_that_is_not_finite_changes_nothing():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    env.reward[2, 1] = np.nan
    env.info.aborted[:] = False
    with tf.Graph().as_default(), table.session() as session:
        agent = table.TableAgent(pi)
        batch = table.make_batch(env, mu)
        output = learner.build_learner(agent, batch, 1e9, make_settings(clip_grad_norm=1.0))
        session.run(tf.global_variables_initializer())
        before = session.run(agent.variables)
        with pytest.raises(tf.errors.InvalidArgumentError, match='the gradient is not finite'):
            session.run(output.num_env_frames_and_train)
        tf.nest.map_structure(np.testing.assert_array_equal, before, session.run(agent.variables))
        assert session.run(tf.train.get_global_step()) == 0


@pytest.mark.parametrize('chosen', [None, [2]])
def test_trains_only_the_variables_it_is_given(chosen):
    """By default the weights of the agent: others in the graph that the loss depends on stay."""
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    with tf.Graph().as_default(), table.session() as session:
        agent, teacher = table.TableAgent(pi), table.TableAgent(mu)
        batch = table.make_batch(env, mu)
        taught, _ = teacher.unroll(None, None, ())
        batch = batch._replace(agent_outputs=taught)
        variables = [agent.variables[2]] if chosen else None
        output = learner.build_learner(agent, batch, 1e9, make_settings(), variables)
        session.run(tf.global_variables_initializer())
        before = session.run([agent.variables, teacher.variables])
        session.run(output.num_env_frames_and_train)
        after = session.run([agent.variables, teacher.variables])
    changed = tf.nest.map_structure(lambda a, b: not np.array_equal(a, b), before, after)
    assert changed[0] == [dict.fromkeys(table.HEADS, not chosen), not chosen, True]
    assert not any(tf.nest.flatten(changed[1]))


def test_no_graph_collection_is_used():
    pi, mu = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
    env = table.random_env_outputs(2, T, B)
    with tf.Graph().as_default():
        output = learner.build_learner(table.TableAgent(pi), table.make_batch(env, mu), 1e9)
        diagnostics.merge(output.metrics)
        assert tf.summary.merge_all() is None


def test_refuses_an_agent_without_a_policy():
    env, mu = table.random_env_outputs(2, T, B), table.random_outputs(1, T, B)
    with tf.Graph().as_default():
        agent = table.TableAgent(mu)
        del agent.policy
        with pytest.raises(ValueError, match='Impala needs an agent with policy, but TableAgent'):
            learner.build_learner(agent, table.make_batch(env, mu), 1e9)


def test_refuses_an_unknown_reward_clipping():
    env, mu = table.random_env_outputs(2, T, B), table.random_outputs(1, T, B)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="but is 'hard'"):
        settings = make_settings(reward_clipping='hard')
        learner.build_learner(table.TableAgent(mu), table.make_batch(env, mu), 1e9, settings)
