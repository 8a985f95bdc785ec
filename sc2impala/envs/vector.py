"""The interface of environments: K games of one map, stepped together."""

import abc
from typing import Dict, Mapping, Optional, Tuple

import numpy as np

from sc2impala import structs
from sc2impala.envs import checks
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

NO_LIMIT = 2**31 - 1
"""More frames than any episode has."""

Specs = Tuple[ObservationSpec, ActionSpec]
"""Observation and action spec of an environment."""


def check_max_episode_frames(value: Optional[int]) -> int:
    """Returns the number of frames that truncates an episode: `NO_LIMIT` for None.

    Raises:
      ValueError: if it is not positive.
    """
    return NO_LIMIT if value is None else checks.check_positive('max_episode_frames', value)


class VectorEnvironment(abc.ABC):
    """K games behind one `reset` and one `step`.

        with make_env() as env:
            observation = env.reset()
            while True:
                env_output = env.step(act(observation), step_mul)
                observation = env_output.observation

    num_envs: K.
    observation_spec, action_spec: shared by all games.
    max_step_mul: the largest number of environment frames per step. An environment frame is one
        StarCraft II game loop, of which there are 16 in a second of game time.
    failure: the error that made the environment unusable, or None.
    frames_played: total environment frames of all games in `step`.

    `reset` must be called before the first `step`. Returned arrays belong to the caller: no later
    call changes them. Observations are as `observation_spec.structure()` describes them, with a
    leading dimension K.
    """

    failure: Optional[Exception] = None
    frames_played: int = 0

    def __init__(
        self,
        num_envs: int,
        observation_spec: ObservationSpec,
        action_spec: ActionSpec,
        max_step_mul: int,
    ):
        """Sets the attributes that all environments have.

        Raises:
          ValueError: if a number is not positive or the two specs are inconsistent.
        """
        for name in ('num_functions', 'screen_size', 'minimap_size'):
            observed, acted = getattr(observation_spec, name), getattr(action_spec, name)
            if observed != acted:
                raise ValueError(
                    f'observation_spec.{name} is {observed}, expected {acted} as in action_spec.'
                )
        self.num_envs = checks.check_positive('num_envs', num_envs)
        self.observation_spec = observation_spec
        self.action_spec = action_spec
        self.max_step_mul = checks.check_positive('max_step_mul', max_step_mul)

    @property
    def unwrapped(self) -> 'VectorEnvironment':
        """The environment of the games themselves, without others around it."""
        return self

    @abc.abstractmethod
    def reset(self) -> Dict[str, Nest]:
        """Starts a new episode in every game and returns the first observations.

        Unfinished episodes are discarded.
        """

    @abc.abstractmethod
    def step(self, action: Mapping[str, np.ndarray], step_mul: np.ndarray) -> structs.EnvOutput:
        """Acts in every game, then advances it until the next agent step.

        Args:
          action: int32 [K] for every head of `action_spec`.
          step_mul: int32 [K] in 1..max_step_mul, frames to advance; fewer if the episode ends
            before, and none that count if the game died meanwhile.

        Returns:
          EnvOutput(reward float32 [K], info, done bool [K], observation) with info =
          EpisodeInfo(episode_return float32 [K], episode_frames int32 [K], episode_steps int32 [K],
          aborted bool [K]). Where done, reward and info belong to the ended episode,
          and the observation is the first one of the next episode. A truncated episode ends one
          step later, which takes no frame, see `structs.EnvOutput`.

        Raises:
          ValueError: if `action` or `step_mul` has a wrong shape or a value out of range.
        """

    def get_state(self) -> Optional[Dict[str, np.ndarray]]:
        """Returns copies of all that games and statistics need to continue exactly, by name.

        None if they cannot be saved, as on StarCraft II.
        """
        return None

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a state of `get_state` of an environment made with the same arguments.

        Seeds do not matter: they are part of the state. The next `step` returns what it would have
        returned there.

        Raises:
          ValueError: if names, shapes or dtypes differ from `get_state`.
        """
        raise ValueError('the games of this environment cannot be saved.')

    def totals(self) -> structs.EpisodeInfo:
        """Statistics of the current episodes since the last `reset`: `EpisodeInfo` of
        [K], zeros where they are at their beginning."""
        return structs.EpisodeInfo(
            episode_return=np.zeros([self.num_envs], np.float32),
            episode_frames=np.zeros([self.num_envs], np.int32),
            episode_steps=np.zeros([self.num_envs], np.int32),
            aborted=np.zeros([self.num_envs], np.bool_),
        )

    @abc.abstractmethod
    def close(self) -> None:
        """Releases the resources of the environment, which cannot be used afterwards."""

    def __enter__(self) -> 'VectorEnvironment':
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _check_step_mul(self, step_mul: np.ndarray) -> np.ndarray:
        """Returns `step_mul` as an array; ValueError if it is not as `step` requires."""
        step_mul = np.asarray(step_mul)
        if step_mul.shape != (self.num_envs,):
            raise ValueError(f'step_mul has shape {step_mul.shape}, expected ({self.num_envs},).')
        if step_mul.dtype.kind not in 'iu':
            raise ValueError(f'step_mul is of {step_mul.dtype}, expected integers.')
        if step_mul.min() < 1 or step_mul.max() > self.max_step_mul:
            raise ValueError(
                f'step_mul is {step_mul.tolist()}, expected values in 1..{self.max_step_mul}.'
            )
        return step_mul

    def _decode(self, action: Mapping[str, np.ndarray]) -> Tuple[np.ndarray, Dict[str, np.ndarray]]:
        """Calls `ActionSpec.decode`; ValueError if the number of actions is not K."""
        function_ids, arguments = self.action_spec.decode(action)
        if function_ids.shape != (self.num_envs,):
            raise ValueError(
                f'action has heads of shape {function_ids.shape}, expected ({self.num_envs},).'
            )
        return function_ids, arguments
