"""The command of the league, with a peer that pretends to learn."""

import json
import os

import pytest

from benchmarks.league import __main__ as league
from benchmarks.league import environments, runner
from tests.benchmarks import scripts

SPEED = runner.Speed(1000, 640, 2.0, 4.0, 2**30)


class _Fake:
    """A peer that is measured without running."""

    def __init__(self, line, environment, cores, folder):
        self.line = line

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        return None


def _run(monkeypatch, capsys, tmp_path, *flags):
    monkeypatch.setattr(runner, 'Peer', _Fake)
    monkeypatch.setattr(league, '_probe', lambda cores, name: 1e9)
    monkeypatch.setattr(
        environments, 'install', lambda name, *others: environments.Installed('python', '')
    )
    core = str(min(os.sched_getaffinity(0)))
    league.main([f'--folder={tmp_path}', f'--cores={core}', *flags])
    return scripts.last_json(capsys)


def _measure(peer, warm_up, seconds):
    if 'sample_factory' in ' '.join(peer.line):
        raise runner.PeerFailed('Traceback\nValueError: no such flag\n')
    return SPEED


def test_rounds_of_all_peers_and_the_reason_of_one_that_fails(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(runner, 'measure_speed', _measure)
    only = ['--only', 'sample_factory', 'sc2impala', 'maskable_ppo', '--rounds=2']
    result = _run(monkeypatch, capsys, tmp_path, *only)
    rounds = result['entries']['maskable_ppo']['rounds']
    assert [each['steps_per_second'] for each in rounds] == [320.0, 320.0]
    assert rounds[0]['steps_per_cpu_second'] == 160.0
    assert result['entries']['sample_factory']['reason'] == 'failed: ValueError: no such flag'
    assert set(result['entries']) == {'sample_factory', 'sc2impala', 'maskable_ppo'}
    saved = json.loads((tmp_path / 'league.json').read_text())
    assert saved['speed'] == result
    assert (tmp_path / 'league.png').exists()
    assert '| sc2impala | 320 |' in (tmp_path / 'league_speed.md').read_text()


def test_finished_rounds_are_saved_before_the_end(monkeypatch, capsys, tmp_path):
    speeds = iter([SPEED])

    def measure(peer, warm_up, seconds):
        try:
            return next(speeds)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(runner, 'measure_speed', measure)
    with pytest.raises(KeyboardInterrupt):
        _run(monkeypatch, capsys, tmp_path, '--only', 'sc2impala', '--rounds=2')
    saved = json.loads((tmp_path / 'league.json').read_text())['speed']
    assert saved['num_rounds'] == 1
    assert len(saved['entries']['sc2impala']['rounds']) == 1


def test_returns_are_added_to_the_speeds(monkeypatch, capsys, tmp_path):
    (tmp_path / 'league.json').write_text('{"speed": 1}')
    found = runner.TimeToReturn(70.0, 1000, 25.0, 300)
    monkeypatch.setattr(runner, 'measure_return', lambda peer, target, limit: found)
    result = _run(monkeypatch, capsys, tmp_path, '--return', '--only', 'sc2impala', 'recurrent_ppo')
    assert [run['seconds'] for run in result['entries']['sc2impala']['runs']] == [70.0]
    assert 'recurrent_ppo' not in result['entries']
    assert json.loads((tmp_path / 'league.json').read_text()) == {'speed': 1, 'return': result}


@pytest.mark.parametrize(
    'flags, kept', [([], True), (['--limit=9'], False), (['--seeds', '1'], False)]
)
def test_other_peers_keep_comparable_returns(monkeypatch, capsys, tmp_path, flags, kept):
    seconds = iter([70.0, 50.0, 60.0])
    monkeypatch.setattr(
        runner,
        'measure_return',
        lambda peer, target, limit: runner.TimeToReturn(next(seconds), 1000, 25.0, 300),
    )
    _run(monkeypatch, capsys, tmp_path, '--return', '--only', 'sc2impala', 'rllib')
    result = _run(monkeypatch, capsys, tmp_path, '--return', '--only', 'sc2impala', *flags)
    found = {name: each['runs'][0]['seconds'] for name, each in result['entries'].items()}
    assert found == ({'sc2impala': 60.0, 'rllib': 50.0} if kept else {'sc2impala': 60.0})
    assert json.loads((tmp_path / 'league.json').read_text())['return'] == result


def test_the_command_of_a_peer():
    installed = environments.Installed('bin/python', 'sources')
    assert league.command('recurrent_ppo', installed, 'speed', 2, 3) == [
        'bin/python',
        '-m',
        'benchmarks.league.peers.stable_baselines3',
        '--task=speed',
        '--cores=2',
        '--seed=3',
        '--variant=recurrent_ppo',
    ]


@pytest.mark.parametrize(
    'paths', [['--folder=a', '--output=b'], ['--folder', 'a', '--clones', 'b']]
)
def test_the_recorded_command_names_no_folders(paths):
    arguments = league.parse_arguments(['--rounds=1', *paths, '--only', 'rllib'])
    assert arguments.words == ['--rounds=1', '--only', 'rllib']


@pytest.mark.parametrize(
    'flags, message',
    [
        (['--only', 'nobody'], '--only=nobody is unknown, expected some of: sc2impala'),
        (['--rounds=0'], '--rounds=0 is too small, expected at least 1.'),
        (['--cores=a'], '--cores=a has no such cores, expected some of: '),
        (['--cores=99999'], '--cores=99999 has no such cores, expected some of: '),
    ],
)
def test_invalid_arguments(capsys, tmp_path, flags, message):
    with pytest.raises(SystemExit):
        league.parse_arguments([f'--folder={tmp_path}', *flags])
    assert message in capsys.readouterr().err
