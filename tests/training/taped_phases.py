"""Phases and a session for tests of the trainer, whose operations write what happens to a tape."""

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.learner import phases as phases_lib
from sc2impala.training import loop as trainer

FRAMES = 10
"""Of every update."""


class Tape(list):
    """Checkpoint writer, list of episodes and summaries in one: all write here."""

    failed = 0
    map_names = ('Map',)
    summary_due = True

    def operation(self, entry):
        """An operation that writes `entry` when it is run."""
        return tf.py_func(lambda: self.append(entry), [], [], name='tape')

    def save(self, session, frames):
        self.append(f'save {frames}')

    def is_due(self, frames):
        return True

    def has_saved(self, frames):
        return False

    def save_if_due(self, session, frames):
        self.append(f'save_if_due {frames}')

    def start_from(self, frames):
        self.append(f'start_from {frames}')

    def start(self, frames):
        self.append(f'start {frames}')

    def due(self):
        return self.summary_due

    def add(self, *args):
        """Of `EpisodeLog` with four arguments, of `SummaryLog` with two."""
        self.append(f'episodes {args[2]}' if len(args) == 4 else f'summary {args[-1]}')
        return {'episode_return': 2.0} if len(args) == 4 else None

    def add_scalars(self, values, step):
        self.append('{} {}'.format(','.join(values), step))

    def flush(self):
        self.append('flush')

    def last_count(self, task=0):
        return 0

    def updates(self, *more):
        """The updates on the tape by the names of their phases, and the entries in `more`."""
        return [entry for entry in self if entry in ('first', 'second') + more]


def make_phases(tape, num_frames=(10, 20), start=(0, 0), stage=None):
    """Two phases whose updates write their names to the tape."""
    counters = [
        tf.get_variable(
            f'frames_{index}',
            initializer=np.int64(frames),
            dtype=tf.int64,
            trainable=False,
            use_resource=True,
        )
        for index, frames in enumerate(start)
    ]
    result = []
    for index, title in enumerate(('first', 'second')):
        train = phases_lib.advance(
            counters[index], tf.constant(FRAMES, tf.int64), [tape.operation(title)]
        )
        with tf.control_dependencies([train]):
            other = counters[1 - index].read_value()
        result.append(
            phases_lib.Phase(
                title=title,
                task='Map',
                num_frames=num_frames[index],
                frames=counters[index],
                train=train,
                step=train + other,
                agent_steps=tf.constant(3, tf.int64),
                done=tf.constant([[True]]),
                infos=tf.constant(0.0),
                stage=stage,
                summary=tf.constant('summary'),
            )
        )
    return result


def total_frames(phases):
    """Environment frames of all phases, int64 []."""
    return tf.add_n([phase.frames.read_value() for phase in phases])


def train(phases, hooks, **kwargs):
    """`trainer.train` without checkpoints."""
    trainer.train(phases, hooks, tf.train.Saver(), tf.ConfigProto(), **kwargs)
