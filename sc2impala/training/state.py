"""Interface of state that an exact resume restores in addition to variables and replay."""

import abc
from typing import Mapping, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import saved_arrays
from sc2impala.saved_arrays import Arrays


class State(abc.ABC):
    """A part of the state of a run, restored as a whole or not at all.

    A state that does not fit, for instance because the run resumes with other actors, starts from
    its initial value.

    name: name of the part, unique within a run.
    otherwise: what happens if it is not restored, as a clause.
    is_never_empty: True if a state without arrays means that it could not be saved.
    needs_halt: True if it must be read while no actor acts.
    survives_errors: False if it must not be saved after an error, which may have stopped an actor
      within an unroll.
    survives_transfer: True if it is also restored where the run adopts the weights of another run
      without its games.
    """

    name: str
    otherwise: str
    is_never_empty = False
    needs_halt = True
    survives_errors = True
    survives_transfer = False

    @abc.abstractmethod
    def get_state(self, session: tf.Session) -> Arrays:
        """Returns a copy of the state, {name: array}; empty if it cannot be saved."""

    @abc.abstractmethod
    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """Restores a saved state.

        Raises:
          DifferentState: if it belongs to another run; nothing is changed.
          ValueError: if it is damaged.
        """


class LocalVariables:
    """Local variables; TensorFlow's checkpoint does not include them."""

    def __init__(self, variables: Sequence[tf.Variable]):
        """Args: variables: in any order."""
        self._variables = {v.op.name: v for v in variables}
        with tf.device('/cpu'):
            self._new = {
                name: tf.placeholder(v.dtype.base_dtype, v.shape)
                for name, v in self._variables.items()
            }
        self._set = [v.assign(self._new[name]).op for name, v in self._variables.items()]

    def get_state(self, session: tf.Session) -> Arrays:
        """Returns their values by name."""
        return dict(session.run(self._variables))

    def check(self, state: Mapping[str, np.ndarray]) -> None:
        """Raises: DifferentState: if the variables differ."""
        expected = {
            name: np.empty(t.shape.as_list(), t.dtype.as_numpy_dtype)
            for name, t in self._new.items()
        }
        saved_arrays.check(state, expected)

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """Sets the variables to checked values."""
        session.run(self._set, {self._new[name]: array for name, array in state.items()})

    @staticmethod
    def with_shapes(state: Mapping[str, np.ndarray], initial: Arrays) -> Arrays:
        """Replaces arrays of a state by initial values of the same name and another shape."""
        return {
            name: initial[name] if name in initial and initial[name].shape != array.shape else array
            for name, array in state.items()
        }


class LearnerState(State):
    """Counters of the learner, and its recurrent states on recordings."""

    name = 'learner'
    otherwise = 'updates are counted from 0'

    def __init__(self, variables: Sequence[tf.Variable]):
        """Args: variables: the local variables of the learner."""
        self._variables = LocalVariables(variables)

    def get_state(self, session: tf.Session) -> Arrays:
        """See `State`."""
        return self._variables.get_state(session)

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `State`. Recurrent states of other batch sizes keep their initial values."""
        state = self._variables.with_shapes(state, self.get_state(session))
        self._variables.check(state)
        self._variables.set_state(session, state)
