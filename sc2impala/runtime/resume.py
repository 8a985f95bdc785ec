"""Resuming exactly: what belongs to a checkpoint beside the variables and the replay buffer."""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import replay, saved_arrays
from sc2impala.errors import UserError
from sc2impala.runtime import console, resume_file
from sc2impala.runtime.checkpoint_parts import Part
from sc2impala.runtime.hooks import PhaseHook
from sc2impala.runtime.resume_groups import Actors, Group, Queue, Staged
from sc2impala.runtime.trained_frames import TrainedFrames


class ResumePart(Part):
    """The states of actors, queue, recordings and so on, in one file per checkpoint.

    Its content is restored once the session is there, by `restore`: initial values of local
    variables are set after TensorFlow's checkpoint is restored.
    """

    name = 'resume'
    otherwise = 'all games start new episodes, and what waited for an update is lost'

    def __init__(
        self,
        groups: Sequence[Group],
        actors: Optional[Actors] = None,
        queue: Optional[Queue] = None,
        halted: Callable[[], None] = lambda: None,
        has_new_games: bool = False,
    ):
        """Args:
        groups: all but the following.
        actors: of this process, if there are any.
        queue: that they fill.
        halted: called while no actor plays, when a state is saved.
        has_new_games: the number of games has changed, which has been reported.
        """
        self._has_new_games = has_new_games
        self._actors = actors
        self._queue = queue
        self._groups = list(groups)
        self._halted = halted
        self._failed = False
        self._loaded: Optional[Mapping[str, np.ndarray]] = None
        self._path = ''

    def add(self, group: Group) -> None:
        """Adds a group."""
        self._groups.append(group)

    def save(self, path: str, session: Any) -> None:
        """Writes the state between two unrolls of each actor; waits for those that are played.

        Games that cannot be saved are not waited for.
        """
        states: Dict[str, Any] = {}
        if self._failed or self._queue is None:
            states.update((group.name, group.get_state(session)) for group in self._groups)
        else:
            wait = self._actors is not None and self._actors.can_be_saved
            self._queue.take(session, wait)
            try:
                self._halted()
                for group in self._before_queue():
                    states[group.name] = group.get_state(session)
            finally:
                self._queue.put_back(session)
            # Compressing what was taken need not keep the actors waiting.
            states[self._queue.name] = self._queue.get_state(session)
        replay.save(path, dict(saved_arrays.join(states), format=np.array(resume_file.FORMAT)))

    def fail(self) -> None:
        """To be called after an error: an actor may have stopped within an unroll.

        Only what does not depend on actors is saved from now on.
        """
        self._failed = True
        self._groups = [group for group in self._groups if not isinstance(group, Staged)]

    def load(self, path: str, session: Any) -> None:
        """Reads the file for `restore`."""
        self._loaded, self._path = resume_file.read(path), path

    def restore(self, session: tf.Session) -> List[str]:
        """Restores what was read, before anything plays.

        Returns:
          What was not restored, in sentences.

        Raises:
          UserError: if the content of the file is damaged.
        """
        if self._loaded is None:
            return []
        loaded, self._loaded = self._loaded, None
        groups: List[Group] = self._before_queue()
        if self._queue is not None:
            groups.append(self._queue)
        sentences = []
        for group in groups:
            state = saved_arrays.part(loaded, group.name)
            if not state and group.is_never_empty:
                sentences.append(f'{group.otherwise}: that was not saved')
                continue
            try:
                group.set_state(session, state)
            except saved_arrays.DifferentState as error:
                if group is self._actors and self._has_new_games:
                    continue
                sentences.append(f'{group.otherwise}: {str(error).rstrip(".")}')
            except ValueError as error:
                raise UserError(
                    f'{self._path} cannot be restored ({error}); move it away to go on without it.'
                ) from error
        return sentences

    def _before_queue(self) -> List[Group]:
        return [*([] if self._actors is None else [self._actors]), *self._groups]


class ResumeHook(PhaseHook):
    """Restores the state when the session starts, and says what no checkpoint holds."""

    def __init__(self, part: ResumePart, frames: tf.Tensor, noted: TrainedFrames, restored: bool):
        """Args:
        part: that has been loaded if there is a checkpoint.
        frames: environment frames of all phases together, int64 [].
        noted: what earlier starts have trained.
        restored: whether the session starts from a checkpoint.
        """
        self._part = part
        self._frames = frames
        self._noted = noted
        self._restored = restored

    def after_create_session(self, session: tf.Session, coord: Any) -> None:
        """Restores what was saved; nothing plays yet."""
        if not self._restored:
            return
        for sentence in self._part.restore(session):
            console.say(sentence)
        lost = self._noted.read() - int(session.run(self._frames))
        if lost > 0:
            console.say(
                f'{lost:,} frames that were trained after the checkpoint are lost: they are played '
                'and trained again'
            )

    def fail(self, error: Exception) -> None:
        """The games are not in a state that can be saved."""
        self._part.fail()

    def before_run(self, run_context: Any) -> tf.train.SessionRunArgs:
        """Asks for the frames after the update."""
        return tf.train.SessionRunArgs(self.phase.step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Notes them."""
        self._noted.note(int(run_values.results))
