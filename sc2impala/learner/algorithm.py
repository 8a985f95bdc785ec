"""Interface of algorithms: each gives the trainer an `Update`.

    class BehaviourCloning(Algorithm):
        settings_class = BehaviourCloningSettings

        def build_update(self, agent, batch, variables, schedule):
            ...
            return Update(train, frames, done, infos, metrics)

The trainer calls the function `build_update`, which first computes the rewards to learn from.
"""

import abc
from typing import (
    Any,
    Callable,
    ClassVar,
    Dict,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Type,
)

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.agents.wrapper import ActingAgent
from sc2impala.learner import rewards
from sc2impala.learner.batch import Batch, make_batch
from sc2impala.learner.optimization import Schedule
from sc2impala.settings.learning import AlgorithmSettings, ReturnSettings
from sc2impala.structs import ActorOutput, EpisodeInfo


class Update(NamedTuple):
    """One update, as tensors and operations of the graph. B is the batch size, T the unroll length
    without overlap, see `Algorithm.overlap`.

    train: operation that updates the variables.
    frames: int64 [], environment frames in the new columns of the batch.
    done: bool [T, B], ends of episodes in new columns that were not aborted.
    infos: EpisodeInfo of [T, B]; `aborted` is cleared in replayed columns.
    metrics: tensors by tag: float32 [] for a scalar, rank 1 for a histogram.
    priorities: float32 [B], new priorities of the sequences in the replay buffer, or None.
    priority_keys: int64 [B], the keys of these sequences, -1 to leave a priority unchanged; None
        for the keys of the batch.
    grad_norm: float32 [], norm of the gradient before clipping; None if it is not monitored.
    """

    train: tf.Operation
    frames: tf.Tensor
    done: tf.Tensor
    infos: EpisodeInfo
    metrics: Mapping[str, tf.Tensor]
    priorities: Optional[tf.Tensor] = None
    priority_keys: Optional[tf.Tensor] = None
    grad_norm: Optional[tf.Tensor] = None


class Sequences(NamedTuple):
    """Overlap of consecutive sequences, and the priorities of new ones in the replay buffer.

    overlap: number of extra steps by which consecutive sequences overlap; they always share one;
        less than the unroll length. They are part of two sequences: `Update.frames`, `done` and
        `infos` leave out the first ones of each.
    priorities: maps a batch of N new sequences to the priorities with which they enter a replay
        buffer with priorities, float32 [N]; None for the highest priority so far.
    """

    overlap: int = 0
    priorities: Optional[Callable[[Batch], tf.Tensor]] = None


class Algorithm(abc.ABC):
    """Updates an agent from batches of sequences.

    title: name of its phase in the progress line.
    settings_class: class of its settings, for an algorithm in one file; an algorithm in a
        folder has it in `settings`, and names it in the registry.
    agent_needs: attributes that the agent must have.
    """

    title: ClassVar[str] = 'training'
    settings_class: ClassVar[Type[AlgorithmSettings]]
    agent_needs: ClassVar[Tuple[str, ...]] = ('unroll', 'policy')

    def __init__(self, settings: AlgorithmSettings):
        """Args:
        settings: instance of the settings class of the algorithm.
        """
        self.settings = settings

    def agent_options(self) -> Mapping[str, Any]:
        """Arguments of `agents.make_agent` that the algorithm sets, by name."""
        return {}

    def acting_agents(self, agent: Agent, num_actors: int, num_envs: int) -> List[ActingAgent]:
        """Returns the behaviour policies of the actors: the agent, or a wrapper for each.

        Args:
          agent: the trained agent.
          num_actors: number of actors in this process.
          num_envs: number of games of each.
        """
        return [agent] * num_actors

    def evaluated_agent(self, agent: Agent) -> ActingAgent:
        """Returns the policy of evaluations and recordings: the agent, or a wrapper."""
        return agent

    def sequences(self, agent: Agent) -> Sequences:
        """Describes the sequences that the algorithm learns from, see `Sequences`.

        Args:
          agent: the trained agent.
        """
        return Sequences()

    def demonstrator_share(self, frames: int) -> Optional[float]:
        """Returns the fraction of episodes in which the demonstrator acts.

        Args:
          frames: environment frames of the phase so far.

        Returns:
          0 to 1, where at 0 it only labels the observations of the agent; None if the algorithm has
          no use for labels.
        """
        return None

    def teacher_cost(self, schedule: Schedule) -> Optional[tf.Tensor]:
        """Returns the weight of a frozen teacher in the loss.

        Args:
          schedule: schedule of the phase.

        Returns:
          float32 [], or None without a teacher. At 0 the teacher does not act, and
          batches contain no logits of it.
        """
        return None

    @abc.abstractmethod
    def build_update(
        self, agent: Agent, batch: Batch, variables: Sequence[tf.Variable], schedule: Schedule
    ) -> Update:
        """Builds one update.

        Args:
          agent: an agent, or any object with the attributes in `agent_needs`.
          batch: a batch of sequences, with the rewards from which the agent learns.
          variables: the only variables that may be trained; other agents in the graph, such as a
            target network or a teacher, keep theirs.
          schedule: schedule of this phase.
        """


