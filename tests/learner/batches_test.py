"""The batches of phases: one per source, staged only where the learner has a device of its own."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.learner import batch as batch_lib
from sc2impala.learner.sources import Batches, Source
from tests.learner import numbered


class Constant(Source):
    """Always the same sequence."""

    def __init__(self, number):
        self.number = number
        self.calls = 0

    def next_batch(self):
        self.calls += 1
        return batch_lib.make_batch(numbered.tensors(self.number, 1))


@pytest.mark.parametrize('devices', [(), ('/cpu:0',)])
def test_every_source_has_one_batch(devices):
    first, second = Constant(3), Constant(8)
    with tf.Graph().as_default(), tf.Session() as session:
        batches = Batches(devices)
        assert batches.device == (devices[0] if devices else None)
        found = [batches.of(source) for source in (first, second, first)]
        assert found[0] is found[2] and found[0][0] is not found[1][0]
        assert first.calls == second.calls == 1
        stages = [stage for _, stage in found[:2]]
        if not devices:
            assert stages == [None, None]
        else:
            # In the other order: the two staging areas are not confused.
            session.run(stages[1])
            session.run(stages[0])
        states = session.run([batch.agent_state[0] for batch, _ in found[:2]])
    np.testing.assert_array_equal(np.concatenate(states), [[3], [8]])
