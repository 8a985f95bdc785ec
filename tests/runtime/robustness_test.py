"""Runs that lose their terminal, their disk or a file, and folders with unusual names."""

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from sc2impala.training.components import episodes
from tests.runtime import tiny

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


FLAGS = [*tiny.FLAGS, '--total_environment_frames=1e9']


def wait_for_progress(output):
    """Reads lines until a few updates are through; returns the frames after the last one."""
    printed = []
    while len(printed) < 3:
        line = output.readline()
        assert line, 'the run has ended'
        printed += re.findall(rb'^training: ([\d,]+) of ', line)
    return int(printed[-1].replace(b',', b''))


def check_folder(logdir, frames):
    """A last checkpoint and all episodes were saved after the output was closed."""
    first, last = tiny.checkpoint_frames(logdir)
    assert first == 0 and last > frames
    assert tiny.variables(logdir, last)['global_step'] == last
    assert tiny.episodes(logdir)


@pytest.mark.long
def test_interrupted_after_the_reader_of_the_output_has_ended(tmp_path):
    """As Ctrl-C does in `... 2>&1 | tee log`: the exit code is that of a process of its own."""
    logdir = tmp_path / 'logs'
    process = subprocess.Popen(
        [sys.executable, '-m', 'sc2impala.experiment', *FLAGS, f'--logdir={logdir}'],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
        env=dict(os.environ, PYTHONPATH=ROOT),
    )
    try:
        frames = wait_for_progress(process.stdout)
        process.stdout.close()
        time.sleep(0.5)  # Some lines of progress have no reader.
        assert process.poll() is None and tiny.checkpoint_frames(logdir) == [0]
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 128 + signal.SIGINT
    finally:
        process.kill()
        process.wait()
    check_folder(logdir, frames)


@pytest.mark.slow
def test_hung_up_with_its_terminal(processes, tmp_path):
    logdir, pipe = tmp_path / 'logs', str(tmp_path / 'pipe')
    os.mkfifo(pipe)
    process = processes.Process(target=tiny.play, args=(FLAGS + [f'--logdir={logdir}'], pipe))
    process.start()
    try:
        with open(pipe, 'rb') as output:
            frames = wait_for_progress(output)
        time.sleep(0.2)
        os.kill(process.pid, signal.SIGHUP)
        process.join(120)
        assert process.exitcode == 128 + signal.SIGHUP
    finally:
        process.kill()
        process.join()
    check_folder(logdir, frames)


@pytest.mark.long
def test_full_disk(tmp_path, monkeypatch, capsys):
    """Episodes are listed as soon as there is room again."""
    attempts = []

    def open_file(path, mode):
        if mode != 'ab+':
            attempts.append(path)
            if len(attempts) <= 3:
                raise OSError(errno.ENOSPC, 'No space left on device')
        return open(path, mode)

    monkeypatch.setattr(episodes, 'open', open_file, raising=False)
    tiny.train(tmp_path, tiny.NUM_UPDATES)
    out = capsys.readouterr().out
    assert out.count('episodes.csv cannot be written to (No space left on device)') == 1
    assert len(attempts) > 3
    # Four games of 40 steps each, none of which was aborted.
    assert 'aborted' not in out
    assert len(tiny.episodes(tmp_path)) == 4 * (tiny.NUM_UPDATES * 5 // tiny.EPISODE_STEPS)
    assert tiny.checkpoint_frames(tmp_path)[-1] >= tiny.NUM_UPDATES * tiny.FRAMES_PER_UPDATE


@pytest.mark.long
def test_folder_with_characters_of_patterns(finished_run, tmp_path, capsys):
    """TensorFlow takes paths of checkpoints for patterns."""
    name = 'a\\b "lr[0.1]" \'gr\xfc\xdfe\''
    logdir = tmp_path / 'runs' / name
    shutil.copytree(str(finished_run), str(logdir))
    frames = tiny.checkpoint_frames(logdir)
    flags = '--save_checkpoint_secs=0', '--keep_checkpoints=2', *tiny.REPLAY
    tiny.train(logdir, tiny.NUM_UPDATES + 2, *flags)
    assert f'resumed from {logdir}/checkpoints/{frames[-1]}' in capsys.readouterr().out
    after = tiny.checkpoint_frames(logdir)
    assert len(after) == 2 and after[0] > frames[-1] and tiny.replay_frames(logdir) == after

    assert tiny.evaluate(logdir, '--num_episodes=2', '--curve') == 0
    assert {'evaluation.json', 'curve.png'} <= set(os.listdir(str(logdir)))

    other = tmp_path / 'other'
    tiny.train(other, 1, f'--init_checkpoint={logdir}')
    assert os.listdir(str(tmp_path / 'runs')) == [name]
    # Read by TensorFlow through a plain name.
    logdir.rename(tmp_path / 'plain')
    started, trained = tiny.variables(other, 0), tiny.variables(tmp_path / 'plain', after[-1])
    weights = list(filter(tiny.is_weight, started))
    assert weights
    for weight in weights:
        np.testing.assert_array_equal(started[weight], trained[weight])


@pytest.mark.long
@pytest.mark.parametrize('flag, before', [('point_logit_scale', 1), ('ratio_bins', 0)])
def test_weights_of_an_agent_with_another_scale_or_other_inputs_are_refused(
    finished_run, tmp_path, capsys, flag, before
):
    flags = f'--init_checkpoint={finished_run}', f'--{flag}=8'
    assert tiny.main(tmp_path / 'other', *flags) == 1
    line = tiny.error_line(capsys)
    assert f'is of an agent with --{flag}={before}, expected the same instead of 8' in line
    assert not tiny.checkpoint_frames(tmp_path / 'other')
