"""Terms of a loss that hold an agent near something: CLEAR, a teacher, a demonstrator's labels.

T is the unroll length, B the batch size. They are the same in every actor-critic algorithm.
"""

from typing import Any, Dict, Optional, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.learner import labels as labels_lib
from sc2impala.learner import losses, sequences
from sc2impala.learner.batch import Batch
from sc2impala.learner.sequences import Steps
from sc2impala.learner.value_normalisation import ValueNormalisation
from sc2impala.settings.learning import ActorCriticSettings

Terms = Dict[str, Tuple[Any, tf.Tensor]]
"""Cost, a number or float32 [], and loss of each step, float32 [T, B], by name."""


def anchor_terms(
    settings: ActorCriticSettings,
    policy: Any,
    batch: Batch,
    steps: Steps,
    normalisation: ValueNormalisation,
    teacher_cost: Optional[tf.Tensor],
) -> Terms:
    """What holds the agent near what it was, or near a teacher.

    Args:
      settings: costs.
      policy: `agents.policy.JointPolicy`.
      batch: B columns.
      steps: of [T, B].
      normalisation: of the baseline.
      teacher_cost: float32 [], the present weight of the teacher; None without one.
    """
    terms: Terms = {}
    if batch.num_replay:
        terms.update(_cloning_terms(settings, policy, batch, steps, normalisation))
    if batch.teacher_logits and teacher_cost is not None:
        teacher = sequences.teacher_logits(batch)
        kl = policy.kl(teacher, steps.learner, steps.behaviour)
        terms['teacher'] = teacher_cost, losses.teacher_loss(kl, teacher.valid)
    return terms


def _cloning_terms(
    settings: ActorCriticSettings,
    policy: Any,
    batch: Batch,
    steps: Steps,
    normalisation: ValueNormalisation,
) -> Terms:
    """The cloning losses of CLEAR, 0 in new columns."""
    pi, mu, replayed = steps.learner, steps.behaviour, sequences.replayed(batch)
    policy_cloning = losses.policy_cloning_loss(policy.kl(mu, pi, mu))
    value_cloning = losses.value_cloning_loss(pi.baseline, mu.baseline)
    value_cloning = normalisation.divided(value_cloning, power=2)
    return {
        'policy_cloning': (settings.policy_cloning_cost, replayed * policy_cloning),
        'value_cloning': (settings.value_cloning_cost, replayed * value_cloning),
    }


def label_loss(settings: ActorCriticSettings, policy: Any, batch: Batch, steps: Steps) -> tf.Tensor:
    """The loss of labels, summed; also of steps that a demonstrator played. float32 [].

    The final observation of a truncated episode has none: no action follows it.
    """
    labels = labels_lib.read(batch.env_outputs.observation)
    acted = 1.0 - tf.cast(steps.resets, tf.float32)
    log_probs = policy.log_prob(steps.labelled or steps.learner, labels)
    loss = losses.demonstration_loss(log_probs, labels.mask * acted)
    return settings.demonstration_cost * tf.reduce_sum(loss)
