"""The joint action distribution: a function, the arguments it uses, and a step multiplier.

Every head is a categorical distribution; the logits of an argument may be conditioned on the chosen
function and the arguments before it (`conditioning`), all other heads are independent. Either way

    log pi(a) = log pi(function) + sum over used heads of log pi(head) + log pi(step_mul),

where the used heads are the arguments of the chosen function, and the last term is present only if
the step multiplier is learned. Unused heads contribute nothing to log-probabilities, entropy or KL
divergences. All functions are elementwise over any leading dimensions, written [...]: [K] in an
actor, [T, B] in the learner.
"""

from typing import Callable, Dict, Iterable, Mapping, NamedTuple, Optional, Union

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.structs import AgentOutput, TeacherLogits

Parameters = Union[AgentOutput, TeacherLogits]
"""Parameters of a policy: `action_logits` and `step_mul_logits` are read."""


class Choice(NamedTuple):
    """A choice of every head, as in `structs.AgentOutput`.

    action: dict of int32 [...] by head.
    step_mul: int32 [...].
    """

    action: Mapping[str, tf.Tensor]
    step_mul: tf.Tensor


Chosen = Union[Choice, AgentOutput]
"""A choice: `action` and `step_mul` are read."""

UNAVAILABLE_LOGIT = -1e9
"""Finite: with minus infinity the KL divergence of two masked distributions would be NaN."""


def mask_unavailable(function_logits: tf.Tensor, available: tf.Tensor) -> tf.Tensor:
    """Masks the logits of unavailable functions; no gradient flows to these logits.

    Args:
      function_logits: float32 [..., F].
      available: bool [..., F].

    Returns:
      float32 [..., F].
    """
    return tf.where(available, function_logits, tf.fill(tf.shape(available), UNAVAILABLE_LOGIT))


