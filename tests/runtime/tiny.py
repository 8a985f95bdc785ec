"""Runs small enough for a test, and what they leave behind."""

import contextlib
import csv
import json
import os
import signal
import sys

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import experiment
from sc2impala.checkpoints import choice, directory
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.settings import Settings

STEP_MUL = 120
EPISODE_STEPS = 16
FRAMES_PER_SEQUENCE = 5 * STEP_MUL
FRAMES_PER_UPDATE = 4 * FRAMES_PER_SEQUENCE

FLAGS = (
    '--from_scratch',
    '--screen_size=4',
    '--minimap_size=4',
    '--agent=fully_conv',
    '--num_actors=1',
    '--num_envs=4',
    '--unroll_length=5',
    '--batch_size=4',
    '--fixed_step_mul',
    f'--step_mul={STEP_MUL}',
    '--nospread_games',
    '--save_summaries_secs=0',
    '--progress_secs=0',
    '--save_checkpoint_secs=1000',
)

NUM_UPDATES = 8
REPLAY = ('--replay_proportion=0.25', '--replay_buffer_size=6')
"""Of the run that the fixtures `finished_run` and `run` provide."""
HALF_REPLAYED = ('--replay_proportion=0.5', '--replay_buffer_size=6', '--batch_size=8')
"""As many new columns in a batch as without replay."""


def make_settings(**values):
    """Settings with the general defaults; None, of the map, where there is none."""
    return Settings.from_values(dict(settings_lib.general_defaults(), **values))


def read_settings(logdir, *flags):
    """The settings of `main` with these flags."""
    return experiment.read_settings(list(FLAGS) + [f'--logdir={logdir}'] + list(flags))


def main(logdir, *flags):
    """The real `main`; later flags replace earlier ones."""
    return experiment.main(list(FLAGS) + [f'--logdir={logdir}'] + list(flags))


def train(logdir, num_updates, *flags):
    """Trains until there were `num_updates` updates, those of earlier starts included."""
    total = num_updates * FRAMES_PER_UPDATE
    assert main(logdir, f'--total_environment_frames={total}', *flags) == 0


def evaluate(logdir, *flags):
    """Evaluates with the settings of the run in the folder."""
    return experiment.main(['--mode=evaluate', f'--logdir={logdir}'] + list(flags))


def play(flags, output, prepare=None):
    """What a process of its own does: the command, with everything that it prints in a file.

    Args:
      flags: of the command.
      output: name of the file.
      prepare: called first; can be pickled.
    """
    if prepare is not None:
        prepare()
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)
    if hasattr(signal, 'SIGHUP'):
        # The suite may run under nohup, which a training respects.
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    sys.stdout = open(1, 'w', closefd=False)  # noqa: SIM115
    sys.exit(experiment.main(flags))


def snapshot(folder):
    """{name: (content, time of change)} of all files but the lock and the log of what was said."""
    result = {}
    for parent, _, names in os.walk(str(folder)):
        for name in names:
            path = os.path.join(parent, name)
            if name not in ('.lock', 'train.log'):
                with open(path, 'rb') as file:
                    result[path] = (file.read(), os.stat(path).st_mtime_ns)
    return result


def read_json(*path):
    """The content of a JSON file; the parts of its path are joined."""
    with open(os.path.join(*[str(part) for part in path])) as file:
        return json.load(file)


def edit_manifest(logdir, text):
    """Writes a manifest as somebody does who changes it on purpose."""
    path = os.path.join(str(logdir), 'manifest')
    with contextlib.suppress(ValueError, TypeError):
        content = json.loads(text)
        content.pop('checksum', None)
        text = json.dumps(content)
    with open(path + '.json', 'w') as file:
        file.write(text)
    with contextlib.suppress(FileNotFoundError):
        os.remove(path + '.copy.json')


def error_line(capsys):
    """The one line that an error leaves on stderr."""
    captured = capsys.readouterr().err
    lines = [line for line in captured.splitlines() if line.startswith('error: ')]
    assert len(lines) == 1 and 'Traceback' not in captured, captured
    return lines[0]


def checkpoint_frames(logdir):
    """The frames of every checkpoint in the folder, in order."""
    return directory.saved(str(logdir))


def checkpoint(logdir, frames, *names):
    """The path of a checkpoint, or of a file in it."""
    return os.path.join(directory.path(str(logdir), frames), *names)


def newest_frames(logdir):
    """The frames of the checkpoint that a restart takes, also after a kill in the middle of a save.

    0 without one.
    """
    found = choice.choose(str(logdir))
    return directory.frames_of(found.checkpoint) if found else 0


def replay_frames(logdir):
    """The frames of every saved replay buffer in the folder, in order."""
    frames = checkpoint_frames(logdir)
    return [n for n in frames if os.path.exists(checkpoint(logdir, n, 'replay.npz'))]


def variables(logdir, frames):
    """All variables of one checkpoint, {name: array}."""
    reader = tf.train.load_checkpoint(checkpoint(logdir, frames, 'variables'))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def is_weight(name):
    """Whether a variable is one of the agent, and not of an optimizer or a counter."""
    return 'adam' not in name and name not in (
        'global_step',
        'critic_pretrain_frames',
        'beta1_power',
        'beta2_power',
    )


def same_arrays(a, b):
    """Whether two dicts hold the same arrays, bit for bit."""
    return sorted(a) == sorted(b) and all(np.array_equal(a[name], b[name]) for name in a)


def episodes(logdir):
    """The lines of episodes.csv as lists of numbers, without the header."""
    with open(os.path.join(str(logdir), 'episodes.csv'), newline='') as file:
        header, *rows = list(csv.reader(file))
    assert header == [
        'start',
        'global_step',
        'episode_return',
        'episode_frames',
        'episode_steps',
    ]
    assert all(len(row) == len(header) for row in rows)
    return [[float(cell) for cell in row] for row in rows]


def summaries(logdir):
    """{tag: [(step, value)]} of all event files; the value of a histogram is its count.

    The file of a process that was killed may end within a record.
    """
    result = {}
    names = sorted(name for name in os.listdir(str(logdir)) if 'tfevents' in name)
    for name in names:
        with contextlib.suppress(tf.errors.DataLossError):
            for event in tf.train.summary_iterator(os.path.join(str(logdir), name)):
                for value in event.summary.value:
                    number = value.histo.num if value.HasField('histo') else value.simple_value
                    result.setdefault(value.tag, []).append((event.step, number))
    return result


def losses(logdir):
    """The series of all losses and norms, which must not be empty."""
    tags = summaries(logdir)
    result = {tag: tags[tag] for tag in tags if tag.startswith('loss/') or tag == 'grad_norm'}
    assert len(result) >= 5 and all(len(series) > 1 for series in result.values())
    return result
