"""Rewards from which the agent learns: scaled, clipped, shaped, and with gains.

`learned` replaces the rewards of a batch before an algorithm gets it. Episode returns remain
the game's. T is the unroll length, B the batch size.

A kind of shaping is a function of

    policy: policy of the agent.
    steps: of [T, B], with the current baseline.
    rewards: float32 [T, B], after scaling and clipping.
    discounts: float32 [T, B], after each step.

which returns float32 [T, B], the amount that `--reward_shaping_cost` multiplies; and a line in
`MEASURES`.
"""

from typing import Callable, Dict, Mapping, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.agents.policy import JointPolicy
from sc2impala.learner import counts, sequences, targets
from sc2impala.learner.batch import Batch
from sc2impala.learner.optimization import Schedule
from sc2impala.learner.sequences import Steps
from sc2impala.settings.learning import REWARD_CLIPPINGS, ReturnSettings
from sc2impala.structs import AgentOutput, Nest

Measure = Callable[[JointPolicy, Steps, tf.Tensor, tf.Tensor], tf.Tensor]


def learned(
    agent: Agent, batch: Batch, settings: ReturnSettings, schedule: Optional[Schedule] = None
) -> Tuple[Batch, Dict[str, tf.Tensor]]:
    """Replaces the rewards of a batch: clip(scaling * r) + gains - cost * measure.

    No gradient flows through gains and measure.

    Args:
      agent: the trained agent; the shaping 'uncertainty' uses its baseline.
      batch: batch with the rewards of the game.
      settings: settings of rewards.
      schedule: schedule of the phase, for the decay of gains; None for no decay.

    Returns:
      The batch with new rewards; and mean rewards before and after shaping,
      float32 [] by tag, over the steps of new columns with a loss; empty without
      gains and shaping.

    Raises:
      ValueError: unknown kind of clipping or shaping.
    """
    kind = settings.reward_shaping
    if kind != 'none' and kind not in MEASURES:
        raise ValueError(
            f'`reward_shaping` must be none or one of {list(MEASURES)}, but is {kind!r}.'
        )
    outputs = batch.agent_outputs
    if kind == 'uncertainty':
        batch, outputs = _with_values(agent, batch)
    steps = sequences.shift(batch.env_outputs, batch.agent_outputs, outputs, batch.is_replay)
    rewards = transform(steps.rewards, settings.reward_scaling, settings.reward_clipping)
    shaped, metrics = rewards, {}
    if settings.gain_rewards:
        share = tf.constant(1.0)
        if settings.gain_decay and schedule is not None:
            share = metrics['reward/gain_share'] = gain_share(settings.gain_decay, schedule)
        observation = batch.env_outputs.observation
        shaped += share * gains(observation, settings.gain_rewards, steps.done)
    if kind != 'none':
        discounts = targets.discounts(steps, settings)
        measure = MEASURES[kind](agent.policy, steps, shaped, discounts)
        shaped -= settings.reward_shaping_cost * tf.stop_gradient(measure)
    if shaped is not rewards:
        metrics.update(_means(steps, rewards, shaped))
    # The reward of the first step belongs to the previous unroll.
    replaced = tf.concat([batch.env_outputs.reward[:1], shaped], axis=0)
    env_outputs = batch.env_outputs._replace(reward=replaced)
    return batch._replace(env_outputs=env_outputs), metrics


def transform(rewards: tf.Tensor, scaling: float, clipping: str) -> tf.Tensor:
    """Scales rewards, then clips them.

    Args:
      rewards: float32, any shape.
      scaling: factor before clipping.
      clipping: 'abs_one' clips to [-1, 1]. 'soft_asymmetric' squashes r to 5 tanh(r / 5), times 0.3
        if it is negative, as IMPALA does on DMLab-30. 'none' does not clip.

    Returns:
      float32 of the shape of `rewards`.

    Raises:
      ValueError: unknown `clipping`.
    """
    if clipping not in REWARD_CLIPPINGS:
        raise ValueError(f'`clipping` must be one of {REWARD_CLIPPINGS}, but is {clipping!r}.')
    rewards = rewards * scaling
    if clipping == 'abs_one':
        return tf.clip_by_value(rewards, -1.0, 1.0)
    if clipping == 'soft_asymmetric':
        squashed = 5.0 * tf.tanh(rewards / 5.0)
        return tf.where(rewards < 0.0, 0.3 * squashed, squashed)
    return rewards


