"""The joint action distribution: a function, the arguments it uses, and a step multiplier.

Given the logits the heads are independent categorical distributions, and

    log pi(a) = log pi(function) + sum over the heads that this function uses + log pi(step_mul),

the last term only when the step multiplier is learned. Heads that the chosen function does not use
add nothing to log-probabilities, entropy or divergences. Everything here is elementwise over any
leading dimensions, written [...]: [K] in an actor, [T, B] in the learner.
"""

from typing import Any, Dict, Mapping

import numpy as np
import tensorflow.compat.v1 as tf

UNAVAILABLE_LOGIT = -1e9
"""Finite, because minus infinity turns the divergence of two masked distributions into a NaN."""


def mask_unavailable(function_logits: tf.Tensor, available: tf.Tensor) -> tf.Tensor:
    """Takes unavailable functions out of a distribution; no gradient flows to their logits.

    Args:
      function_logits: float32 [..., F].
      available: bool [..., F].

    Returns:
      float32 [..., F].
    """
    return tf.where(available, function_logits, tf.fill(tf.shape(available), UNAVAILABLE_LOGIT))


class JointPolicy:
    """Sampling, log-probability, entropy and divergence over the dictionary of heads.

    The arguments named `parameters` supply `action_logits` and `step_mul_logits`, those named
    `choice` supply `action` and `step_mul`; an `AgentOutput` can serve as both.
    """

    def __init__(
        self, heads: Mapping[str, int], head_used: Mapping[str, np.ndarray], learn_step_mul: bool
    ):
        """Args:
        heads: number of choices of every head; must hold 'function'.
        head_used: for every other head, bool [F]: which functions use it.
        learn_step_mul: whether the step multiplier is a choice of the agent.

        Raises:
          ValueError: if the two do not name the same argument heads.
        """
        if set(head_used) != set(heads) - {'function'}:
            raise ValueError(
                'head_used names {}, expected the argument heads {}'.format(
                    sorted(head_used), sorted(set(heads) - {'function'})
                )
            )
        # A fixed order of summation: results must not depend on the order of a dictionary.
        self.heads = {name: int(heads[name]) for name in sorted(heads)}
        self.learn_step_mul = learn_step_mul
        self._head_used = {
            name: np.asarray(head_used[name], np.float32)
            for name in self.heads
            if name in head_used
        }

    def sample(self, action_logits: Mapping[str, tf.Tensor]) -> Dict[str, tf.Tensor]:
        """Draws every head: float32 [N, choices] each -> int32 [N] each."""
        return {name: sample_categorical(action_logits[name]) for name in self.heads}

    def mode(self, action_logits: Mapping[str, tf.Tensor]) -> Dict[str, tf.Tensor]:
        """The most probable choice of every head: float32 [..., choices] -> int32 [...]."""
        return {name: most_probable(action_logits[name]) for name in self.heads}

    def log_prob(self, parameters: Any, choice: Any) -> tf.Tensor:
        """log pi(choice), float32 [...]."""
        return self._over_used_heads(choice, _log_prob, _logits(parameters), _indices(choice))

    def entropy(self, parameters: Any, choice: Any) -> tf.Tensor:
        """Entropy of the heads that the chosen function uses, float32 [...].

        Its expectation over the function is the entropy of the joint distribution.
        """
        return self._over_used_heads(choice, _entropy, _logits(parameters))

    def kl(self, behaviour: Any, target: Any, choice: Any) -> tf.Tensor:
        """KL(behaviour || target) of the heads that the chosen function uses, float32 [...].

        `choice` holds the actions that the behaviour policy took. No gradient reaches `behaviour`.
        """
        return self._over_used_heads(choice, _kl, _logits(behaviour), _logits(target))

    def used_heads(self, choice: Any) -> Dict[str, tf.Tensor]:
        """Which heads were used by the functions chosen: bool [...] for every head."""
        function = choice.action['function']
        used = {name: tf.gather(by, function) > 0 for name, by in self._head_used.items()}
        return dict(used, function=tf.ones_like(function, tf.bool))

    def _over_used_heads(self, choice, term, *by_head):
        """Sum of term(*[values[head] for values in by_head]) over the heads in use."""

        def of_head(name):
            return term(*[values[name] for values in by_head])

        total = of_head('function')
        for name, used_by in self._head_used.items():
            total += tf.gather(used_by, choice.action['function']) * of_head(name)
        if self.learn_step_mul:
            total += of_head('step_mul')
        return total


def sample_categorical(logits: tf.Tensor) -> tf.Tensor:
    """float32 [N, choices] -> int32 [N]; seeded by the graph."""
    return tf.squeeze(tf.random.categorical(logits, 1, dtype=tf.int32), axis=1)


def most_probable(logits: tf.Tensor) -> tf.Tensor:
    """float32 [..., choices] -> int32 [...]."""
    return tf.argmax(logits, axis=-1, output_type=tf.int32)


def _logits(parameters):
    return dict(parameters.action_logits, step_mul=parameters.step_mul_logits)


def _indices(choice):
    return dict(choice.action, step_mul=choice.step_mul - 1)


def _log_prob(logits, index):
    return -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=index, logits=logits)


def _entropy(logits):
    log_p = tf.nn.log_softmax(logits)
    return -tf.reduce_sum(tf.exp(log_p) * log_p, axis=-1)


def _kl(behaviour_logits, target_logits):
    log_mu = tf.stop_gradient(tf.nn.log_softmax(behaviour_logits))
    return tf.reduce_sum(tf.exp(log_mu) * (log_mu - tf.nn.log_softmax(target_logits)), axis=-1)
