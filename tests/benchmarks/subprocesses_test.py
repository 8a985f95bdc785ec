import subprocess

import pytest

from benchmarks import subprocesses
from tests.benchmarks import scripts


@pytest.mark.long
def test_a_benchmark_in_a_new_process(monkeypatch, capfd):
    monkeypatch.setenv('PYTHONPATH', scripts.ROOT)
    module = 'benchmarks.speed.simulator'
    arguments = ['--maps', 'MoveToBeacon', '--games=2', '--rounds=1', '--seconds=0.01']
    result = subprocesses.run_benchmark(module, arguments, show=True)
    assert result['games'] == 2
    out = capfd.readouterr().out
    assert 'environment steps/s' in out and '{' not in out
    subprocesses.run_benchmark(module, arguments)
    assert capfd.readouterr().out == ''
    with pytest.raises(subprocess.CalledProcessError):
        subprocesses.run_benchmark(module, ['--no-such-flag'])


def test_the_command_of_a_training():
    command = subprocesses.training_command('runs/x', ['--num_envs=2'], progress_secs=1.0)
    assert command[1:] == [
        '-m',
        'sc2impala.experiment',
        '--logdir=runs/x',
        '--num_envs=2',
        '--progress_secs=1',
    ]
