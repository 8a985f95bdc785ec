"""Burn-in with a recurrent agent: the same outputs as in one pass, and no gradient through it."""

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import agents
from sc2impala.learner.r2d2 import burn_in
from tests import fakes
from tests.learner import table_agent

T, B, COUNT = 5, 2, 3


def make_batch(agent, observation_spec):
    rng = np.random.RandomState(0)
    shape = [T + 1, B]
    env = table_agent.random_env_outputs(0, T, B)
    env = env._replace(
        done=np.zeros(shape, bool),
        observation=fakes.random_observation(observation_spec, shape, rng),
    )
    env.observation['available_actions'][:] = True
    played = tf.nest.map_structure(
        lambda spec: rng.randint(0, 2, shape + spec.shape.as_list()).astype(
            spec.dtype.as_numpy_dtype
        ),
        agent.output_spec(),
    )
    state = tf.nest.map_structure(
        lambda t: tf.constant(rng.normal(size=t.shape.as_list()).astype(np.float32)),
        agent.initial_state(B),
    )
    return table_agent.make_batch(env, played)._replace(agent_state=state)


def test_outputs_and_gradients():
    observation_spec, action_spec = fakes.make_specs()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(0)
        agent = agents.make_agent('fully_conv_lstm', observation_spec, action_spec, 4)
        agent.create_variables(observation_spec)
        batch = make_batch(agent, observation_spec)
        assert burn_in.num_steps(batch.agent_state, COUNT) == COUNT
        outputs = burn_in.unroll(agent, batch, COUNT)
        inputs = batch.agent_outputs.action, batch.env_outputs
        whole, _ = agent.unroll(*inputs, batch.agent_state)
        # The state at that point as a constant.
        first, rest = (
            tf.nest.map_structure(lambda t, part=part: t[part], inputs)
            for part in (slice(None, COUNT), slice(COUNT, None))
        )
        state = tf.nest.map_structure(tf.stop_gradient, agent.unroll(*first, batch.agent_state)[1])
        expected, _ = agent.unroll(*rest, state)
        found, cut, through = (
            tf.gradients(tf.reduce_sum(each.baseline**2), agent.weights)
            for each in (outputs, expected, whole._replace(baseline=whole.baseline[COUNT:]))
        )
        assert tf.gradients(outputs.baseline, tf.nest.flatten(batch.agent_state)) == [None, None]
        used = [index for index, gradient in enumerate(found) if gradient is not None]
        session.run(tf.global_variables_initializer())
        values = session.run(
            [outputs.baseline, whole.baseline[COUNT:]]
            + [[gradients[i] for i in used] for gradients in (found, cut, through)]
        )
    np.testing.assert_allclose(values[0], values[1], rtol=1e-4, atol=1e-5)
    for own, same in zip(values[2], values[3]):
        np.testing.assert_allclose(own, same, rtol=1e-4, atol=1e-5)
    assert any(not np.allclose(own, other, rtol=1e-3) for own, other in zip(values[2], values[4]))


def test_an_agent_without_a_state_needs_none():
    outputs = table_agent.random_outputs(0, T, B)
    with tf.Graph().as_default():
        batch = table_agent.make_batch(table_agent.random_env_outputs(0, T, B), outputs)
        assert burn_in.num_steps(batch.agent_state, COUNT) == 0
