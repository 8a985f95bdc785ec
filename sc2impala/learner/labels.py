"""The labels of a demonstrator in the observations of an agent.

    observation['demonstration'] = {'action': {head: int32 []}, 'step_mul': int32 [],
                                    'plays': bool [], 'valid': bool []}

is the demonstrator's choice on this observation, if `valid` is set. A demonstrator that compares M
candidates adds a distribution over them, see `envs.specs`. T is the unroll length, B the batch
size.
"""

from typing import Dict, Mapping, NamedTuple, Optional

import tensorflow.compat.v1 as tf

from sc2impala.agents.policy import Choice, JointPolicy
from sc2impala.learner import losses
from sc2impala.structs import DEMONSTRATION as KEY
from sc2impala.structs import AgentOutput, Nest


class Labels(NamedTuple):
    """Choices of the demonstrator for the steps of a batch.

    action: dict of int32 [T, B]; 0 where there is no label.
    step_mul: int32 [T, B]; 1 where there is no label.
    mask: float32 [T, B], 0 for steps without a label, or with an unavailable one.
    candidates: dict of int32 [T, B, M] with other choices, None without any.
    weights: float32 [T, B, M], their distribution; all 0 where the label alone is known.
    """

    action: Dict[str, tf.Tensor]
    step_mul: tf.Tensor
    mask: tf.Tensor
    candidates: Optional[Dict[str, tf.Tensor]] = None
    weights: Optional[tf.Tensor] = None

    @property
    def choice(self) -> Choice:
        """Returns the labels without their mask."""
        return Choice(self.action, self.step_mul)


def read(observation: Mapping[str, Nest]) -> Labels:
    """Returns the labels of the first T of T + 1 observations of [T + 1, B].

    Raises:
      ValueError: if the observations have no labels.
    """
    if KEY not in observation:
        raise ValueError('cloning needs observations with labels, but there is no demonstrator')
    labels = tf.nest.map_structure(lambda t: t[:-1], observation[KEY])
    available = observation['available_actions'][:-1]
    valid = labels['valid']
    candidates = labels.get('candidates', {'action': None, 'weights': None})
    # Invalid labels may have any value, also out of range.
    action = {
        name: tf.where(valid, choice, tf.zeros_like(choice))
        for name, choice in labels['action'].items()
    }
    is_label = tf.one_hot(action['function'], available.shape[-1], True, False, dtype=tf.bool)
    is_available = tf.reduce_any(tf.logical_and(available, is_label), axis=-1)
    return Labels(
        action=action,
        step_mul=tf.where(valid, labels['step_mul'], tf.ones_like(labels['step_mul'])),
        mask=tf.cast(tf.logical_and(valid, is_available), tf.float32),
        candidates=candidates['action'],
        weights=candidates['weights'],
    )


def log_probs(policy: JointPolicy, parameters: AgentOutput, labels: Labels) -> tf.Tensor:
    """Returns log pi(label), float32 [T, B]; its expectation over candidates where they are known.

    Args:
      policy: policy of the agent.
      parameters: its logits given the labels, of [T, B].
      labels: labels of [T, B].
    """
    of_label = policy.log_prob(parameters, labels.choice)
    if labels.candidates is None:
        return of_label
    expected = policy.expected_log_prob(
        parameters, labels.choice, labels.candidates, labels.weights
    )
    return tf.where(tf.reduce_sum(labels.weights, axis=-1) > 0, expected, of_label)


def given(observation: Mapping[str, Nest]) -> Dict[str, tf.Tensor]:
    """Returns the labels of T + 1 observations by head, -1 without a label: int32 [T + 1, B]."""
    labels = observation[KEY]
    return {
        name: tf.where(labels['valid'], choice, -tf.ones_like(choice))
        for name, choice in labels['action'].items()
    }


def loss(
    policy: JointPolicy, parameters: AgentOutput, observation: Mapping[str, Nest], resets: tf.Tensor
) -> tf.Tensor:
    """-log pi(label), summed over time and batch, float32 []; also of steps of a demonstrator.

    Args:
      policy: policy of the agent.
      parameters: its logits given the labels, of [T, B].
      observation: observation of [T + 1, B].
      resets: bool [T, B], see `sequences.Steps`: the final observation of a truncated episode has
        no label, as no action follows it.
    """
    labels = read(observation)
    mask = labels.mask * (1.0 - tf.cast(resets, tf.float32))
    return tf.reduce_sum(losses.demonstration_loss(log_probs(policy, parameters, labels), mask))


def agreement(policy: JointPolicy, parameters: AgentOutput, labels: Labels) -> Dict[str, tf.Tensor]:
    """Returns the accuracy of the most probable choices of a policy.

    Args:
      policy: policy of the agent.
      parameters: its logits, of [T, B].
      labels: labels of [T, B].

    Returns:
      float32 []: `accuracy/<head>`, over the labels whose function uses the head; `agreement`, over
      all labels, agreement of every used head; and `labelled`, the fraction of steps with a label.
      All are 0 without labels.
    """
    agrees = {
        name: tf.equal(choice, labels.action[name])
        for name, choice in policy.mode(parameters.action_logits).items()
    }
    used = policy.used_heads(labels.choice)
    if policy.learn_step_mul:
        best = tf.argmax(parameters.step_mul_logits, axis=-1, output_type=tf.int32) + 1
        agrees['step_mul'] = tf.equal(best, labels.step_mul)
        used['step_mul'] = tf.ones_like(agrees['step_mul'])
    in_all = tf.reduce_all(
        tf.stack([agrees[name] | tf.logical_not(used[name]) for name in sorted(agrees)]), axis=0
    )
    result = {
        'accuracy/' + name: _mean(agrees[name], labels.mask * tf.cast(used[name], tf.float32))
        for name in sorted(agrees)
    }
    result['agreement'] = _mean(in_all, labels.mask)
    result['labelled'] = tf.reduce_mean(labels.mask)
    return result


def _mean(condition: tf.Tensor, weight: tf.Tensor) -> tf.Tensor:
    """Weighted fraction of steps that satisfy a condition, float32 []; 0 if all weights are 0."""
    return tf.math.divide_no_nan(
        tf.reduce_sum(tf.cast(condition, tf.float32) * weight), tf.reduce_sum(weight)
    )
