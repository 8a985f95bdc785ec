"""The list of finished episodes, `episodes.csv`, and their means in TensorBoard."""

import os
from typing import Any, List, Mapping

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.runtime import checkpoints, console, evaluation
from sc2impala.runtime.episodes import EpisodeLog
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.saved_arrays import Arrays
from sc2impala.settings.settings import Settings
from sc2impala.training.component import Component
from sc2impala.training.run import Run
from sc2impala.training.start import Start
from sc2impala.training.state import State


def make(run: Run) -> List[Component]:
    """Returns the component."""
    return [EpisodeHook(run.episodes, run.summaries)]


def open_log(settings: Settings, start: Start) -> EpisodeLog:
    """Opens the list of episodes, and removes those after the checkpoint that is restored.

    Raises:
      UserError: if the file cannot be continued.
    """
    path = os.path.join(settings.run.logdir, evaluation.EPISODES_CSV)
    games_fail = not settings.environment.spread_frames
    episodes = EpisodeLog(path, start.number, games_fail=games_fail)
    if start.checkpoint is not None:
        undone = episodes.undo(checkpoints.number(start.checkpoint))
        if undone:
            console.say(
                f'{evaluation.EPISODES_CSV}: {undone:,} rows of episodes after the checkpoint are '
                'removed, since these frames are trained again'
            )
    return episodes


class EpisodeHook(Component):
    """Logs the episodes that end in the batches of updates."""

    def __init__(self, episodes: EpisodeLog, summaries: SummaryLog):
        self._episodes = episodes
        self._summaries = summaries
        self.states = [_ProgressLine(episodes)]

    def before_run(self, run_context: Any) -> tf.train.SessionRunArgs:
        """Asks for the ends of episodes in the batch."""
        phase = self.phase
        return tf.train.SessionRunArgs(
            {'done': phase.done, 'infos': phase.infos, 'step': phase.step}
        )

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Logs the episodes that ended in this batch."""
        results = run_values.results
        step = int(results['step'])
        means = self._episodes.add(results['done'], results['infos'], step)
        tags = {f'{self.phase.task}/{name}': mean for name, mean in means.items()}
        if tags:
            self._summaries.add_scalars(tags, step)

    def end(self, session: tf.Session) -> None:
        """Writes what is left in the buffer."""
        self._episodes.flush()

    def fail(self, error: Exception) -> None:
        """The same."""
        self._episodes.flush()


class _ProgressLine(State):
    """The last returns, which the progress line shows."""

    name = 'episodes'
    otherwise = 'the progress line begins anew'

    def __init__(self, log: EpisodeLog):
        self._log = log

    def get_state(self, session: tf.Session) -> Arrays:
        """See `State`. Flushes the rows: those after a checkpoint belong to what follows."""
        return self._log.get_state()

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `State`."""
        self._log.set_state(state)
