"""Copies the batch of the next update to the GPU while the current one is computed."""

from typing import Any, Callable, Dict, List, Mapping, Optional, Set

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import saved_arrays
from sc2impala.learner.sources import Batches
from sc2impala.saved_arrays import Arrays
from sc2impala.training.component import Component
from sc2impala.training.run import Run
from sc2impala.training.state import State


def make(run: Run) -> List[Component]:
    """Returns the component."""
    actors, batches = run.graph.actors, run.graph.batches
    hook = StagingHook(actors.fill, batches.staged)
    if actors.is_saved:
        hook.states = [StagedBatches(batches, actors.restore_staged)]
    return [hook]


class StagingHook(Component):
    """Copies the batch of the next update to the device while the current one is computed."""

    def __init__(
        self,
        play: Optional[Callable[[tf.Session], None]] = None,
        staged: Optional[Set[tf.Operation]] = None,
    ):
        """Args:
        play: called with the session before the first batch is copied.
        staged: the operations `stage` whose batch is already on the device; others are added.
        """
        self._play = play
        self._started: Set[tf.Operation] = set() if staged is None else staged

    def before_run(
        self, run_context: tf.train.SessionRunContext
    ) -> Optional[tf.train.SessionRunArgs]:
        """Copies the next batch with the update, and the batch of the first update before it."""
        stage = self.phase.stage
        if stage is None:
            return None
        if stage not in self._started:
            if self._play is not None:
                self._play(run_context.session)
            run_context.session.run(stage)
            self._started.add(stage)
        return tf.train.SessionRunArgs({'stage': stage})


class StagedBatches(State):
    """The batches that wait on the device of the learner."""

    name = 'staged'
    survives_errors = False
    otherwise = 'the batch that waited on the GPU is lost'

    def __init__(self, batches: Batches, restored: Callable[[], None] = lambda: None):
        """Args:
        batches: the batches of the training.
        restored: called when some were restored.
        """
        self._batches = batches
        self._restored = restored

    def get_state(self, session: tf.Session) -> Arrays:
        """See `State`. Reading a batch removes it, so it is put back."""
        result = {}
        for index, staging in enumerate(self._batches.stagings):
            if staging.put not in self._batches.staged:
                continue
            for number, area in enumerate(staging.areas):
                arrays = session.run(list(area.content))
                session.run(area.put, dict(zip(area.new, arrays)))
                result[f'{index}/{number}'] = {str(i): a for i, a in enumerate(arrays)}
        return saved_arrays.join(result)

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `State`."""
        filled: List[Any] = []
        expected: Dict[str, np.ndarray] = {}
        for index, staging in enumerate(self._batches.stagings):
            if not saved_arrays.part(state, str(index)):
                continue
            filled.append((index, staging))
            for number, area in enumerate(staging.areas):
                for i, tensor in enumerate(area.new):
                    array = np.empty(tensor.shape.as_list(), tensor.dtype.as_numpy_dtype)
                    expected[f'{index}/{number}/{i}'] = array
        saved_arrays.check(state, expected)
        for index, staging in filled:
            for number, area in enumerate(staging.areas):
                arrays = {t: state[f'{index}/{number}/{i}'] for i, t in enumerate(area.new)}
                session.run(area.put, arrays)
            self._batches.staged.add(staging.put)
        if filled:
            self._restored()
