"""Every checkpoint of a run is evaluated once, by one follower or several after each other."""

import json
import os
import re
import signal

import pytest

from sc2impala import experiment
from sc2impala.checkpoints.best import BestCheckpoint
from sc2impala.evaluation import following
from sc2impala.evaluation.log import EvaluationLog
from sc2impala.settings import resolve
from tests.checkpoints.examples import DATA
from tests.cluster_actors.processes import Process
from tests.runtime import tiny

FLAGS = ('--mode=evaluate', '--follow', '--num_episodes=2')
TAG = 'MoveToBeacon/eval/'


def follow(logdir, *flags):
    return experiment.main([*FLAGS, f'--logdir={logdir}', *flags])


def rows(logdir):
    return EvaluationLog(os.path.join(str(logdir), 'evaluations.csv'), 'MoveToBeacon').rows


def test_a_finished_run(run, capsys):
    frames = tiny.checkpoint_frames(run)
    assert follow(run) == 0
    output = capsys.readouterr().out
    assert 'the training is finished' in output
    table = rows(run)
    assert [row['global_step'] for row in table] == frames
    best = max(table, key=lambda row: row['mean_return'])
    assert f'best of {len(frames)} checkpoints: {best["global_step"]:,} frames' in output
    assert tiny.checkpoint_frames(os.path.join(run, 'best')) == [best['global_step']]
    kept = tiny.variables(os.path.join(run, 'best'), best['global_step'])
    assert tiny.same_arrays(kept, tiny.variables(run, best['global_step']))
    tags = tiny.summaries(os.path.join(run, 'eval'))
    assert [step for step, _ in tags[TAG + 'episode_return']] == frames
    found = [value for _, value in tags[TAG + 'episode_return']]
    assert found == pytest.approx([row['mean_return'] for row in table])
    assert tags[TAG + 'best_return'][-1][1] == pytest.approx(best['mean_return'])

    # The folder is that of a run; what was evaluated is not evaluated again.
    assert tiny.evaluate(os.path.join(run, 'best'), '--num_episodes=1') == 0
    assert follow(run) == 0
    assert rows(run) == table and 'evaluation: ' not in capsys.readouterr().out


def test_a_run_that_evaluates_itself(run, capsys):
    content = tiny.read_json(run, 'manifest.json')
    content['config']['evaluate_every_frames'] = 1000
    tiny.edit_manifest(run, json.dumps(content))
    assert follow(run) == 1
    assert 'this run evaluates itself (--evaluate_every_frames=1000)' in tiny.error_line(capsys)
    assert not os.path.exists(os.path.join(run, 'evaluations.csv'))


def test_a_damaged_checkpoint_is_left_out(run, capsys):
    first, last = tiny.checkpoint_frames(run)
    path = tiny.checkpoint(run, first, DATA)
    os.truncate(path, os.path.getsize(path) // 2)
    before = tiny.snapshot(run)
    assert follow(run, '--num_episodes=1') == 0
    assert capsys.readouterr().out.count('not evaluated: ') == 1
    assert [row['global_step'] for row in rows(run)] == [last]
    assert before.items() <= tiny.snapshot(run).items()


def test_what_a_kill_has_interrupted_is_finished(run, monkeypatch, capsys):
    frames = tiny.checkpoint_frames(run)
    means = iter([3.0, 5.0, 4.0, 4.5])

    def fake(self, checkpoint):
        numbers = dict(num_episodes=2, std_return=0.0, min_return=0, max_return=9)
        about = dict(policy='sampled', temperature=1.0, eval_max_step_mul=None, seed=0)
        return dict(about, environment_frames=10, mean_return=next(means), **numbers)

    monkeypatch.setattr(following._Evaluator, 'evaluate', fake)
    keep = BestCheckpoint.keep

    def interrupted(self, number, result):
        if number == frames[1]:
            raise KeyboardInterrupt
        keep(self, number, result)

    monkeypatch.setattr(BestCheckpoint, 'keep', interrupted)
    assert follow(run) == 0
    assert [row['mean_return'] for row in rows(run)] == [3.0, 5.0]
    assert 'stopped' in capsys.readouterr().out
    monkeypatch.setattr(BestCheckpoint, 'keep', keep)
    means = iter([4.0, 4.5] * len(frames))
    assert follow(run) == 0
    assert tiny.checkpoint_frames(os.path.join(run, 'best')) == [frames[1]]
    assert tiny.read_json(run, 'best', 'evaluation.json')['mean_return'] == 5.0


@pytest.mark.slow
def test_a_run_that_is_being_trained(processes, tmp_path):
    logdir = tmp_path / 'run'

    def start(name, *flags):
        output = str(tmp_path / name)
        process = processes.Process(target=tiny.play, args=(list(flags), output))
        process.start()
        return Process(process, output)

    of_follower = [*FLAGS, f'--logdir={logdir}']
    early = start('early', *of_follower)
    early.wait_for('waiting for a run to start')
    training = [*tiny.FLAGS, f'--logdir={logdir}', '--save_checkpoint_secs=0']
    endless = start('endless', *training, '--total_environment_frames=100000000')
    early.wait_for('^evaluation: ', 3)
    assert early.end(signal.SIGKILL) == -signal.SIGKILL
    before = len(rows(logdir))
    late = start('late', *of_follower)
    late.wait_for('^evaluation: ', 2)
    assert endless.end(signal.SIGTERM) == 128 + signal.SIGTERM
    final = tiny.checkpoint_frames(logdir)[-1]
    assert start('last', *training, f'--total_environment_frames={final + 1}').end() == 0
    assert late.end() == 0 and 'the training is finished' in late.text()
    table = rows(logdir)
    found = [row['global_step'] for row in table]
    assert len(found) == len(set(found)) >= before + 2
    assert found[-1] == tiny.checkpoint_frames(logdir)[-1] > final
    best = max(row['mean_return'] for row in table)
    assert tiny.read_json(logdir, 'best', 'evaluation.json')['mean_return'] == best
    assert re.search('mean return .*, the best so far', early.text())


def test_a_run_that_nobody_trains_any_more(run, monkeypatch, capsys):
    monkeypatch.setattr(following, 'GONE_SECS', 0.0)
    values = resolve.to_manifest({'total_environment_frames': 10**9})
    content = tiny.read_json(run, 'manifest.json')
    content['config'].update(values)
    tiny.edit_manifest(run, json.dumps(content))
    assert follow(run, '--num_episodes=1') == 0
    assert 'the training has ended' in capsys.readouterr().out
