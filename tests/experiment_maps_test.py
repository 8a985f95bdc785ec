"""Every map of the simulator can be trained with its own defaults, from the command."""

import numpy as np
import pytest

from sc2impala import experiment, sim
from sc2impala.envs.maps import MAP_DEFAULTS
from tests.runtime import tiny

NUM_FRAMES = 300
"""Some eight updates, with multipliers that are 4 or 8 on average."""


SHORT = ('--num_cloning_frames=150', '--num_critic_pretrain_frames=50', '--phase_evaluations=0')

DEMONSTRATED = [name for name in sim.MAP_NAMES if MAP_DEFAULTS[name].imitates_by_default]
FROM_SCRATCH = [name for name in sim.MAP_NAMES if name not in DEMONSTRATED]
FROM_SCRATCH += ['FindAndDefeatZerglings', 'DefeatZerglingsAndBanelings', 'BuildMarines']
FROM_SCRATCH += ['DefeatRoaches', 'CollectMineralsAndGas']
"""The general agent on each kind of layers: those of the other maps are among them."""

RUNS = [(map_name, ('--from_scratch',)) for map_name in FROM_SCRATCH]
RUNS += [(map_name, SHORT) for map_name in DEMONSTRATED]
RUNS += [('MoveToBeacon', ('--demonstrator=PySC2', *SHORT))]
FAST = [('MoveToBeacon', ('--from_scratch',)), ('DefeatRoaches', SHORT)]


def slow_but_for(fast, runs):
    """The parameters of a test, of which all but a few are slow."""
    return [run if run in fast else pytest.param(*run, marks=pytest.mark.slow) for run in runs]


@pytest.mark.long
@pytest.mark.parametrize('map_name, more', slow_but_for(FAST, RUNS))
def test_trains(map_name, more, tmp_path, capsys):
    flags = [
        *more,
        f'--map_name={map_name}',
        f'--logdir={tmp_path}',
        f'--total_environment_frames={NUM_FRAMES}',
        '--num_actors=1',
        '--num_envs=2',
        '--batch_size=2',
        '--unroll_length=4',
        '--save_summaries_secs=0',
    ]
    defaults = MAP_DEFAULTS[map_name]
    imitates = '--from_scratch' not in more
    of_start = defaults.demonstrated if imitates else defaults.from_scratch
    if of_start.get('algorithm') == 'appo':
        flags.append('--batch_size=4')  # Its minibatches have whole sequences.
    assert experiment.main(flags) == 0
    assert tiny.checkpoint_frames(tmp_path)[-1] >= NUM_FRAMES
    values = [value for series in tiny.losses(tmp_path).values() for _, value in series]
    assert np.isfinite(values).all()
    output = capsys.readouterr().out
    assert f'{map_name}: --' in output
    phases = 'phases: cloning for 150 frames, critic pre-training for 50 frames, training for 300'
    assert (phases in output) == imitates


@pytest.mark.long
@pytest.mark.parametrize(
    'map_name, from_scratch',
    slow_but_for(
        [('MoveToBeacon', False)],
        [('MoveToBeacon', False), ('FindAndDefeatZerglings', False), ('BuildMarines', True)],
    ),
)
def test_r2d2_trains_with_its_defaults(map_name, from_scratch, tmp_path, capsys):
    flags = [
        '--algorithm=r2d2',
        f'--map_name={map_name}',
        f'--logdir={tmp_path}',
        f'--total_environment_frames={NUM_FRAMES}',
        '--num_envs=2',
        '--batch_size=4',
        '--unroll_length=6',
        '--replay_min_size=4',
        '--save_summaries_secs=0',
    ]
    assert experiment.main(flags + ['--from_scratch'] * from_scratch) == 0
    losses = [value for _, value in tiny.summaries(tmp_path)['loss/q_learning']]
    assert np.isfinite(losses).all() and sum(loss != 0 for loss in losses) >= 2
    output = capsys.readouterr().out
    assert 'r2d2: --fixed_step_mul=True --step_mul=6 --agent=fully_conv' in output
    says_so = 'r2d2 cannot imitate a script: the run starts from scratch' in output
    assert says_so == (map_name == 'FindAndDefeatZerglings')
