"""The batches of all phases: one per source, on the device of the learner."""

from typing import Any, Dict, Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.learner.batch import Batch, stage


class Batches:
    """Builds the batch of each source once, staged ahead of its use if there is a GPU.

    device: of the learner, or None for the CPU.
    """

    def __init__(self, device: Optional[str]):
        self.device = device
        self._by_source: Dict[Any, Tuple[Batch, Optional[tf.Operation]]] = {}

    def of(self, source: Any) -> Tuple[Batch, Optional[tf.Operation]]:
        """The next batch of a `learner.sources.Source`.

        Returns:
          The batch; and the operation that copies the batch after it to the device, or None.
        """
        if source not in self._by_source:
            put = None
            with tf.device('/cpu'):
                batch = source.next_batch()
            if self.device is not None:
                name = f'staged_batch_{len(self._by_source)}'
                batch, put = stage(batch, self.device, name)
            self._by_source[source] = batch, put
        return self._by_source[source]
