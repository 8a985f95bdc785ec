"""Runs in processes of their own that are killed, interrupted and started again."""

import contextlib
import os
import re
import signal

import numpy as np
import pytest

from sc2impala.checkpoints import choice, directory, variables
from tests.runtime import tiny

FLAGS = tiny.FLAGS + (
    '--save_checkpoint_secs=0',
    '--replay_proportion=0.25',
    '--replay_buffer_size=20',
    '--total_environment_frames=1e9',
)


@contextlib.contextmanager
def started(processes, logdir, *flags):
    """A run in a process, once it has printed its first lines of progress; gives its output too."""
    logdir.mkdir(exist_ok=True)
    output = str(logdir.parent / f'output-{len(os.listdir(str(logdir.parent)))}')
    arguments = list(FLAGS) + [f'--logdir={logdir}'] + list(flags)
    process = processes.Process(target=tiny.play, args=(arguments, output))
    process.start()
    try:
        while process.is_alive() and len(printed_frames(output)) < 3:
            process.join(0.02)
        yield process, output
    finally:
        process.kill()
        process.join()


def read(path):
    if not os.path.exists(path):
        return ''
    with open(path) as file:
        return file.read()


def printed_frames(output):
    """The frames after each update, from the whole lines of progress."""
    lines = re.findall(r'^training: ([\d,]+) of .*\n', read(output), re.MULTILINE)
    return [int(number.replace(',', '')) for number in lines]


def check_folder(logdir, frames):
    """At most the last one of `frames` is lost, and nothing is damaged; returns what is left."""
    values = variables.read(choice.newest(str(logdir)))
    assert values['global_step'] >= frames[-2]
    replay = np.load(tiny.checkpoint(logdir, values['global_step'], 'replay.npz'))
    # Every new sequence of these frames was offered to the replay buffer saved beside them.
    assert replay['num_inserted'] * tiny.FRAMES_PER_SEQUENCE == values['global_step']
    assert len(replay['lengths']) == min(20, replay['num_inserted'])
    # Saved with the same update: the powers of Adam's decay, one factor for each update.
    num_updates = np.log(values['beta1_power']) / np.log(0.9)
    np.testing.assert_allclose(num_updates, np.round(num_updates), atol=0.01)
    return int(values['global_step'])


def kill_at_random_moments(processes, tmp_path, num_kills, seed):
    logdir = tmp_path / 'logs'
    rng = np.random.RandomState(seed)
    frames = 0
    for kill in range(num_kills):
        with started(processes, logdir) as (process, output):
            process.join(rng.uniform(0, 0.5))
            assert process.is_alive()
            process.kill()
            process.join()
            assert process.exitcode == -signal.SIGKILL
        assert ('resumed from' in read(output)) == (kill > 0)
        printed = printed_frames(output)
        # It went on where it was, and not from the beginning.
        assert frames < printed[0] <= frames + 2 * tiny.FRAMES_PER_UPDATE
        frames = check_folder(logdir, printed)

    flags = f'--total_environment_frames={frames + 5 * tiny.FRAMES_PER_UPDATE}'
    with started(processes, logdir, flags) as (process, _):
        process.join()
        assert process.exitcode == 0
    rows = tiny.episodes(logdir)
    assert rows[-1][0] == num_kills
    assert all(row[3] == 1920 and row[4] == tiny.EPISODE_STEPS for row in rows)
    names = [*os.listdir(str(logdir)), *os.listdir(str(logdir / directory.FOLDER))]
    leftovers = [name for name in names if name.endswith(('.tmp', '.removed'))]
    assert not leftovers and len(tiny.replay_frames(logdir)) == 2
    for checkpoint_frames in tiny.checkpoint_frames(logdir)[-2:]:
        assert tiny.variables(logdir, checkpoint_frames)['global_step'] == checkpoint_frames


@pytest.mark.long
def test_killed_once(processes, tmp_path):
    kill_at_random_moments(processes, tmp_path, num_kills=1, seed=0)


@pytest.mark.slow
def test_killed_twenty_times(processes, tmp_path):
    kill_at_random_moments(processes, tmp_path, num_kills=20, seed=1)


@pytest.mark.long
def test_stops_cleanly_when_asked(processes, tmp_path):
    """Two other signals are sent to runs in `robustness_test`."""
    logdir = tmp_path / 'logs'
    with started(processes, logdir, '--save_checkpoint_secs=1000') as (process, output):
        assert tiny.checkpoint_frames(logdir) == [0]
        os.kill(process.pid, signal.SIGTERM)
        process.join()
        assert process.exitcode == 128 + signal.SIGTERM
    text = read(output)
    assert 'stopping after this update' in text and 'Traceback' not in text
    frames = printed_frames(output)[-1]
    assert tiny.checkpoint_frames(logdir) == [0, frames]
    assert check_folder(logdir, [frames, frames]) == frames


@pytest.mark.long
def test_two_runs_do_not_share_a_folder(processes, tmp_path, capsys):
    logdir = tmp_path / 'logs'
    with started(processes, logdir) as (process, _):
        assert tiny.main(logdir) == 1
        line = tiny.error_line(capsys)
        assert f'--logdir={logdir} is being written to by another run' in line
        assert process.is_alive()
