"""K games with arrays in the form of gymnasium, for single and vector environments.

K is the number of games, F the number of functions, H the number of dimensions of an action.
"""

import numbers
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Optional, Tuple

import gymnasium
import numpy as np

from sc2impala import envs
from sc2impala.envs import checks
from sc2impala.envs.gym import spaces
from sc2impala.structs import Nest

OPTIONS = (
    'step_mul',
    'choose_step_mul',
    'render_mode',
    'simulator_rules',
    'functions',
    'screen_size',
    'minimap_size',
    'screen_layers',
    'minimap_layers',
    'vectors',
    'fixed_arguments',
    'no_op_as_last_resort',
)
"""Keyword arguments of an environment; from 'functions' on, arguments of `envs.make_specs`."""

DEFAULT_STEP_MUL = 8
"""Frames per step on maps whose defaults name no other number."""

MAX_SEED = 2**63 - 1

RENDER_SPEED = 4
"""Playback speed of `render_fps` relative to game time."""

_FRAMES_PER_SECOND = 16


class Outcome(NamedTuple):
    """Result of a step.

    reward: float64 [K]. done: bool [K].
    totals: of the episodes that the rewards belong to: 'episode_return' float64 [K],
        'episode_frames' and 'episode_steps' int64 [K].
    observation: the current one of all games; the first of the next episode where done.
    final_observation: the one of all games at the end of the step; None if no game is done.
    """

    reward: np.ndarray
    done: np.ndarray
    totals: Dict[str, np.ndarray]
    observation: Dict[str, np.ndarray]
    final_observation: Optional[Dict[str, np.ndarray]]


