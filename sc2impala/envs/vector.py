"""The contract of an environment: K games of one map, all played one agent step at a time."""

import abc
from typing import Any, Dict, Mapping

import numpy as np

from sc2impala import structs
from sc2impala.envs import checks
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec


class VectorEnvironment(abc.ABC):
    """K games behind one `reset` and one `step`.

        with make_env() as env:
            observation = env.reset()
            while True:
                env_output = env.step(act(observation), step_mul)
                observation = env_output.observation

    num_envs: K.
    observation_spec, action_spec: shared by all games.
    max_step_mul: the most game loops that one step may take.
    failure: the error that made the environment unusable, or None.

    `reset` comes before the first `step`. Arrays that are returned belong to the caller: no later
    call changes them. Observations are as `observation_spec.structure()` describes them, with a
    leading dimension K.
    """

    failure = None

    def __init__(
        self,
        num_envs: int,
        observation_spec: ObservationSpec,
        action_spec: ActionSpec,
        max_step_mul: int,
    ):
        """Keeps what every environment has.

        Raises:
          ValueError: if a number is not positive or the two specs do not fit together.
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

    @abc.abstractmethod
    def reset(self) -> Dict[str, Any]:
        """Starts a fresh episode in every game and returns its first observations.

        Whatever was played of the episodes before counts nowhere.
        """

    @abc.abstractmethod
    def step(self, action: Mapping[str, np.ndarray], step_mul: np.ndarray) -> structs.EnvOutput:
        """Acts in every game, then plays on until the agent's next turn.

        Args:
          action: int32 [K] for every head of `action_spec`.
          step_mul: int32 [K] in 1..max_step_mul, game loops to play; fewer are played where the
            episode ends before.

        Returns:
          EnvOutput(reward float32 [K], info, done bool [K], observation) with info =
          EpisodeInfo(episode_return float32 [K], episode_frames int32 [K], episode_steps int32 [K],
          aborted bool [K]). Where done, reward and info are those of the episode that has ended,
          and the observation is the first one of the next episode, which has begun.

        Raises:
          ValueError: if `action` or `step_mul` has a wrong shape or a value out of range.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Releases what the environment holds; it cannot be used afterwards."""

    def __enter__(self) -> 'VectorEnvironment':
        return self

    def __exit__(self, *exc_info) -> None:
        self.close()

    def _check_step_mul(self, step_mul) -> np.ndarray:
        """Returns `step_mul` as an array, if it is what `step` asks for."""
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

    def _decode(self, action):
        """Function ids and arguments of K actions; as `ActionSpec.decode`, but K must fit."""
        function_ids, arguments = self.action_spec.decode(action)
        if function_ids.shape != (self.num_envs,):
            raise ValueError(
                f'action has heads of shape {function_ids.shape}, expected ({self.num_envs},).'
            )
        return function_ids, arguments
