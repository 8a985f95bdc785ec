"""Recorded demonstrations (`--demonstrations`): the place in their episodes."""

from typing import Any, List, Mapping, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import saved_arrays
from sc2impala.saved_arrays import Arrays
from sc2impala.training.component import Component
from sc2impala.training.run import Run
from sc2impala.training.state import State


def make(run: Run) -> List[Component]:
    """Returns the component."""
    component = Component()
    component.states = [Recordings(run.graph.recorded.made)]
    return [component]


class Recordings(State):
    """Where the streams of recorded episodes are."""

    name = 'recordings'
    otherwise = 'recorded episodes are read in a new order'

    def __init__(self, streams: Sequence[Any]):
        """Args: streams: `demonstrations.Streams`."""
        self._streams = list(streams)

    def get_state(self, session: tf.Session) -> Arrays:
        """See `State`."""
        return saved_arrays.join(
            {str(index): streams.get_state() for index, streams in enumerate(self._streams)}
        )

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `State`."""
        saved_arrays.check(state, self.get_state(session))
        for index, streams in enumerate(self._streams):
            streams.set_state(saved_arrays.part(state, str(index)))
