"""An agent whose outputs are variables, and losses and targets of its outputs in NumPy.

With one variable per logit, the gradient of the loss is exactly what the update sees.
"""

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents.policy import JointPolicy
from sc2impala.learner import batch as batch_lib

HEADS = {'function': 3, 'screen': 5}
HEAD_USED = {'screen': np.array([False, True, False])}
MAX_STEP_MUL = 4


class TableAgent:
    """`unroll` returns [T + 1, B] variables, whatever the inputs are."""

    arguments_are_conditioned = False

    def __init__(self, outputs, learn_step_mul=True):
        self.policy = JointPolicy(HEADS, HEAD_USED, learn_step_mul)
        self.variables = tf.nest.map_structure(
            lambda array: tf.Variable(array, use_resource=True),
            [outputs.action_logits, outputs.step_mul_logits, outputs.baseline],
        )
        self._outputs = outputs

    @property
    def weights(self):
        return tf.nest.flatten(self.variables)

    def unroll(self, actions, env_outputs, core_state, given=None):
        del actions, env_outputs, given
        action_logits, step_mul_logits, baseline = tf.nest.map_structure(
            lambda v: v.read_value(), self.variables
        )
        return tensors(self._outputs)._replace(
            action_logits=action_logits, step_mul_logits=step_mul_logits, baseline=baseline
        ), core_state


def tensors(nest):
    """Arrays -> constants of the graph."""
    return tf.nest.map_structure(tf.constant, nest)


def make_batch(env_outputs, agent_outputs, is_replay=None, num_replay=None, agent_state=()):
    """`batch_lib.Batch` of [T + 1, B] arrays; without `is_replay` all columns are new."""
    batch_size = env_outputs.reward.shape[1]
    replayed = np.zeros([batch_size], bool) if is_replay is None else np.asarray(is_replay)
    zeros = np.zeros([batch_size], np.int32)
    return batch_lib.Batch(
        agent_state=agent_state,
        env_outputs=tensors(env_outputs),
        agent_outputs=tensors(agent_outputs),
        sequence_info=tensors(
            structs.SequenceInfo(zeros, zeros, zeros.astype(np.int64), zeros.astype(np.int64))
        ),
        is_replay=tf.constant(replayed),
        keys=tf.constant(np.where(replayed, np.arange(batch_size), -1)),
        probabilities=tf.ones([batch_size]),
        num_replay=int(replayed.sum()) if num_replay is None else num_replay,
    )


def session():
    """Runs the graph as it was built: graph rewriting may add up in another order."""
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return tf.Session(config=config)


def scalars(serialized):
    """{tag: number} of a serialized summary, without its histograms."""
    return {
        value.tag: value.simple_value
        for value in tf.Summary.FromString(serialized).value
        if value.HasField('simple_value')
    }


def histograms(serialized):
    """{tag: HistogramProto} of a serialized summary."""
    return {
        value.tag: value.histo
        for value in tf.Summary.FromString(serialized).value
        if value.HasField('histo')
    }


def random_outputs(seed, unroll_length, batch_size):
    """AgentOutput of [T + 1, B] arrays."""
    rng = np.random.RandomState(seed)
    shape = [unroll_length + 1, batch_size]
    return structs.AgentOutput(
        action={n: rng.randint(c, size=shape).astype(np.int32) for n, c in HEADS.items()},
        action_logits={
            n: rng.normal(size=shape + [c]).astype(np.float32) for n, c in HEADS.items()
        },
        step_mul=rng.randint(1, MAX_STEP_MUL + 1, size=shape).astype(np.int32),
        step_mul_logits=rng.normal(size=shape + [MAX_STEP_MUL]).astype(np.float32),
        baseline=rng.normal(size=shape).astype(np.float32),
    )


def random_env_outputs(seed, unroll_length, batch_size, aborted=True):
    """EnvOutput of [T + 1, B] arrays with ends in the middle, some of them aborted."""
    rng = np.random.RandomState(seed)
    shape = [unroll_length + 1, batch_size]
    done = rng.uniform(size=shape) < 0.35
    done[-1, 0] = True
    info = structs.EpisodeInfo(
        episode_return=rng.normal(size=shape).astype(np.float32),
        # No step follows another one: what it took is its multiplier.
        episode_frames=rng.randint(100, 1000, size=shape).astype(np.int32),
        episode_steps=_apart(2 * rng.randint(1, 50, size=shape).astype(np.int32)),
        aborted=done & (rng.uniform(size=shape) < (0.5 if aborted else 0.0)),
    )
    return structs.EnvOutput(2 * rng.normal(size=shape).astype(np.float32), info, done, {})


