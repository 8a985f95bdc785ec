"""Schedules over environment frames, the reduction of losses, and one step of the optimizer."""

from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

import tensorflow.compat.v1 as tf

from sc2impala.learner import towers
from sc2impala.settings.learning import AdamSettings
from sc2impala.structs import AgentOutput

_FINITE = 'gradient_is_finite'

Terms = Dict[str, Tuple[Union[float, tf.Tensor], tf.Tensor]]
"""Terms of a loss: cost, a number or float32 [], and loss of each step, float32 [T, B], by name."""


class Schedule(NamedTuple):
    """The progress of a phase.

    frames: int64 [] variable, environment frames of the phase so far.
    num_frames: its length in environment frames.
    """

    frames: tf.Variable
    num_frames: float

    def linear(self, start: float, end: float, part: float = 1.0, warmup: int = 0) -> tf.Tensor:
        """Interpolates from `start` at frame 0 to `end` after a part of the phase, float32 [].

        Over the first `warmup` frames it is multiplied by a factor that rises from 0 to 1.
        """
        frames = int(max(1.0, part * self.num_frames))
        value = tf.train.polynomial_decay(start, self.frames, frames, end)
        if warmup:
            value *= tf.minimum(tf.cast(self.frames, tf.float32) / float(warmup), 1.0)
        return value


def weighted_sum(terms: Terms, mask: tf.Tensor) -> Tuple[Dict[str, tf.Tensor], tf.Tensor]:
    """Sums the terms of a loss over time and batch, as IMPALA does, and adds them up in order.

    Args:
      terms: cost and loss by name.
      mask: float32 [T, B], 0 for steps without loss.

    Returns:
      The sum of every term with its cost, float32 [] by name, and the total, float32 [].
    """
    weighted = {}
    with tf.name_scope('loss_terms'):
        for index, (name, (cost, loss)) in enumerate(terms.items()):
            # Graph rewriting sorts the inputs of a sum by name: with explicit names the order of
            # summation does not depend on the rest of the graph. It would also remove a product
            # with 1, and its name.
            numbered = f'{index:02d}_{name}'
            if isinstance(cost, float) and cost == 1.0:
                weighted[name] = tf.reduce_sum(loss * mask, name=numbered)
            else:
                weighted[name] = tf.multiply(cost, tf.reduce_sum(loss * mask), name=numbered)
        return weighted, tf.add_n(list(weighted.values()))


def loss_metrics(
    terms: Terms, weighted: Mapping[str, tf.Tensor], total: tf.Tensor
) -> Dict[str, tf.Tensor]:
    """`loss/<term>`, `loss/total_loss`, and `<term>_cost` where a schedule changes it.

    Args:
      terms: cost and loss by name.
      weighted: sum of every term with its cost, float32 [] by name.
      total: float32 [].
    """
    metrics = {'loss/' + name: value for name, value in weighted.items()}
    metrics['loss/total_loss'] = total
    costs = {name + '_cost': cost for name, (cost, _) in terms.items() if tf.is_tensor(cost)}
    return {**metrics, **costs}


def adam_step(
    loss: tf.Tensor,
    variables: Sequence[tf.Variable],
    learning_rate: Union[float, tf.Tensor],
    settings: AdamSettings,
    name: str,
    when: Optional[tf.Tensor] = None,
) -> Tuple[tf.Operation, tf.Tensor]:
    """One step of Adam down the gradient, clipped by its global norm.

    Variables that the loss does not depend on stay unchanged. If the gradient is not finite, the
    operation fails with an InvalidArgumentError and changes nothing, see `gradient_is_finite`.

    Args:
      loss: float32 [].
      variables: the trained variables.
      learning_rate: number, or float32 [].
      settings: settings of Adam; `clip_grad_norm` 0 does not clip.
      name: name of the optimizer and its slots in checkpoints.
      when: bool []; False leaves the variables and Adam's step count unchanged. None for always.

    Returns:
      The operation, and the norm before clipping, float32 [].

    Raises:
      ValueError: if the loss depends on none of the variables.
    """
    found = towers.gradients(loss, variables)
    pairs = [(g, v) for g, v in zip(found, variables) if g is not None]
    if not pairs:
        raise ValueError(
            f'the loss depends on none of the {len(variables)} variables to be trained; an agent '
            'has its weights once it has been called, e.g. by `create_variables`'
        )
    gradients, variables = zip(*pairs)
    norm = tf.global_norm(gradients)
    with tf.control_dependencies([gradient_is_finite().assign(tf.is_finite(norm))]):
        norm = tf.check_numerics(norm, 'the gradient is not finite')
    if settings.clip_grad_norm:
        gradients, _ = tf.clip_by_global_norm(gradients, settings.clip_grad_norm, use_norm=norm)
    optimizer = tf.train.AdamOptimizer(
        learning_rate,
        settings.adam_beta1,
        settings.adam_beta2,
        settings.adam_epsilon,
        name=name,
    )

    def apply() -> tf.Operation:
        return optimizer.apply_gradients(zip(gradients, variables))

    with tf.control_dependencies([norm]):
        return (apply() if when is None else tf.cond(when, apply, tf.no_op)), norm


def gradient_is_finite() -> tf.Variable:
    """Local variable, bool []: True if the latest gradient was finite.

    It distinguishes this failure of an update from others, also inside a loop of the graph.
    """
    with tf.init_scope():
        if not tf.get_collection(_FINITE):
            tf.Variable(
                True,
                trainable=False,
                collections=[tf.GraphKeys.LOCAL_VARIABLES, _FINITE],
                use_resource=True,
                name=_FINITE,
            )
        return tf.get_collection(_FINITE)[0]


def second_moments(variables: Sequence[tf.Variable], name: str) -> List[tf.Variable]:
    """The running means of the squared gradients of the variables that an `adam_step` trains.

    Args:
      variables: the trained variables; others are ignored.
      name: name of the step, which has been built.
    """
    # TensorFlow names the two slots of a variable <optimizer> and <optimizer>_1.
    by_name = {variable.op.name: variable for variable in tf.global_variables()}
    names = [f'{variable.op.name}/{name}_1' for variable in variables]
    return [by_name[name] for name in names if name in by_name]


def critic_variables(
    learner_outputs: AgentOutput, variables: Sequence[tf.Variable]
) -> List[tf.Variable]:
    """Returns variables that the baseline depends on, and no output of the policy.

    Raises:
      ValueError: if there are none.
    """
    policy_outputs = tf.nest.flatten(
        [learner_outputs.action_logits, learner_outputs.step_mul_logits]
    )
    of_policy = _sources(policy_outputs)
    of_baseline = _sources([learner_outputs.baseline])
    own = [v for v in variables if v.handle.op in of_baseline - of_policy]
    if not own:
        raise ValueError(
            'the critic of this agent shares all its variables with the policy: give it a layer of '
            'its own, or pre-train all variables'
        )
    return own


def _sources(outputs: Sequence[tf.Tensor]) -> Set[tf.Operation]:
    """Returns the operations to which a gradient of the outputs flows.

    They are found by a search from the outputs: gradients, which are None for others, would double
    the operations of the update.
    """
    found: Set[tf.Operation] = set()
    waiting = [output.op for output in outputs]
    while waiting:
        operation = waiting.pop()
        if operation in found or operation.type in ('StopGradient', 'PreventGradient'):
            continue
        found.add(operation)
        waiting.extend(
            each.op
            for each in operation.inputs
            if each.dtype.is_floating or each.dtype == tf.resource
        )
    return found
