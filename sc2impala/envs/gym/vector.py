"""K games as a `gymnasium.vector.VectorEnv` that steps them together."""

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from gymnasium import vector
from gymnasium.vector.utils import batch_space

from sc2impala.envs.gym import games, spaces
from sc2impala.envs.gym.rendering import Renderer

Observation = Dict[str, np.ndarray]


class MiniGameVectorEnv(vector.VectorEnv):
    """K games of one mini-game, stepped in one call and in this process.

    A game whose episode ends begins its next one in the same step (AutoresetMode.SAME_STEP): the
    observation is then the first of the next episode, and the infos 'final_obs' and 'final_info'
    contain the end of the last one. Observations, rewards and infos equal the ones of K single
    environments in a `SyncVectorEnv` of this mode.

    observation_spec, action_spec: the specs from which the spaces were made.
    """

    metadata = {
        'render_modes': ['rgb_array'],
        'render_fps': 8,
        'autoreset_mode': vector.AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        map_name: str,
        num_envs: int = 1,
        step_mul: Optional[int] = None,
        choose_step_mul: bool = False,
        render_mode: Optional[str] = None,
        simulator_rules: Optional[Mapping[str, float]] = None,
        **spec_options: Any,
    ):
        """Makes the spaces; the games are made by `reset`.

        Args:
          map_name: one of `envs.MAP_NAMES`.
          num_envs: K.
          step_mul: environment frames (game loops, 16 in a second of game time) of a step; None for
            the map's default, 16 where bases are built and 8 elsewhere.
          choose_step_mul: whether the action has another dimension: its value v stands for v + 1
            frames, of at most `step_mul`.
          render_mode: None or 'rgb_array'.
          simulator_rules: constants of the simulator that differ from their defaults, by name; see
            docs.
          **spec_options: functions, screen_size, minimap_size, screen_layers, minimap_layers,
            vectors, fixed_arguments and no_op_as_last_resort, as of `envs.make_specs`.

        Raises:
          ValueError: if anything is unknown, repeated or out of range.
        """
        self.render_mode = games.check_render_mode(render_mode)
        self._games = games.Games(
            map_name, num_envs, step_mul, choose_step_mul, simulator_rules, spec_options
        )
        self.num_envs = self._games.num_envs
        self.observation_spec = self._games.observation_spec
        self.action_spec = self._games.action_spec
        self.single_observation_space = self._games.observation_space
        self.single_action_space = self._games.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.metadata = dict(type(self).metadata, render_fps=self._games.render_fps)
        self._renderer = Renderer(self._games) if render_mode else None

    def reset(
        self,
        *,
        seed: Optional[Union[int, Sequence[int]]] = None,
        options: Optional[Mapping[str, object]] = None,
    ) -> Tuple[Observation, Dict[str, Any]]:
        """Starts an episode in every game; unfinished ones are discarded.

        Args:
          seed: K seeds, or an int: game i then has the seed `seed + i`. Starts the first episodes
            of these seeds; without a seed the next episodes of the last seeds start. The first
            reset without a seed draws them.
          options: nothing can be chosen.

        Returns:
          Observations as in the observation space, and infos as of `step`.

        Raises:
          ValueError: if there are not K seeds in 0..2**63 - 1, or if there are options.
        """
        games.check_options(options)
        seeds = self._seeds(seed)
        observation = self._games.restart(seeds) if seeds else self._games.reset()
        if self._renderer:
            self._renderer.reset(observation)
        return observation, _info(observation, self._no_totals())

    def step(
        self, actions: np.ndarray
    ) -> Tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Dict[str, Any]]:
        """Acts in all games and advances each by `step_mul` frames, or to the end of its episode.

        A function that is not available has no effect, but time passes.

        Args:
          actions: int [K, H].

        Returns:
          observations: the first of the next episode where an episode ended.
          rewards: float64 [K], the changes of the scores.
          terminations: bool [K], see `MiniGameEnv`. truncations: bool [K], all False.
          infos: 'available_actions' int8 [K, F], 'episode_return' float64 [K], 'episode_frames'
            and 'episode_steps' int64 [K], of the current episodes. If an episode ended,
            'final_obs', an array of K observations (None where no episode ended), and
            'final_info', the other infos at the end of the episodes (0 where none ended).
            `_<name>` is bool [K], where `<name>` is set.

        Raises:
          ResetNeeded: before `reset`.
          ValueError: if the actions have a wrong shape or dtype, or are out of range.
        """
        outcome = self._games.step(actions)
        done = outcome.done
        infos = _info(outcome.observation, outcome.totals)
        if outcome.final_observation is not None:
            infos['final_obs'] = _final_observations(outcome.final_observation, done)
            infos['final_info'] = _final_info(outcome.final_observation, outcome.totals, done)
            infos['_final_obs'], infos['_final_info'] = done.copy(), done.copy()
            infos.update({name: value * ~done for name, value in outcome.totals.items()})
        if self._renderer:
            self._renderer.step(outcome.observation, actions, outcome)
            self._renderer.reset(outcome.observation, done)
        truncations = np.zeros_like(done)
        return outcome.observation, outcome.reward, done.copy(), truncations, infos

    def action_masks(self) -> np.ndarray:
        """Returns which choices of the next actions may be taken.

        Returns:
          bool [K, sum of the choices of all dimensions]: the available functions, then True.
        """
        return self._games.masks()

    def render(self) -> Optional[Tuple[np.ndarray, ...]]:
        """Returns a picture of every game, uint8 [height, width, 3]; see `MiniGameEnv.render`."""
        if not self._renderer or not self._games.started:
            return None
        return tuple(self._renderer.draw(game) for game in range(self.num_envs))

    def close_extras(self, **unused_kwargs: object) -> None:
        """Releases the games; called by `close`."""
        self._games.close()

    def _seeds(self, seed: Optional[Union[int, Sequence[int]]]) -> List[int]:
        """Returns K seeds, or none where the games continue."""
        if seed is None:
            if self._games.started:
                return []
            return self.np_random.integers(games.MAX_SEED, size=self.num_envs).tolist()
        if np.ndim(seed) == 0:
            super().reset(seed=games.check_seed(seed))
            return [games.check_seed(int(seed) + i) for i in range(self.num_envs)]  # type: ignore
        seeds = [games.check_seed(value) for value in seed]  # type: ignore
        if len(seeds) != self.num_envs:
            raise ValueError(f'seed has {len(seeds)} seeds, expected {self.num_envs}.')
        return seeds

    def _no_totals(self) -> Dict[str, np.ndarray]:
        return {
            'episode_return': np.zeros([self.num_envs]),
            'episode_frames': np.zeros([self.num_envs], np.int64),
            'episode_steps': np.zeros([self.num_envs], np.int64),
        }


def _info(observation: Observation, totals: Mapping[str, np.ndarray]) -> Dict[str, Any]:
    """Returns the infos of all games."""
    infos: Dict[str, Any] = dict(totals)
    infos[spaces.MASK] = observation[spaces.MASK].copy()
    everywhere = np.ones([len(infos[spaces.MASK])], np.bool_)
    infos.update([(f'_{name}', everywhere.copy()) for name in infos])
    return infos


def _final_info(
    observation: Observation, totals: Mapping[str, np.ndarray], done: np.ndarray
) -> Dict[str, Any]:
    """Returns the infos of the games that are done, and 0 and False elsewhere."""
    infos = _info(observation, totals)
    return {name: (value.T * done).T.astype(value.dtype) for name, value in infos.items()}


def _final_observations(observation: Observation, done: np.ndarray) -> np.ndarray:
    """Returns an object array [K] with the observation of each game that is done."""
    final = np.full(done.shape, None, dtype=object)
    for game in np.flatnonzero(done):
        final[game] = {name: array[game].copy() for name, array in observation.items()}
    return final