class JointPolicy:
    """Modes, log-probability, entropy and divergence over the dictionary of heads.

    An `AgentOutput` is both the parameters of a distribution and a choice.
    """

    def __init__(
        self, heads: Mapping[str, int], head_used: Mapping[str, np.ndarray], learn_step_mul: bool
    ):
        """Args:
        heads: number of choices of every head; must contain 'function'.
        head_used: for every other head bool [F], the functions that use it.
        learn_step_mul: whether the agent chooses the step multiplier.

        Raises:
          ValueError: if `heads` and `head_used` do not have the same argument heads.
        """
        if set(head_used) != set(heads) - {'function'}:
            raise ValueError(
                'head_used names {}, expected the argument heads {}'.format(
                    sorted(head_used), sorted(set(heads) - {'function'})
                )
            )
        # Sorted, so that the order of summation does not depend on the order of the dictionary.
        self.heads = {name: int(heads[name]) for name in sorted(heads)}
        self.learn_step_mul = learn_step_mul
        self.head_used = {
            name: np.asarray(head_used[name], np.float32)
            for name in self.heads
            if name in head_used
        }

    def mode(self, action_logits: Mapping[str, tf.Tensor]) -> Dict[str, tf.Tensor]:
        """Returns the most probable choice of every head: float32 [..., choices] to int32 [...]."""
        return {name: most_probable(action_logits[name]) for name in self.heads}

    def log_prob(self, parameters: Parameters, choice: Chosen) -> tf.Tensor:
        """Returns log pi(choice), float32 [...]."""
        return self._sum_over_used_heads(choice, _log_prob, _logits(parameters), _indices(choice))

    def expected_log_prob(
        self,
        parameters: Parameters,
        choice: Chosen,
        candidates: Mapping[str, tf.Tensor],
        weights: tf.Tensor,
    ) -> tf.Tensor:
        """Returns an expectation of log pi over candidates, float32 [...].

        The function's term is exact. The arguments' is conditioned on the chosen function, for
        which the logits of conditioned arguments are known: if that is drawn from the candidates,
        the result is an unbiased estimate where a function has one argument. The arguments of a
        function count as independent. The step multiplier is the choice's.

        Args:
          parameters: parameters of pi given the choice.
          choice: one of the candidates, with the step multiplier.
          candidates: dict of int32 [..., M].
          weights: float32 [..., M], their probabilities.
        """
        function = candidates['function']
        alike = tf.equal(function, choice.action['function'][..., tf.newaxis])
        of_function = weights * tf.cast(alike, tf.float32)
        of_function = tf.math.divide_no_nan(
            of_function, tf.reduce_sum(of_function, axis=-1, keepdims=True)
        )
        targets = {
            name: _scattered(candidates[name], weights if name == 'function' else of_function, size)
            for name, size in self.heads.items()
        }
        if self.learn_step_mul:
            size = parameters.step_mul_logits.shape[-1]
            targets['step_mul'] = tf.one_hot(choice.step_mul - 1, size)
        return self._sum_over_used_heads(choice, _expected_log_prob, _logits(parameters), targets)

    def entropy(self, parameters: Parameters, choice: Chosen) -> tf.Tensor:
        """Returns the entropy of the heads that the chosen function uses, float32 [...].

        Its expectation over the function is the entropy of the joint distribution: for a function
        drawn from the policy it is an unbiased estimate from one sample, also where arguments
        depend on the function and on each other.
        """
        return self._sum_over_used_heads(choice, _entropy, _logits(parameters))

    def entropies(self, parameters: Parameters) -> Dict[str, tf.Tensor]:
        """Returns the entropy of every head, used or not, float32 [...] by name.

        'step_mul' is included if it is learned.
        """
        logits = _logits(parameters)
        names = list(self.heads) + ['step_mul'] * self.learn_step_mul
        return {name: _entropy(logits[name]) for name in names}

    def kl(self, behaviour: Parameters, target: Parameters, choice: Chosen) -> tf.Tensor:
        """Returns KL(behaviour || target) of the heads that the chosen function uses.

        For a function drawn from the behaviour policy its expectation is the divergence of the
        joint distributions. Conditioned arguments need both parameters given the same choices.

        Args:
          behaviour: parameters of the behaviour policy; no gradient flows to them.
          target: parameters of the target policy.
          choice: the actions of the behaviour policy.

        Returns:
          float32 [...].
        """
        return self._sum_over_used_heads(choice, _kl, _logits(behaviour), _logits(target))

    def uniform_kl(self, parameters: Parameters, choice: Chosen) -> tf.Tensor:
        """Returns 1/2 (KL(pi || U) + KL(U || pi)) of the heads that the chosen function uses.

        U is uniform over available choices. Unlike the entropy it grows without bound as the
        probability of any available choice goes to 0; no gradient flows to the logits of others.

        Args:
          parameters: parameters of pi.
          choice: the executed actions.

        Returns:
          float32 [...].
        """
        return self._sum_over_used_heads(choice, _uniform_kl, _logits(parameters))

    def used_heads(self, choice: Chosen) -> Dict[str, tf.Tensor]:
        """Returns for every head whether the chosen function uses it: bool [...]."""
        function = choice.action['function']
        used = {name: tf.gather(table, function) > 0 for name, table in self.head_used.items()}
        return dict(used, function=tf.ones_like(function, tf.bool))

    def _sum_over_used_heads(
        self, choice: Chosen, term: Callable[..., tf.Tensor], *by_head: Mapping[str, tf.Tensor]
    ) -> tf.Tensor:
        """Returns the sum of term(*[values[head] for values in by_head]) over the used heads."""

        def head_term(name: str) -> tf.Tensor:
            return term(*[values[name] for values in by_head])

        total = head_term('function')
        for name, table in self.head_used.items():
            total += tf.gather(table, choice.action['function']) * head_term(name)
        if self.learn_step_mul:
            total += head_term('step_mul')
        return total


