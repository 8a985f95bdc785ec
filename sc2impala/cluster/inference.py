"""Central inference: the operation that chooses the actions of all actors.

A run of it takes all waiting requests, runs the agent on all of them at once, and puts the
replies into the queues of the actors, and complete sequences into the queue of the batches. While
it runs the next requests gather: batches are as large as the load makes them. Nothing in it waits
for an actor; it waits for requests, and while the queue of the batches is full.

N is the number of games in a batch, T the unroll length.
"""

from typing import TYPE_CHECKING, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import actors
from sc2impala.cluster import requests
from sc2impala.cluster.accounts import Accounts
from sc2impala.cluster.inference_server import Batch, InferenceServer, Specs
from sc2impala.structs import ActorOutput, Nest

if TYPE_CHECKING:
    from sc2impala.agents.agent import Agent
    from sc2impala.agents.teacher import Teacher
    from sc2impala.envs.specs import ObservationSpec

MAX_REQUESTS = 64
"""Largest number of requests in a batch."""


class Inference(NamedTuple):
    """Operations of the learner.

    step: answers all waiting requests, or the next one that arrives.
    waiting: number of waiting requests, int32 [].
    close: cancels all operations blocked on the queues, in this and other processes.
    server: state of `step`.
    """

    step: tf.Operation
    waiting: tf.Tensor
    close: tf.Operation
    server: InferenceServer


def build_inference(
    agent: 'Agent',
    queue: actors.SequenceQueue,
    step_specs: Specs,
    run: str,
    accounts: Accounts,
    policy_version: Sequence[tf.Variable],
    teacher: Optional['Teacher'] = None,
    device: Optional[str] = None,
) -> Inference:
    """Builds the operations.

    Args:
      agent: `agents.agent.Agent`, with its variables.
      queue: queue of the batches, of `ActorOutput`s.
      step_specs: see `specs_of_step`.
      run: id of this run.
      accounts: decide which sequences are trained on.
      policy_version: int64 variables with the environment frames and the updates of the weights.
      teacher: `agents.teacher.Teacher` that also computes outputs, or None.
      device: device of the agent; None for the CPU.
    """
    num_steps = queue.spec.env_outputs.done.shape.as_list()[0]
    server = InferenceServer(run, step_specs, num_steps - 1, accounts)
    with tf.device('/cpu'):
        waiting = requests.request_queue()
        with tf.control_dependencies([_fill_slots()]):
            headers, contents = _take_waiting(waiting)
        batch, sequences = _receive(
            server, headers, contents, _initial_states(agent, teacher), policy_version, queue.spec
        )
    with tf.device(device):
        is_active = teacher.is_active() if teacher else None
        chosen = actors.choose(
            agent, (batch.action, batch.env_output), batch.states, teacher, is_active
        )
    with tf.device('/cpu'):
        replied = _reply(server, chosen)
        with tf.control_dependencies([replied]):
            flat = [tf.identity(tensor) for tensor in sequences]
        step = queue.queue.enqueue_many(flat)
        close = waiting.close(cancel_pending_enqueues=True)
    return Inference(step, waiting.size(), close, server)


def specs_of_step(
    agent: 'Agent', observation_spec: 'ObservationSpec', teacher: Optional['Teacher'] = None
) -> Specs:
    """Returns the specs of data between actor, server and agent.

    Args:
      agent: `agents.agent.Agent`.
      observation_spec: `envs.specs.ObservationSpec`.
      teacher: `agents.teacher.Teacher` or None.
    """
    return Specs(
        states=(agent.state_spec(), teacher.agent.state_spec() if teacher else ()),
        env_output=actors.env_output_spec(observation_spec),
        agent_output=agent.output_spec(),
        teacher_logits=teacher.output_spec() if teacher else (),
    )


def _fill_slots() -> tf.Operation:
    """Marks all reply queues as free, once."""
    filled = tf.Variable(
        False,
        trainable=False,
        collections=[tf.GraphKeys.LOCAL_VARIABLES],
        use_resource=True,
        name='cluster_slots_filled',
    )
    slots = requests.slot_queue()

    def fill() -> tf.Operation:
        with tf.control_dependencies([filled.assign(True).op]):
            return slots.enqueue_many(tf.range(requests.NUM_SLOTS))

    return tf.cond(filled.read_value(), tf.no_op, fill)