def gains(
    observation: Mapping[str, Nest], weights: Sequence[Tuple[str, float]], done: tf.Tensor
) -> tf.Tensor:
    """Returns rewards for gains: ordered workers, buildings, seen parts of the map.

    A step from an observation x_t to x_{t+1} gets Phi(x_{t+1}) - Phi(x_t) in addition to its
    reward, where Phi is a weighted sum of counts that the game shows its player: supply, resources,
    PySC2's score. A worker is then rewarded when it is ordered, not when it collects a
    thousand frames later.

    This is the potential-based shaping of Ng, Harada and Russell 1999 (ICML, equation 2) without
    its discount: the undiscounted return changes by Phi at the end of the episode minus Phi at its
    start and by nothing in between, so a gain that is lost again earns nothing. With the
    discount of an agent step, gamma Phi(x_{t+1}) - Phi(x_t), every step costs (1 - gamma) Phi; as
    long as the baseline does not know that, a policy that chooses its step multiplier learns to
    take the shortest.

    Args:
      observation: of [T + 1, B].
      weights: reward per unit increase by name of a count, at least one.
      done: bool [T, B], whether x_{t+1} is the first observation of another episode.

    Returns:
      float32 [T, B], 0 at the end of an episode. No gradient flows through it.

    Raises:
      KeyError: if a count is unknown, or its vector or layer is not observed.
    """
    potential = tf.add_n([weight * _count(observation, name) for name, weight in weights])
    gained = potential[1:] - potential[:-1]
    return tf.stop_gradient(tf.where(done, tf.zeros_like(gained), gained))


def _count(observation: Mapping[str, Nest], name: str) -> tf.Tensor:
    """Returns a count of the observations of [T + 1, B], float32 [T + 1, B]."""
    if name in counts.SHARES:
        layer = observation['minimap'][counts.SHARES[name]]
        return 100.0 * tf.reduce_mean(tf.cast(layer > 0, tf.float32), axis=[-2, -1])
    vector, column = counts.COUNTS[name]
    return tf.cast(observation[vector][..., column], tf.float32)


def gain_share(decay: float, schedule: Schedule) -> tf.Tensor:
    """The current factor of gains, float32 []: falls linearly from 1 to 0.

    Args:
      decay: fraction of the phase until it is 0.
      schedule: schedule of the phase.
    """
    return schedule.linear(1.0, 0.0, part=decay)


def environment_frames(
    unused_policy: JointPolicy,
    steps: Steps,
    unused_rewards: tf.Tensor,
    unused_discounts: tf.Tensor,
) -> tf.Tensor:
    """Environment frames of each step: a cost of time, independent of the multiplier."""
    return tf.cast(steps.frames, tf.float32)


def behaviour_entropy(
    policy: JointPolicy, steps: Steps, unused_rewards: tf.Tensor, unused_discounts: tf.Tensor
) -> tf.Tensor:
    """The entropy of the policy at the time of acting, in nats, of the heads that were used.

    With a negative cost it is the reward of maximum entropy learning (Haarnoja et al. 2018, arXiv
    1801.01290, equation 1). It is 0 on steps of a demonstrator: its policy is not recorded.
    """
    entropy = policy.entropy(steps.behaviour, steps.behaviour)
    if tf.nest.flatten(steps.demonstrated):
        entropy = tf.where(steps.demonstrated, tf.zeros_like(entropy), entropy)
    return entropy


def absolute_td_error(
    unused_policy: JointPolicy, steps: Steps, rewards: tf.Tensor, discounts: tf.Tensor
) -> tf.Tensor:
    """|r_t + gamma_t V(x_{t+1}) - V(x_t)| with the current baseline V.

    Its expectation is the negative controllability of a state and action of Gehring and Precup
    2013, 'Smart exploration in reinforcement learning using absolute temporal difference errors'
    (section 4). The reward is without shaping.
    """
    values = steps.learner.baseline
    following = tf.concat([values[1:], steps.bootstrap_value[tf.newaxis]], axis=0)
    return tf.abs(rewards + discounts * following - values)


MEASURES: Dict[str, Measure] = {
    'fixed': environment_frames,
    'entropy': behaviour_entropy,
    'uncertainty': absolute_td_error,
}
"""Kinds that `--reward_shaping` can name, besides 'none'."""


def _with_values(agent: Agent, batch: Batch) -> Tuple[Batch, AgentOutput]:
    """Returns the current outputs of the agent on a batch, `AgentOutput` of [T + 1, B].

    This takes a separate forward pass. Also returns the batch: its recurrent state of recorded
    columns changes only after that pass.
    """
    outputs, _ = sequences.forward(agent.unroll, batch, sequences.first_state(batch))
    with tf.control_dependencies([outputs.baseline]):
        done = tf.identity(batch.env_outputs.done)
    return batch._replace(env_outputs=batch.env_outputs._replace(done=done)), outputs


def _means(steps: Steps, rewards: tf.Tensor, shaped: tf.Tensor) -> Dict[str, tf.Tensor]:
    """Mean rewards over the steps of new columns with a loss; 0 without such steps."""
    counted = steps.mask * tf.cast(steps.is_new, tf.float32)

    def mean(values: tf.Tensor) -> tf.Tensor:
        return tf.math.divide_no_nan(tf.reduce_sum(values * counted), tf.reduce_sum(counted))

    return {
        'reward/unshaped': mean(rewards),
        'reward/shaping': mean(shaped - rewards),
        'reward/shaped': mean(shaped),
    }
