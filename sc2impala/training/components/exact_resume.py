"""Exact resume: restores the state of all components, see docs/resume.md.

A run that was stopped or killed continues as if it had not been.
"""

from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import replay, saved_arrays
from sc2impala.errors import UserError
from sc2impala.runtime import console, resume_file
from sc2impala.runtime.checkpoint_parts import Part
from sc2impala.runtime.trained_frames import TrainedFrames
from sc2impala.training.actors import Actors
from sc2impala.training.component import Component
from sc2impala.training.run import Run
from sc2impala.training.state import State


def make(run: Run, part: 'ResumePart') -> List[Component]:
    """Returns the component, which restores before any other has begun."""
    noted = TrainedFrames(run.settings.run.logdir)
    run.stack.callback(noted.close)
    return [ResumeHook(part, run.frames, noted, run.is_restored)]


class ResumePart(Part):
    """The states of actors, queue and components, in one file per checkpoint.

    Its content is restored once the session is there, by `restore`: initial values of local
    variables are set after TensorFlow's checkpoint is restored.
    """

    name = 'resume'
    otherwise = 'all games start new episodes, and what waited for an update is lost'

    def __init__(self, states: Sequence[State], actors: Actors):
        """Args:
        states: besides those of actors and components.
        actors: are halted while their state is read.
        """
        self._actors = actors
        self._states = list(states)
        self._failed = False
        self._loaded: Optional[Mapping[str, np.ndarray]] = None
        self._path = ''

    def add(self, states: Sequence[State]) -> None:
        """Adds states of a component."""
        self._states += states

    def save(self, path: str, session: Any) -> None:
        """Writes the state between two unrolls of each actor; waits for those that are played.

        Games that cannot be saved are not waited for.
        """
        found: Dict[str, Any] = {}
        if self._failed:
            states = [state for state in self._all() if state.survives_errors]
            found.update((state.name, state.get_state(session)) for state in states)
        else:
            with self._actors.halted(session):
                for state in self._all():
                    if state.needs_halt:
                        found[state.name] = state.get_state(session)
            for state in self._all():
                if not state.needs_halt:
                    found[state.name] = state.get_state(session)
        replay.save(path, dict(saved_arrays.join(found), format=np.array(resume_file.FORMAT)))

    def fail(self) -> None:
        """To be called after an error: an actor may have stopped within an unroll.

        Only what does not depend on actors is saved from now on.
        """
        self._failed = True

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
        sentences = []
        for state in self._all():
            arrays = saved_arrays.part(loaded, state.name)
            if not arrays and state.is_never_empty:
                sentences.append(f'{state.otherwise}: that was not saved')
                continue
            try:
                state.set_state(session, arrays)
            except saved_arrays.DifferentState as error:
                sentences.append(f'{state.otherwise}: {str(error).rstrip(".")}')
            except ValueError as error:
                raise UserError(
                    f'{self._path} cannot be restored ({error}); move it away to go on without it.'
                ) from error
        return sentences

    def _all(self) -> List[State]:
        return [*self._states, *self._actors.states]


class ResumeHook(Component):
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
