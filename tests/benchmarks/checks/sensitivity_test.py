import json

import numpy as np
import pytest

from benchmarks.checks import sensitivity
from sc2impala import sim
from sc2impala.envs import players


@pytest.fixture(autouse=True)
def pool_of_this_process(monkeypatch):
    class Pool:
        def __init__(self, processes):
            self.imap = map

        def __enter__(self):
            return self

        def __exit__(self, *exc_info):
            pass

    monkeypatch.setattr(sensitivity.multiprocessing, 'Pool', Pool)


def test_a_faster_marine_reaches_more_beacons(tmp_path, capsys):
    path = tmp_path / 'beacons.json'
    flags = ['--maps=MoveToBeacon', '--players=PySC2', '--episodes=8', '--change=0.3']
    results = sensitivity.main(flags + [f'--json={path}'])
    assert [result['name'] for result in results] == ['', 'marine.speed', 'marine.speed']
    base, slow, fast = results
    assert base['difference'] == base['difference_error'] == 0
    np.testing.assert_allclose(slow['rules']['marine.speed'], 0.7 * 2.25 / 16)
    assert slow['difference'] < -3 * slow['difference_error'] < 0
    assert fast['difference'] > 3 * fast['difference_error'] > 0
    np.testing.assert_allclose(fast['mean'] - base['mean'], fast['difference'])
    lines = capsys.readouterr().out.splitlines()
    assert json.loads(lines[-1]) == json.loads(path.read_text()) == results
    assert lines[1] == '| MoveToBeacon | PySC2 |'
    assert lines[4].startswith('| `marine.speed` 0.09844 / 0.1828 | -')


def test_all_players_meet_the_same_games():
    flags = ['--maps=MoveToBeacon', '--players=PySC2', '--episodes=3']
    assert sensitivity.main(flags)[0] == sensitivity.main(flags)[0]


def test_variants_are_played_in_three_step_lengths(capsys):
    flags = ['--variants', '--maps=DefeatRoaches,MoveToBeacon', '--players=LZ', '--episodes=1']
    results = sensitivity.main(flags)
    variants = [name for name in sensitivity.VARIANTS if 'splash' not in name]
    assert [result['name'] for result in results] == 3 * variants
    assert [result['step_mul'] for result in results] == [2] * 3 + [4] * 3 + [8] * 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == '| map | player | variant | 2 frames | 4 frames | 8 frames |'
    assert lines[3].startswith('| DefeatRoaches | LZ | units turn before they fire | ')


@pytest.mark.parametrize('map_name', sim.MAP_NAMES)
def test_constants_exist_and_change(map_name):
    for constant in sensitivity.CONSTANTS[map_name]:
        low, high = sensitivity.changed(map_name, constant, 0.05)
        assert low < high
        for value in (low, high):
            sim.check_rules(map_name, {constant: value})


def test_whole_numbers_change_by_one_at_least():
    assert sensitivity.changed('DefeatRoaches', 'reaction_loops', 0.05) == (7, 9)
    assert sensitivity.changed('DefeatRoaches', 'roach.health', 0.1) == (131, 159)


def test_every_map_and_script_is_covered():
    assert set(sensitivity.CONSTANTS) == set(sim.MAP_NAMES)
    for map_name, rules in players.RULES.items():
        assert set(rules) < set(sensitivity._names_of_players(map_name))


@pytest.mark.parametrize('flag', ['--maps=Simple64', '--constants=x', '--episodes=0', '--change=1'])
def test_bad_flags(flag, capsys):
    with pytest.raises(SystemExit):
        sensitivity.main([flag])
    name, value = flag[2:].split('=')
    assert f'--{name}={value} is ' in capsys.readouterr().err
