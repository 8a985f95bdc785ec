"""Maps that are learned one after the other (`--task_schedule=sequential`).

A block is a map for `--frames_per_task` environment frames of the main phase. When it ends, all
games begin on the next map: their unfinished episodes are aborted. Sequences that are in the queue
then are still learned from. `tasks.csv` has a row for each block.
"""

import csv
import io
import os
from typing import Any, List, NamedTuple, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import directory, variables
from sc2impala.errors import UserError
from sc2impala.learner.phases import Phase
from sc2impala.runtime import console, logdir
from sc2impala.settings.groups import TaskSettings
from sc2impala.training.component import Component
from sc2impala.training.run import Run

TASKS_CSV = 'tasks.csv'
COLUMNS = ('block', 'cycle', 'map_name', 'global_step')


class Schedule(NamedTuple):
    """The order of the maps.

    map_names: the maps of a cycle.
    frames_per_task: environment frames of a block.
    cycles: number of cycles.
    """

    map_names: Sequence[str]
    frames_per_task: int
    cycles: int

    @classmethod
    def of(cls, map_names: Sequence[str], own: TaskSettings) -> 'Schedule':
        """Returns the schedule of the settings."""
        return cls(tuple(map_names), own.frames_per_task, own.cycles)

    def block(self, frames: int) -> int:
        """Returns the index of the block after a number of frames of the main phase."""
        last = len(self.map_names) * self.cycles - 1
        return min(frames // self.frames_per_task, last)

    def task(self, block: int) -> int:
        """Returns the index of the map of a block."""
        return block % len(self.map_names)


def make(run: Run) -> List[Component]:
    """Returns the component, if maps are learned one after the other.

    Raises:
      UserError: if the table of blocks cannot be written to.
    """
    settings, graph, checkpoint = run.settings, run.graph, run.start.checkpoint
    if not settings.tasks.is_sequential:
        return []
    schedule = Schedule.of(settings.environment.map_names, settings.tasks)
    main, frames, total = graph.phases[-1], 0, None
    if checkpoint is not None:
        (frames,) = variables.counters_of(checkpoint, [main.frames])
        total = directory.frames_of(checkpoint)
    table = TaskTable(os.path.join(settings.run.logdir, TASKS_CSV), total)
    return [TaskHook(schedule, graph.actors.envs, table, main, frames, run.frames)]


class TaskTable:
    """The blocks so far.

    rows: one tuple of COLUMNS per block, as text.
    """

    def __init__(self, path: str, frames: Any = None):
        """Reads the table, without the blocks that began after the restored checkpoint.

        Args:
          path: the file.
          frames: frames of the checkpoint; None for a new run.

        Raises:
          UserError: if it cannot be read or written to.
        """
        self._path = path
        self.rows: List[Sequence[str]] = []
        if frames is not None and os.path.exists(path):
            try:
                with open(path, newline='') as file:
                    rows = list(csv.reader(file))[1:]
                self.rows = [row for row in rows if int(row[-1]) <= frames]
            except (OSError, ValueError, IndexError) as error:
                raise UserError(
                    f'{path} cannot be continued ({error}), expected a table with the columns '
                    f'{", ".join(COLUMNS)}, or none.'
                ) from error

    def add(self, block: int, cycle: int, map_name: str, frames: int) -> None:
        """Adds a block, unless it is there.

        Args:
          block, cycle: their indices.
          map_name: the map.
          frames: environment frames of all phases before it.
        """
        if block < len(self.rows):
            return
        self.rows.append((str(block), str(cycle), map_name, str(frames)))
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        writer.writerows(self.rows)
        try:
            logdir.replace_text(self._path, text.getvalue())
        except OSError as error:
            console.say(
                f'{self._path} cannot be written to ({error.strerror}): training continues, and '
                'its rows are written with the next one'
            )


class TaskHook(Component):
    """Gives the games the next map when the frames of a block are used up."""

    def __init__(
        self,
        schedule: Schedule,
        envs: Sequence[Any],
        table: TaskTable,
        main: Phase,
        frames: int,
        total_frames: tf.Tensor,
    ):
        """Args:
        schedule: the order of the maps.
        envs: `envs.tasks.TaskEnvironment`s.
        table: the blocks so far.
        main: the phase in which maps change; all earlier ones are on the first map.
        frames: frames of this phase in the restored checkpoint.
        total_frames: environment frames of all phases together, int64 [].
        """
        self._schedule = schedule
        self._envs = envs
        self._table = table
        self._main = main
        self._block = schedule.block(frames)
        self._total_frames = total_frames

    def begin(self) -> None:
        """Prepares the games for the reset with which the session starts."""
        self._play()

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Remembers the session."""
        self._session = session

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Begins the first block with the main phase."""
        super().begin_phase(phase, frames)
        if self._is_main:
            self._begin_block(int(self._session.run(self._total_frames)))

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Requests the frames after the update."""
        return tf.train.SessionRunArgs({'frames': self.phase.train, 'total': self.phase.step})

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Changes the map if the block has ended."""
        if not self._is_main:
            return
        block = self._schedule.block(int(run_values.results['frames']))
        if block > self._block:
            self._block = block
            self._play()
            self._begin_block(int(run_values.results['total']))

    @property
    def _is_main(self) -> bool:
        return self.phase.frames is self._main.frames

    def _play(self) -> None:
        task = self._schedule.task(self._block)
        for env in self._envs:
            env.play([task] * env.num_envs)

    def _begin_block(self, frames: int) -> None:
        block, names = self._block, self._schedule.map_names
        if block < len(self._table.rows):
            return
        cycle, map_name = block // len(names), names[self._schedule.task(block)]
        self._table.add(block, cycle, map_name, frames)
        of_cycles = f', cycle {cycle + 1} of {self._schedule.cycles}'
        console.say(f'{map_name}{of_cycles if self._schedule.cycles > 1 else ""}')