def sample_categorical(logits: tf.Tensor, seed: Optional[tf.Tensor] = None) -> tf.Tensor:
    """Samples from logits.

    Args:
      logits: float32 [N, choices].
      seed: int64 [2], determines the samples; None draws them from the seed of the
        graph, whose random state cannot be saved.

    Returns:
      int32 [N].
    """
    if seed is None:
        samples = tf.random.categorical(logits, 1, dtype=tf.int32)
    else:
        samples = tf.random.stateless_categorical(logits, 1, seed, dtype=tf.int32)
    return tf.squeeze(samples, axis=1)


def seeds_of_heads(seed: tf.Tensor, heads: Iterable[str]) -> Dict[str, tf.Tensor]:
    """Derives a distinct seed for each head.

    Args:
      seed: int64 [2]: a stream in 0..2**32 - 1, and a step.
      heads: names.

    Returns:
      int64 [2] by head; they differ between streams, steps and heads.
    """
    names = list(heads)
    offsets = np.array([[index << 32, 0] for index in range(len(names))], np.int64)
    return dict(zip(names, tf.unstack(seed + offsets)))


def most_probable(logits: tf.Tensor) -> tf.Tensor:
    """Returns the index of the largest logit: maps float32 [..., choices] to int32 [...]."""
    return tf.argmax(logits, axis=-1, output_type=tf.int32)


def _logits(parameters: Parameters) -> Dict[str, tf.Tensor]:
    return dict(parameters.action_logits, step_mul=parameters.step_mul_logits)


def _indices(choice: Chosen) -> Dict[str, tf.Tensor]:
    return dict(choice.action, step_mul=choice.step_mul - 1)


def _log_prob(logits: tf.Tensor, index: tf.Tensor) -> tf.Tensor:
    return -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=index, logits=logits)


def _scattered(index: tf.Tensor, weights: tf.Tensor, size: int) -> tf.Tensor:
    """Returns the distribution over `size` choices of int32 [..., M] with weights [..., M]."""
    count = index.shape[-1]
    flat = tf.reshape(index, [-1, count])
    rows = tf.range(tf.shape(flat)[0])
    places = tf.stack([tf.tile(rows[:, tf.newaxis], [1, count]), flat], axis=-1)
    shape = tf.stack([tf.shape(flat)[0], size])
    table = tf.scatter_nd(places, tf.reshape(weights, [-1, count]), shape)
    return tf.reshape(table, tf.concat([tf.shape(index)[:-1], [size]], axis=0))


def _expected_log_prob(logits: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    return -tf.nn.softmax_cross_entropy_with_logits_v2(tf.stop_gradient(target), logits)


def _entropy(logits: tf.Tensor) -> tf.Tensor:
    log_p = tf.nn.log_softmax(logits)
    return -tf.reduce_sum(tf.exp(log_p) * log_p, axis=-1)


def _uniform_kl(logits: tf.Tensor) -> tf.Tensor:
    is_available = logits > 0.5 * UNAVAILABLE_LOGIT
    available = tf.cast(is_available, tf.float32)
    log_p = tf.nn.log_softmax(logits)
    # No logarithm at unavailable choices: its product with 0 has the gradient 0 * infinity.
    log_p = tf.where(is_available, log_p, tf.zeros_like(log_p))
    uniform = available / tf.reduce_sum(available, axis=-1, keepdims=True)
    # The entropies of both cancel each other: (pi - U) (log pi - log U), and log U is constant.
    difference = available * tf.exp(log_p) - uniform
    return 0.5 * tf.reduce_sum(difference * log_p, axis=-1)


def _kl(behaviour_logits: tf.Tensor, target_logits: tf.Tensor) -> tf.Tensor:
    log_mu = tf.stop_gradient(tf.nn.log_softmax(behaviour_logits))
    return tf.reduce_sum(tf.exp(log_mu) * (log_mu - tf.nn.log_softmax(target_logits)), axis=-1)
