"""Action values over the dictionary of heads: a dueling Q function with a branch for each head.

The outputs of any agent are read as a dueling network (Wang et al. 2016, arXiv 1511.06581) with
branches (Tavakoli et al. 2018, arXiv 1711.08946): the baseline is the value V of the state, and the
logits of a head, minus their mean over its available choices, are the head's advantages,

    A_h(c) = logits_h(c) - mean_c' logits_h(c'),
    Q(a) = V + mean over the heads h that the function of a uses of A_h(a_h).

The function is a head, and so is the step multiplier if it is learned. All functions are
elementwise over any leading dimensions, written [...]: [K] in an actor, [T, B] in the learner.
"""

from typing import Dict

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.agents.policy import UNAVAILABLE_LOGIT, Choice, Chosen, JointPolicy
from sc2impala.structs import AgentOutput


class ActionValues:
    """Values of actions, and the action of the highest value.

    Of `outputs` only `action_logits`, `step_mul_logits` and `baseline` are read.
    """

    def __init__(self, policy: JointPolicy):
        """Args: policy: policy with the heads; its probabilities are not used."""
        self._heads = list(policy.heads)
        self._learn_step_mul = policy.learn_step_mul
        self._head_used = policy.head_used
        # How many heads each function uses, float32 [F].
        self._num_used = np.full([policy.heads['function']], 1 + self._learn_step_mul, np.float32)
        self._num_used += sum(self._head_used.values())

    def value(self, outputs: AgentOutput, choice: Chosen) -> tf.Tensor:
        """Returns Q(choice), float32 [...]."""
        advantages, function = self._advantages(outputs), choice.action['function']
        total = _pick(advantages['function'], function)
        for name, used in self._head_used.items():
            total += tf.gather(used, function) * _pick(advantages[name], choice.action[name])
        if self._learn_step_mul:
            total += _pick(advantages['step_mul'], choice.step_mul - 1)
        return outputs.baseline + total / tf.gather(self._num_used, function)

    def greedy(self, outputs: AgentOutput) -> Choice:
        """Returns the available action of the highest value: int32 [...] by head, and step_mul.

        It is the maximum over all actions: the best choice of a head does not depend on the other
        heads, and the function is chosen by its value with the best arguments. The step
        multiplier is 1 if it is not learned.
        """
        advantages = self._advantages(outputs)
        best = {name: tf.reduce_max(values, axis=-1) for name, values in advantages.items()}
        of_functions = advantages['function']
        for name, used in self._head_used.items():
            of_functions += used * best[name][..., tf.newaxis]
        if self._learn_step_mul:
            of_functions += best['step_mul'][..., tf.newaxis]
        # Only available functions are divided: a division could raise the others above them.
        available = is_available(outputs.action_logits['function'])
        means = tf.where(available, of_functions / self._num_used, advantages['function'])
        action = {name: _argmax(values) for name, values in advantages.items()}
        action['function'] = _argmax(means)
        step_mul = action.pop('step_mul', tf.zeros_like(action['function'])) + 1
        return Choice(action, step_mul)

    def soft_value(self, outputs: AgentOutput, temperature: float) -> tf.Tensor:
        """Returns temperature * log sum_a exp(Q(a) / temperature) over all actions, float32 [...].

        It is the value, with its entropy, of the policy that is proportional to
        exp(Q / temperature), with the log-probability (Q(a) - soft value) /
        temperature of an action a. Arguments that its function does not use are not part of a.
        """
        advantages = self._advantages(outputs)
        of_functions = tf.zeros_like(advantages['function'])
        for number in sorted(set(self._num_used.tolist())):
            # Given the function the choices of its heads are independent of each other.
            sums = advantages['function'] / number
            soft = {
                name: _soft_maximum(values / number, temperature)[..., tf.newaxis]
                for name, values in advantages.items()
                if name != 'function'
            }
            for name, used in self._head_used.items():
                sums += used * soft[name]
            if self._learn_step_mul:
                sums += soft['step_mul']
            of_functions += np.float32(self._num_used == number) * sums
        return outputs.baseline + _soft_maximum(of_functions, temperature)

    def _advantages(self, outputs: AgentOutput) -> Dict[str, tf.Tensor]:
        """A_h of every head, float32 [..., choices]; UNAVAILABLE_LOGIT where not available."""
        logits = {name: outputs.action_logits[name] for name in self._heads}
        available = is_available(logits['function'])
        if self._learn_step_mul:
            logits['step_mul'] = outputs.step_mul_logits
        result = {
            name: values - tf.reduce_mean(values, axis=-1, keepdims=True)
            for name, values in logits.items()
            if name != 'function'
        }
        function, weights = logits['function'], tf.cast(available, tf.float32)
        total = tf.reduce_sum(
            tf.where(available, function, tf.zeros_like(function)), axis=-1, keepdims=True
        )
        count = tf.reduce_sum(weights, axis=-1, keepdims=True)
        centred = function - total / tf.maximum(count, 1.0)
        result['function'] = tf.where(
            available, centred, tf.fill(tf.shape(function), UNAVAILABLE_LOGIT)
        )
        return result


def is_available(function_logits: tf.Tensor) -> tf.Tensor:
    """Returns the mask of available functions, bool [..., F], from masked logits."""
    return function_logits > 0.5 * UNAVAILABLE_LOGIT


def _pick(values: tf.Tensor, index: tf.Tensor) -> tf.Tensor:
    """Returns values[..., index[...]]: float32 [..., choices] and int32 [...] to float32 [...]."""
    # A product with a one-hot row: the gradient is dense, and exact on GPUs.
    return tf.reduce_sum(values * tf.one_hot(index, values.shape[-1]), axis=-1)


def _soft_maximum(values: tf.Tensor, temperature: float) -> tf.Tensor:
    return temperature * tf.reduce_logsumexp(values / temperature, axis=-1)


def _argmax(values: tf.Tensor) -> tf.Tensor:
    return tf.argmax(values, axis=-1, output_type=tf.int32)
