"""The batches of all phases: one per source, on the devices of the learner."""

from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.learner.batch import Batch, Staging, split, stage


class Batches:
    """Builds the batch of each source once, staged ahead of its use if there is a GPU.

    device: of the learner, the first if there are several; None for the CPU.
    stagings: of all sources, in the order in which their batches were built; none for the CPU.
    staged: the operations out of these whose areas hold a batch.
    """

    def __init__(self, devices: Sequence[str]):
        """Args: devices: of the learner, which share the columns of a batch; none for the CPU."""
        self.device = devices[0] if devices else None
        self.stagings: List[Staging] = []
        self.staged: Set[tf.Operation] = set()
        self._devices = list(devices)
        self._by_source: Dict[Any, Tuple[Batch, Optional[tf.Operation]]] = {}

    def of(self, source: Any) -> Tuple[Batch, Optional[tf.Operation]]:
        """The next batch of a `learner.sources.Source`.

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
