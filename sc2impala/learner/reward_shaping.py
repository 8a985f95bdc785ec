"""Reward shaping: a term that is added to the rewards from which the agent learns.

The rewards of the games, and with them the returns of episodes, stay as they are. T is the unroll
length, B the batch size. A kind of shaping is a function of what a batch holds, with the arguments

    policy: `agents.policy.JointPolicy`.
    steps: `sequences.Steps` of [T, B].
    rewards: float32 [T, B], after scaling and clipping.
    discounts: float32 [T, B], after each step.

which returns float32 [T, B], what `--reward_shaping_cost` is charged for; and a line in `MEASURES`.
"""

from typing import Any, Callable, Dict

import tensorflow.compat.v1 as tf

from sc2impala.learner import gains
from sc2impala.learner.sequences import Steps
from sc2impala.settings.learning import ReturnSettings

Measure = Callable[[Any, Steps, tf.Tensor, tf.Tensor], tf.Tensor]


def environment_frames(
    unused_policy: Any, steps: Steps, unused_rewards: tf.Tensor, unused_discounts: tf.Tensor
) -> tf.Tensor:
    """The frames that each step took: a price of time, whatever the step multiplier is."""
    return tf.cast(steps.frames, tf.float32)


def behaviour_entropy(
    policy: Any, steps: Steps, unused_rewards: tf.Tensor, unused_discounts: tf.Tensor
) -> tf.Tensor:
    """The entropy of the policy at the time of acting, in nats, of the heads that were used.

    With a negative cost it is the reward of maximum entropy learning (Haarnoja et al. 2018, arXiv
    1801.01290, equation 1). It is 0 where a demonstrator played: its policy is not recorded.
    """
    entropy = policy.entropy(steps.behaviour, steps.behaviour)
    if tf.nest.flatten(steps.demonstrated):
        entropy = tf.where(steps.demonstrated, tf.zeros_like(entropy), entropy)
    return entropy


def absolute_td_error(
    unused_policy: Any, steps: Steps, rewards: tf.Tensor, discounts: tf.Tensor
) -> tf.Tensor:
    """|r_t + gamma_t V(x_{t+1}) - V(x_t)| with the current baseline V.

    Its expectation is the negative controllability of a state and action of Gehring and Precup
    2013, 'Smart exploration in reinforcement learning using absolute temporal difference errors'
    (section 4). The reward is the one without shaping.
    """
    values = steps.learner.baseline
    following = tf.concat([values[1:], steps.bootstrap_value[tf.newaxis]], axis=0)
    return tf.abs(rewards + discounts * following - values)


MEASURES: Dict[str, Measure] = {
    'fixed': environment_frames,
    'entropy': behaviour_entropy,
    'uncertainty': absolute_td_error,
}
"""What `--reward_shaping` can name, besides 'none'."""


def shape_rewards(
    policy: Any,
    steps: Steps,
    rewards: tf.Tensor,
    discounts: tf.Tensor,
    settings: ReturnSettings,
) -> tf.Tensor:
    """Returns rewards - cost * measure, float32 [T, B]; the rewards themselves without shaping.

    No gradient flows through the measure.

    Args:
      policy, steps, rewards, discounts: see above.
      settings: kind and cost.

    Raises:
      ValueError: unknown kind.
    """
    kind = settings.reward_shaping
    if settings.gain_rewards:
        gained = gains.rewards(steps.vectors, settings.gain_rewards, steps.done)
        rewards += steps.gain_share * gained
    if kind == 'none':
        return rewards
    if kind not in MEASURES:
        raise ValueError(f'`kind` must be none or one of {list(MEASURES)}, but is {kind!r}.')
    measure = tf.stop_gradient(MEASURES[kind](policy, steps, rewards, discounts))
    return rewards - settings.reward_shaping_cost * measure


def metrics(steps: Steps, rewards: tf.Tensor, shaped: tf.Tensor) -> Dict[str, tf.Tensor]:
    """Mean rewards of the steps of new columns that carry a loss.

    Args:
      steps: of [T, B].
      rewards: float32 [T, B], after scaling and clipping.
      shaped: float32 [T, B], the same after shaping.

    Returns:
      float32 [] by tag; 0 where no step counts.
    """
    counted = steps.mask * tf.cast(steps.is_new, tf.float32)

    def mean(values: tf.Tensor) -> tf.Tensor:
        return tf.math.divide_no_nan(tf.reduce_sum(values * counted), tf.reduce_sum(counted))

    return {
        'reward/unshaped': mean(rewards),
        'reward/shaping': mean(shaped - rewards),
        'reward/shaped': mean(shaped),
    }
