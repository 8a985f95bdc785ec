"""Discounts, plain returns, and the arguments of V-trace, of shifted sequences.

T is the unroll length, B the batch size.
"""

from typing import Dict

import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from sc2impala.agents.policy import JointPolicy
from sc2impala.learner import losses
from sc2impala.learner.sequences import Steps
from sc2impala.settings.learning import ReturnSettings


def discounts(steps: Steps, settings: ReturnSettings) -> tf.Tensor:
    """The discount after each step, float32 [T, B]; see `losses.step_discounts`."""
    return losses.step_discounts(
        steps.done,
        steps.behaviour.step_mul,
        settings.discounting,
        settings.discounting_per_frame,
    )


def vtrace_inputs(
    policy: JointPolicy, steps: Steps, settings: ReturnSettings
) -> Dict[str, tf.Tensor]:
    """Common arguments of V-trace and UPGO, float32 [T, B] except for the bootstrap value.

    Importance weights are for joint actions: the product over all used heads.
    """
    pi, mu = steps.learner, steps.behaviour
    return dict(
        log_rhos=policy.log_prob(pi, mu) - policy.log_prob(mu, mu),
        discounts=discounts(steps, settings),
        rewards=steps.rewards,
        values=pi.baseline,
        bootstrap_value=steps.bootstrap_value,
        mask=steps.mask,
    )


def returns(steps: Steps, settings: ReturnSettings) -> tf.Tensor:
    """Discounted returns to the end of the unroll plus the bootstrap value, float32 [T, B]."""
    return vtrace.discounted_returns(
        steps.rewards,
        discounts(steps, settings),
        steps.bootstrap_value,
        mask=steps.mask,
        values=steps.learner.baseline,
    )