class Games:
    """K simulated games of one map.

    observation_spec, action_spec: of the package.
    observation_space, action_space: of one game.
    step_mul: environment frames per step; the largest number if it is part of the action.
    render_fps: frames per second of a video of every step at RENDER_SPEED.
    available: the mask of the current observation, int8 [K, F].
    """

    def __init__(
        self,
        map_name: str,
        num_envs: int,
        step_mul: Optional[int],
        choose_step_mul: bool,
        simulator_rules: Optional[Mapping[str, float]],
        spec_options: Mapping[str, Any],
    ):
        """See `MiniGameVectorEnv`."""
        self._map_name = checks.check_name('map_name', map_name, envs.MAP_NAMES)
        self.num_envs = checks.check_positive('num_envs', num_envs)
        spec_options = dict(spec_options)
        _check_no_limit(spec_options.pop('max_episode_steps', None))
        for name in spec_options:
            checks.check_name('the keyword argument', name, OPTIONS)
        self.observation_spec, self.action_spec = envs.make_specs(map_name, **spec_options)
        if step_mul is None:
            settings = envs.map_defaults(map_name).settings
            step_mul = settings.get('max_step_mul', DEFAULT_STEP_MUL)
        self.step_mul = checks.check_positive('step_mul', step_mul)
        self._choose_step_mul = bool(choose_step_mul)
        self._rules = dict(simulator_rules or {})
        envs.check_rules(map_name, self._rules)
        self.observation_space = spaces.observation_space(self.observation_spec)
        self.action_space = spaces.action_space(
            self.action_spec, self.step_mul, self._choose_step_mul
        )
        self.render_fps = max(1, round(RENDER_SPEED * _FRAMES_PER_SECOND / self.step_mul))
        self.available = np.zeros([self.num_envs, self.action_spec.num_functions], np.int8)
        self._env: Any = None

    @property
    def started(self) -> bool:
        """Returns whether there are games: `restart` was called, and `close` was not."""
        return self._env is not None

    def restart(self, seeds: Iterable[int]) -> Dict[str, np.ndarray]:
        """Makes new games and returns the first observations of their first episodes.

        Args:
          seeds: K ints in 0..MAX_SEED.
        """
        self.close()
        all_seeds = list(seeds)

        def make(played: envs.ObservationSpec) -> envs.SimulatedEnvironment:
            return envs.SimulatedEnvironment(
                self._map_name,
                all_seeds,
                played,
                self.action_spec,
                self.step_mul,
                final_observations=True,
                rules=self._rules,
            )

        self._env = envs.with_own_layers(make, self._map_name, self.observation_spec)
        return self.reset()

    def reset(self) -> Dict[str, np.ndarray]:
        """Starts the next episode of every game and returns the first observations."""
        return self._observed(self._running().reset())

    def step(self, actions: np.ndarray) -> Outcome:
        """Acts in all games and advances them.

        Args:
          actions: int [K, H].

        Raises:
          ResetNeeded: if there are no games.
          ValueError: if the actions have a wrong shape or dtype, or are out of range.
        """
        env = self._running()
        output = env.step(*self.decode(actions))
        final_observation = env.final_observation
        return Outcome(
            output.reward.astype(np.float64),
            output.done,
            {
                'episode_return': output.info.episode_return.astype(np.float64),
                'episode_frames': output.info.episode_frames.astype(np.int64),
                'episode_steps': output.info.episode_steps.astype(np.int64),
            },
            self._observed(output.observation),
            None if final_observation is None else _flat(final_observation),
        )

    def decode(self, actions: np.ndarray) -> Tuple[Dict[str, np.ndarray], np.ndarray]:
        """Returns the heads, each int [K], and the step multipliers, int [K]; see `step`."""
        actions = np.asarray(actions)
        names = list(self.action_spec.heads) + ['step_mul'] * self._choose_step_mul
        if actions.shape != (self.num_envs, len(names)):
            raise ValueError(
                'action has shape {}, expected {}: {}.'.format(
                    list(actions.shape), [self.num_envs, len(names)], ', '.join(names)
                )
            )
        step_mul = np.full([self.num_envs], self.step_mul)
        if self._choose_step_mul:
            step_mul = actions[:, -1] + 1
        return dict(zip(self.action_spec.heads, actions.T)), step_mul

    def masks(self) -> np.ndarray:
        """Returns which choice of every dimension of the action may be taken.

        Returns:
          bool [K, sum of the choices of all dimensions]: the available functions, then True.
        """
        num_others = int(self.action_space.nvec[1:].sum())
        others = np.ones([self.num_envs, num_others], np.bool_)
        return np.concatenate([self.available.astype(np.bool_), others], axis=1)

    def close(self) -> None:
        """Releases the games; `restart` makes others."""
        if self._env is not None:
            self._env.close()
        self._env = None

    def _running(self) -> envs.SimulatedEnvironment:
        if self._env is None:
            raise gymnasium.error.ResetNeeded('step was called before reset, expected reset first.')
        return self._env

    def _observed(self, observation: Mapping[str, Nest]) -> Dict[str, np.ndarray]:
        flat = _flat(observation)
        self.available = flat[spaces.MASK].copy()
        return flat


def _check_no_limit(max_episode_steps: Optional[int]) -> None:
    """ValueError if episodes should be cut; -1 is gymnasium's value for no limit."""
    if max_episode_steps not in (None, -1):
        raise ValueError(
            f'max_episode_steps is {max_episode_steps}, expected none: the clock of the map ends '
            'the episodes. gymnasium.make, and make_vec with vectorization_mode="sync", truncate '
            'them earlier.'
        )


def check_seed(seed: object) -> int:
    """Returns a seed as an int; ValueError unless it is one in 0..MAX_SEED."""
    if not isinstance(seed, numbers.Integral) or not 0 <= int(seed) <= MAX_SEED:
        raise ValueError(f'seed has {seed!r}, expected integers in 0..{MAX_SEED}.')
    return int(seed)


def check_options(options: Optional[Mapping[str, object]]) -> None:
    """ValueError if there is any option for `reset`, because there are none to choose from."""
    if options:
        raise ValueError(f'options is {options!r}, expected none: reset has no options.')


def check_render_mode(render_mode: Optional[str]) -> Optional[str]:
    """Returns the render mode; ValueError if it is neither None nor 'rgb_array'."""
    if render_mode not in (None, 'rgb_array'):
        raise ValueError(f"render_mode is {render_mode!r}, expected None or 'rgb_array'.")
    return render_mode


def _flat(observation: Mapping[str, Nest]) -> Dict[str, np.ndarray]:
    flat = spaces.flatten(observation)
    flat[spaces.MASK] = flat[spaces.MASK].astype(np.int8)
    return flat
