"""Rewards, returns and temporal difference errors of an episode, as an algorithm computes them.

T is the number of steps. The last step ends the episode: nothing follows it.
"""

from typing import Any

import numpy as np

from sc2impala.learner.losses import FRAMES_PER_DISCOUNT


def learned_rewards(rewards: np.ndarray, scaling: float, clipping: str) -> np.ndarray:
    """Scales and clips rewards like `learner.rewards.transform`, float32 [T].

    Raises:
      ValueError: if the kind of clipping is unknown.
    """
    rewards = np.asarray(rewards, np.float32) * np.float32(scaling)
    if clipping == 'abs_one':
        return np.clip(rewards, -1.0, 1.0)
    if clipping == 'soft_asymmetric':
        squashed = 5.0 * np.tanh(rewards / 5.0)
        return np.where(rewards < 0.0, 0.3 * squashed, squashed).astype(np.float32)
    if clipping != 'none':
        raise ValueError(f'clipping is {clipping!r}, expected none, abs_one or soft_asymmetric.')
    return rewards


def discounts(step_mul: np.ndarray, discounting: float, per_frame: bool) -> np.ndarray:
    """Returns the discount after each step, float32 [T]; 0 after the last one.

    Args:
      step_mul: int [T], frames of each step.
      discounting: discount per agent step, or per FRAMES_PER_DISCOUNT frames.
      per_frame: whether it depends on the frames of a step.
    """
    exponents = np.asarray(step_mul) / FRAMES_PER_DISCOUNT if per_frame else np.ones(len(step_mul))
    result = (discounting**exponents).astype(np.float32)
    result[-1:] = 0
    return result


def td_errors(rewards: np.ndarray, discounts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Returns r_t + discount_t V_{t+1} - V_t, float32 [T]: the one-step advantage."""
    following = np.append(values[1:], 0)
    return (rewards + discounts * following - values).astype(np.float32)


def discounted_returns(rewards: np.ndarray, discounts: np.ndarray) -> np.ndarray:
    """Returns the discounted sum of the rewards from each step on, float32 [T]."""
    result = np.zeros(len(rewards), np.float32)
    total = 0.0
    for t in reversed(range(len(rewards))):
        total = float(rewards[t]) + float(discounts[t]) * total
        result[t] = total
    return result


def describe(returns: Any) -> str:
    """Describes in a sentence what values and advantages refer to.

    Args:
      returns: `settings.learning.ReturnSettings`.
    """
    unit = f'{FRAMES_PER_DISCOUNT} frames' if returns.discounting_per_frame else 'step'
    text = 'TD error: reward + discounted next value - value, discount '
    text += f'{returns.discounting:g} per {unit}'
    if returns.reward_scaling != 1:
        text += f', rewards times {returns.reward_scaling:g}'
    if returns.reward_clipping != 'none':
        text += f', clipped ({returns.reward_clipping})'
    left_out = [
        text
        for text, used in (
            ('shaping', returns.reward_shaping != 'none'),
            ('gains', bool(returns.gain_rewards)),
        )
        if used
    ]
    if left_out:
        text += f'; without the {" and ".join(left_out)} of the training'
    return text + '.'
