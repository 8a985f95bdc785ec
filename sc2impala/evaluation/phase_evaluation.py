"""Evaluations of the agent during training."""

from typing import Callable, List, Mapping, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import envs, structs
from sc2impala.agents.wrapper import ActingAgent
from sc2impala.envs.specs import ObservationSpec
from sc2impala.envs.vector import Specs
from sc2impala.evaluation import players, scoring
from sc2impala.runtime import sessions


class PhaseEvaluation:
    """Runs the same episodes every time, with the agent's weights in a session.

    Equal weights have equal results in every start of a run.
    """

    def __init__(
        self,
        agent: ActingAgent,
        observation_spec: ObservationSpec,
        make_env: Callable[[], envs.VectorEnvironment],
        num_episodes: int,
        seed: int = 0,
        num_envs: Optional[int] = None,
        greedy: bool = False,
    ):
        """Builds the operations.

        Args:
          agent: `agents.agent.Agent` with its variables.
          observation_spec: `envs.specs.ObservationSpec`.
          make_env: makes a `VectorEnvironment` of `num_envs` games.
          num_episodes: number of episodes.
          seed: in 0..2**32 - 1, seed of the sampled actions.
          num_envs: number of parallel games; None for one per episode.
          greedy: choose the most probable actions instead of sampling.
        """
        self._player = players.SessionPlayer(
            agent, observation_spec, num_envs or num_episodes, greedy, seed
        )
        self._make_env = make_env
        self._num_episodes = num_episodes

    def __call__(
        self,
        session: tf.Session,
        make_env: Optional[Callable[[], envs.VectorEnvironment]] = None,
    ) -> float:
        """Returns the mean return; for the arguments see `play`."""
        infos = self.play(session, make_env=make_env) or ()
        return float(np.mean([info.episode_return for info in infos]))

    def play(
        self,
        session: tf.Session,
        should_stop: Callable[[], bool] = lambda: False,
        make_env: Optional[Callable[[], envs.VectorEnvironment]] = None,
    ) -> Optional[List[structs.EpisodeInfo]]:
        """Runs all episodes.

        Args:
          session: the session with the weights.
          should_stop: called before every step.
          make_env: makes other games of the same specs; None for those of the constructor.

        Returns:
          One `EpisodeInfo` of numbers per episode; None if stopped.

        Raises:
          UserError: if a game fails.
        """
        if should_stop():
            return None
        self._player.start(session)
        with (make_env or self._make_env)() as env, sessions.failures_reported([env]):
            infos = scoring.play_episodes(
                env, self._player, self._num_episodes, should_stop=should_stop
            )
        return infos if len(infos) == self._num_episodes else None


def on_simulator(
    agent: ActingAgent,
    specs: Specs,
    map_name: str,
    longest_step: int,
    seeds: Sequence[int],
    rules: Optional[Mapping[str, float]] = None,
) -> PhaseEvaluation:
    """Returns an evaluation on the simulator, regardless of the backend of the training.

    Args:
      agent: `agents.agent.Agent` with its variables.
      specs: observation and action spec.
      map_name: one of `envs.MAP_NAMES`.
      longest_step: the largest number of environment frames of a step.
      seeds: one per episode.
      rules: see `envs.SimulatedEnvironment`.
    """

    def make_env() -> envs.VectorEnvironment:
        return envs.make_environment(
            'simulator', map_name, seeds, specs[0], specs[1], longest_step, rules=rules
        )

    return PhaseEvaluation(agent, specs[0], make_env, len(seeds), seeds[0])
