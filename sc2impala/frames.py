"""The environment frames (game loops of StarCraft II) of each step.

The environments report the running total of an episode: the last step of an episode may take fewer
frames than its step multiplier, and a step in which the game died counts none. A truncated episode
ends with a step that only starts the next one, see `structs.EnvOutput`; it counts no frame either.
"""

from types import ModuleType

import numpy as np

from sc2impala.structs import EnvOutput, Nest


def count(env_outputs: EnvOutput, step_mul: np.ndarray, overlap: int = 0) -> np.ndarray:
    """Frames of each step of sequences.

    Args:
      env_outputs: `structs.EnvOutput` of arrays [B, T + 1]; the observation is not used.
      step_mul: int32 [B, T + 1], the executed multipliers, aligned with the outputs.
      overlap: O, number of extra steps by which consecutive sequences overlap.

    Returns:
      int64 [B, T - O], of the steps after the first O + 1, which overlap.
    """
    before, after = (
        env_outputs._replace(
            reward=(),
            info=env_outputs.info._make(array[:, part] for array in env_outputs.info),
            done=env_outputs.done[:, part],
            observation=(),
        )
        for part in (slice(overlap, -1), slice(overlap + 1, None))
    )
    return frames_between(np, before, after, step_mul[:, overlap + 1 :]).astype(np.int64)


def is_reset(library: ModuleType, before: EnvOutput, after: EnvOutput) -> Nest:
    """Returns True for steps that only start the next episode after a truncated one.

    They end the episode without an agent step. Two consecutive episodes of a single step have
    the same totals too, but there the previous step is the end of an episode.

    Args:
      library: `numpy`, or `tensorflow.compat.v1`, the library of the other arguments.
      before, after: `EnvOutput`s of the previous step, and of the step.

    Returns:
      bool, of the shape of `done`.
    """
    steps = after.info.episode_steps
    continues = library.logical_or(library.logical_not(before.done), library.greater(steps, 1))
    same_steps = library.equal(steps, before.info.episode_steps)
    return library.logical_and(library.logical_and(after.done, same_steps), continues)


def frames_between(
    library: ModuleType, before: EnvOutput, after: EnvOutput, step_mul: Nest
) -> Nest:
    """Returns the frames of steps, from episode totals before and after them.

    If a step does not follow the previous one, e.g. if a stream enters a recorded episode in its
    middle, only its multiplier is known.

    Args:
      library: `numpy`, or `tensorflow.compat.v1`, the library of the other arguments.
      before, after: `EnvOutput`s of the previous step, and of the step.
      step_mul: the multiplier of the step, int32.

    Returns:
      int32, of the shape of `done`.
    """
    frames, steps = after.info.episode_frames, after.info.episode_steps
    of_new_episode = library.where(library.equal(steps, 1), frames, step_mul)
    played = library.where(
        library.equal(steps, before.info.episode_steps + 1) & library.not_equal(steps, 1),
        frames - before.info.episode_frames,
        library.minimum(of_new_episode, frames),
    )
    return library.where(is_reset(library, before, after), library.zeros_like(played), played)
