"""The spec of a sequence agrees with what actors return, for all agents and on several maps."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents, envs, structs
from sc2impala.actors.sequence_queue import env_output_spec
from tests import fakes

K, T = 2, 3


def small_specs(map_name):
    """The specs of a map with its own functions, layers and vectors, on 8 x 8 pixels."""
    defaults = envs.map_defaults(map_name)
    return envs.make_specs(
        map_name,
        functions=defaults.functions,
        fixed_arguments=defaults.fixed_arguments,
        screen_size=(8, 8),
        minimap_size=(8, 8),
        screen_layers=defaults.screen_layers,
        minimap_layers=defaults.minimap_layers,
        vectors=defaults.vectors,
    )


def assert_spec_agrees(agent_name, specs, env, fixed_step_mul):
    """Both in the static shapes of the graph and in the arrays of a run."""
    with tf.Graph().as_default(), tf.Session() as session:
        agent = agents.make_agent(agent_name, *specs, 5, fixed_step_mul)
        operations = tf.get_default_graph().get_operations()
        spec = actors.sequence_spec(agent, specs[0], T)
        # Making the spec adds nothing to the graph.
        assert tf.get_default_graph().get_operations() == operations
        agent.create_variables(specs[0])
        output = actors.build_actor(agent, env, T).output
        session.run(tf.global_variables_initializer())
        session.run(tf.local_variables_initializer())
        played = session.run(output)
    assert type(spec) is structs.ActorOutput
    tf.nest.assert_same_structure(spec, output)
    for expected, tensor in zip(tf.nest.flatten(spec), tf.nest.flatten(output)):
        assert tensor.shape.as_list() == [K] + expected.shape.as_list()
        assert tensor.dtype == expected.dtype
    for (shape, dtype), array in zip(actors.component_specs(spec), tf.nest.flatten(played)):
        assert array.shape == (K,) + shape and array.dtype == np.dtype(dtype)
    return spec


@pytest.mark.long
@pytest.mark.parametrize('agent_name', sorted(agents.AGENTS))
def test_agrees_for_every_agent(agent_name):
    env = fakes.FakeEnvironment(K, agent=agent_name)
    assert_spec_agrees(agent_name, (env.observation_spec, env.action_spec), env, None)


@pytest.mark.long
@pytest.mark.parametrize(
    'map_name, fixed_step_mul', [('BuildMarines', 3), ('FindAndDefeatZerglings', None)]
)
def test_agrees_on_maps(map_name, fixed_step_mul):
    specs = small_specs(map_name)
    env = envs.make_environment('simulator', map_name, range(K), *specs, max_step_mul=5)
    try:
        spec = assert_spec_agrees('fully_conv_lstm', specs, env, fixed_step_mul)
    finally:
        env.close()
    choices = 1 if fixed_step_mul else 5
    assert spec.agent_outputs.step_mul_logits.shape.as_list() == [T + 1, choices]


def test_leading_dimensions_of_one_step():
    observation_spec, _ = fakes.make_specs()
    spec = env_output_spec(observation_spec, [7])
    assert spec.reward.shape.as_list() == [7] and spec.done.dtype == tf.bool
    screen = spec.observation['screen']['player_relative']
    assert screen.shape.as_list() == [7, 3, 4]


def test_where_a_sequence_comes_from_is_last():
    """Saved replay buffers of older versions lack these components, and only these."""
    observation_spec, action_spec = fakes.make_specs()
    agent = agents.make_agent('fully_conv', observation_spec, action_spec, 5)
    spec = actors.sequence_spec(agent, observation_spec, T)
    last = actors.component_specs(spec)[-4:]
    assert last == [((), np.int32)] * 2 + [((), np.int64)] * 2
