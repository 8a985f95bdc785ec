"""The loss terms and discounts, as pure functions of tensors.

T is the length of the unroll, B the batch size. Tensors are float32 [T, B] unless stated otherwise.
Each loss has one value per step; the caller masks, weights and sums them.
"""

from typing import Union

import tensorflow.compat.v1 as tf

FRAMES_PER_DISCOUNT = 8
"""Environment frames (StarCraft II game loops) to which a discount per frame refers: the default
step of PySC2."""


def policy_gradient_loss(action_log_probs: tf.Tensor, advantages: tf.Tensor) -> tf.Tensor:
    """Returns -log pi(a) * advantage. Its gradient reaches `action_log_probs` only."""
    return -action_log_probs * tf.stop_gradient(advantages)


def baseline_loss(vs: tf.Tensor, baseline: tf.Tensor) -> tf.Tensor:
    """Returns 1/2 (vs - V)^2. Its gradient, V - vs, reaches `baseline` only."""
    return 0.5 * tf.math.squared_difference(tf.stop_gradient(vs), baseline)


def entropy_loss(entropy: tf.Tensor) -> tf.Tensor:
    """Returns the negative entropy of the policy; minimising it encourages exploration."""
    return -entropy


def policy_cloning_loss(kl: tf.Tensor) -> tf.Tensor:
    """Returns `kl`, KL(mu || pi) of the behaviour policy mu and the target policy pi, unchanged.

    This is the first cloning term of CLEAR (Rolnick et al. 2018, arXiv:1811.11682). The logits of
    mu are read from the replay buffer, so the gradient of `kl` reaches the logits of pi only.
    """
    return kl


def demonstration_loss(label_log_probs: tf.Tensor, labelled: tf.Tensor) -> tf.Tensor:
    """Returns -log pi(label) where `labelled` is not 0, and 0 elsewhere.

    Its gradient reaches `label_log_probs` of labelled steps only; the others may have any value.
    """
    return tf.where(labelled > 0.0, -label_log_probs, tf.zeros_like(label_log_probs))


def teacher_loss(kl: tf.Tensor, valid: tf.Tensor) -> tf.Tensor:
    """Returns `kl`, KL(teacher || pi), where `valid`, bool, and 0 elsewhere.

    The distillation term of kickstarting (Schmitt et al. 2018, arXiv:1803.03835), up to the entropy
    of the teacher. The logits of the teacher are constants: the gradient reaches only pi's.
    """
    return tf.where(valid, kl, tf.zeros_like(kl))


def value_cloning_loss(baseline: tf.Tensor, behaviour_baseline: tf.Tensor) -> tf.Tensor:
    """Returns (V - V_replay)^2, the second cloning term of CLEAR, without a factor of 1/2.

    Its gradient, 2 (V - V_replay), reaches `baseline` only.
    """
    return tf.math.squared_difference(baseline, tf.stop_gradient(behaviour_baseline))


def step_discounts(
    done: tf.Tensor,
    step_mul: Union[int, tf.Tensor],
    discounting: Union[float, tf.Tensor],
    per_frame: bool,
) -> tf.Tensor:
    """Computes the discount after each step; 0 if the episode ended with the step.

    Args:
      done: bool [T, B].
      step_mul: int32 [T, B] or one number, environment frames of the step.
      discounting: the discount per agent step, or per FRAMES_PER_DISCOUNT frames if `per_frame`.
      per_frame: if True the discount is discounting ** (step_mul / FRAMES_PER_DISCOUNT). Otherwise
        an agent that chooses its step multiplier could extend its horizon by longer steps.

    Returns:
      float32 [T, B].
    """
    if per_frame:
        discounting = tf.pow(discounting, tf.cast(step_mul, tf.float32) / FRAMES_PER_DISCOUNT)
    return discounting * tf.cast(tf.logical_not(done), tf.float32)
