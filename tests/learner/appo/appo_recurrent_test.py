"""APPO runs recurrent states of minibatches again, from where their sequences started."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents
from sc2impala.learner import diagnostics, optimization, sequences
from sc2impala.learner.appo.settings import AppoSettings
from sc2impala.learner.appo.update import Appo
from tests import fakes
from tests.learner import table_agent as table

T, B = 5, 4


def make_agent_and_batch(num_streams):
    """An agent, and a batch that it has played itself; the last columns are of recordings."""
    observation_spec, action_spec = fakes.make_specs()
    agent = agents.make_agent('fully_conv_lstm', observation_spec, action_spec, 4)
    agent.create_variables(observation_spec)
    rng = np.random.RandomState(0)
    env = table.random_env_outputs(2, T, B)
    observation = fakes.random_observation(observation_spec, [T + 1, B], rng)
    observation['available_actions'][:] = True
    env = env._replace(observation=observation)
    batch = table.make_batch(env, table.random_outputs(0, T, B), np.arange(B) >= 3)
    start = tf.nest.map_structure(
        lambda t: tf.constant(rng.normal(size=t.shape).astype(np.float32)), agent.initial_state(B)
    )
    action = {
        name: tf.constant(rng.randint(size, size=[T + 1, B]).astype(np.int32))
        for name, size in action_spec.heads.items()
    }
    outputs, _ = agent.unroll(action, batch.env_outputs, start)
    # What played a step is what the agent says of the observation before it.
    played = tf.nest.map_structure(lambda t: tf.concat([t[:1], t[:-1]], axis=0), outputs)
    streams = ()
    if num_streams:
        streams = tf.nest.map_structure(
            lambda t: tf.Variable(t[B - num_streams :], trainable=False, use_resource=True), start
        )
        # As in a batch of recordings, which does not know the state.
        start = tf.nest.map_structure(
            lambda t: tf.concat([t[: B - num_streams], tf.zeros_like(t[B - num_streams :])], 0),
            start,
        )
    return agent, batch._replace(
        agent_outputs=played._replace(action=action), agent_state=start, stream_state=streams
    )


@pytest.mark.long
@pytest.mark.parametrize('num_streams', [0, 2])
def test_with_a_learning_rate_of_zero_all_ratios_are_one(num_streams):
    """The state of recorded columns is in variables, which move on once, not with each epoch."""
    settings = AppoSettings(learning_rate=0.0, appo_epochs=2, appo_minibatches=2)
    with tf.Graph().as_default(), table.session() as session:
        tf.set_random_seed(0)
        agent, batch = make_agent_and_batch(num_streams)
        streams = tf.nest.flatten(batch.stream_state)
        assert bool(streams) == bool(num_streams)
        schedule = optimization.Schedule(tf.train.get_or_create_global_step(), 1000)
        update = Appo(settings).build_update(agent, batch, agent.weights, schedule)
        summary = diagnostics.merge(update.metrics)
        state = sequences.first_state(batch)
        _, after = agent.unroll(batch.agent_outputs.action, batch.env_outputs, state)
        session.run(tf.global_variables_initializer())
        expected = [t[B - num_streams :] for t in session.run(tf.nest.flatten(after))]
        values = table.scalars(session.run([summary, update.train])[0])
        moved = session.run(streams)
    assert values['appo/minibatches'] == 4 and values['grad_norm'] > 0
    for tag in ('appo/ratio_min', 'appo/ratio_max'):
        np.testing.assert_allclose(values[tag], 1.0, atol=1e-4)
    assert abs(values['appo/kl']) < 1e-5
    for found, wanted in zip(moved, expected):
        np.testing.assert_allclose(found, wanted, atol=1e-5)
