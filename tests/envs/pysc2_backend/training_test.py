"""Training on the stand-in through PySC2, with failures, and evaluation."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from tests.envs.pysc2_backend import leftovers, standin
from tests.runtime import tiny

GAME = '--backend=pysc2', '--num_envs=2', '--game_deadline_secs=2'


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path_factory):
    """The folder of all temporary files, which must be empty after the test."""
    game, folder = tmp_path_factory.mktemp('game'), tmp_path_factory.mktemp('temporary')
    standin.install_in(game)
    monkeypatch.setenv('SC2PATH', str(game))
    leftovers.use(folder, monkeypatch)
    yield folder
    leftovers.await_none(folder)


def await_episodes(logdir, count):
    """Waits until this many more episodes have been used for training."""
    give_up = time.monotonic() + leftovers.PATIENCE_SECS
    path = os.path.join(str(logdir), 'episodes.csv')
    wanted = None
    while True:
        found = 0
        if os.path.exists(path):
            with open(path, newline='') as file:
                found = file.read().count('\n')
        wanted = found + count if wanted is None else wanted
        if found >= wanted:
            return
        assert time.monotonic() < give_up, f'{found} lines in {path}, expected {wanted}'
        time.sleep(0.05)


def check_that_no_aborted_episode_counts(logdir, num_aborted):
    rows = tiny.episodes(logdir)
    assert len(rows) > num_aborted
    # Every episode of the stand-in has this length: a shorter one was aborted.
    assert all(row[3] == 1920 and row[4] == tiny.EPISODE_STEPS for row in rows)
    tags = tiny.summaries(logdir)
    assert {value for _, value in tags['MoveToBeacon/episode_frames']} == {1920.0}
    counts = [value for _, value in tags['MoveToBeacon/aborted_episodes']]
    assert counts == sorted(counts) and counts[-1] >= num_aborted


@pytest.mark.long
def test_training_goes_on_when_a_game_is_killed(folder, tmp_path, capsys):
    logdir = tmp_path / 'logs'
    faults = []

    def harm():
        try:
            await_episodes(logdir, 2)
            standin.harm_one(folder, 'killed', np.random.RandomState(0))
            await_episodes(logdir, 3)
        except BaseException as error:
            faults.append(error)
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=harm)
    thread.start()
    ended = tiny.main(logdir, '--total_environment_frames=1e9', *GAME)
    assert ended == 128 + signal.SIGTERM
    thread.join()
    assert not faults
    check_that_no_aborted_episode_counts(logdir, 1)
    captured = capsys.readouterr()
    assert captured.err.count('launched again') == 1
    assert ', 1 aborted' in captured.out


@pytest.mark.long
def test_games_that_no_longer_start_end_the_training(folder, tmp_path, capsys, monkeypatch):
    logdir = tmp_path / 'logs'

    def break_games():
        try:
            await_episodes(logdir, 1)
        finally:  # The training would not end without it.
            binary = os.path.join(os.environ['SC2PATH'], standin.install.BINARY)
            with open(binary, 'w') as file:
                file.write('#!/bin/sh\necho "no such library"\nexit 3\n')
            standin.harm_one(folder, 'killed', np.random.RandomState(0))

    thread = threading.Thread(target=break_games)
    thread.start()
    assert tiny.main(logdir, '--total_environment_frames=1e9', *GAME) == 1
    thread.join()
    captured = capsys.readouterr().err
    (line,) = [line for line in captured.splitlines() if line.startswith('error: ')]
    assert 'failed 3 times in a row' in line and 'exit code 3' in line
    assert captured.splitlines()[-1] == 'no such library'


@pytest.mark.long
def test_a_simulated_run_is_evaluated_alike_on_the_game(run):
    results = []
    for backend in ('simulator', 'pysc2'):
        flags = f'--backend={backend}', '--num_episodes=4', '--num_eval_envs=2'
        assert tiny.evaluate(run, *flags) == 0
        results.append(tiny.read_json(run, 'evaluation.json'))
    assert results[1] == dict(results[0], backend='pysc2')


@contextlib.contextmanager
def trainer_of(logdir):
    """Training in a separate process, which is killed if it still runs at the end."""
    flags = list(tiny.FLAGS + GAME) + ['--num_actors=2', f'--logdir={logdir}']
    with open(f'{logdir}.output', 'w') as output, subprocess.Popen(
        [sys.executable, '-m', 'sc2impala.experiment', '--total_environment_frames=1e9'] + flags,
        stdout=output,
        stderr=output,
        env=dict(os.environ, PYTHONPATH=standin.ROOT),
    ) as trainer:
        try:
            yield trainer
        finally:
            trainer.kill()


@pytest.mark.slow
@pytest.mark.parametrize('how', sorted(standin.HARM))
def test_harmed_twenty_times(how, folder, tmp_path):
    logdir, rng = tmp_path / 'logs', np.random.RandomState(0)
    with trainer_of(logdir) as trainer:
        await_episodes(logdir, 1)
        for _ in range(20):
            standin.harm_one(folder, how, rng, youngest_secs=4.0)
            await_episodes(logdir, 3)
            assert trainer.poll() is None
        # The last aborted episode may not have reached the learner yet.
        await_episodes(logdir, 20)
        trainer.terminate()
        assert trainer.wait() == 0
    leftovers.await_none(folder)
    check_that_no_aborted_episode_counts(logdir, 20)
    with trainer_of(logdir) as trainer:
        standin.harm_one(folder, how, rng, youngest_secs=4.0)
        assert trainer.poll() is None
    assert trainer.returncode == -signal.SIGKILL
    leftovers.await_none(folder)


@pytest.mark.slow
def test_recordings_are_for_both_backends(tmp_path):
    """The script reads feature_units, which the agent does not see, on both."""
    of_map = '--map_name=CollectMineralShards', '--screen_size=16'
    script = '--mode=record', '--policy=PySC2', '--num_eval_envs=2', '--num_episodes=2'
    learn = '--demonstration_sequences=2', f'--total_environment_frames={tiny.FRAMES_PER_UPDATE}'
    backends = {'simulator': (), 'pysc2': (*GAME, '--game_deadline_secs=60')}
    for name, flags in backends.items():
        assert tiny.main(tmp_path / name, *of_map, *script, *flags) == 0
        manifest = tiny.read_json(tmp_path / name, 'PySC2-0', 'recording.json')
        assert manifest['backend'] == name and manifest['num_episodes'] == 2
        assert manifest['mean_return'] > 1
    for name, other in (('simulator', 'pysc2'), ('pysc2', 'simulator')):
        recorded = f'--demonstrations={tmp_path / name}'
        flags = *of_map, recorded, *learn, *backends[other]
        assert tiny.main(tmp_path / f'learns-from-{name}', *flags) == 0
        assert len(tiny.summaries(tmp_path / f'learns-from-{name}')['loss/total_loss']) == 1
