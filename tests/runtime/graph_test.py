"""What training and evaluation share: names of variables, games, and settings of a session."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import graph


@pytest.mark.parametrize('agent', sorted(agents.AGENTS))
def test_variables_have_the_same_names_in_every_graph(agent):
    config = config_lib.Config(agent=agent, screen_size='8', minimap_size='8')
    specs = config_lib.make_specs(config)
    names = []
    for _ in range(2):
        with tf.Graph().as_default():
            graph.make_agent(config, *specs)
            names.append({v.op.name: v.shape.as_list() for v in tf.trainable_variables()})
    assert names[0] == names[1] and len(names[0]) > 5


def test_games_follow_seed_purpose_and_stream():
    config = config_lib.Config(screen_size='16')
    specs = config_lib.make_specs(config)

    def first_screens(seed, purpose, *stream):
        seeded = config._replace(seed=seed)
        env = graph.make_environment(seeded, specs, purpose, 3, *stream)
        return env.reset()['screen']['player_relative']

    screens = first_screens(0, 'training', 0, 1)
    np.testing.assert_array_equal(screens, first_screens(0, 'training', 0, 1))
    for other in [(1, 'training', 0, 1), (0, 'evaluation', 0, 1), (0, 'training', 1, 1)]:
        assert not np.array_equal(screens, first_screens(*other))
    assert len({screen.tobytes() for screen in screens}) == 3


@pytest.mark.parametrize('deterministic, threads', [(True, 1), (False, 0)])
def test_session(deterministic, threads):
    found = graph.session_config(deterministic)
    assert found.inter_op_parallelism_threads == threads
    assert found.intra_op_parallelism_threads == threads
    assert found.allow_soft_placement and found.gpu_options.allow_growth
