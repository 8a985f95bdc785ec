"""The list of finished episodes, `episodes.csv`, and their means in TensorBoard."""

import collections
import os
from typing import Any, Deque, Dict, List, Mapping, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import directory
from sc2impala.errors import UserError
from sc2impala.evaluation.episode_table import MAP_COLUMN
from sc2impala.runtime import console, logdir
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.saved_arrays import Arrays
from sc2impala.settings.settings import Settings
from sc2impala.structs import EpisodeInfo
from sc2impala.training.component import Component
from sc2impala.training.run import Run
from sc2impala.training.start import Start
from sc2impala.training.state import State

COLUMNS = ('start', 'global_step', 'episode_return', 'episode_frames', 'episode_steps')


class EpisodeLog:
    """Appends every finished episode to a CSV and remembers the last ones.

    A disk that is full, or fails, does not end the training: rows that cannot be written are kept
    until there is room.
    """

    def __init__(
        self,
        path: str,
        start: int,
        window: int = 100,
        games_fail: bool = True,
        map_names: Sequence[str] = ('',),
    ):
        """Args:
        path: the file; it is continued if it exists.
        start: number of earlier starts of the run, written with every episode.
        window: number of episodes of the means.
        games_fail: True if episodes are aborted because their game failed; on the simulator
          they are aborted to spread the games.
        map_names: the maps of the run.

        Raises:
          UserError: if the file cannot be written to.
        """
        self._path = path
        self._rows: List[str] = []
        self._failing = False
        self._start = start
        self.map_names = tuple(map_names)
        self._last: List[Deque[float]] = [collections.deque(maxlen=window) for _ in map_names]
        self._aborted = [0] * len(self._last)
        self._aborted_frames = [0] * len(self._last)
        self._games_fail = games_fail
        try:
            self._size = logdir.cut_unfinished_line(path)
        except OSError as error:
            raise UserError(
                f'{path} cannot be written to ({error.strerror}), expected a file that this user '
                'may change, or none.'
            ) from error
        if not self._size:
            columns = COLUMNS if len(self.map_names) == 1 else (*COLUMNS, MAP_COLUMN)
            self._rows.append(','.join(columns))

    @property
    def aborted(self) -> int:
        """Number of episodes that were aborted."""
        return sum(self._aborted)

    @property
    def failed(self) -> int:
        """Number of episodes that were aborted because their game failed."""
        return self.aborted if self._games_fail else 0

    def undo(self, global_step: int) -> int:
        """Removes the rows of updates after the restored checkpoint.

        Args:
          global_step: environment frames of the checkpoint.

        Returns:
          The number of rows.

        Raises:
          UserError: if the file cannot be changed.
        """
        temporary = self._path + '.tmp'
        try:
            with open(self._path, 'rb') as file:
                rows = file.read(self._size).splitlines(keepends=True)
            kept = [row for row in rows if not _is_after(row, global_step)]
            if len(kept) < len(rows):
                with open(temporary, 'wb') as file:
                    file.writelines(kept)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(temporary, self._path)
                self._size = sum(map(len, kept))
        except OSError as error:
            raise UserError(
                f'{self._path} cannot be changed ({error.strerror}), expected a file that this '
                'user may change, and free space.'
            ) from error
        return len(rows) - len(kept)

    def add(
        self, done: np.ndarray, infos: EpisodeInfo, global_step: int, task: int = 0
    ) -> Dict[str, float]:
        """Adds the episodes of a map that ended in one update.

        Args:
          done: bool [T, B], where an episode ended that counts.
          infos: `EpisodeInfo` of [T, B].
          global_step: environment frames after the update.
          task: index of the map.

        Returns:
          Mean 'episode_return' and 'episode_frames' of these episodes, if there are any; and
          'aborted_episodes' and 'aborted_frames', their number and frames in this start so far, if
          they have grown.
        """
        num_aborted = int(np.sum(infos.aborted))
        self._aborted[task] += num_aborted
        self._aborted_frames[task] += int(np.sum(infos.episode_frames, where=infos.aborted))
        rows = np.stack(
            [infos.episode_return[done], infos.episode_frames[done], infos.episode_steps[done]]
        ).T
        for episode_return, frames, steps in rows:
            row: List[Any] = [self._start, global_step, float(episode_return)]
            row += [int(frames), int(steps)]
            if len(self.map_names) > 1:
                row.append(self.map_names[task])
            self._rows.append(','.join(map(str, row)))
            self._last[task].append(float(episode_return))
        values: Dict[str, float] = {}
        if num_aborted:
            values.update(
                aborted_episodes=self._aborted[task], aborted_frames=self._aborted_frames[task]
            )
        if len(rows):
            means = rows.mean(axis=0)
            values.update(episode_return=float(means[0]), episode_frames=float(means[1]))
        return values

    def get_state(self) -> Dict[str, np.ndarray]:
        """Returns the state of the progress line, after flushing pending rows."""
        self.flush()
        state = {}
        for task, last in enumerate(self._last):
            state[_of_task('aborted', task)] = np.array(self._aborted[task], np.int64)
            state[_of_task('last', task)] = np.array(last, np.float64)
        return state

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a state of `get_state`.

        Raises:
          ValueError: if it is invalid.
        """
        of_tasks = range(len(self._last))
        names = [(_of_task('aborted', task), _of_task('last', task)) for task in of_tasks]
        is_valid = set(state) == {name for pair in names for name in pair}
        for aborted, last in names if is_valid else ():
            is_list = state[last].ndim == 1 and state[last].dtype == np.float64
            is_valid = is_valid and is_list and state[aborted].shape == ()
        if not is_valid:
            raise ValueError('the last episodes are not a list of returns.')
        for task, (aborted, last) in enumerate(names):
            self._aborted[task] = int(state[aborted])
            self._last[task].clear()
            self._last[task].extend(state[last].tolist())

    def last_mean(self, task: int = 0) -> float:
        """Mean return of the last episodes of a map, NaN before the first one."""
        return float(np.mean(self._last[task])) if self._last[task] else float('nan')

    def last_count(self, task: int = 0) -> int:
        """Number of episodes of the mean."""
        return len(self._last[task])

    def flush(self) -> None:
        """Writes the rows so far to the file; keeps them if that fails, and says so once."""
        if not self._rows:
            return
        content = ''.join(row + '\r\n' for row in self._rows).encode()
        try:
            with open(self._path, 'r+b' if self._size else 'wb') as file:
                # Overwrites rows that an earlier attempt has written in part.
                file.seek(self._size)
                file.truncate()
                file.write(content)
        except OSError as error:
            if not self._failing:
                console.say(
                    f'{self._path} cannot be written to ({error.strerror}): training continues, '
                    'and its rows are kept until they can be written'
                )
            self._failing = True
            return
        self._size += len(content)
        self._rows.clear()
        self._failing = False

    def close(self) -> None:
        """Writes pending rows."""
        self.flush()


def _of_task(name: str, task: int) -> str:
    """The name of an array in the state; without a number for the first map."""
    return f'{name}_{task}' if task else name


def _is_after(row: bytes, global_step: int) -> bool:
    """Returns whether a row belongs to an update after a global step; the header does not."""
    cells = row.split(b',')
    return len(cells) > 1 and cells[1].isdigit() and int(cells[1]) > global_step


def make(run: Run) -> List[Component]:
    """Returns the component."""
    return [EpisodeHook(run.episodes, run.summaries)]


def open_log(settings: Settings, start: Start) -> EpisodeLog:
    """Opens the list of episodes, and removes the rows after the restored checkpoint.

    Raises:
      UserError: if the file cannot be continued.
    """
    path = os.path.join(settings.run.logdir, logdir.EPISODES_CSV)
    games_fail = not settings.environment.spread_frames and not settings.tasks.is_sequential
    episodes = EpisodeLog(
        path, start.number, games_fail=games_fail, map_names=settings.environment.map_names
    )
    if start.checkpoint is not None:
        undone = episodes.undo(directory.frames_of(start.checkpoint))
        if undone:
            console.say(
                f'{logdir.EPISODES_CSV}: removed {console.count_text(undone, "row")} after the '
                'checkpoint, whose frames will be generated again'
            )
    return episodes


class EpisodeHook(Component):
    """Logs the episodes that end in the batches of updates."""

    def __init__(self, episodes: EpisodeLog, summaries: SummaryLog):
        self._episodes = episodes
        self._summaries = summaries
        self.states = [_ProgressLine(episodes)]

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Requests the ends of episodes in the batch."""
        phase = self.phase
        fetched = {'done': phase.done, 'infos': phase.infos, 'step': phase.step}
        return tf.train.SessionRunArgs(dict(fetched, tasks=phase.tasks))

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Logs the episodes that ended in this batch."""
        results = run_values.results
        step = int(results['step'])
        tags: Dict[str, float] = {}
        for task, map_name in enumerate(self._episodes.map_names):
            done, infos = results['done'], results['infos']
            if len(self._episodes.map_names) > 1:
                is_own = results['tasks'] == task
                done, infos = done & is_own, infos._replace(aborted=infos.aborted & is_own)
            means = self._episodes.add(done, infos, step, task)
            tags.update((f'{map_name}/{name}', mean) for name, mean in means.items())
        if tags:
            self._summaries.add_scalars(tags, step)

    def end(self, session: tf.Session) -> None:
        """Writes pending rows."""
        self._episodes.flush()

    def fail(self, error: Exception) -> None:
        """Writes pending rows."""
        self._episodes.flush()


class _ProgressLine(State):
    """The last returns, which the progress line shows."""

    name = 'episodes'
    otherwise = 'the progress line starts from scratch'

    def __init__(self, log: EpisodeLog):
        self._log = log

    def get_state(self, session: tf.Session) -> Arrays:
        """See `State`. Flushes the rows: later rows belong to frames after the checkpoint."""
        return self._log.get_state()

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `State`."""
        self._log.set_state(state)
