"""Every map of the simulator can be trained with its own defaults, from the command."""

import numpy as np
import pytest

from sc2impala import experiment, sim
from tests.runtime import tiny

NUM_FRAMES = 300
"""Some eight updates, with multipliers that are 4 or 8 on average."""


@pytest.mark.parametrize('map_name', sim.MAP_NAMES)
def test_trains(map_name, tmp_path, capsys):
    flags = [
        f'--map_name={map_name}',
        f'--logdir={tmp_path}',
        f'--total_environment_frames={NUM_FRAMES}',
        '--num_actors=1',
        '--num_envs=2',
        '--batch_size=2',
        '--unroll_length=4',
        '--save_summaries_secs=0',
    ]
    assert experiment.main(flags) == 0
    assert tiny.checkpoint_frames(tmp_path)[-1] >= NUM_FRAMES
    values = [value for series in tiny.losses(tmp_path).values() for _, value in series]
    assert np.isfinite(values).all()
    assert f'{map_name}: --' in capsys.readouterr().out
