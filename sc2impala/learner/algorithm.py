"""Interface of algorithms: each gives the trainer an `Update`.

class BehaviourCloning(Algorithm):
    settings_class = BehaviourCloningSettings

    def build_update(self, agent, batch, variables, schedule):
        ...
        return Update(train, frames, done, infos, metrics)
"""

import abc
from typing import (
    Any,
    Callable,
    ClassVar,
    Dict,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Type,
)

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.learner import rewards
from sc2impala.learner.batch import Batch
from sc2impala.learner.optimization import Schedule
from sc2impala.settings.learning import AlgorithmSettings, ReturnSettings
from sc2impala.structs import ActorOutput, EpisodeInfo


class Update(NamedTuple):
    """One update, as tensors and operations of the graph. B is the batch size, T the unroll length
    without what sequences share, see `Algorithm.overlap`.

    train: operation that updates the variables.
    frames: int64 [], environment frames of the new columns of the batch.
    done: bool [T, B], where an episode ended that counts: in a new column, and not aborted.
    infos: EpisodeInfo of [T, B]; `aborted` is cleared in replayed columns.
    metrics: by tag float32 [], written as a scalar, or a tensor of rank 1, written as a histogram.
    priorities: float32 [B], new priorities of the sequences in the replay buffer, or None.
    priority_keys: int64 [B], the keys of these sequences, -1 for those whose priority stays; None
        for the keys of the batch.
    """

    train: tf.Operation
    frames: tf.Tensor
    done: tf.Tensor
    infos: EpisodeInfo
    metrics: Mapping[str, tf.Tensor]
    priorities: Optional[tf.Tensor] = None
    priority_keys: Optional[tf.Tensor] = None


class Algorithm(abc.ABC):
    """Updates an agent from batches of sequences.

    title: name of its phase in the progress line.
    settings_class: class of its settings, of an algorithm in one file; that of an algorithm in a
        folder is in its `settings`, and named in the registry.
    agent_needs: attributes that the agent must have.
    """

    title: ClassVar[str] = 'training'
    settings_class: ClassVar[Type[AlgorithmSettings]]
    agent_needs: ClassVar[Tuple[str, ...]] = ('unroll', 'policy')

    def __init__(self, settings: Any):
        """Args:
        settings: of the settings class of the algorithm.
        """
        self.settings = settings

    @property
    def bootstrap_heads(self) -> int:
        """Versions of its heads that the agent needs; 0 for none but the heads themselves."""
        return 0

    def demonstrator_share(self, frames: int) -> Optional[float]:
        """The part of the episodes that a demonstrator plays.

        Args:
          frames: environment frames of the phase so far.

        Returns:
          0 to 1, where at 0 it only labels the observations of the agent; None if the algorithm has
          no use for labels.
        """
        return None

    def teacher_cost(self, schedule: Schedule) -> Optional[tf.Tensor]:
        """The weight of a frozen teacher in the loss.

        Args:
          schedule: of the phase.

        Returns:
          float32 [], or None if there never is a teacher. At 0 the teacher does not act, and
          batches say nothing of it.
        """
        return None

    def epsilons(self, count: int) -> Sequence[float]:
        """The probability of a random action in each game of the actors.

        Args:
          count: games of all actors, those of the first actor coming first.

        Returns:
          `count` numbers, 0 to 1; none if actions are sampled from a policy.
        """
        return ()

    def evaluation_epsilon(self) -> float:
        """The probability of a random action in an evaluation, where values are learned."""
        return 0.0

    def overlap(self, agent: Agent) -> int:
        """How many steps a sequence shares with the one before it beside the one that all share.

        They are played once and part of two sequences: `Update.frames`, `done` and `infos` have to
        leave out the first ones of each.

        Args:
          agent: what acts.

        Returns:
          Less than the unroll length.
        """
        return 0

    def new_priorities(self, agent: Agent) -> Optional[Callable[[ActorOutput], tf.Tensor]]:
        """The priorities with which new sequences enter a replay buffer that has priorities.

        Args:
          agent: as in `build_update`.

        Returns:
          A function of an `ActorOutput` of [N, ...], batch-major, that returns float32 [N]; None
          for the highest priority so far.
        """
        return None

    @abc.abstractmethod
    def build_update(
        self, agent: Agent, batch: Batch, variables: Sequence[tf.Variable], schedule: Schedule
    ) -> Update:
        """Builds one update.

        Args:
          agent: an agent, or anything else with what `agent_needs` lists.
          batch: a batch of sequences, with the rewards from which the agent learns.
          variables: the only variables that may be trained; other agents in the graph, such as a
            target network or a teacher, keep theirs.
          schedule: of this phase.
        """


class PretrainingAlgorithm(Algorithm):
    """An algorithm of a phase before the training; its settings are `PretrainingSettings`.

    frames_variable: name of the variable that counts them, as it is in checkpoints.
    from_demonstrations: whether it learns from labels: its batches then come from recordings if
        the run has some, and from games with labels otherwise.
    """

    frames_variable: ClassVar[str]
    from_demonstrations: ClassVar[bool] = False


def build_update(
    algorithm: Algorithm,
    agent: Agent,
    batch: Batch,
    variables: Sequence[tf.Variable],
    schedule: Schedule,
) -> Update:
    """Builds an update from the rewards of the game.

    What the algorithm gets are the rewards from which it learns, see `rewards.learned`.

    Args:
      algorithm: in whose settings are those of rewards, if it has some.
      agent, batch, variables, schedule: as in `Algorithm.build_update`.

    Raises:
      ValueError: if the agent lacks something that the algorithm needs.
    """
    check_agent(algorithm, agent)
    metrics: Dict[str, tf.Tensor] = {}
    if isinstance(algorithm.settings, ReturnSettings):
        # Gains decay over the training, not over the phases before it.
        decay = None if isinstance(algorithm, PretrainingAlgorithm) else schedule
        batch, metrics = rewards.learned(agent, batch, algorithm.settings, decay)
    update = algorithm.build_update(agent, batch, variables, schedule)
    return update._replace(metrics={**metrics, **update.metrics})


def check_agent(algorithm: Algorithm, agent: Agent) -> None:
    """Raises: ValueError: if the agent lacks something that the algorithm needs."""
    missing = [name for name in algorithm.agent_needs if not hasattr(agent, name)]
    if missing:
        raise ValueError(
            f'{type(algorithm).__name__} needs an agent with {", ".join(missing)}, but '
            f'{type(agent).__name__} has none'
        )
