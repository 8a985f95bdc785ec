"""The scores of imitated scripts: of the same games, in the pixels that are asked for."""

import json

import numpy as np
import pytest

from benchmarks.learning import imitated_scripts
from sc2impala.envs import demonstrator
from sc2impala.envs.maps import MAP_DEFAULTS
from sc2impala.envs.players import pull_back

PULL_BACK = ['--map_name', 'DefeatRoaches', '--script', 'pull_back']
FLAGS = [*PULL_BACK, '--episodes', '2', '--units_size', '0', '32', '96']


@pytest.mark.long
def test_pull_back_sees_the_pixels_of_the_agent_by_default(capsys):
    found = imitated_scripts.main(FLAGS)['DefeatRoaches']
    assert found['0, 0'] == found['32, 0'] != found['96, 0']
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[:3]] == ['default', '32', '96']
    written = json.loads(lines[-1])
    assert written['episodes'] == 2 and written['maps']['DefeatRoaches'] == found


@pytest.mark.long
def test_a_script_plays_in_the_steps_that_are_asked_for(capsys):
    default = str(MAP_DEFAULTS['DefeatRoaches'].demonstrated['demonstration_step_mul'])
    step_muls = ['0', default, '8']
    assert default != '8'
    flags = ['--map_name', 'DefeatRoaches', '--episodes', '3', '--step_mul', *step_muls]
    found = imitated_scripts.main(flags)['DefeatRoaches']
    assert list(found) == [f'0, {step_mul}' for step_mul in step_muls]
    assert found['0, 0'] == found[f'0, {default}'] != found['0, 8']
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1:3] for line in lines[:3]] == [
        ['default', frames] for frames in ('default', default, '8')
    ]


def test_a_script_plays_by_the_rules_that_are_asked_for(capsys):
    flags = ['--map_name', 'DefeatRoaches', '--episodes', '3']
    found = imitated_scripts.main(flags + ['--rules', 'roach.damage=1'])['DefeatRoaches']
    default = imitated_scripts.main(flags)['DefeatRoaches']
    assert found['0, 0']['mean_return'] > default['0, 0']['mean_return'] + 50
    with pytest.raises(SystemExit):
        imitated_scripts.main(flags + ['--rules', 'roach.damages=1'])
    assert "error: --rules has 'roach.damages', expected a known name" in capsys.readouterr().err


@pytest.mark.parametrize('step_mul', [-1, 9])
def test_refuses_steps_that_the_agent_cannot_choose(step_mul, capsys):
    with pytest.raises(SystemExit):
        imitated_scripts.main(['--map_name', 'DefeatRoaches', '--step_mul', str(step_mul)])
    assert f'error: --step_mul is {step_mul}, expected at most 8' in capsys.readouterr().err


def test_one_episode_of_each_game():
    returns = imitated_scripts.play('DefeatRoaches', 0, 0, 3, seed=5)
    later = imitated_scripts.play('DefeatRoaches', 0, 0, 2, seed=6)
    np.testing.assert_array_equal(returns[1:], later)
    assert len(set(returns)) > 1


@pytest.mark.parametrize(
    'map_name, name',
    [('DefeatZerglingsAndBanelings', 'SearchPlayer'), ('MoveToBeacon', 'MoveToBeaconPlayer')],
)
def test_a_script_is_the_one_that_is_demonstrated(map_name, name, monkeypatch):
    scripts = []

    def with_needs(spec, script, fine):
        scripts.append((script.__name__, fine))
        raise StopIteration

    monkeypatch.setattr(demonstrator, 'with_needs', with_needs)
    with pytest.raises(StopIteration):
        imitated_scripts.play(map_name, 0, 0, 1, 0)
    assert scripts == [(name, True)]


@pytest.mark.parametrize('size, reads_units', [(40, True), (64, False)])
def test_refuses_pixels_in_which_the_script_cannot_see(size, reads_units, monkeypatch, capsys):
    if not reads_units:
        monkeypatch.setattr(pull_back.PullBackPlayer, 'vectors', ())
    with pytest.raises(SystemExit):
        imitated_scripts.main([*PULL_BACK, '--units_size', str(size)])
    assert f'error: --units_size is {size}, expected a multiple' in capsys.readouterr().err


def test_refuses_scripts_of_other_maps(capsys):
    with pytest.raises(SystemExit):
        imitated_scripts.main(['--map_name', 'DefeatRoaches', '--script', 'kite'])
    assert 'error: --script is kite, expected one of: LH, LZ, ' in capsys.readouterr().err
