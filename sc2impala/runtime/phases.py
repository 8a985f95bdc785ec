"""The stages of a training: pre-training of the critic, if asked for, then the agent."""

import collections
from typing import Any, List

import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.runtime import config as config_lib

Phase = collections.namedtuple(
    'Phase', ['name', 'frames', 'num_frames', 'done', 'infos', 'steps', 'train', 'summary']
)
"""name: for the progress line.
frames: variable with the environment frames of this phase so far; num_frames: how many it has.
done, infos: of the batch of an update, see `learner.LearnerOutput`.
steps: agent steps in its new columns, int64 [].
train: runs an update and gives `frames` after it, int64 [].
summary: merged summaries of the update.
"""


def build_phases(config: config_lib.Config, agent: Any, batch: Any) -> List[Phase]:
    """Builds the learners on one batch, in the order in which they run."""
    sequences = (agent, batch.agent_state, batch.env_outputs, batch.agent_outputs)
    _, num_replay = config_lib.batch_split(config)
    common = dict(
        is_replay=batch.is_replay if num_replay else None,
        batch_size=config.batch_size,
        unroll_length=config.unroll_length,
        reward_clipping=config.reward_clipping,
        reward_scaling=config.reward_scaling,
        discounting=config.discounting,
        discounting_per_frame=config.discounting_per_frame,
        clip_grad_norm=config.clip_grad_norm,
        adam_beta1=config.adam_beta1,
        adam_beta2=config.adam_beta2,
        adam_epsilon=config.adam_epsilon,
        fixed_step_mul=config.fixed_step_mul,
        step_mul=config.step_mul,
    )
    new_sequences = tf.reduce_sum(tf.cast(tf.logical_not(batch.is_replay), tf.int64))
    steps = config.unroll_length * new_sequences
    phases = []
    if config.num_critic_pretrain_frames:
        phases.append(_critic_phase(config, sequences, common, steps))
    phases.append(_agent_phase(config, sequences, common, steps))
    return phases


def _critic_phase(config, sequences, common, steps):
    critic = learner.build_critic_learner(
        *sequences,
        learning_rate=config.critic_learning_rate,
        train_all_variables=config.critic_pretrain_all_variables,
        **common,
    )
    return Phase(
        name='critic pre-training',
        frames=learner.critic_frames(),
        num_frames=config.num_critic_pretrain_frames,
        done=critic.done,
        infos=critic.infos,
        steps=steps,
        train=critic.num_critic_frames_and_train,
        summary=tf.summary.merge_all(learner.CRITIC_SUMMARIES),
    )


def _agent_phase(config, sequences, common, steps):
    output = learner.build_learner(
        *sequences,
        baseline_cost=config.baseline_cost,
        entropy_cost=config.entropy_cost,
        final_entropy_cost=None if config.final_entropy_cost < 0 else config.final_entropy_cost,
        entropy_decay=config.entropy_decay,
        policy_cloning_cost=config.policy_cloning_cost,
        value_cloning_cost=config.value_cloning_cost,
        clip_advantage=config.clip_advantage,
        learning_rate=config.learning_rate,
        final_learning_rate=config.final_learning_rate,
        total_environment_frames=config.total_environment_frames,
        **common,
    )
    return Phase(
        name='training',
        frames=tf.train.get_or_create_global_step(),
        num_frames=config.total_environment_frames,
        done=output.done,
        infos=output.infos,
        steps=steps,
        train=output.num_env_frames_and_train,
        summary=tf.summary.merge_all(),
    )
