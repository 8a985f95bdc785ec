"""Targets of policy and baseline: from shifted sequences to V-trace or plain returns.

T is the unroll length, B the batch size.
"""

from typing import Dict, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from sc2impala.agents.policy import JointPolicy
from sc2impala.learner import losses, reward_shaping
from sc2impala.learner.sequences import Steps
from sc2impala.settings.learning import ReturnSettings


def vtrace_targets(
    policy: JointPolicy, steps: Steps, settings: ReturnSettings, trace_decay: float = 1.0
) -> Tuple[tf.Tensor, vtrace.VTraceReturns]:
    """V-trace with the joint importance weights of all heads that were used.

    Args:
      policy: of the agent.
      steps: of [T, B].
      settings: discount and reward transformation.
      trace_decay: lambda of V-trace.

    Returns:
      log pi(a), float32 [T, B], through which gradients flow; and `VTraceReturns` of [T, B],
      through which none do.
    """
    log_probs, inputs = off_policy_inputs(policy, steps, settings)
    with tf.device('/cpu'):
        return log_probs, vtrace.from_importance_weights(trace_decay=trace_decay, **inputs)


def upgo_advantages(policy: JointPolicy, steps: Steps, settings: ReturnSettings) -> tf.Tensor:
    """Advantages of UPGO, float32 [T, B]; the arguments are those of `vtrace_targets`."""
    _, inputs = off_policy_inputs(policy, steps, settings)
    with tf.device('/cpu'):
        return vtrace.upgo_advantages(**inputs)


def clip_advantages(advantages: tf.Tensor, clip: bool) -> tf.Tensor:
    """Advantages, float32 [T, B], with the negative ones set to 0 if `clip`."""
    return tf.maximum(advantages, 0.0) if clip else advantages


def return_targets(policy: JointPolicy, steps: Steps, settings: ReturnSettings) -> tf.Tensor:
    """Discounted returns to the end of the unroll plus the bootstrap value, float32 [T, B]."""
    rewards, discounts = rewards_and_discounts(policy, steps, settings)
    return vtrace.discounted_returns(
        rewards,
        discounts,
        steps.bootstrap_value,
        mask=steps.mask,
        values=steps.learner.baseline,
    )


def off_policy_inputs(
    policy: JointPolicy, steps: Steps, settings: ReturnSettings
) -> Tuple[tf.Tensor, Dict[str, tf.Tensor]]:
    """log pi(a), float32 [T, B], and the arguments that V-trace and UPGO share."""
    log_probs = policy.log_prob(steps.learner, steps.behaviour)
    behaviour_log_probs = policy.log_prob(steps.behaviour, steps.behaviour)
    rewards, discounts = rewards_and_discounts(policy, steps, settings)
    return log_probs, dict(
        log_rhos=log_probs - behaviour_log_probs,
        discounts=discounts,
        rewards=rewards,
        values=steps.learner.baseline,
        bootstrap_value=steps.bootstrap_value,
        mask=steps.mask,
    )


def shaping_metrics(
    policy: JointPolicy, steps: Steps, settings: ReturnSettings
) -> Dict[str, tf.Tensor]:
    """Mean rewards before and after shaping, float32 [] by tag; none without shaping."""
    if settings.reward_shaping == 'none' and not settings.gain_rewards:
        return {}
    rewards, discounts = _unshaped(steps, settings)
    shaped = reward_shaping.shape_rewards(policy, steps, rewards, discounts, settings)
    found = reward_shaping.metrics(steps, rewards, shaped)
    if settings.gain_rewards and settings.gain_decay:
        found['reward/gain_share'] = steps.gain_share
    return found


def rewards_and_discounts(
    policy: JointPolicy, steps: Steps, settings: ReturnSettings
) -> Tuple[tf.Tensor, tf.Tensor]:
    """Scaled, clipped and shaped rewards, and the discount after each step, float32 [T, B]."""
    rewards, discounts = _unshaped(steps, settings)
    return (
        reward_shaping.shape_rewards(policy, steps, rewards, discounts, settings),
        discounts,
    )


def _unshaped(steps: Steps, settings: ReturnSettings) -> Tuple[tf.Tensor, tf.Tensor]:
    """Scaled and clipped rewards, and the discount after each step, float32 [T, B]."""
    rewards = losses.transform_rewards(
        steps.rewards, settings.reward_scaling, settings.reward_clipping
    )
    discounts = losses.step_discounts(
        steps.done,
        steps.behaviour.step_mul,
        settings.discounting,
        settings.discounting_per_frame,
    )
    return rewards, discounts
