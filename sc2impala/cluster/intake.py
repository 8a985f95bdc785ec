"""The learner's end: messages of actors become sequences in the queue of the batches."""

import time
from typing import List, NamedTuple, Sequence, Union

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import actors, frames
from sc2impala.cluster import messages
from sc2impala.cluster.accounts import Accounts
from sc2impala.structs import ActorOutput, EnvOutput

INTAKE = 'cluster_intake'


class AccountedQueue(actors.SequenceQueue):
    """A queue that counts the sequences taken into batches."""

    def __init__(self, spec: ActorOutput, capacity: int, accounts: Accounts):
        """Args:
        spec: `ActorOutput` of `tf.TensorSpec`s of one sequence.
        capacity: number of sequences.
        accounts: accounts of the run.
        """
        super().__init__(spec, capacity)
        self._accounts = accounts

    def dequeue_many(self, count: int) -> ActorOutput:
        """Dequeues a nest of [count, ...], as soon as there are that many."""

        def started() -> np.float64:
            return np.float64(time.monotonic())

        def counted(since: np.ndarray, step_mul: np.ndarray, *totals: np.ndarray) -> np.int64:
            secs = time.monotonic() - float(since)
            env_outputs = tf.nest.pack_sequence_as(outputs._replace(observation=()), totals)
            self._accounts.train(len(step_mul), count_frames(env_outputs, step_mul), secs)
            return np.int64(len(step_mul))

        since = tf.numpy_function(started, [], tf.float64, name='wait_for_batch')
        with tf.control_dependencies([since]):
            sequences = super().dequeue_many(count)
        outputs, step_mul = sequences.env_outputs, sequences.agent_outputs.step_mul
        totals = tf.nest.flatten(outputs._replace(observation=()))
        number = tf.numpy_function(
            counted, [since, step_mul, *totals], tf.int64, name='count_trained'
        )
        with tf.control_dependencies([number]):
            return tf.nest.map_structure(tf.identity, sequences)


def count_frames(env_outputs: EnvOutput, step_mul: np.ndarray) -> int:
    """Environment frames of sequences, without their repeated step; see `frames.count`."""
    return int(frames.count(env_outputs, step_mul).sum())


def message_queue(capacity: int) -> tf.FIFOQueue:
    """The queue of messages, shared by the learner and the sessions of its clients.

    Args:
      capacity: number of messages; the same for all.
    """
    return tf.FIFOQueue(capacity, [tf.string, tf.string], [[], []], shared_name=INTAKE, name=INTAKE)


class Intake(NamedTuple):
    """Operations of the learner.

    enqueue: takes a message, and puts its sequences into the queue of the batches.
    waiting: number of messages in the queue, int32 [].
    cancel: cancels all operations blocked on the queues, in this and other processes.
    """

    enqueue: tf.Operation
    waiting: tf.Tensor
    cancel: tf.Operation


def build_intake(
    queue: AccountedQueue, capacity: int, accounts: Accounts, updates: tf.Variable
) -> Intake:
    """Builds the operations.

    Args:
      queue: queue of the batches.
      capacity: capacity of the queue of messages.
      accounts: decide which sequences are trained on.
      updates: variable with the number of updates of the weights, int64 [].
    """
    specs = actors.component_specs(queue.spec)
    dtypes = [s.dtype for s in tf.nest.flatten(queue.spec)]

    def receive(
        header: Union[bytes, np.ndarray], content: Union[bytes, np.ndarray], number: np.ndarray
    ) -> List[np.ndarray]:
        return read_message(_as_bytes(header), _as_bytes(content), specs, accounts, int(number))

    shared = message_queue(capacity)
    header, content = shared.dequeue()
    arrays = tf.numpy_function(
        receive, [header, content, updates.read_value()], dtypes, name='receive'
    )
    for array, (shape, _) in zip(arrays, specs):
        array.set_shape([None] + list(shape))
    cancel = tf.group(
        shared.close(cancel_pending_enqueues=True), queue.queue.close(cancel_pending_enqueues=True)
    )
    return Intake(queue.queue.enqueue_many(arrays), shared.size(), cancel)


def read_message(
    header_text: bytes,
    content: bytes,
    specs: Sequence[messages.Spec],
    accounts: Accounts,
    updates: int,
) -> List[np.ndarray]:
    """Returns the sequences of a message to train on, if any.

    Args:
      header_text: see `messages.Header`.
      content: see `messages.pack`.
      specs: shape and dtype of the components of a sequence.
      accounts: accounts of the run.
      updates: number of updates of the weights so far.

    Returns:
      An array of [n, ...] for each component.
    """
    num_bytes = len(header_text) + len(content)
    nothing = [np.zeros([0] + list(shape), dtype) for shape, dtype in specs]
    try:
        header = messages.read_header(header_text)
        arrays = nothing
        if header.sequences:
            arrays = messages.unpack(content, specs, header.sequences, header.compression)
    except ValueError as error:
        accounts.refuse(num_bytes, str(error))
        return nothing
    return arrays if accounts.admit(header, num_bytes, updates) else nothing


def _as_bytes(value: Union[bytes, np.ndarray]) -> bytes:
    return value if isinstance(value, bytes) else value.item()
