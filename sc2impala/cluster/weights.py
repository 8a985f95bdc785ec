"""The copy of the learner's variables with which an actor acts."""

from typing import Callable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.cluster import run_info as run_info
from sc2impala.cluster.run_info import VariableInfo
from sc2impala.errors import UserError
from sc2impala.structs import Nest


class State(NamedTuple):
    """Activity of the learner.

    stage: see `run_info`.
    share: share of the demonstrator; `run_info.NO_LABELS` while it is off.
    updates: number of updates of the weights.
    """

    stage: int
    share: float
    updates: int


class Weights:
    """Reads from the learner, and assigns in the graph of the actor.

    variables: variables of the actor, the number of updates last.
    """

    def __init__(self, variables: Sequence[tf.Variable], updates: tf.Variable):
        """Builds the assignments to variables of the default graph.

        Args:
          variables: all variables copied from the learner, without `updates`.
          updates: the number of updates of the weights, int64 [].
        """
        # The number of updates last: sequences never claim to be newer than they are.
        self.variables = list(variables) + [updates]
        self._placeholders = [tf.placeholder(v.dtype, v.shape) for v in self.variables]
        assigned = [v.assign(p).op for v, p in zip(variables, self._placeholders)]
        with tf.control_dependencies(assigned):
            self._assign = updates.assign(self._placeholders[-1]).op
        self._remote: List[tf.Tensor] = []
        self._state: List[tf.Tensor] = []

    def build_remote(self, of_learner: Mapping[str, VariableInfo]) -> None:
        """Builds the reads in the default graph of a client.

        Args:
          of_learner: `RunInfo.variables`.

        Raises:
          UserError: if the learner does not have one of the variables.
        """
        for variable in self.variables:
            _check(variable, of_learner.get(variable.op.name))
        self._remote = [
            run_info.remote_variable(v.op.name, *_arguments(of_learner[v.op.name]))
            for v in self.variables
        ]
        status = run_info.remote_variable(run_info.STATUS, tf.float64, [2], '/device:CPU:0')
        self._state = [status, self._remote[-1]]

    def read_state(self, run: Callable[[Nest], Nest]) -> State:
        """Requests the activity of the learner.

        Args:
          run: `Link.run`.
        """
        status, updates = run(self._state)
        return State(int(status[0]), float(status[1]), int(updates))

    def read(self, run: Callable[[Nest], Nest]) -> List[np.ndarray]:
        """Reads all variables; they may be of two consecutive updates."""
        return run(self._remote)

    def assign(self, session: tf.Session, values: Sequence[np.ndarray]) -> None:
        """Assigns read values in the session of the actor."""
        session.run(self._assign, dict(zip(self._placeholders, values)))


def _arguments(description: VariableInfo) -> Tuple[tf.DType, List[int], str]:
    dtype, shape, device = description
    return tf.as_dtype(dtype), shape, device


def _check(variable: tf.Variable, description: Optional[VariableInfo]) -> None:
    """Raises: UserError: if the learner has no such variable."""
    own = [variable.dtype.base_dtype.name, variable.shape.as_list()]
    found = None if description is None else list(description[:2])
    if found != own:
        raise UserError(
            f'the learner has {found} as {variable.op.name}, expected {own}: it has another agent '
            'than this actor.'
        )
