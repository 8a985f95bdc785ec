"""Critic pre-training: the baseline learns returns of a policy that does not change meanwhile.

For agents that start from a loaded policy: their critic knows nothing yet, and its errors would
otherwise be the first thing that the policy learns from.
"""

import collections
from typing import Any, List, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala import vtrace
from sc2impala.learner import losses, optimization, sequences

CRITIC_SUMMARIES = 'critic_pretrain_summaries'
"""Graph collection of the summaries of this phase."""

CriticLearnerOutput = collections.namedtuple(
    'CriticLearnerOutput', ['done', 'infos', 'num_critic_frames_and_train']
)
"""done, infos: as in `learner.LearnerOutput`. num_critic_frames_and_train: int64 [], the
environment frames of this phase after the update: running it trains."""


def build_critic_learner(
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
    clip_grad_norm: float = 0.0,
    learning_rate: float = 0.0007,
    adam_beta1: float = 0.9,
    adam_beta2: float = 0.999,
    adam_epsilon: float = 1e-5,
    fixed_step_mul: bool = False,
    step_mul: int = 8,
    train_all_variables: bool = False,
) -> CriticLearnerOutput:
    """Builds the update of the baseline alone, with an optimizer of its own.

    The target is the discounted return to the end of the unroll plus the bootstrap value,
    G_t = r_t + gamma_t G_{t+1}; the loss 1/2 (G - V)^2 is summed over time and batch.

    Args:
      train_all_variables: train everything that the baseline depends on. By default only variables
        that no output of the policy depends on, so that the policy comes out as it went in.
      The others are those of `build_learner`.

    Returns:
      `CriticLearnerOutput`. The frames of new columns are counted in a variable of their own, which
      is saved with the checkpoint; the global step stays where it is.

    Raises:
      ValueError: if no variable is the critic's own, or the tensors contradict the sizes given.
    """
    sequences.check_sizes(env_outputs.reward, batch_size, unroll_length)
    is_new = sequences.is_new(env_outputs.reward, is_replay, batch_size_from_replay)
    learner_outputs, _ = agent.unroll(agent_outputs.action, env_outputs, agent_state)
    steps = sequences.shift(env_outputs, agent_outputs, learner_outputs)
    mask = sequences.trained(steps.infos)

    returns = vtrace.discounted_returns(
        losses.transform_rewards(steps.rewards, reward_scaling, reward_clipping),
        losses.step_discounts(
            steps.done, steps.behaviour.step_mul, discounting, discounting_per_frame
        ),
        steps.bootstrap_value,
        mask=mask,
        values=steps.learner.baseline,
    )
    loss = tf.reduce_sum(mask * losses.baseline_loss(returns, steps.learner.baseline))

    variables = tf.trainable_variables()
    if not train_all_variables:
        variables = critic_variables(learner_outputs, variables)
    optimizer = tf.train.AdamOptimizer(
        learning_rate, adam_beta1, adam_beta2, adam_epsilon, name='critic_adam'
    )
    train, grad_norm = optimization.minimize(optimizer, loss, variables, clip_grad_norm)

    played = steps.behaviour.step_mul
    if fixed_step_mul:
        played = tf.fill(tf.shape(steps.rewards), step_mul)
    with tf.control_dependencies([train]):
        frames_and_train = critic_frames().assign_add(sequences.count_frames(played, is_new))

    for name, value in (('baseline_loss', loss), ('grad_norm', grad_norm)):
        tf.summary.scalar('critic_pretrain/' + name, value, collections=[CRITIC_SUMMARIES])
    done, infos = sequences.countable(steps, is_new)
    return CriticLearnerOutput(done, infos, frames_and_train)


def critic_frames() -> tf.Variable:
    """The environment frames of this phase so far: int64 [], made when first asked for."""
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        return tf.get_variable(
            'critic_pretrain_frames',
            shape=[],
            dtype=tf.int64,
            initializer=tf.zeros_initializer(),
            trainable=False,
        )


def critic_variables(learner_outputs: Any, variables: Sequence[Any]) -> List[Any]:
    """The variables that the baseline depends on and no output of the policy does.

    Raises:
      ValueError: if there are none.
    """
    policy_outputs = tf.nest.flatten(
        [learner_outputs.action_logits, learner_outputs.step_mul_logits]
    )
    of_policy = tf.gradients(policy_outputs, variables)
    of_baseline = tf.gradients(learner_outputs.baseline, variables)
    own = [
        variable
        for variable, to_policy, to_baseline in zip(variables, of_policy, of_baseline)
        if to_policy is None and to_baseline is not None
    ]
    if not own:
        raise ValueError(
            'the critic of this agent shares all its variables with the policy: give it a layer of '
            'its own, or pre-train all variables'
        )
    return own
