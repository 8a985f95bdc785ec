"""Refuses runs whose minimum memory use exceeds the available RAM, before building the graph.

These are lower bounds, from shapes alone; what TensorFlow needs between operations comes on top.
A training that they let pass may still be too large; one that they refuse is too large for sure.
"""

from typing import NamedTuple, Sequence, Union

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.errors import UserError
from sc2impala.runtime import memory
from sc2impala.settings import resolve, validation
from sc2impala.settings.settings import Settings
from sc2impala.structs import ActorOutput

_COPIES_OF_WEIGHTS = 4
"""The weights, their gradient, and the two moments of Adam."""

_COPIES_OF_BATCH = 2
"""The current batch and the next one."""

_NUM_LISTED = 3


class Need(NamedTuple):
    """Memory of a part of a run.

    what: name of the part, in the plural.
    num_bytes: lower bound of its size.
    flags: flags that reduce it.
    """

    what: str
    num_bytes: float
    flags: Sequence[str]


def check(
    settings: Settings, agent: Agent, spec: ActorOutput, num_games: int, learns_here: bool
) -> None:
    """Checks that a run fits into the memory of the machine.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent` whose variables exist; they have no values yet.
      spec: `ActorOutput` of `tf.TensorSpec`s of one sequence.
      num_games: number of games in this process.
      learns_here: True if the learner has its batches in main memory, not on a GPU.

    Raises:
      UserError: if it does not fit.
    """
    needs = training_needs(settings, agent.trainable_variables, spec, num_games, learns_here)
    total, available = sum(need.num_bytes for need in needs), memory.available_bytes()
    if total <= available:
        return
    largest = sorted(needs, key=lambda need: -need.num_bytes)[:_NUM_LISTED]
    parts = ', '.join(f'{need.what} {memory.text(need.num_bytes)}' for need in largest)
    values = settings.values()
    flags = resolve.flags_text({name: values[name] for name in largest[0].flags})
    raise UserError(
        f'{flags} need at least {memory.text(total)} of memory ({parts}), but only '
        f'{memory.text(available)} are available, expected smaller values of these flags.'
    )


def training_needs(
    settings: Settings,
    variables: Sequence[tf.Variable],
    spec: ActorOutput,
    num_games: int,
    learns_here: bool,
) -> Sequence[Need]:
    """Returns the parts of a run; see `check` for the arguments.

    The replay buffer is not among them: `replay_buffer.make_replay_table` and
    `components.replay_limit` know its compression.
    """
    numbers = settings.actors
    _, batch_size = validation.largest_batch(settings)
    # The queue contains at least a batch before the learner takes it.
    num_queued = min(numbers.queue_capacity or batch_size, batch_size)
    sequence, weights = num_bytes(tf.nest.flatten(spec)), num_bytes(variables)
    # The agent's inputs are float32.
    pixels = num_bytes(tf.nest.flatten(spec.env_outputs.observation), size=4)
    sizes = ('screen_size', 'minimap_size')
    return [
        Need(
            'weights, gradients and moments of the agent',
            (_COPIES_OF_WEIGHTS if learns_here else 1) * weights,
            ('agent', *sizes),
        ),
        Need(
            'unfinished sequences',
            num_games * sequence,
            ('num_actors', 'num_envs', 'unroll_length', *sizes),
        ),
        Need(
            'sequences in the queue',
            num_queued * sequence,
            ('batch_size', 'unroll_length', *sizes),
        ),
        Need(
            'batches of the learner',
            batch_size * (_COPIES_OF_BATCH * sequence + pixels) if learns_here else 0,
            ('batch_size', 'unroll_length', *sizes),
        ),
    ]


def num_bytes(arrays: Sequence[Union[tf.Variable, tf.TensorSpec]], size: int = 0) -> float:
    """The bytes of variables or `tf.TensorSpec`s, with `size` bytes per value if given."""
    return sum(
        float(np.prod(array.shape.as_list(), dtype=np.float64)) * (size or array.dtype.size)
        for array in arrays
    )
