"""The learner: IMPALA's actor-critic update, with CLEAR on the replayed columns.

T is the unroll length, N the new and R the replayed sequences of a batch, B = N + R. Sources:
IMPALA (Espeholt et al. 2018, arXiv 1802.01561) and CLEAR (Rolnick et al. 2018, arXiv 1811.11682).
"""

import collections
from typing import Any, Optional

import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from sc2impala.learner import losses, optimization, sequences, summaries

LearnerOutput = collections.namedtuple(
    'LearnerOutput', ['done', 'infos', 'num_env_frames_and_train']
)
"""done: bool [T, B], where an episode ended that counts: in a new column, and not aborted.
infos: EpisodeInfo of [T, B]; `aborted` is cleared in replayed columns.
num_env_frames_and_train: int64 [], the global step after the update: running it trains."""


def build_learner(
    agent: Any,
    agent_state: Any,
    env_outputs: Any,
    agent_outputs: Any,
    is_replay: Optional[tf.Tensor] = None,
    batch_size: Optional[int] = None,
    batch_size_from_replay: int = 0,
    unroll_length: Optional[int] = None,
    reward_clipping: str = 'none',
    reward_scaling: float = 1.0,
    discounting: float = 0.99,
    discounting_per_frame: bool = False,
    baseline_cost: float = 0.5,
    entropy_cost: float = 0.00025,
    final_entropy_cost: Optional[float] = None,
    entropy_decay: float = 1.0,
    policy_cloning_cost: float = 0.01,
    value_cloning_cost: float = 0.005,
    clip_grad_norm: float = 0.0,
    clip_advantage: bool = False,
    learning_rate: float = 0.0007,
    final_learning_rate: float = 0.0,
    adam_beta1: float = 0.9,
    adam_beta2: float = 0.999,
    adam_epsilon: float = 1e-5,
    total_environment_frames: float = 1e9,
    fixed_step_mul: bool = False,
    step_mul: int = 8,
) -> LearnerOutput:
    """Builds the update of policy and baseline.

    All losses are summed over time and batch, as in IMPALA: a cost or learning rate from a code
    base that averages means something else here. With no replayed column the graph is plain IMPALA.

    Args:
      agent: `agents.Agent`.
      agent_state: recurrent state before the first step, nest of [B, ...].
      env_outputs: `EnvOutput` of [T + 1, B].
      agent_outputs: `AgentOutput` of [T + 1, B], of the behaviour policy.
      is_replay: bool [B], which columns come from replay. None: the last `batch_size_from_replay`.
      batch_size: B, checked against the tensors when given.
      batch_size_from_replay: R, when `is_replay` is None; 0 leaves the cloning losses out.
      unroll_length: T, checked against the tensors when given.
      reward_clipping: 'abs_one', 'soft_asymmetric' or 'none'; see `losses.transform_rewards`.
      reward_scaling: factor on the rewards, before clipping.
      discounting: discount per agent step.
      discounting_per_frame: make it discounting ** (step_mul / 8) instead.
      baseline_cost: weight of 1/2 (vs - V)^2.
      entropy_cost: weight of the entropy.
      final_entropy_cost: where it ends, linearly over the frames; None keeps it constant.
      entropy_decay: the part of the frames over which it gets there.
      policy_cloning_cost: weight of KL(mu || pi) on replayed columns.
      value_cloning_cost: weight of (V - V_replay)^2 on replayed columns.
      clip_grad_norm: largest global norm of the gradient; 0 does not clip.
      clip_advantage: learn from positive advantages only.
      learning_rate: of Adam, at the first frame.
      final_learning_rate: at the last frame, linearly in between.
      adam_beta1, adam_beta2, adam_epsilon: of Adam.
      total_environment_frames: length of the schedules, in environment frames (game loops).
      fixed_step_mul: the step multiplier is no choice of the agent.
      step_mul: environment frames of an agent step when it is fixed.

    Returns:
      `LearnerOutput`. The global step counts environment frames of new columns.

    Raises:
      ValueError: if the tensors contradict `batch_size` or `unroll_length`, or an option is
        unknown.
    """
    sequences.check_sizes(env_outputs.reward, batch_size, unroll_length)
    with_replay = is_replay is not None or batch_size_from_replay > 0
    is_new = sequences.is_new(env_outputs.reward, is_replay, batch_size_from_replay)

    learner_outputs, _ = agent.unroll(agent_outputs.action, env_outputs, agent_state)
    steps = sequences.shift(env_outputs, agent_outputs, learner_outputs)
    mask = sequences.trained(steps.infos)

    rewards = losses.transform_rewards(steps.rewards, reward_scaling, reward_clipping)
    discounts = losses.step_discounts(
        steps.done, steps.behaviour.step_mul, discounting, discounting_per_frame
    )
    target_log_probs = agent.policy.log_prob(steps.learner, steps.behaviour)
    behaviour_log_probs = agent.policy.log_prob(steps.behaviour, steps.behaviour)
    with tf.device('/cpu'):
        vtrace_returns = vtrace.from_importance_weights(
            log_rhos=target_log_probs - behaviour_log_probs,
            discounts=discounts,
            rewards=rewards,
            values=steps.learner.baseline,
            bootstrap_value=steps.bootstrap_value,
            mask=mask,
        )
    advantages = vtrace_returns.pg_advantages
    if clip_advantage:
        advantages = tf.maximum(advantages, 0.0)

    def total(loss):
        return tf.reduce_sum(loss * mask)

    global_step = tf.train.get_or_create_global_step()
    entropy_cost_now = optimization.linear_schedule(
        entropy_cost,
        entropy_cost if final_entropy_cost is None else final_entropy_cost,
        global_step,
        max(1.0, entropy_decay * total_environment_frames),
    )
    terms = {
        'policy_gradient': total(losses.policy_gradient_loss(target_log_probs, advantages)),
        'baseline': baseline_cost
        * total(losses.baseline_loss(vtrace_returns.vs, steps.learner.baseline)),
        'entropy': entropy_cost_now
        * total(losses.entropy_loss(agent.policy.entropy(steps.learner, steps.behaviour))),
    }
    if with_replay:
        replayed = 1.0 - tf.cast(is_new, tf.float32)
        kl = agent.policy.kl(steps.behaviour, steps.learner, steps.behaviour)
        terms['policy_cloning'] = policy_cloning_cost * total(
            replayed * losses.policy_cloning_loss(kl)
        )
        terms['value_cloning'] = value_cloning_cost * total(
            replayed * losses.value_cloning_loss(steps.learner.baseline, steps.behaviour.baseline)
        )
    loss = tf.add_n([terms[name] for name in sorted(terms)])

    learning_rate_now = optimization.linear_schedule(
        learning_rate, final_learning_rate, global_step, total_environment_frames
    )
    optimizer = tf.train.AdamOptimizer(
        learning_rate_now, adam_beta1, adam_beta2, adam_epsilon, name='adam'
    )
    train, grad_norm = optimization.minimize(
        optimizer, loss, tf.trainable_variables(), clip_grad_norm
    )
    played = tf.fill(tf.shape(steps.rewards), step_mul)
    if not fixed_step_mul:
        played = steps.behaviour.step_mul
    with tf.control_dependencies([train]):
        num_env_frames_and_train = global_step.assign_add(sequences.count_frames(played, is_new))

    summaries.add_learner_summaries(
        dict(terms, total_loss=loss),
        {
            'learning_rate': learning_rate_now,
            'entropy_cost': entropy_cost_now,
            'grad_norm': grad_norm,
        },
    )
    summaries.add_action_histograms(agent.policy, steps.behaviour, is_new)
    done, infos = sequences.countable(steps, is_new)
    return LearnerOutput(done, infos, num_env_frames_and_train)
