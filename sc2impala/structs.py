"""The tuples that environments, agents, actors, replay buffer and learner exchange.

T is the unroll length, K the number of environments of one actor, B the batch size of the learner.
An unroll consists of T + 1 steps. The fields are NumPy arrays, tensors, or their specs, with any
number of leading dimensions: none for one step, [K] in an actor, [T + 1, B] in the learner.
"""

from typing import Any, NamedTuple

Nest = Any
"""A tensor, array or spec, or a nested structure of them, see `tf.nest`. The recurrent
state of an agent is one."""

DEMONSTRATION = 'demonstration'
"""Key of the labels of a demonstrator in an observation, see `learner.labels`."""

TASK = 'task'
"""Key of the index of the map in an observation, int32 [], in runs on several maps."""


class AgentOutput(NamedTuple):
    """The choice of the agent for one observation, and its distribution.

    action: dict from head name to int32 []; the value of a point head is `y * width + x`. Heads
      that the chosen function does not use have a sampled value without effect.
    action_logits: dict with the same keys, float32 [number of choices]. Unavailable functions
      have a large finite negative logit. If arguments depend on the function, their logits are
      conditioned on the choices before them in `action`.
    step_mul: int32 [], environment frames (StarCraft II game loops) until the next agent step,
      1..max_step_mul.
    step_mul_logits: float32 [max_step_mul]; a single zero when the step multiplier is fixed.
    baseline: float32 [], the critic's estimate of the discounted return.
    auxiliary: nest of the outputs of auxiliary heads, computed only by the learner; () in
      sequences.
    """

    action: Any
    action_logits: Any
    step_mul: Any
    step_mul_logits: Any
    baseline: Any
    auxiliary: Any = ()


class EnvOutput(NamedTuple):
    """The result of an action.

    A limit that is not part of the task truncates an episode. Its final observation, from which the
    return bootstraps, then belongs to an ordinary step, with `done` unset. The next step ignores
    the action and starts the next episode: `done` is set, the reward is 0, and info has the totals
    of the old episode, unchanged. `frames.is_reset` recognises such a step. It has no loss.

    reward: float32 [], the change of the game's score since the last observation.
    info: EpisodeInfo of the episode of the reward.
    done: bool [], the episode ended with this step. Reward and info then belong to the old episode
      and the observation is the first of the next one; the final observation is not returned.
    observation: nested dict of arrays, as described by the observation spec.
    """

    reward: Any
    info: Any
    done: Any
    observation: Any


class EpisodeInfo(NamedTuple):
    """Running totals of an episode up to and including this step.

    episode_return: float32 [], sum of the rewards; NaN at the end of an episode that is in no
      statistic: it did not begin at the start of the map, see `envs.start_states`, or a script has
      begun it, see `envs.demonstrator`.
    episode_frames: int32 [], environment frames.
    episode_steps: int32 [], agent steps; the step after a truncation does not count.
    aborted: bool [], set only together with `done`: the game died, hung or was relaunched. The step
      is not terminal; it is excluded from training and from statistics.
    """

    episode_return: Any
    episode_frames: Any
    episode_steps: Any
    aborted: Any


class SequenceInfo(NamedTuple):
    """Origin of a sequence; one value per sequence.

    task: int32 [], index of the map in the run.
    actor: int32 [], index of the actor.
    policy_frames: int64 [], global step (environment frames) of the weights at the start of the
      unroll.
    policy_updates: int64 [], updates of these weights since the start of the process.
    """

    task: Any
    actor: Any
    policy_frames: Any
    policy_updates: Any


class TeacherLogits(NamedTuple):
    """The policy of a frozen teacher on an observation of the agent.

    action_logits, step_mul_logits: as in `AgentOutput`.
    valid: bool [], True if a teacher was active; else the logits are 0.
    """

    action_logits: Any
    step_mul_logits: Any
    valid: Any


class ActorOutput(NamedTuple):
    """One unroll of an actor: an element of the queue and of the replay buffer.

    Step t of agent_outputs is the choice that *led to* step t of env_outputs, and step t of
    teacher_logits is the choice of the teacher there; step 0 repeats the last step of the previous
    unroll.

    agent_state: nest of the agent's recurrent state before the first step.
    env_outputs: EnvOutput of T + 1 steps.
    agent_outputs: AgentOutput of T + 1 steps.
    sequence_info: SequenceInfo, the last field without a teacher: replay buffers saved by
      older versions lack it.
    teacher_logits: TeacherLogits of T + 1 steps; () if the run has no teacher.
    """

    agent_state: Any
    env_outputs: Any
    agent_outputs: Any
    sequence_info: Any
    teacher_logits: Any = ()