def _apart(steps):
    """Even numbers [T + 1, B] as even numbers of which consecutive ones differ."""
    return 2 * steps + 2 * (np.arange(len(steps), dtype=np.int32)[:, np.newaxis] % 2)


def set_ends(env, ends):
    """Replaces the ends of episodes in `EnvOutput` of [T + 1, B] arrays.

    Args:
      env: changed in place.
      ends: kind by (step, column): 'terminal', 'aborted', or 'reset' after a truncation.
    """
    env.done[:] = False
    env.info.aborted[:] = False
    for (t, b), kind in ends.items():
        env.done[t, b] = True
        env.info.aborted[t, b] = kind == 'aborted'
        if kind == 'reset':
            for total in env.info[:3]:
                total[t, b] = total[t - 1, b]


def segments(ends, num_steps, column):
    """The trained steps of a column, one part of an episode after the other.

    Returns:
      Triples: the steps, a range whose stop is the observation after the last one, and whether the
      return bootstraps from the value of that observation.
    """
    found, start = [], 0
    for (t, b), kind in sorted(ends.items()):
        if b == column:
            is_step = kind == 'terminal'
            found.append((range(start, t - 1 + is_step), not is_step))
            start = t
    return found + [(range(start, num_steps), True)]


def log_softmax(logits):
    logits = np.asarray(logits, np.float64)
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def heads_at(outputs, t, b, function):
    """Log-softmax of every head that the function uses, at one step, float64."""
    logs = {'function': log_softmax(outputs.action_logits['function'][t, b])}
    if HEAD_USED['screen'][function]:
        logs['screen'] = log_softmax(outputs.action_logits['screen'][t, b])
    logs['step_mul'] = log_softmax(outputs.step_mul_logits[t, b])
    return logs


def log_prob_at(outputs, choice, t_parameters, t_choice, b):
    """log pi of what was chosen, step_mul included."""
    index = {name: choice.action[name][t_choice, b] for name in HEADS}
    index['step_mul'] = choice.step_mul[t_choice, b] - 1
    logs = heads_at(outputs, t_parameters, b, index['function'])
    return sum(logs[name][index[name]] for name in logs)


def vtrace_targets(learner, behaviour, env, discounting):
    """vs and advantages [T, B] by the recursion of the paper, one column at a time."""
    num_steps, batch_size = np.array(env.reward.shape) - [1, 0]
    values = np.asarray(learner.baseline, np.float64)
    vs, advantages = np.zeros([2, num_steps, batch_size])
    for b in range(batch_size):
        vs_next = values[num_steps, b]
        for t in reversed(range(num_steps)):
            rho = np.exp(
                log_prob_at(learner, behaviour, t, t + 1, b)
                - log_prob_at(behaviour, behaviour, t + 1, t + 1, b)
            )
            discount = 0.0 if env.done[t + 1, b] else discounting
            reward = env.reward[t + 1, b]
            if env.info.aborted[t + 1, b]:
                vs[t, b] = values[t, b]
            else:
                delta = min(1, rho) * (reward + discount * values[t + 1, b] - values[t, b])
                trace = discount * min(1, rho) * (vs_next - values[t + 1, b])
                vs[t, b] = values[t, b] + delta + trace
                advantages[t, b] = min(1, rho) * (reward + discount * vs_next - values[t, b])
            vs_next = vs[t, b]
    return vs, advantages


def loss_terms(learner, behaviour, env, vs, advantages, replayed, costs):
    """The five terms of the loss, summed; vs and advantages are constants."""
    num_steps, batch_size = vs.shape
    terms = dict.fromkeys(costs, 0.0)
    for t, b in np.ndindex(num_steps, batch_size):
        if env.info.aborted[t + 1, b]:
            continue
        function = behaviour.action['function'][t + 1, b]
        pi, mu = heads_at(learner, t, b, function), heads_at(behaviour, t + 1, b, function)
        baseline = float(learner.baseline[t, b])
        log_prob = log_prob_at(learner, behaviour, t, t + 1, b)
        terms['policy_gradient'] -= log_prob * advantages[t, b]
        terms['baseline'] += 0.5 * (vs[t, b] - baseline) ** 2
        terms['entropy'] += sum(np.sum(np.exp(pi[h]) * pi[h]) for h in pi)
        if replayed[b]:
            terms['policy_cloning'] += sum(np.sum(np.exp(mu[h]) * (mu[h] - pi[h])) for h in pi)
            terms['value_cloning'] += (baseline - float(behaviour.baseline[t + 1, b])) ** 2
    return {name: costs[name] * value for name, value in terms.items()}
