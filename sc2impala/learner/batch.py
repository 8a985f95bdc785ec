"""Time-major batches of sequences for algorithms.

T is the unroll length, N the new and R the replayed sequences of a batch, B = N + R.
"""

import functools
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple, Union

import tensorflow.compat.v1 as tf

from sc2impala.learner import towers
from sc2impala.structs import ActorOutput, AgentOutput, EnvOutput, Nest, SequenceInfo, TeacherLogits


class Batch(NamedTuple):
    """A batch of N new and R replayed sequences.

    agent_state: nest of [B, ...], the recurrent state before the first step.
    env_outputs: of [T + 1, B].
    agent_outputs: of [T + 1, B], of the behaviour policy.
    sequence_info: of [B].
    is_replay: bool [B], True for columns from the replay buffer.
    keys: int64 [B], the keys of the sequences in the replay buffer; -1 for sequences outside
        of it.
    probabilities: float32 [B], the probability with which one draw from the replay buffer picks
        the sequence; 1 in new columns.
    num_replay: R, the largest number of replayed columns; 0 for a batch of new sequences.
    teacher_logits: of [T + 1, B], aligned with agent_outputs; () without a teacher.
    stream_state: nest of local variables of [D, ...], if the last D columns come from recordings:
        the recurrent state of the trained agent before their first step, for which `agent_state`
        has zeros. `sequences.unroll` reads it, and writes the state after their last step, from
        which the next batch begins. () otherwise.
    parts: the batch as several devices unroll it, in the order of the columns; () for one device.
    """

    agent_state: Nest
    env_outputs: EnvOutput
    agent_outputs: AgentOutput
    sequence_info: SequenceInfo
    is_replay: tf.Tensor
    keys: tf.Tensor
    probabilities: tf.Tensor
    num_replay: int
    teacher_logits: Union[TeacherLogits, Tuple[()]] = ()
    stream_state: Any = ()
    parts: Tuple[towers.Part, ...] = ()


def make_batch(
    sequences: ActorOutput,
    is_replay: Optional[tf.Tensor] = None,
    keys: Optional[tf.Tensor] = None,
    probabilities: Optional[tf.Tensor] = None,
    num_replay: int = 0,
    stream_state: Nest = (),
) -> Batch:
    """Arranges sequences time-major.

    Args:
      sequences: nest of [B, ...], batch-major as in the queue.
      is_replay: bool [B]; None if all are new.
      keys: int64 [B]; None if the sequences are not in a replay buffer.
      probabilities: float32 [B]; None for 1.
      num_replay: R.
      stream_state: see `Batch`.
    """
    columns = tf.shape(sequences.env_outputs.done)[:1]
    return Batch(
        agent_state=sequences.agent_state,
        env_outputs=tf.nest.map_structure(_time_major, sequences.env_outputs),
        agent_outputs=tf.nest.map_structure(_time_major, sequences.agent_outputs),
        sequence_info=sequences.sequence_info,
        is_replay=tf.fill(columns, False) if is_replay is None else is_replay,
        keys=tf.fill(columns, tf.constant(-1, tf.int64)) if keys is None else keys,
        probabilities=tf.fill(columns, 1.0) if probabilities is None else probabilities,
        num_replay=num_replay,
        teacher_logits=tf.nest.map_structure(_time_major, sequences.teacher_logits),
        stream_state=stream_state,
        parts=(),
    )


_COLUMN_AXES = {
    'agent_state': 0,
    'env_outputs': 1,
    'agent_outputs': 1,
    'sequence_info': 0,
    'is_replay': 0,
    'keys': 0,
    'probabilities': 0,
    'teacher_logits': 1,
}
"""The axis of the columns, by name of the fields of `Batch` with columns."""


def map_columns(function: Callable[..., tf.Tensor], *batches: Batch) -> Dict[str, Nest]:
    """Applies function(axis of the columns, *tensors) to all tensors with columns.

    Args:
      function: see above.
      batches: batches of the same structure.

    Returns:
      The results by name of the field, for `Batch._replace`.
    """
    return {
        name: tf.nest.map_structure(
            functools.partial(function, axis), *[getattr(batch, name) for batch in batches]
        )
        for name, axis in _COLUMN_AXES.items()
    }


def join(batch: Batch, streams: Batch) -> Batch:
    """Concatenates two batches; columns of the second one count as replayed.

    Args:
      batch: a batch without recordings.
      streams: a batch from recordings only, with `stream_state`.
    """
    streams = streams._replace(is_replay=tf.ones_like(streams.is_replay))
    joined = map_columns(lambda axis, a, b: tf.concat([a, b], axis), batch, streams)
    return batch._replace(stream_state=streams.stream_state, **joined)


