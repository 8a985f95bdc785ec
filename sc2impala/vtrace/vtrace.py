"""V-trace: off-policy corrected value targets and policy gradient advantages.

Espeholt et al. 2018, 'IMPALA: Scalable Distributed Deep-RL with Importance Weighted Actor-Learner
Architectures' (arXiv:1802.01561), equation 1, remark 1 and section 4.2. Names, arguments and
results equal DeepMind's scalable_agent; `mask` and `trace_decay` are the only additions.

T is the length of the unroll, B the batch size, mu the behaviour policy, which acted, pi the target
policy, which is trained. Tensors are time-major; step t consists of the observation x_t, the action
a_t chosen at x_t, and the reward and discount that followed.
"""

from typing import NamedTuple, Optional

import tensorflow.compat.v1 as tf

from sc2impala.vtrace.ranks import assert_rank
from sc2impala.vtrace.recurrence import reverse_linear_recurrence


class VTraceReturns(NamedTuple):
    """V-trace targets and advantages; no gradient flows through either.

    vs: float32 [T, B], targets for the baseline at x_0, ..., x_{T-1}.
    pg_advantages: float32 [T, B], advantages for the policy gradient.
    """

    vs: tf.Tensor
    pg_advantages: tf.Tensor


class VTraceFromLogitsReturns(NamedTuple):
    """V-trace targets, advantages and log-probabilities; gradients flow through the last three.

    vs, pg_advantages: as in VTraceReturns.
    log_rhos: float32 [T, B], log pi(a_t | x_t) - log mu(a_t | x_t).
    behaviour_action_log_probs: float32 [T, B], log mu(a_t | x_t).
    target_action_log_probs: float32 [T, B], log pi(a_t | x_t).
    """

    vs: tf.Tensor
    pg_advantages: tf.Tensor
    log_rhos: tf.Tensor
    behaviour_action_log_probs: tf.Tensor
    target_action_log_probs: tf.Tensor


def log_probs_from_logits_and_actions(policy_logits: tf.Tensor, actions: tf.Tensor) -> tf.Tensor:
    """Computes the log-probabilities of `actions` under a softmax policy.

    Args:
      policy_logits: float32 [T, B, num_actions], unnormalised log-probabilities.
      actions: int32 [T, B], the actions taken, 0..num_actions - 1.

    Returns:
      float32 [T, B]: log softmax(policy_logits)[action].

    Raises:
      ValueError: an argument has the wrong rank.
    """
    policy_logits = tf.convert_to_tensor(policy_logits, dtype=tf.float32)
    actions = tf.convert_to_tensor(actions, dtype=tf.int32)
    assert_rank('policy_logits', policy_logits, 3)
    assert_rank('actions', actions, 2)
    return -tf.nn.sparse_softmax_cross_entropy_with_logits(logits=policy_logits, labels=actions)


def from_logits(
    behaviour_policy_logits: tf.Tensor,
    target_policy_logits: tf.Tensor,
    actions: tf.Tensor,
    discounts: tf.Tensor,
    rewards: tf.Tensor,
    values: tf.Tensor,
    bootstrap_value: tf.Tensor,
    clip_rho_threshold: Optional[float] = 1.0,
    clip_pg_rho_threshold: Optional[float] = 1.0,
    name: str = 'vtrace_from_logits',
    mask: Optional[tf.Tensor] = None,
) -> VTraceFromLogitsReturns:
    """Computes V-trace for two softmax policies over one set of actions.

    For policies over several heads, pass the difference of the summed log-probabilities to
    `from_importance_weights`.

    Args:
      behaviour_policy_logits: float32 [T, B, num_actions], logits of mu, the behaviour policy.
      target_policy_logits: float32 [T, B, num_actions], logits of pi, the target policy.
      actions: int32 [T, B], sampled from mu.
      discounts: float32 [T, B]. This and all following arguments: see
        `from_importance_weights`.
      rewards: float32 [T, B].
      values: float32 [T, B].
      bootstrap_value: float32 [B].
      clip_rho_threshold: float, scalar tensor or None.
      clip_pg_rho_threshold: float, scalar tensor or None.
      name: the name scope of the operations.
      mask: float32 [T, B] or None.

    Returns:
      VTraceFromLogitsReturns.

    Raises:
      ValueError: an argument has the wrong rank.
    """
    with tf.name_scope(name):
        behaviour_policy_logits = tf.convert_to_tensor(behaviour_policy_logits, dtype=tf.float32)
        target_policy_logits = tf.convert_to_tensor(target_policy_logits, dtype=tf.float32)
        assert_rank('behaviour_policy_logits', behaviour_policy_logits, 3)
        assert_rank('target_policy_logits', target_policy_logits, 3)
        behaviour_log_probs = log_probs_from_logits_and_actions(behaviour_policy_logits, actions)
        target_log_probs = log_probs_from_logits_and_actions(target_policy_logits, actions)
        log_rhos = target_log_probs - behaviour_log_probs
        vtrace_returns = from_importance_weights(
            log_rhos=log_rhos,
            discounts=discounts,
            rewards=rewards,
            values=values,
            bootstrap_value=bootstrap_value,
            clip_rho_threshold=clip_rho_threshold,
            clip_pg_rho_threshold=clip_pg_rho_threshold,
            mask=mask,
        )
        return VTraceFromLogitsReturns(
            vs=vtrace_returns.vs,
            pg_advantages=vtrace_returns.pg_advantages,
            log_rhos=log_rhos,
            behaviour_action_log_probs=behaviour_log_probs,
            target_action_log_probs=target_log_probs,
        )


