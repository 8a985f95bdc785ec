"""The batches of all phases: one per source, on the devices of the learner."""

from typing import Dict, List, Optional, Sequence, Set, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.learner.batch import Batch, Staging, split, stage
from sc2impala.learner.sources import Source


class Batches:
    """Builds the batch of each source once, staged ahead of its use if there is a GPU.

    device: of the learner, the first if there are several; None for the CPU.
    stagings: of all sources, in the order in which their batches were built; none for the CPU.
    staged: the operations out of these whose areas hold a batch.
    variables: local variables of all sources that an exact resume restores.
    """

    def __init__(self, devices: Sequence[str]):
        """Args: devices: of the learner, which share the columns of a batch; none for the CPU."""
        self.device = devices[0] if devices else None
        self.stagings: List[Staging] = []
        self.staged: Set[tf.Operation] = set()
        self._devices = list(devices)
        self._by_source: Dict[Source, Tuple[Batch, Optional[tf.Operation]]] = {}

    @property
    def variables(self) -> List[tf.Variable]:
        """See above."""
        return [variable for source in self._by_source for variable in source.variables]

    def of(self, source: Source) -> Tuple[Batch, Optional[tf.Operation]]:
        """The next batch of a source.

        Returns:
          The batch; and the operation that copies the batch after it to the device, or None.
        """
        if source not in self._by_source:
            put = None
            with tf.device('/cpu'):
                batch = split(source.next_batch(), self._devices)
            if self.device is not None:
                name = f'staged_batch_{len(self._by_source)}'
                batch, staging = stage(batch, self.device, name)
                self.stagings.append(staging)
                put = staging.put
            self._by_source[source] = batch, put
        return self._by_source[source]