class PretrainingAlgorithm(Algorithm):
    """An algorithm of a phase before the training; its settings are `PretrainingSettings`.

    frames_variable: name of the counter of its frames in checkpoints.
    from_demonstrations: True if it learns from labels: its batches then come from recordings if
        the run has some, and from games with labels otherwise.
    """

    frames_variable: ClassVar[str]
    from_demonstrations: ClassVar[bool] = False


def build_update(
    algorithm: Algorithm,
    agent: Agent,
    batch: Batch,
    variables: Optional[Sequence[tf.Variable]],
    schedule: Schedule,
) -> Update:
    """Builds an update from the rewards of the game.

    The algorithm gets the rewards from which it learns, see `rewards.learned`.

    Args:
      algorithm: an algorithm, whose settings may include settings of rewards.
      agent, batch, schedule: as in `Algorithm.build_update`.
      variables: the trained variables; None for all weights of the agent.

    Raises:
      ValueError: if the agent lacks an attribute that the algorithm needs.
    """
    check_agent(algorithm, agent)
    # Gains decay over the training, not over the phases before it.
    decay = None if isinstance(algorithm, PretrainingAlgorithm) else schedule
    batch, metrics = _with_learned_rewards(algorithm, agent, batch, decay)
    trained = agent.weights if variables is None else variables
    update = algorithm.build_update(agent, batch, trained, schedule)
    return update._replace(metrics={**metrics, **update.metrics})


def new_priorities(
    algorithm: Algorithm, agent: Agent
) -> Optional[Callable[[ActorOutput], tf.Tensor]]:
    """Returns the function for priorities of new sequences.

    Returns:
      A function of an `ActorOutput` of [N, ...], batch-major, with the rewards of the game, that
      returns float32 [N]; None if the algorithm does not set priorities of new sequences.
    """
    priorities = algorithm.sequences(agent).priorities
    if priorities is None:
        return None

    def from_sequences(sequences: ActorOutput) -> tf.Tensor:
        batch, _ = _with_learned_rewards(algorithm, agent, make_batch(sequences), None)
        return priorities(batch)

    return from_sequences


def _with_learned_rewards(
    algorithm: Algorithm, agent: Agent, batch: Batch, schedule: Optional[Schedule]
) -> Tuple[Batch, Dict[str, tf.Tensor]]:
    """`rewards.learned`, for algorithms with settings of rewards."""
    if not isinstance(algorithm.settings, ReturnSettings):
        return batch, {}
    return rewards.learned(agent, batch, algorithm.settings, schedule)


def check_agent(algorithm: Algorithm, agent: Agent) -> None:
    """Raises: ValueError: if the agent lacks an attribute that the algorithm needs."""
    missing = [name for name in algorithm.agent_needs if not hasattr(agent, name)]
    if missing:
        raise ValueError(
            f'{type(algorithm).__name__} needs an agent with {", ".join(missing)}, but '
            f'{type(agent).__name__} has none'
        )