def from_importance_weights(
    log_rhos: tf.Tensor,
    discounts: tf.Tensor,
    rewards: tf.Tensor,
    values: tf.Tensor,
    bootstrap_value: tf.Tensor,
    clip_rho_threshold: Optional[float] = 1.0,
    clip_pg_rho_threshold: Optional[float] = 1.0,
    name: str = 'vtrace_from_importance_weights',
    mask: Optional[tf.Tensor] = None,
    trace_decay: float = 1.0,
) -> VTraceReturns:
    """Computes V-trace from the log importance weights of the actions.

    With rho_t = min(clip_rho_threshold, exp(log_rho_t)), c_t = lambda * min(1, exp(log_rho_t)) and
    lambda = `trace_decay`:

      delta_t = rho_t * (r_t + discount_t * V(x_{t+1}) - V(x_t))
      vs_t = V(x_t) + delta_t + discount_t * c_t * (vs_{t+1} - V(x_{t+1}))
      q_t = lambda * vs_t + (1 - lambda) * V(x_t)
      pg_advantage_t = rho^pg_t * (r_t + discount_t * q_{t+1} - V(x_t))

    where V(x_T) = vs_T = `bootstrap_value`. On-policy this is TD(lambda) for the baseline, and
    generalised advantage estimation for the policy. Every tensor may have the same further
    dimensions after B, which may be of size 1 in `log_rhos` and `discounts`.

    Args:
      log_rhos: float32 [T, B], log pi(a_t | x_t) - log mu(a_t | x_t).
      discounts: float32 [T, B], the discount after step t: 0 where an episode ended with it.
      rewards: float32 [T, B], the reward that followed a_t.
      values: float32 [T, B], the baseline V(x_t) of the target policy.
      bootstrap_value: float32 [B], the baseline V(x_T) of the observation after the last step.
      clip_rho_threshold: float, scalar tensor or None (no clipping): rho bar of the paper.
      clip_pg_rho_threshold: float, scalar tensor or None (no clipping): the same for rho^pg.
      name: the name scope of the operations.
      mask: float32 [T, B] or None. Steps at which it is 0 (their episode was aborted) are excluded:
        vs_t = V(x_t), from which earlier steps bootstrap, and pg_advantage_t = 0.
      trace_decay: float, lambda of remark 2 of the paper; 1 is V-trace as in its experiments.

    Returns:
      VTraceReturns.

    Raises:
      ValueError: an argument has the wrong rank.
    """
    with tf.name_scope(name):
        log_rhos = tf.convert_to_tensor(log_rhos, dtype=tf.float32)
        discounts = tf.convert_to_tensor(discounts, dtype=tf.float32)
        rewards = tf.convert_to_tensor(rewards, dtype=tf.float32)
        values = tf.convert_to_tensor(values, dtype=tf.float32)
        bootstrap_value = tf.convert_to_tensor(bootstrap_value, dtype=tf.float32)
        assert_rank('discounts', discounts, log_rhos.shape.rank)
        assert_rank('rewards', rewards, log_rhos.shape.rank)
        assert_rank('values', values, log_rhos.shape.rank)
        if values.shape.rank is not None:
            assert_rank('bootstrap_value', bootstrap_value, values.shape.rank - 1)

        rhos = tf.exp(log_rhos)
        if mask is not None:
            mask = tf.convert_to_tensor(mask, dtype=tf.float32)
            assert_rank('mask', mask, log_rhos.shape.rank)
            # With a weight of 0 the temporal difference, the trace and the advantage are all 0.
            rhos = tf.where_v2(tf.not_equal(mask, 0.0), rhos, 0.0)

        values_tp1 = tf.concat([values[1:], bootstrap_value[tf.newaxis]], axis=0)
        deltas = _clip('clip_rho_threshold', rhos, clip_rho_threshold) * (
            rewards + discounts * values_tp1 - values
        )
        traces = tf.minimum(1.0, rhos)
        if trace_decay != 1.0:
            traces *= trace_decay
        vs_minus_values = reverse_linear_recurrence(
            a=discounts * traces, b=deltas, initial=tf.zeros_like(bootstrap_value)
        )
        vs = values + vs_minus_values

        vs_tp1 = tf.concat([vs[1:], bootstrap_value[tf.newaxis]], axis=0)
        if trace_decay != 1.0:
            vs_tp1 = trace_decay * vs_tp1 + (1.0 - trace_decay) * values_tp1
        pg_advantages = _clip('clip_pg_rho_threshold', rhos, clip_pg_rho_threshold) * (
            rewards + discounts * vs_tp1 - values
        )
        return VTraceReturns(tf.stop_gradient(vs), tf.stop_gradient(pg_advantages))


def _clip(name: str, rhos: tf.Tensor, threshold: Optional[float]) -> tf.Tensor:
    if threshold is None:
        return rhos
    threshold = tf.convert_to_tensor(threshold, dtype=tf.float32)
    assert_rank(name, threshold, 0)
    return tf.minimum(threshold, rhos)
