"""Targets of policy and baseline against loops over single steps."""

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import vtrace as vtrace_lib
from sc2impala.learner import sequences, targets
from sc2impala.settings.learning import ReturnSettings
from tests.learner import table_agent as table

T, B = 6, 4
PI, MU = table.random_outputs(0, T, B), table.random_outputs(1, T, B)
ENV = table.random_env_outputs(2, T, B)


def evaluate(function, env=ENV, **settings):
    """Runs function(agent, steps, settings) on the random data."""
    with tf.Graph().as_default(), tf.Session() as session:
        agent = table.TableAgent(PI)
        steps = sequences.unroll(agent, table.make_batch(env, MU))
        results = function(agent, steps, ReturnSettings(**dict({'discounting': 0.9}, **settings)))
        session.run(tf.global_variables_initializer())
        return session.run(results)


def vtrace(agent, steps, settings):
    inputs = targets.vtrace_inputs(agent.policy, steps, settings)
    return vtrace_lib.from_importance_weights(**inputs)


def returns(unused_agent, steps, settings):
    return targets.returns(steps, settings)


def reference_returns(env, discounting):
    """G_t = r_t + gamma_t G_{t+1}, column by column; an aborted step stands for its value."""
    result = np.zeros([T, B])
    for b in range(B):
        following = float(PI.baseline[T, b])
        for t in reversed(range(T)):
            discount = 0.0 if env.done[t + 1, b] else discounting
            following = env.reward[t + 1, b] + discount * following
            if env.info.aborted[t + 1, b]:
                following = float(PI.baseline[t, b])
            result[t, b] = following
    return result


def test_vtrace_agrees_with_numpy():
    found = evaluate(vtrace)
    vs, advantages = table.vtrace_targets(PI, MU, ENV, 0.9)
    np.testing.assert_allclose(found.vs, vs, atol=1e-4)
    np.testing.assert_allclose(found.pg_advantages, advantages, atol=1e-4)


def test_returns_agree_with_numpy():
    np.testing.assert_allclose(evaluate(returns), reference_returns(ENV, 0.9), atol=1e-5)


def test_discounts_per_frame_follow_the_steps_that_were_played():
    per_step, per_frame = (evaluate(returns, discounting_per_frame=per) for per in (False, True))
    assert not np.allclose(per_step, per_frame)
    # The last step bootstraps with 0.9 ** (step_mul / 8), unless the episode ends there.
    discounts = np.where(ENV.done[T], 0.0, 0.9 ** (MU.step_mul[T] / 8.0))
    expected = ENV.reward[T] + discounts * PI.baseline[T]
    expected = np.where(ENV.info.aborted[T], PI.baseline[T - 1], expected)
    np.testing.assert_allclose(per_frame[-1], expected, rtol=1e-5)


def test_no_gradient_flows_through_targets():
    with tf.Graph().as_default():
        agent = table.TableAgent(PI)
        steps = sequences.unroll(agent, table.make_batch(ENV, MU))
        for tensor in vtrace(agent, steps, ReturnSettings()):
            assert tf.gradients(tensor, agent.weights) == [None] * len(agent.weights)