def _take_waiting(waiting: tf.FIFOQueue) -> Tuple[tf.Tensor, tf.Tensor]:
    """Dequeues all waiting requests, at least one: two string [n]."""
    first = waiting.dequeue()
    with tf.control_dependencies(first):
        others = waiting.dequeue_many(tf.minimum(waiting.size(), MAX_REQUESTS - 1))
    headers, contents = (tf.concat([[a], b], axis=0) for a, b in zip(first, others))
    return headers, contents


def _initial_states(agent: 'Agent', teacher: Optional['Teacher']) -> Tuple[Nest, Nest]:
    return agent.initial_state(1), teacher.agent.initial_state(1) if teacher else ()


def _receive(
    server: InferenceServer,
    headers: tf.Tensor,
    contents: tf.Tensor,
    initial_states: Nest,
    policy_version: Sequence[tf.Variable],
    sequence_spec: ActorOutput,
) -> Tuple[Batch, List[tf.Tensor]]:
    """`Batch` of [N, ...], and the components of complete sequences."""
    specs = server.specs
    batch_spec = Batch(specs.agent_output.action, specs.env_output, specs.states)
    flat_specs = tf.nest.flatten(batch_spec), tf.nest.flatten(sequence_spec)
    nothing = [np.zeros([0] + s.shape.as_list(), s.dtype.as_numpy_dtype) for s in flat_specs[1]]

    def receive(
        headers: np.ndarray, contents: np.ndarray, frames: int, updates: int, *states: np.ndarray
    ) -> List[np.ndarray]:
        batch, sequences = server.receive(
            headers.tolist(),
            contents.tolist(),
            tf.nest.pack_sequence_as(specs.states, list(states)),
            (int(frames), int(updates)),
        )
        flat = nothing
        if sequences:
            flat = [np.concatenate(a) for a in zip(*map(tf.nest.flatten, sequences))]
        return tf.nest.flatten(batch) + flat

    version = [variable.read_value() for variable in policy_version]
    both = flat_specs[0] + flat_specs[1]
    tensors = tf.numpy_function(
        receive,
        [headers, contents, *version, *tf.nest.flatten(initial_states)],
        [s.dtype for s in both],
        name='receive_requests',
    )
    for tensor, spec in zip(tensors, both):
        tensor.set_shape([None] + spec.shape.as_list())
    count = len(flat_specs[0])
    return tf.nest.pack_sequence_as(batch_spec, tensors[:count]), tensors[count:]


def _reply(server: InferenceServer, chosen: Nest) -> tf.Operation:
    """Enqueues the replies to a batch, and frees the queues of lost actors."""
    specs = server.specs
    structure = specs.agent_output, specs.teacher_logits, specs.states

    def reply(*arrays: np.ndarray) -> List[np.ndarray]:
        slots, texts = server.reply(*tf.nest.pack_sequence_as(structure, list(arrays)))
        return [slots, texts, server.take_free_slots()]

    slots, texts, free = tf.numpy_function(
        reply, tf.nest.flatten(chosen), [tf.int32, tf.string, tf.int32], name='reply'
    )
    for tensor in (slots, texts, free):
        tensor.set_shape([None])
    handles = tf.stack([requests.reply_queue(i).queue_ref for i in range(requests.NUM_SLOTS)])

    def put(index: tf.Tensor) -> tf.Tensor:
        handle = tf.gather(handles, slots[index])
        done = tf.raw_ops.QueueEnqueueV2(handle=handle, components=[texts[index]], timeout_ms=-1)
        with tf.control_dependencies([done]):
            return index + 1

    count = tf.while_loop(
        lambda index: index < tf.size(slots),
        put,
        [tf.constant(0)],
        parallel_iterations=1,
        back_prop=False,
    )
    return tf.group(count, requests.slot_queue().enqueue_many(free))
