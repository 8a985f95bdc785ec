"""The common work of the league."""

import numpy as np

from benchmarks.league import work
from sc2impala.envs import synthetic


def test_observations_are_those_of_the_synthetic_environment():
    defaults = synthetic.SYNTHETIC_MAPS['Frames']
    assert tuple(defaults.screen_size) == (work.WIDTH, work.HEIGHT)
    assert len(defaults.screen_layers) == work.CHANNELS
    assert len(defaults.functions) == work.NUM_ACTIONS
    assert work.NUM_OBSERVATIONS == synthetic.NUM_OBSERVATIONS
    assert work.EPISODE_STEPS == synthetic.EPISODE_STEPS


def test_frames():
    frames = work.Frames(0, channels_first=True)
    first = frames.reset()
    assert first.shape == (3, 72, 96)
    assert first.dtype == np.uint8
    steps = [frames.step() for _ in range(work.EPISODE_STEPS)]
    assert (steps[7][0] == first).all()
    assert [reward for _, reward, _ in steps[:8]] == [0.0] * 7 + [1.0]
    assert [done for _, _, done in steps] == [False] * 199 + [True]
    assert work.Frames(0, channels_first=False).reset().shape == (72, 96, 3)
