"""One game as a `gymnasium.Env`."""

from typing import Any, Dict, Mapping, Optional, Tuple

import gymnasium
import numpy as np

from sc2impala.envs.gym import games, spaces
from sc2impala.envs.gym.rendering import Renderer

Observation = Dict[str, np.ndarray]


class MiniGameEnv(gymnasium.Env):
    """One game of a mini-game.

    An episode that ends by the clock of the map or by a defeat is terminated: the clock is part of
    the game, and the score counts results within it. No episode is truncated.

    observation_spec, action_spec: the specs from which the spaces were made.
    """

    metadata = {'render_modes': ['rgb_array'], 'render_fps': 8}

    def __init__(
        self,
        map_name: str,
        step_mul: Optional[int] = None,
        choose_step_mul: bool = False,
        render_mode: Optional[str] = None,
        simulator_rules: Optional[Mapping[str, float]] = None,
        **spec_options: Any,
    ):
        """Args: see `MiniGameVectorEnv`."""
        self.render_mode = games.check_render_mode(render_mode)
        self._games = games.Games(
            map_name, 1, step_mul, choose_step_mul, simulator_rules, spec_options
        )
        self.observation_spec = self._games.observation_spec
        self.action_spec = self._games.action_spec
        self.observation_space = self._games.observation_space
        self.action_space = self._games.action_space
        self.metadata = dict(type(self).metadata, render_fps=self._games.render_fps)
        self._renderer = Renderer(self._games) if render_mode else None
        self._first_of_next: Optional[Observation] = None

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Mapping[str, object]] = None
    ) -> Tuple[Observation, Dict[str, Any]]:
        """Starts an episode.

        Args:
          seed: starts the first episode of this seed; without one the next episode of the last
            seed starts. The first reset without a seed draws one.
          options: nothing can be chosen.

        Returns:
          Observation as in the observation space, and info as of `step`.

        Raises:
          ValueError: if the seed is not in 0..2**63 - 1, or there are options.
        """
        games.check_options(options)
        super().reset(seed=None if seed is None else games.check_seed(seed))
        if seed is not None or not self._games.started:
            chosen = self.np_random.integers(games.MAX_SEED) if seed is None else seed
            observation = self._games.restart([int(chosen)])
        elif self._first_of_next is not None:
            # The game began this episode when the last one ended.
            observation = self._first_of_next
        else:
            observation = self._games.reset()
        self._first_of_next = None
        if self._renderer:
            self._renderer.reset(observation)
        totals = {'episode_return': 0.0, 'episode_frames': 0, 'episode_steps': 0}
        return _of_game(observation), _info(observation, totals)

    def step(self, action: np.ndarray) -> Tuple[Observation, float, bool, bool, Dict[str, Any]]:
        """Acts and advances the game by `step_mul` frames, or to the end of the episode.

        A function that is not available has no effect, but time passes.

        Args:
          action: int [H].

        Returns:
          observation: as in the observation space; the last one of the episode if terminated.
          reward: the change of the score.
          terminated: whether the episode has ended. truncated: False.
          info: 'available_actions' int8 [F], 'episode_return', 'episode_frames', 'episode_steps'.

        Raises:
          ResetNeeded: before `reset`, and after the end of an episode.
          ValueError: if the action has a wrong shape or dtype, or is out of range.
        """
        if self._first_of_next is not None:
            raise gymnasium.error.ResetNeeded('The episode has ended, expected reset before step.')
        actions = np.asarray(action)[np.newaxis]
        outcome = self._games.step(actions)
        observation = outcome.final_observation or outcome.observation
        terminated = bool(outcome.done[0])
        if terminated:
            self._first_of_next = outcome.observation
        if self._renderer:
            self._renderer.step(observation, actions, outcome)
        totals = {name: value[0].item() for name, value in outcome.totals.items()}
        info = _info(observation, totals)
        return _of_game(observation), float(outcome.reward[0]), terminated, False, info

    def action_masks(self) -> np.ndarray:
        """Returns which choices of the next action may be taken, as required by sb3-contrib.

        Returns:
          bool [sum of the choices of all dimensions]: the available functions, then True.
        """
        return self._games.masks()[0]

    def render(self) -> Optional[np.ndarray]:
        """Returns a picture of the observation and the last action, uint8 [height, width, 3].

        None without `render_mode='rgb_array'`, and before `reset`.
        """
        if not self._renderer or not self._games.started:
            return None
        return self._renderer.draw(0)

    def close(self) -> None:
        """Releases the game."""
        self._games.close()


def _of_game(observation: Observation) -> Observation:
    return {name: array[0] for name, array in observation.items()}


def _info(observation: Observation, totals: Mapping[str, float]) -> Dict[str, Any]:
    return dict(totals, available_actions=observation[spaces.MASK][0].copy())
