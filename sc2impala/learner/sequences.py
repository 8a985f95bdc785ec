"""What both learners do with a batch of sequences before any loss: shift, masks, counting."""

import collections
from typing import Any, Optional, Tuple

import tensorflow.compat.v1 as tf

Steps = collections.namedtuple(
    'Steps', ['rewards', 'infos', 'done', 'behaviour', 'learner', 'bootstrap_value']
)
"""The T steps of a sequence: what the action chosen at t brought, who chose it and what the learner
makes of the same observation. All [T, B] but bootstrap_value, the last baseline, [B]."""


def shift(env_outputs: Any, agent_outputs: Any, learner_outputs: Any) -> Steps:
    """Aligns [T + 1, B]: rewards and behaviour are `[1:]`, the learner's outputs `[:-1]`."""

    def later(nest):
        return tf.nest.map_structure(lambda t: t[1:], nest)

    return Steps(
        rewards=env_outputs.reward[1:],
        infos=later(env_outputs.info),
        done=env_outputs.done[1:],
        behaviour=later(agent_outputs),
        learner=tf.nest.map_structure(lambda t: t[:-1], learner_outputs),
        bootstrap_value=learner_outputs.baseline[-1],
    )


def trained(infos: Any) -> tf.Tensor:
    """float32 [T, B]: 0 on the step with which an episode was aborted, which nobody learns from."""
    return 1.0 - tf.cast(infos.aborted, tf.float32)


def countable(steps: Steps, is_new: tf.Tensor) -> Tuple[tf.Tensor, Any]:
    """What may enter a statistic: `done` and `infos` without replayed columns and aborted episodes.

    Returns:
      bool [T, B], and EpisodeInfo of [T, B] whose `aborted` is set in new columns only.
    """
    aborted = tf.logical_and(steps.infos.aborted, is_new)
    done = steps.done & is_new & ~steps.infos.aborted
    return done, steps.infos._replace(aborted=aborted)


def is_new(
    rewards: tf.Tensor, is_replay: Optional[tf.Tensor], batch_size_from_replay: int
) -> tf.Tensor:
    """bool [B]: not `is_replay`, or all columns but the last `batch_size_from_replay`."""
    if is_replay is not None:
        return tf.logical_not(is_replay)
    columns = tf.shape(rewards)[1]
    return tf.range(columns) < columns - batch_size_from_replay


def count_frames(step_mul: tf.Tensor, is_new: tf.Tensor) -> tf.Tensor:
    """Environment frames of the new columns: int32 [T, B], bool [B] -> int64 []."""
    return tf.reduce_sum(tf.cast(step_mul, tf.int64) * tf.cast(is_new, tf.int64))


def check_sizes(
    rewards: tf.Tensor, batch_size: Optional[int], unroll_length: Optional[int]
) -> None:
    """Holds [T + 1, B] against the sizes that the caller expects.

    Raises:
      ValueError: if a static dimension is known and differs.
    """
    steps, columns = rewards.shape.as_list()
    for name, expected, found in (
        ('batch_size', batch_size, columns),
        ('unroll_length', unroll_length, None if steps is None else steps - 1),
    ):
        if expected is not None and found is not None and expected != found:
            raise ValueError(f'{name} is {expected}, but the sequences given have {found}')
