"""A population of real runs: stopped anywhere, it ends like one that was not."""

import os
import signal

import pytest

from sc2impala import experiment
from sc2impala.population import __main__ as command
from sc2impala.runtime import child_processes
from tests.population import fakes
from tests.runtime import tiny
from tests.training import resume_test

UPDATE = tiny.FRAMES_PER_UPDATE
END = UPDATE + 2 * 3 * tiny.FRAMES_PER_SEQUENCE
"""The first update at or after two of them, as one sequence of four is replayed."""

FLAGS = (
    *tiny.FLAGS,
    *tiny.REPLAY,
    '--deterministic',
    '--members=2',
    '--ranges=learning_rate=1e-4..1e-2:log,entropy_cost=0.001..0.1:log',
    f'--exploit_every_frames={UPDATE}',
    f'--total_environment_frames={2 * UPDATE}',
    '--exploit_fraction=0.5',
    '--num_episodes=4',
    '--num_eval_envs=4',
)


class Runs:
    """Runs members in this process; the second one is better, whatever its evaluation says."""

    def __init__(self, stop_before=()):
        """Args: stop_before: numbers of processes before which a signal arrives."""
        self.count = 0
        self._stop_before = stop_before

    def __call__(self, flags, log):
        self.count += 1
        if self.count in self._stop_before:
            os.kill(os.getpid(), signal.SIGINT)
            return fakes.Process(130)
        code = experiment.main(flags)
        if fakes.is_evaluation(flags) and code == 0:
            result = tiny.read_json(fakes.value(flags, 'logdir'), 'evaluation.json')
            assert result['num_episodes'] == 4 and result['seed'] == int(fakes.value(flags, 'seed'))
            fakes.write_evaluation(flags, float(fakes.member_of(flags)))
        return fakes.Process(code)


@pytest.fixture(autouse=True)
def without_delay(monkeypatch):
    monkeypatch.setattr(child_processes, 'POLL_SECS', 0.0)


@pytest.mark.long
def test_a_population_of_runs(tmp_path, capsys):
    whole = tmp_path / 'whole'
    assert command.main([*FLAGS, f'--logdir={whole}'], Runs()) == 0
    out = capsys.readouterr().out
    # The first generation ends with a take-over, which the second one begins with.
    assert 'member 0 (0.00) takes over from member 1 (1.00)' in out
    assert f'weights and optimizer are those of {whole}/member-1 after {UPDATE:,} frames' in out
    members = [whole / f'member-{index}' for index in range(2)]
    for member in members:
        assert tiny.newest_frames(member) == END
    changed = tiny.read_json(members[0], 'manifest.json')['starts'][1]['settings_changed']
    assert {'learning_rate', 'entropy_cost'} <= set(changed)
    # The weights are two steps away from what was taken over, and not from the member's own.
    first = [tiny.variables(member, UPDATE) for member in members]
    last = tiny.variables(members[0], END)
    names = [n for n in last if tiny.is_weight(n) and last[n].ndim > 1]
    steps = [max(abs(last[n] - before[n]).max() for n in names) for before in first]
    assert steps[1] < 0.1 * steps[0]


@pytest.mark.slow
def test_a_population_that_is_stopped(tmp_path):
    whole, parts = tmp_path / 'whole', tmp_path / 'parts'
    assert command.main([*FLAGS, f'--logdir={whole}'], Runs()) == 0
    runs = Runs(stop_before=(2, 6))
    codes = [command.main([*FLAGS, f'--logdir={parts}'], runs) for _ in range(3)]
    assert codes == [130, 130, 0] and runs.count == 10
    assert (whole / 'population.csv').read_text() == (parts / 'population.csv').read_text()
    for index in range(2):
        name = f'member-{index}'
        resume_test.check_same(whole / name, parts / name)
