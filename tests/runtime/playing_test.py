"""Whole episodes of the player that --policy names."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.errors import UserError
from sc2impala.runtime import graph, playing
from tests.runtime import tiny


@pytest.mark.parametrize('policy', ['random', 'scripted'])
@pytest.mark.parametrize('step_mul, expected', [(None, tiny.STEP_MUL), (7, 7)])
def test_the_step_multiplier_of_players_that_do_not_choose_it(policy, step_mul, expected, tmp_path):
    settings = tiny.read_settings(tmp_path, '--mode=record', f'--policy={policy}')
    specs = graph.make_specs(settings.environment)
    player = playing.make_player(settings, specs, 2, step_mul)
    with graph.make_environment(settings.environment, settings.starcraft, specs, [0, 1]) as env:
        done = np.ones([2], bool)
        _, chosen = player(structs.EnvOutput(None, None, done, env.reset()))
    assert chosen.tolist() == [expected, expected]


@pytest.mark.parametrize('policy', ['sampled', 'greedy'])
def test_a_recorded_agent_has_the_weights_of_init_checkpoint(policy, run, tmp_path):
    flags = '--mode=record', f'--policy={policy}', f'--init_checkpoint={run}'
    settings = tiny.read_settings(tmp_path, *flags)
    with tf.Graph().as_default():
        player = playing.make_player(settings, graph.make_specs(settings.environment), 2)
        player.close()
    settings = tiny.read_settings(tmp_path, *flags[:2], '--init_checkpoint=/no/such')
    with pytest.raises(UserError, match='/no/such'):
        playing.make_player(settings, graph.make_specs(settings.environment), 2)


def test_an_evaluated_agent_has_those_of_the_folder(tmp_path):
    settings = tiny.read_settings(tmp_path, '--mode=evaluate', '--policy=sampled')
    with pytest.raises(UserError, match='holds no checkpoint to evaluate'):
        playing.make_player(settings, graph.make_specs(settings.environment), 2)
