"""The command, with members that only pretend to train."""

import csv
import json
import os
import signal

import pytest

from sc2impala.checkpoints import transfer
from sc2impala.population import __main__ as command
from sc2impala.population import state as state_lib
from sc2impala.runtime import child_processes
from tests.checkpoints.examples import DATA
from tests.population import fakes
from tests.runtime import tiny

RANGES = '--ranges=learning_rate=1e-5..1e-2:log,reward_clipping=none|abs_one'
FLAGS = (
    RANGES,
    '--members=4',
    '--exploit_every_frames=1000',
    '--total_environment_frames=2500',
    '--from_scratch',
)


save_picture = command.driver.picture.save


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Without waiting, and without drawing, which takes most of the time."""
    monkeypatch.setattr(child_processes, 'POLL_SECS', 0.0)
    monkeypatch.setattr(command.driver.picture, 'save', lambda *arguments: None)


def main(folder, runs, *flags):
    return command.main([*FLAGS, f'--logdir={folder}', *flags], runs)


def table(folder):
    with open(os.path.join(str(folder), 'population.csv'), newline='') as file:
        return list(csv.DictReader(file))


def by_member(member, number):
    """Later members are better, all become better."""
    return 10.0 * number + member


@pytest.mark.long
def test_generations(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command.driver.picture, 'save', save_picture)
    runs = fakes.Runs(by_member)
    assert main(tmp_path, runs) == 0
    rows = table(tmp_path)
    places = [(int(row['generation']), int(row['member'])) for row in rows]
    assert places == [(g, m) for g in range(3) for m in range(4)]
    assert [row['frames'] for row in rows[::4]] == ['1000', '2000', '3000']
    assert [float(row['score']) for row in rows[:5]] == [0.0, 1.0, 2.0, 3.0, 10.0]
    # The worst one goes on from the best one in both generations that follow.
    assert [row['parent'] for row in rows] == [''] * 4 + ['3', '1', '2', '3'] * 2
    assert [row['copied'] for row in rows[4:8]] == ['weights+optimizer', '', '', '']
    assert [row['kept'] for row in rows[4:8]] == ['games+replay', '', '', '']
    rates = [[float(row['learning_rate']) for row in rows[i : i + 4]] for i in (0, 4, 8)]
    assert len(set(rates[0])) == 4 and all(1e-5 <= rate <= 1e-2 for rate in sum(rates, []))
    assert rates[0][1:] == rates[1][1:] == rates[2][1:]
    assert rates[1][0] != rates[0][0] and rates[1][0] != rates[1][3]
    out = capsys.readouterr().out
    assert 'generation 3 of 3, scores 0: 20.00, 1: 21.00, 2: 22.00, 3: 23.00' in out
    assert 'the best member is 3 with a mean return of 23.00' in out
    assert (tmp_path / 'population.png').stat().st_size > 1000


def test_what_members_are_asked_for(tmp_path):
    runs = fakes.Runs(by_member)
    assert main(tmp_path, runs, '--seed=7', '--num_episodes=5', '--num_eval_envs=3') == 0
    train, evaluate = runs.started[:2]
    assert train[:3] == ['--total_environment_frames=2500', '--from_scratch', '--num_eval_envs=3']
    assert f'--logdir={tmp_path}/member-0' in train and '--seed=7' in train
    assert '--stop_at_frames=1000' in train
    assert '--may_change=learning_rate,reward_clipping' in train
    assert evaluate[:2] == ['--mode=evaluate', f'--logdir={tmp_path}/member-0']
    assert evaluate[3:] == ['--num_episodes=5', '--num_eval_envs=3']
    seeds = [fakes.value(f, 'seed') for f in runs.started if fakes.is_evaluation(f)]
    # All members of a generation play the same games.
    assert [len(set(seeds[i : i + 4])) for i in (0, 4, 8)] == [1, 1, 1] and len(set(seeds)) == 3
    trained = [f for f in runs.started if not fakes.is_evaluation(f)]
    assert [fakes.value(f, 'seed') for f in trained[:4]] == ['7', '8', '9', '10']


def test_what_is_taken_over_waits_in_the_folder(tmp_path):
    def only_once(flags):
        return 1 if fakes.value(flags, 'stop_at_frames') == '2000' else None

    assert main(tmp_path, fakes.Runs(by_member, only_once), '--max_restarts=0') == 1
    found = transfer.find(str(tmp_path / 'member-0'), 1000)
    assert found.source == str(tmp_path / 'member-3') and found.frames == 1000
    with open(os.path.join(found.checkpoint, DATA)) as file:
        assert file.read() == f'member 3 {DATA}'
    assert all(transfer.find(str(tmp_path / f'member-{i}'), 0) is None for i in (1, 2, 3))


@pytest.mark.parametrize(
    'flags, kept',
    [
        (['--nokeep_replay'], ('games',)),
        (['--nokeep_games'], ('replay',)),
        (['--nokeep_games', '--nokeep_replay'], ()),
    ],
)
def test_what_is_kept(tmp_path, flags, kept):
    assert main(tmp_path, fakes.Runs(by_member), *flags) == 0
    assert table(tmp_path)[4]['kept'] == '+'.join(kept)
    assert transfer.find(str(tmp_path / 'member-0'), 2000).keep == kept


def test_a_reference_never_changes(tmp_path):
    """But others take over from it."""
    flags = ('--reference', '--learning_rate=0.5', '--exploit_fraction=0.5')
    runs = fakes.Runs(lambda member, number: {0: 0.0, 1: 5.0}.get(member, -1.0))
    assert main(tmp_path / 'worst', runs, *flags) == 0
    rows = table(tmp_path / 'worst')
    of_reference = [row for row in rows if row['member'] == '0']
    assert {row['learning_rate'] for row in of_reference} == {'0.5'}
    assert [row['parent'] for row in of_reference] == ['', '0', '0']
    parents = {row['parent'] for row in rows if row['member'] in '23' and row['generation'] != '0'}
    assert parents <= {'0', '1'}
    rates = [float(row['learning_rate']) for row in rows if row['member'] != '0']
    # Settings of the reference that are not in the range are moved into it.
    assert max(rates) <= 1e-2


def test_without_exploitation_nothing_changes(tmp_path):
    assert main(tmp_path, fakes.Runs(by_member), '--exploit_fraction=0') == 0
    rows = table(tmp_path)
    assert {row['copied'] for row in rows} == {''}
    for i in range(4):
        assert len({row['learning_rate'] for row in rows if row['member'] == str(i)}) == 1


class TestDeath:
    def test_is_not_the_end(self, tmp_path, capsys):
        codes = {1: [-9, 1, None], 3: [None, 70]}

        def die(flags):
            waiting = codes.get(fakes.member_of(flags), [])
            return waiting.pop(0) if waiting else None

        runs = fakes.Runs(by_member, die)
        assert main(tmp_path, runs) == 0
        out = capsys.readouterr().out
        assert 'member 1 has ended by signal 9 (error: ended with -9.): restart 1 of' in out
        assert 'member 1 has ended with exit code 1 (error: ended with 1.): restart 2 of' in out
        assert 'member 3 has ended with exit code 70' in out
        assert len(runs.started) == 24 + 3
        assert len(table(tmp_path)) == 12

    def test_too_often_is_a_failure_that_others_repair(self, tmp_path, capsys):
        def die(flags):
            target = fakes.value(flags, 'stop_at_frames')
            if fakes.member_of(flags) == 2 and target in ('2000',):
                return 1
            return None

        runs = fakes.Runs(by_member, die)
        assert main(tmp_path, runs, '--max_restarts=1', '--exploit_threshold=1000') == 0
        rows = {(row['generation'], row['member']): row for row in table(tmp_path)}
        assert rows['1', '2']['score'] == '' and rows['1', '2']['frames'] == '1000'
        # Whatever the threshold is.
        assert rows['2', '2']['parent'] == '3' and rows['2', '2']['frames'] == '3000'
        out = capsys.readouterr().out
        assert f'it has failed, see {tmp_path}/member-2.log' in out
        assert 'member 2 (failed) takes over from member 3' in out

    def test_of_one_that_nobody_repairs(self, tmp_path):
        def die(flags):
            return 1 if fakes.member_of(flags) == 2 else None

        runs = fakes.Runs(by_member, die)
        flags = '--max_restarts=2', '--exploit_fraction=0'
        assert main(tmp_path, runs, *flags) == 0
        assert sum(fakes.member_of(flags) == 2 for flags in runs.started) == 3
        assert [row['score'] for row in table(tmp_path) if row['member'] == '2'] == ['', '', '']

    def test_of_all_ends_it_with_a_sentence(self, tmp_path, capsys):
        assert main(tmp_path, fakes.Runs(by_member, lambda flags: 1)) == 1
        assert 'no member has a score, as all have failed' in tiny.error_line(capsys)

    def test_an_evaluation_of_another_generation_does_not_count(
        self, tmp_path, monkeypatch, capsys
    ):
        monkeypatch.setattr(fakes, 'write_evaluation', lambda flags, mean_return: None)
        assert main(tmp_path, fakes.Runs(by_member)) == 1
        assert 'no member has a score' in tiny.error_line(capsys)


class TestStop:
    def stopping(self, at, number=signal.SIGTERM):
        """A signal arrives before a process does anything; that one has not ended."""
        count = [0]

        def before(flags):
            count[0] += 1
            if count[0] == at:
                os.kill(os.getpid(), number)
                return 128 + number
            return None

        return before

    @pytest.mark.long
    @pytest.mark.parametrize('at', [1, 2, 5, 8, 9, 24])
    def test_goes_on_with_the_same_command(self, tmp_path, at, capsys):
        assert main(tmp_path / 'whole', fakes.Runs(by_member)) == 0
        runs = fakes.Runs(by_member, self.stopping(at))
        assert main(tmp_path / 'parts', runs) == 143
        assert len(runs.started) == at
        assert 'stopped: the same command resumes from here' in capsys.readouterr().out
        assert main(tmp_path / 'parts', runs) == 0
        # But for the one that was stopped.
        assert len(runs.started) == 24 + 1
        for name in ('population.csv', 'population.json'):
            whole, parts = ((tmp_path / f / name).read_text() for f in ('whole', 'parts'))
            assert whole == parts
        assert main(tmp_path / 'parts', runs) == 0
        assert len(runs.started) == 25

    @pytest.mark.long
    @pytest.mark.parametrize('name', ['save', 'offer', 'write', 'picture'])
    def test_killed_between_two_generations(self, tmp_path, name, monkeypatch):
        assert main(tmp_path / 'whole', fakes.Runs(by_member)) == 0
        runs = fakes.Runs(by_member)
        objects = {
            'save': (state_lib.State, 'save'),
            'offer': (transfer, 'offer'),
            'write': (command.driver.report, 'write'),
            'picture': (command.driver.picture, 'save'),
        }
        owner, attribute = objects[name]
        original = getattr(owner, attribute)

        def kill(*arguments, **more):
            if len(runs.started) == 8:
                raise KeyboardInterrupt
            return original(*arguments, **more)

        with monkeypatch.context() as patch:
            patch.setattr(owner, attribute, kill)
            with pytest.raises(KeyboardInterrupt):
                main(tmp_path / 'parts', runs)
        assert main(tmp_path / 'parts', runs) == 0
        for name in ('population.csv', 'population.json'):
            whole, parts = ((tmp_path / f / name).read_text() for f in ('whole', 'parts'))
            assert whole == parts

    def test_longer_trainings_go_on(self, tmp_path):
        runs = fakes.Runs(by_member)
        assert main(tmp_path, runs) == 0
        assert main(tmp_path, runs, '--total_environment_frames=4000', '--parallel=2') == 0
        assert len(table(tmp_path)) == 16 and len(runs.started) == 32


class TestRefused:
    @pytest.mark.parametrize(
        'flags, complaint',
        [
            (['--ranges='], '--ranges is empty, expected what settings are drawn from'),
            (['--ranges=batch_size=1..2'], 'batch_size cannot change when a run resumes'),
            (['--members=1'], '--members=1 is out of range, expected 2 to 1000'),
            (['--exploit_fraction=0.6'], '--exploit_fraction=0.6 is out of range'),
            (
                ['--perturb_factors=0.8,0'],
                '--perturb_factors=0.8,0 is not valid, expected positive',
            ),
            (['--seed=3.5'], '--seed=3.5 is not valid, expected a whole number'),
            (['--members'], 'Missing value for flag --members'),
            (['--batch_size=0'], '--batch_size=0 is out of range'),
            (['--batch_sise=8'], '--batch_sise=8 is not a flag, expected one of those that'),
            (['stray'], 'stray is not a flag'),
            (['--mode=evaluate'], '--mode=evaluate is not for the members of a population'),
            (['--task=1'], '--task=1 is not for the members of a population'),
            (['--stop_at_frames=9'], '--stop_at_frames=9 is not for the members'),
            (['--may_change=all'], '--may_change=all is not for the members'),
            (['--learning_rate=0.1'], '--learning_rate is drawn from --ranges'),
            (['--map_name=Chess'], '--map_name=Chess is unknown'),
        ],
    )
    def test_before_anything_starts(self, tmp_path, flags, complaint, capsys):
        runs = fakes.Runs(by_member)
        folder = tmp_path / 'population'
        assert main(folder, runs, *flags) == 1
        assert complaint in tiny.error_line(capsys)
        assert not runs.started and not folder.exists()

    def test_members_of_a_cluster(self, tmp_path, monkeypatch, capsys):
        config = {
            'cluster': {'chief': ['a:1'], 'worker': ['b:1']},
            'task': {'type': 'chief', 'index': 0},
        }
        monkeypatch.setenv('TF_CONFIG', json.dumps(config))
        assert main(tmp_path, fakes.Runs(by_member)) == 1
        assert 'expected no TF_CONFIG' in tiny.error_line(capsys)

    def test_another_population_in_the_folder(self, tmp_path, capsys):
        runs = fakes.Runs(by_member)
        assert main(tmp_path, runs) == 0
        before = tiny.snapshot(tmp_path)
        assert main(tmp_path, runs, '--members=5', '--unroll_length=7') == 1
        line = tiny.error_line(capsys)
        assert '--members=4 (now 5)' in line and '--unroll_length= (now 7)' in line
        assert tiny.snapshot(tmp_path) == before

    def test_two_at_a_time(self, tmp_path, capsys):
        complaints = []

        def second(flags):
            if not complaints:
                complaints.append(main(tmp_path, fakes.Runs(by_member)))

        assert main(tmp_path, fakes.Runs(by_member, second)) == 0
        assert complaints == [1]
        assert 'is being written to by another run' in capsys.readouterr().err


def test_help(capsys):
    assert command.main(['--help']) == 0
    out = capsys.readouterr().out
    assert '--exploit_every_frames=N' in out and '--batch_size' not in out


def test_flags_of_both_in_any_form(tmp_path):
    path = tmp_path / 'flags'
    path.write_text('--members=2\n--unroll_length=6\n')
    runs = fakes.Runs(by_member)
    folder = tmp_path / 'population'
    assert (
        main(folder, runs, '--map_name', 'MoveToBeacon', f'--flagfile={path}', '--parallel', '2')
        == 0
    )
    assert runs.started[0][2:5] == ['--map_name', 'MoveToBeacon', '--unroll_length=6']
    assert len(table(folder)) == 6