def last_columns(batch: Batch, count: int) -> Batch:
    """Returns the last columns of a batch; its replayed columns are the last ones.

    Args:
      batch: a batch without recordings, and not split.
      count: number of columns.

    Raises:
      ValueError: if it has recorded columns or is split.
    """
    if batch.parts or tf.nest.flatten(batch.stream_state):
        raise ValueError('columns of recordings, or on several devices, cannot be removed')
    taken = map_columns(lambda axis, t: t[:, -count:] if axis else t[-count:], batch)
    return batch._replace(**taken)


def split(batch: Batch, devices: Sequence[str]) -> Batch:
    """Splits the columns of a batch among devices: see `towers`.

    Args:
      batch: B columns.
      devices: one or more, e.g. '/gpu:1'; their number divides B. With one the batch is unchanged.
    """
    if len(devices) < 2:
        return batch
    parts = towers.make_parts(batch.agent_outputs.action, batch.env_outputs, devices)
    return batch._replace(parts=parts)


_CAPACITY = 2
"""Capacity of staging areas. Between updates they contain one batch. With capacity 1, the next one
would block a thread until the first is taken: enough areas would block the whole session."""


class StagingArea(NamedTuple):
    """Staging area of a device for the next batch, or a part of it.

    content: the staged tensors; reading removes them. new: placeholders of the same
        types. put: stages the placeholders.
    """

    content: Sequence[tf.Tensor]
    new: Sequence[tf.Tensor]
    put: tf.Operation


class Staging(NamedTuple):
    """The copies of batches to devices.

    put: stages the next batch. areas: the areas that it fills.
    """

    put: tf.Operation
    areas: Sequence[StagingArea]


def stage(batch: Batch, device: str, name: str = 'staged_batch') -> Tuple[Batch, Staging]:
    """Copies batches, or their parts, to devices ahead of their use.

    Args:
      batch: the next batch.
      device: target device, e.g. '/gpu:0'.
      name: unique name of the staging area.

    Returns:
      The last staged batch, on `device`, and the stage of the next one. Run its operation
      once before the first batch is used, then with every update.
    """
    # The state of streams is read when the batch is used, after the previous update has written it:
    # it is not copied.
    names = list(_COLUMN_AXES)
    if batch.parts:
        names.remove('env_outputs')
    staged, put, area = _stage([getattr(batch, each) for each in names], device, name)
    staged_batch = batch._replace(**dict(zip(names, staged)))
    if not batch.parts:
        return staged_batch, Staging(put, [area])
    # Each device gets its own observations. They are joined on the first one where a consumer other
    # than the agent needs them, e.g. for labels.
    parts, puts, areas = [], [put], [area]
    for index, part in enumerate(batch.parts):
        columns = (part.actions, part.env_outputs)
        (actions, env_outputs), put, area = _stage(columns, part.device, f'{name}_part_{index}')
        parts.append(towers.Part(part.device, actions, env_outputs))
        puts.append(put)
        areas.append(area)
    with tf.device(device):
        env_outputs = towers.join([part.env_outputs for part in parts], axis=1)
    joined = staged_batch._replace(env_outputs=env_outputs, parts=tuple(parts))
    return joined, Staging(tf.group(puts), areas)


def _stage(tensors: Nest, device: str, name: str) -> Tuple[Nest, tf.Operation, StagingArea]:
    """Builds a staging area: returns the staged nest, and the stage of the next one."""
    flat = tf.nest.flatten(tensors)
    with tf.device(device):
        put = tf.raw_ops.Stage(values=flat, capacity=_CAPACITY, shared_name=name)
        staged = tf.raw_ops.Unstage(
            dtypes=[t.dtype for t in flat], capacity=_CAPACITY, shared_name=name
        )
        new = [tf.placeholder(tensor.dtype, tensor.shape) for tensor in flat]
        put_new = tf.raw_ops.Stage(values=new, capacity=_CAPACITY, shared_name=name)
    for tensor, original in zip(staged, flat):
        tensor.set_shape(original.shape)
    area = StagingArea(staged, new, put_new)
    return tf.nest.pack_sequence_as(tensors, staged), put, area


def _time_major(tensor: tf.Tensor) -> tf.Tensor:
    """[B, T + 1, ...] -> [T + 1, B, ...]."""
    return tf.transpose(tensor, [1, 0] + list(range(2, len(tensor.shape))))
