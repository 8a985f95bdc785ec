"""One update on several devices: the columns of a batch in equal parts, the agent on each of them.

Only the agent is replicated. Each device unrolls it over its part of the columns, with the same
variables; then the outputs of all parts are joined, in the order of the columns, and the rest
works on the whole batch: targets, losses, statistics, diagnostics. So an algorithm does not
depend on devices, and results equal one device's up to rounding. The gradient of a part
is computed where the part was unrolled; the gradients of a variable are added before the step of
the optimizer.

T is the unroll length, B the batch size.
"""

from typing import Callable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.structs import EnvOutput, Nest

_DEVICES = 'learner_devices'
"""Graph collection with the devices of all unrolled parts."""


class Part(NamedTuple):
    """Part of a batch on one device, which unrolls B / n columns.

    device: e.g. '/gpu:1'.
    actions: dict of int32 [T + 1, B / n], the actions before each observation.
    env_outputs: EnvOutput of [T + 1, B / n].
    """

    device: str
    actions: Mapping[str, tf.Tensor]
    env_outputs: EnvOutput


def make_parts(
    actions: Mapping[str, tf.Tensor], env_outputs: EnvOutput, devices: Sequence[str]
) -> Tuple[Part, ...]:
    """Makes one part per device; copies nothing to the devices yet.

    Args:
      actions: dict of int32 [T + 1, B].
      env_outputs: `EnvOutput` of [T + 1, B].
      devices: n devices, where n divides B.
    """
    pieces = split((actions, env_outputs), len(devices), axis=1)
    return tuple(Part(device, *piece) for device, piece in zip(devices, pieces))


def unroll(
    run: Callable[..., Tuple[Nest, Nest]],
    parts: Sequence[Part],
    core_state: Nest,
    options: Mapping[str, Nest],
) -> Tuple[Nest, Nest]:
    """Runs `Agent.unroll` for every part on its device.

    Args:
      run: `unroll` or `unroll_with_labels` of an `agents.agent.Agent` whose variables exist.
      parts: see `make_parts`.
      core_state: nest of [B, ...], the recurrent state before the first step.
      options: further arguments of `run` by name, nests of [T + 1, B, ...].

    Returns:
      The results of `run`: outputs of [T + 1, B], and the state after the last step, nest of
      [B, ...].
    """
    states = split(core_state, len(parts), axis=0)
    own_options = split(options, len(parts), axis=1)
    outputs, last_states = [], []
    for index, (part, state, own) in enumerate(zip(parts, states, own_options)):
        with tf.device(part.device), tf.name_scope(f'tower_{index}'):
            output, last_state = run(part.actions, part.env_outputs, state, **own)
        outputs.append(output)
        last_states.append(last_state)
        tf.add_to_collection(_DEVICES, part.device)
    return join(outputs, axis=1), join(last_states, axis=0)


def gradients(loss: tf.Tensor, variables: Sequence[tf.Variable]) -> List[Optional[tf.Tensor]]:
    """`tf.gradients`, computed on the devices of the forward pass if there are several."""
    spread = bool(tf.get_collection(_DEVICES))
    return tf.gradients(loss, variables, colocate_gradients_with_ops=spread)


def split(nest: Nest, count: int, axis: int) -> List[Nest]:
    """Splits every tensor of a nest into `count` equal parts along an axis."""
    flat = [tf.split(tensor, count, axis) for tensor in tf.nest.flatten(nest)]
    return [
        tf.nest.pack_sequence_as(nest, [pieces[index] for pieces in flat]) for index in range(count)
    ]


def join(nests: Sequence[Nest], axis: int) -> Nest:
    """Concatenates the tensors of nests of the same structure along an axis."""
    return tf.nest.map_structure(lambda *pieces: tf.concat(pieces, axis), *nests)
