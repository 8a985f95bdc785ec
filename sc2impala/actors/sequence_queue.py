"""Sequences of actors: their structure, and the queue that carries them to the learner."""

from typing import TYPE_CHECKING, List, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.structs import ActorOutput, Nest

if TYPE_CHECKING:
    from sc2impala.agents.agent import Agent
    from sc2impala.agents.teacher import Teacher
    from sc2impala.envs.specs import ObservationSpec


def env_output_spec(
    observation_spec: 'ObservationSpec', leading: Sequence[int] = ()
) -> structs.EnvOutput:
    """`EnvOutput` of `tf.TensorSpec`s.

    Args:
      observation_spec: `envs.specs.ObservationSpec`.
      leading: dimensions in front of the shapes of one step, e.g. [K].
    """

    def spec(dtype: tf.DType, shape: Sequence[int] = ()) -> tf.TensorSpec:
        return tf.TensorSpec(list(leading) + list(shape), tf.as_dtype(dtype))

    return structs.EnvOutput(
        reward=spec(tf.float32),
        info=structs.EpisodeInfo(
            episode_return=spec(tf.float32),
            episode_frames=spec(tf.int32),
            episode_steps=spec(tf.int32),
            aborted=spec(tf.bool),
        ),
        done=spec(tf.bool),
        observation=tf.nest.map_structure(
            lambda array: spec(array.dtype, array.shape), observation_spec.structure()
        ),
    )


def sequence_spec(
    agent: 'Agent',
    observation_spec: 'ObservationSpec',
    unroll_length: int,
    teacher: Optional['Teacher'] = None,
) -> structs.ActorOutput:
    """`ActorOutput` of the `tf.TensorSpec`s of one sequence.

    Args:
      agent: `agents.agent.Agent`; only its specs are used.
      observation_spec: `envs.specs.ObservationSpec`.
      unroll_length: T; env_outputs and agent_outputs have T + 1 steps.
      teacher: `agents.teacher.Teacher` or None.
    """
    num_steps = unroll_length + 1

    def stack_steps(specs: Nest) -> Nest:
        return tf.nest.map_structure(
            lambda spec: tf.TensorSpec([num_steps] + spec.shape.as_list(), spec.dtype), specs
        )

    return structs.ActorOutput(
        agent_state=agent.state_spec(),
        env_outputs=env_output_spec(observation_spec, [num_steps]),
        agent_outputs=stack_steps(agent.output_spec()),
        sequence_info=structs.SequenceInfo(
            task=tf.TensorSpec([], tf.int32),
            actor=tf.TensorSpec([], tf.int32),
            policy_frames=tf.TensorSpec([], tf.int64),
            policy_updates=tf.TensorSpec([], tf.int64),
        ),
        teacher_logits=() if teacher is None else stack_steps(teacher.output_spec()),
    )


def component_specs(spec: ActorOutput) -> List[Tuple[Tuple[int, ...], type]]:
    """Shape and NumPy dtype of every component of a nest of `tf.TensorSpec`s, flattened."""
    return [(tuple(s.shape.as_list()), s.dtype.as_numpy_dtype) for s in tf.nest.flatten(spec)]


class SequenceQueue:
    """Carries sequences of one structure from the actors to the learner.

    An element is one column of an actor's batch. Enqueueing blocks while there is no room, which
    keeps actors from running ahead of the learner.
    """

    def __init__(self, spec: ActorOutput, capacity: int, shared_name: str = 'sequences'):
        """Args:
        spec: nest of `tf.TensorSpec`s of one sequence, see `actors.sequence_spec`.
        capacity: number of sequences.
        shared_name: sessions of one server that use this name share the queue.
        """
        self.spec = spec
        self.capacity = capacity
        flat = tf.nest.flatten(spec)
        self.queue = tf.FIFOQueue(
            capacity,
            [s.dtype for s in flat],
            [s.shape for s in flat],
            shared_name=shared_name,
            name=shared_name,
        )

    def enqueue_many(self, batch: ActorOutput) -> tf.Operation:
        """Enqueues every column of a nest of [K, ...].

        Raises:
          ValueError: if the structure differs from the spec.
        """
        tf.nest.assert_same_structure(self.spec, batch)
        return self.queue.enqueue_many(tf.nest.flatten(batch))

    def dequeue_many(self, count: int) -> ActorOutput:
        """Dequeues a nest of [count, ...], as soon as there are that many."""
        return self.pack(self.queue.dequeue_many(count))

    def pack(self, flat: Sequence[tf.Tensor]) -> ActorOutput:
        """Arranges a flat list of components in the structure of the elements."""
        return tf.nest.pack_sequence_as(self.spec, flat)

    def size(self) -> tf.Tensor:
        """Number of sequences in the queue, int32 []."""
        return self.queue.size()
