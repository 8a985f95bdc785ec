"""The formulas of the papers as loops in double precision, and a function that runs a graph."""

import numpy as np
import tensorflow.compat.v1 as tf


def evaluate(build, feeds, shapes='static'):
    """Runs `build(**placeholders)` in a new graph and returns its value.

    feeds: dict from argument name to array. shapes: the static shapes of the placeholders: 'static'
    (the full shape), 'rank' (only the number of dimensions) or 'unknown'.
    """
    known = {
        'static': lambda v: v.shape,
        'rank': lambda v: [None] * v.ndim,
        'unknown': lambda v: None,
    }
    with tf.Graph().as_default(), tf.Session() as session:
        placeholders = {
            name: tf.placeholder(value.dtype, known[shapes](value)) for name, value in feeds.items()
        }
        fetches = build(**placeholders)
        return session.run(fetches, {placeholders[name]: feeds[name] for name in feeds})


def linear_recurrence(a, b, initial):
    x = np.zeros(b.shape)
    following = initial
    for t in reversed(range(len(b))):
        following = b[t] + a[t] * following
        x[t] = following
    return x


def discounted_returns(rewards, discounts, bootstrap_value):
    """Computes every return from its definition, not from the following return."""
    num_steps = len(rewards)
    returns = np.zeros(rewards.shape)
    for s in range(num_steps):
        weight = np.ones(rewards.shape[1:])
        for t in range(s, num_steps):
            returns[s] += weight * rewards[t]
            weight = weight * discounts[t]
        returns[s] += weight * bootstrap_value
    return returns


def vtrace(
    log_rhos,
    discounts,
    rewards,
    values,
    bootstrap_value,
    clip_rho_threshold,
    clip_pg_rho_threshold,
    trace_decay=1.0,
):
    """Equation 1 of arXiv:1802.01561 as printed: a sum over t >= s of products over s <= i < t."""
    num_steps = len(rewards)
    rhos = np.exp(log_rhos.astype(np.float64))
    clipped_rhos = rhos if clip_rho_threshold is None else np.minimum(clip_rho_threshold, rhos)
    pg_rhos = rhos if clip_pg_rho_threshold is None else np.minimum(clip_pg_rho_threshold, rhos)
    cs = trace_decay * np.minimum(1, rhos)
    values_tp1 = np.concatenate([values[1:], bootstrap_value[np.newaxis]])
    vs = values.astype(np.float64)
    for s in range(num_steps):
        for t in range(s, num_steps):
            trace = np.prod(discounts[s:t], axis=0) * np.prod(cs[s:t], axis=0)
            delta = clipped_rhos[t] * (rewards[t] + discounts[t] * values_tp1[t] - values[t])
            vs[s] += trace * delta
    vs_tp1 = np.concatenate([vs[1:], bootstrap_value[np.newaxis]])
    vs_tp1 = trace_decay * vs_tp1 + (1 - trace_decay) * values_tp1
    return vs, pg_rhos * (rewards + discounts * vs_tp1 - values)


def lambda_returns(rewards, discounts, values, bootstrap_value, trace_decay):
    """The mean of n-step returns with weights (1 - lambda) lambda^(n-1), the last with the rest."""
    num_steps = len(rewards)
    following = np.concatenate([values[1:], bootstrap_value[np.newaxis]]).astype(np.float64)
    result = np.zeros(rewards.shape)
    for s in range(num_steps):
        for end in range(s, num_steps):
            n = end - s + 1
            n_step = discounted_returns(
                rewards[s : end + 1], discounts[s : end + 1], following[end]
            )
            is_last = end == num_steps - 1
            weight = trace_decay ** (n - 1) * (1 if is_last else 1 - trace_decay)
            result[s] += weight * n_step[0]
    return result


def upgo(log_rhos, discounts, rewards, values, bootstrap_value):
    """Walks forward from every step for as long as the next step is better than expected."""
    num_steps, batch_size = rewards.shape
    v = np.concatenate([values, bootstrap_value[np.newaxis]]).astype(np.float64)
    advantages = np.zeros(rewards.shape)
    for s, b in np.ndindex(num_steps, batch_size):
        total, weight, t = 0.0, 1.0, s
        while True:
            total += weight * rewards[t, b]
            weight *= discounts[t, b]
            t += 1
            if t == num_steps or rewards[t, b] + discounts[t, b] * v[t + 1, b] < v[t, b]:
                break
        total += weight * v[t, b]
        advantages[s, b] = min(1.0, np.exp(log_rhos[s, b])) * (total - v[s, b])
    return advantages
