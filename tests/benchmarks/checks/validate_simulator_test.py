import json
import os
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.checks import facts, validate_simulator
from sc2impala import sim
from sc2impala.envs import players
from tests.benchmarks import scripts


@pytest.fixture
def validate(monkeypatch):
    """The module, with a pool that works in this process."""

    class Pool:
        def __init__(self, processes):
            self.imap = map

        def __enter__(self):
            return self

        def __exit__(self, *exc_info):
            pass

    monkeypatch.setattr(validate_simulator.multiprocessing, 'Pool', Pool)
    return validate_simulator


def _is_inside(line):
    return int(line.endswith('| yes |'))


@pytest.mark.long
def test_a_tiny_run(validate, tmp_path, capsys):
    path = tmp_path / 'scores.json'
    flags = ['--maps=CollectMineralShards', '--kinds=players', '--episodes=1', f'--json={path}']
    validate.main(flags)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('| map | player or fact | published | band | half |')
    assert [line.split(' | ')[1] for line in lines[2:5]] == ['PySC2', 'PySC2 group', 'random']
    assert all(line.count('|') == lines[0].count('|') for line in lines[:5])
    inside = [_is_inside(lines[2]), _is_inside(lines[4])]
    assert lines[-1] == (
        f'{sum(inside)} of 2 means are inside their bands: '
        f'{inside[0]} of 1 that may choose constants, {inside[1]} of 1 that are held out.'
    )

    pysc2, group, random = json.loads(path.read_text())
    assert pysc2['mean'] == pysc2['min'] == pysc2['max'] > 80
    assert pysc2['episodes'] == 1 and pysc2['standard_error'] == 0
    assert pysc2['inside'] == (106.5 <= pysc2['mean'] <= 117)
    assert '{mean:.2f} +- 0.00 (0.00)'.format(**pysc2) in lines[2]
    assert group['band'] is None and group['inside'] is None
    assert random['mean'] < 50


def test_every_seed_is_played_once_whatever_the_batches(validate, monkeypatch):
    flags = ['--maps=MoveToBeacon', '--players=PySC2', '--episodes=3']
    whole = validate.main(flags)
    monkeypatch.setattr(validate, 'GAMES_IN_BATCH', 2)
    assert validate.main(flags) == whole
    assert whole[0]['episodes'] == 3 and whole[0]['standard_deviation'] > 0


def test_the_command_with_several_processes(validate, tmp_path):
    path = tmp_path / 'scores.json'
    flags = ['--maps=MoveToBeacon', '--players=random,PySC2', '--episodes=2']
    subprocess.run(
        [sys.executable, '-m', validate.__name__] + flags + ['--processes=2', f'--json={path}'],
        cwd=scripts.ROOT,
        env=dict(os.environ, PYTHONPATH=scripts.ROOT),
        check=True,
    )
    results = json.loads(path.read_text())
    assert [result['player'] for result in results] == ['PySC2', 'random']
    assert results == json.loads(json.dumps(validate.main(flags)))


def test_short_episodes_are_not_preferred(validate, monkeypatch):
    """Episodes of game k have k + 1 steps; only the first episode has a positive return."""

    class Environment:
        def __init__(self, map_name, seeds, observation_spec, action_spec, max_step_mul):
            self.length = np.array(seeds) + 1
            self.steps = 0

        def __enter__(self):
            return self

        def __exit__(self, *exc_info):
            pass

        def reset(self):
            return {'available_actions': np.ones([len(self.length), 573], bool)}

        def step(self, action, step_mul):
            self.steps += 1
            done = self.steps % self.length == 0
            first = self.steps == self.length
            info = validate.envs.vector.structs.EpisodeInfo(
                np.where(first, self.length, -1000.0), None, None, None
            )
            return validate.envs.vector.structs.EnvOutput(None, info, done, self.reset())

    monkeypatch.setattr(validate.envs, 'SimulatedEnvironment', Environment)
    result = validate.main(['--maps=MoveToBeacon', '--players=random', '--episodes=4'])[0]
    assert (result['min'], result['max'], result['mean']) == (1, 4, 2.5)


def test_every_map_and_every_rule_has_a_row():
    rows = {(row.map_name, row.player) for row in validate_simulator.ROWS}
    assert len(rows) == len(validate_simulator.ROWS)
    assert {row.map_name for row in validate_simulator.ROWS} >= set(sim.MAP_NAMES)
    rules = {(m, rule) for m, rules_of_map in players.RULES.items() for rule in rules_of_map}
    assert rules <= rows
    others = {player for _, player in rows - rules}
    assert others - set(facts.MEASURES) == {'random', 'idle'}
    assert set(facts.MEASURES) <= others


def test_every_second_row_with_a_band_is_held_out():
    judged = [row.half for row in validate_simulator.ROWS if row.band]
    assert judged[::2] == ['chosen by'] * len(judged[::2])
    assert judged[1::2] == ['held out'] * len(judged[1::2])
    assert {row.half for row in validate_simulator.ROWS if not row.band} == {''}


def test_facts_are_rows(validate, capsys):
    result = validate.main(['--players=loops to build a refinery'])[0]
    assert (result['episodes'], result['published']) == (1, '480')
    assert 479 <= result['mean'] <= 481 and result['inside']
    assert '| CollectMineralsAndGas | loops to build a refinery | 480 |' in capsys.readouterr().out


@pytest.mark.parametrize(
    'flag', ['--maps=MoveToBeacn', '--players=PySC3', '--episodes=0', '--processes=-1', '--kinds=x']
)
def test_bad_flags(validate, flag, capsys):
    with pytest.raises(SystemExit):
        validate.main([flag])
    name, value = flag[2:].split('=')
    assert f'--{name}={value} is ' in capsys.readouterr().err
