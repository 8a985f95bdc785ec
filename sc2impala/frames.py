"""The environment frames (game loops of StarCraft II) that each step really took.

The environments report the running total of an episode: the last step of an episode may take fewer
frames than its step multiplier, and a step in which the game died counts none.
"""

from typing import Any

import numpy as np


def count(env_outputs: Any, step_mul: np.ndarray, overlap: int = 0) -> np.ndarray:
    """Frames of each step of sequences.

    Args:
      env_outputs: `structs.EnvOutput` of arrays [B, T + 1]; the observation is not used.
      step_mul: int32 [B, T + 1], the multipliers that were played, aligned with the outputs.
      overlap: O, how many more steps at the start repeat those of another sequence.

    Returns:
      int64 [B, T - O], of the steps after the first O + 1, which repeat those of another one.
    """
    totals, steps, step_mul = (
        array[:, overlap:]
        for array in (env_outputs.info.episode_frames, env_outputs.info.episode_steps, step_mul)
    )
    return frames_between(
        np, totals[:, :-1], totals[:, 1:], steps[:, :-1], steps[:, 1:], step_mul[:, 1:]
    ).astype(np.int64)


def frames_between(
    library: Any,
    frames_before: Any,
    frames: Any,
    steps_before: Any,
    steps: Any,
    step_mul: Any,
) -> Any:
    """Frames of steps, from the totals of their episodes before and after them.

    Where a step does not follow the one before it, as where a recorded episode is entered in its
    middle, only its multiplier is known.

    Args:
      library: `numpy`, or `tensorflow.compat.v1`, of which the other arguments are arrays.
      frames_before, frames: environment frames of the episode, int32.
      steps_before, steps: agent steps of the episode, int32.
      step_mul: the multiplier of the step, int32.
    """
    of_new_episode = library.where(library.equal(steps, 1), frames, step_mul)
    return library.where(
        library.equal(steps, steps_before + 1) & library.not_equal(steps, 1),
        frames - frames_before,
        library.minimum(of_new_episode, frames),
    )
