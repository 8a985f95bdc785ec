"""An agent whose outputs are variables, for Q learning, and its targets in slow NumPy."""

import itertools

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents.action_values import ActionValues
from tests.learner import table_agent as table


class ValueAgent(table.TableAgent):
    """`unroll` returns the variables of the steps and columns that the observations name.

    With bootstrapped heads there are `num_versions` columns for each column of the observations.
    """

    def __init__(self, outputs, learn_step_mul=True, of_copy=None, num_versions=1):
        super().__init__(outputs, learn_step_mul)
        self._num_versions = num_versions
        self.action_values = ActionValues(self.policy)
        self._of_copy = of_copy

    def make_copy(self, scope):
        with tf.name_scope(scope):
            self.copy = ValueAgent(
                self._of_copy or self._outputs,
                self.policy.learn_step_mul,
                num_versions=self._num_versions,
            )
        return self.copy

    def state_spec(self):
        return tf.TensorSpec([1], tf.float32)

    def unroll(self, actions, env_outputs, core_state):
        step, column = (env_outputs.observation[name] for name in ('step', 'column'))
        if self._num_versions > 1:
            versions = [self._num_versions * column + h for h in range(self._num_versions)]
            column = tf.reshape(tf.stack(versions, axis=-1), [step.shape[0], -1])
            step = tf.broadcast_to(step[:, :1], tf.shape(column))
        index = tf.stack([step, column], axis=-1)
        action_logits, step_mul_logits, baseline = tf.nest.map_structure(
            lambda v: tf.gather_nd(v.read_value(), index), self.variables
        )
        outputs = structs.AgentOutput(
            actions, action_logits, tf.zeros_like(index[..., 0]), step_mul_logits, baseline
        )
        return outputs, core_state


def observed(env):
    """`EnvOutput` of [T + 1, B] with observations that name their place."""
    step, column = np.indices(env.reward.shape).astype(np.int32)
    return env._replace(observation={'step': step, 'column': column})


def value_at(outputs, t, b, action, step_mul):
    """V and the mean advantage of the heads in use, at one step."""
    chosen = {'function': action['function']}
    if table.HEAD_USED['screen'][action['function']]:
        chosen['screen'] = action['screen']
    logits = {name: outputs.action_logits[name][t, b].astype(np.float64) for name in chosen}
    logits['step_mul'] = outputs.step_mul_logits[t, b].astype(np.float64)
    chosen['step_mul'] = step_mul - 1
    advantages = [logits[name][chosen[name]] - logits[name].mean() for name in chosen]
    return float(outputs.baseline[t, b]) + np.mean(advantages)


def all_actions():
    """All actions, unused points being 0: pairs of action and step_mul."""
    for function in range(table.HEADS['function']):
        points = range(table.HEADS['screen'] if table.HEAD_USED['screen'][function] else 1)
        for point, step_mul in itertools.product(points, range(1, table.MAX_STEP_MUL + 1)):
            yield dict(function=function, screen=point), step_mul


def best_at(outputs, t, b):
    """The action of the highest value, by trying all."""
    return max(all_actions(), key=lambda choice: value_at(outputs, t, b, *choice))


def soft_value_at(outputs, t, b, temperature):
    """temperature * log sum exp(Q / temperature) over all actions."""
    values = np.array([value_at(outputs, t, b, *choice) for choice in all_actions()])
    highest = values.max()
    return highest + temperature * np.log(np.exp((values - highest) / temperature).sum())


def rescale(x):
    return np.sign(x) * (np.sqrt(np.abs(x) + 1) - 1) + 1e-3 * x


def unscale(x):
    root = (np.sqrt(1 + 4e-3 * (np.abs(x) + 1.001)) - 1) / 2e-3
    return np.sign(x) * (root**2 - 1)


def played_at(mu, t, b):
    """What was played on observation t: (action, step_mul)."""
    return {name: mu.action[name][t + 1, b] for name in table.HEADS}, mu.step_mul[t + 1, b]


def targets(online, target, mu, env, num_steps, discounting):
    """Double Q targets with rescaled values, [T, B], each step on its own.

    The discount is per 8 frames. Values are those of steps from 0 to T, or T - 1 if there are no
    more; then the last target has no value either.
    """
    last = len(online.baseline) - 1
    result = np.zeros([last, online.baseline.shape[1]])
    for start, b in np.ndindex(*result.shape):
        total, factor = 0.0, 1.0
        for k in range(num_steps + 1):
            t = start + k
            if k == num_steps or t == last or env.info.aborted[t + 1, b]:
                total += factor * unscale(value_at(target, t, b, *best_at(online, t, b)))
                break
            total += factor * env.reward[t + 1, b]
            factor *= discounting ** (mu.step_mul[t + 1, b] / 8) * (not env.done[t + 1, b])
        result[start, b] = rescale(total)
    return result


def q_values(online, mu):
    """Of what was played, [T, B]."""
    shape = [len(online.baseline) - 1, online.baseline.shape[1]]
    result = np.zeros(shape)
    for t, b in np.ndindex(*shape):
        result[t, b] = value_at(online, t, b, *played_at(mu, t, b))
    return result
