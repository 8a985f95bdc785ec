"""Games of several maps in one vector environment.

A name of several maps is their names separated by commas. All of them have one observation space
and one action space, see `envs.make_specs`; a layer shows the same on every map. The functions
that an agent may choose are those of the game's own map, see `functions_on`, and the key 'task' of
an observation is the index of its map.
"""

import dataclasses
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from sc2impala import saved_arrays, structs
from sc2impala.envs import vector
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.maps import MAP_DEFAULTS
from sc2impala.envs.specs import MASK, ObservationSpec
from sc2impala.structs import TASK, Nest

SEPARATOR = ','

Make = Callable[[int, int, int], vector.VectorEnvironment]
"""(index of the map, number of games, seed) -> its games."""


def split(map_name: str) -> Tuple[str, ...]:
    """Returns the names of the maps of a run; the name itself on a single map."""
    return tuple(map_name.split(SEPARATOR))


def functions_on(names: Sequence[str], functions: Sequence[str]) -> List[Tuple[str, ...]]:
    """Returns the functions that may be chosen on each map.

    They are those of its defaults for the same kind of start, which is the one whose functions the
    action space has; with other functions those for any kind. More functions can make a map much
    harder: marines of DefeatRoaches that are ordered one by one hardly defeat any from scratch.

    Args:
      names: names of the maps.
      functions: names of the functions of the action space.
    """
    if all(name in MAP_DEFAULTS for name in names):
        of_maps = [MAP_DEFAULTS[name] for name in names]
        for start in ('from_scratch', 'demonstrated'):
            found = [getattr(of, start).get('functions', of.functions) for of in of_maps]
            if set().union(*found) == set(functions):
                return found
    return [functions_of(name) for name in names]


def functions_of(map_name: str) -> Tuple[str, ...]:
    """Returns the functions that the defaults of a map use, of any kind of start.

    Args:
      map_name: name in MAP_DEFAULTS; on other maps all functions may be chosen, and this is empty.
    """
    if map_name not in MAP_DEFAULTS:
        return ()
    defaults = MAP_DEFAULTS[map_name]
    used: List[str] = []
    for functions in (
        defaults.functions,
        defaults.from_scratch.get('functions', ()),
        defaults.demonstrated.get('functions', ()),
    ):
        if isinstance(functions, str):
            return ()
        used.extend(functions)
    return tuple(dict.fromkeys(used))


def share_out(shares: Sequence[float], num_games: int) -> np.ndarray:
    """Distributes games over maps in given shares, mixed as evenly as possible.

    The next game goes to the map that is furthest behind its share, so every part of the list has
    nearly the shares of the whole.

    Args:
      shares: positive, one per map; they need not sum to 1.
      num_games: number of games.

    Returns:
      int32 [num_games], the index of the map of each game.
    """
    wanted = np.asarray(shares, np.float64) / np.sum(shares)
    given = np.zeros(len(wanted))
    assigned = np.zeros([num_games], np.int32)
    for game in range(num_games):
        # The first of those that are equally far behind.
        task = int(np.argmax(np.round(wanted * (game + 1) - given, 9)))
        assigned[game] = task
        given[task] += 1
    return assigned


class TaskEnvironment(vector.VectorEnvironment):
    """K games of several maps, each map with a vector environment of its own.

    `play` gives the games other maps: their unfinished episodes are aborted at the next step,
    which takes no frame, and new ones begin. Their frames and steps count from there: a script
    may have played some before, see `DemonstratedEnvironment.reset`, of which no output tells.
    """

    def __init__(
        self,
        make: Make,
        assigned: Sequence[int],
        observation_spec: ObservationSpec,
        action_spec: ActionSpec,
        max_step_mul: int,
        own_functions: Sequence[Sequence[str]],
        seed: int,
    ):
        """Makes the games.

        Args:
          make: makes the games of a map; their observations have no `TASK`.
          assigned: K indices of maps, the map of each game.
          observation_spec: of the observations, with the number of maps.
          action_spec: of the actions.
          max_step_mul: the largest number of environment frames per step.
          own_functions: names of the functions of each map; none if all may be chosen.
          seed: determines the seeds of all games, also of those on later maps; it is part of the
            state.

        Raises:
          ValueError: if there is no game, or an index is out of range.
        """
        super().__init__(len(assigned), observation_spec, action_spec, max_step_mul)
        self._make = make
        self._allowed = _allowed(action_spec, own_functions)
        self._is_no_op = np.array([name == 'no_op' for name in action_spec.function_names])
        self._lock = threading.RLock()
        self._envs: Dict[int, vector.VectorEnvironment] = {}
        self._games: Dict[int, np.ndarray] = {}
        self._frames_before = 0
        self._seed = seed
        self._num_changes = 0
        self._is_changed = False
        self._share: Optional[float] = None
        self._enabled: Optional[bool] = None
        self._info = super().totals()
        self._ahead = super().totals()
        self._begin(assigned)

    @property
    def tasks(self) -> np.ndarray:
        """The index of the map of each game, int32 [K]."""
        return self._tasks.copy()

    @property
    def failure(self) -> Optional[Exception]:  # type: ignore[override]
        """The error that made the games unusable, or None."""
        return next((e.failure for e in self._envs.values() if e.failure is not None), None)

    @property
    def frames_played(self) -> int:  # type: ignore[override]
        """Total environment frames of all games in `step`."""
        return self._frames_before + sum(env.frames_played for env in self._envs.values())

    def totals(self) -> structs.EpisodeInfo:
        """See `VectorEnvironment.totals`."""
        totals = super().totals()
        for task, games in self._games.items():
            for field, of_task in zip(totals, self._envs[task].totals()):
                field[games] = of_task
        return totals

    def play(self, assigned: Sequence[int]) -> None:
        """Gives the games other maps; may be called from any thread. Equal ones change nothing.

        Args:
          assigned: K indices of maps.

        Raises:
          ValueError: if their number differs, or one is out of range.
        """
        with self._lock:
            if np.array_equal(assigned, self._tasks):
                return
            self._check(assigned)
            self._frames_before = self.frames_played
            self._close()
            self._num_changes += 1
            self._begin(assigned)
            self._is_changed = True

    def set_share(self, share: float) -> None:
        """See `DemonstratedEnvironment.set_share`."""
        with self._lock:
            self._share = share
            for env in self._envs.values():
                _call(env, 'set_share', share)

    def enable(self, enabled: bool) -> None:
        """See `DemonstratedEnvironment.enable`."""
        with self._lock:
            self._enabled = enabled
            for env in self._envs.values():
                _call(env, 'enable', enabled)

    def reset(self) -> Dict[str, Nest]:
        """See `VectorEnvironment.reset`."""
        with self._lock:
            self._is_changed = False
            self._info, self._ahead = super().totals(), super().totals()
            return self._observed({task: env.reset() for task, env in self._envs.items()})

    def step(self, action: Mapping[str, np.ndarray], step_mul: np.ndarray) -> structs.EnvOutput:
        """See `VectorEnvironment.step`."""
        step_mul = self._check_step_mul(step_mul)
        self._decode(action)
        with self._lock:
            if self._is_changed:
                return self._aborted()
            outputs = {}
            for task, games in self._games.items():
                own = {head: np.asarray(choices)[games] for head, choices in action.items()}
                outputs[task] = self._envs[task].step(own, step_mul[games])
            reward = np.zeros([self.num_envs], np.float32)
            done = np.zeros([self.num_envs], bool)
            info = super().totals()
            for task, games in self._games.items():
                reward[games], done[games] = outputs[task].reward, outputs[task].done
                for field, of_task in zip(info, outputs[task].info):
                    field[games] = of_task
            info = info._replace(
                episode_frames=info.episode_frames - self._ahead.episode_frames,
                episode_steps=info.episode_steps - self._ahead.episode_steps,
            )
            self._info, self._ahead = (
                structs.EpisodeInfo(
                    *(np.where(done, np.zeros_like(field), field) for field in each)
                )
                for each in (info, self._ahead)
            )
            observation = self._observed({t: output.observation for t, output in outputs.items()})
            return structs.EnvOutput(reward, info, done, observation)

    def get_state(self) -> Optional[Dict[str, np.ndarray]]:
        """See `VectorEnvironment.get_state`. It can be restored where the maps are the same."""
        with self._lock:
            parts: Dict[str, Dict[str, np.ndarray]] = {
                'tasks': {
                    'assigned': self._tasks.copy(),
                    'seed': np.array(self._seed, np.int64),
                    'num_changes': np.array(self._num_changes, np.int64),
                    'is_changed': np.array(self._is_changed),
                },
                'totals': {name: field.copy() for name, field in self._info._asdict().items()},
                'ahead': {name: field.copy() for name, field in self._ahead._asdict().items()},
            }
            for task, env in self._envs.items():
                state = env.get_state()
                if state is None:
                    return None
                parts[f'map_{task}'] = state
            return saved_arrays.join(parts)

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """See `VectorEnvironment.set_state`."""
        with self._lock:
            saved_arrays.check(state, self.get_state() or {})
            if not np.array_equal(state['tasks/assigned'], self._tasks):
                raise saved_arrays.DifferentState('its games are of other maps.')
            for task, env in self._envs.items():
                env.set_state(saved_arrays.part(state, f'map_{task}'))
            self._seed = int(state['tasks/seed'])
            self._num_changes = int(state['tasks/num_changes'])
            self._is_changed = bool(state['tasks/is_changed'])
            self._info, self._ahead = (
                structs.EpisodeInfo(
                    **{n: np.array(field) for n, field in saved_arrays.part(state, part).items()}
                )
                for part in ('totals', 'ahead')
            )

    def close(self) -> None:
        """See `VectorEnvironment.close`."""
        with self._lock:
            self._close()

    def _begin(self, assigned: Sequence[int]) -> None:
        """Makes the games of an assignment; they begin with their first observation."""
        self._check(assigned)
        self._tasks = np.array(assigned, np.int32)
        for task in sorted(set(self._tasks.tolist())):
            games = np.flatnonzero(self._tasks == task)
            self._games[task] = games
            own = np.random.SeedSequence([self._seed, task, self._num_changes])
            env = self._make(task, len(games), int(own.generate_state(1)[0]))
            self._envs[task] = env
            if self._share is not None:
                _call(env, 'set_share', self._share)
            if self._enabled is not None:
                _call(env, 'enable', self._enabled)

    def _close(self) -> None:
        for env in self._envs.values():
            env.close()
        self._envs.clear()
        self._games.clear()

    def _check(self, assigned: Sequence[int]) -> None:
        count = self.observation_spec.num_tasks
        if len(assigned) != self.num_envs or not all(0 <= task < count for task in assigned):
            raise ValueError(
                f'assigned is {list(assigned)}, expected {self.num_envs} indices in 0..{count - 1}.'
            )

    def _aborted(self) -> structs.EnvOutput:
        """The step after a change of maps: ends the episodes before it, and takes no frame."""
        self._is_changed = False
        ended = self._info._replace(aborted=np.ones([self.num_envs], bool))
        observation = self._observed({task: env.reset() for task, env in self._envs.items()})
        self._info, self._ahead = super().totals(), self.totals()
        reward = np.zeros([self.num_envs], np.float32)
        return structs.EnvOutput(reward, ended, np.ones([self.num_envs], bool), observation)

    def _observed(self, of_tasks: Mapping[int, Mapping[str, Nest]]) -> Dict[str, Nest]:
        """Joins the observations of the maps, in the order of the games."""
        observation: Dict[str, Any] = self._joined({t: dict(o) for t, o in of_tasks.items()})
        available = observation[MASK] & self._allowed[self._tasks]
        # no_op as a last resort may have been masked because of a function of another map.
        observation[MASK] = available | (~available.any(axis=1, keepdims=True) & self._is_no_op)
        observation[TASK] = self._tasks.copy()
        return observation

    def _joined(self, parts: Mapping[int, Any]) -> Any:
        first = next(iter(parts.values()))
        if isinstance(first, dict):
            return {name: self._joined({t: p[name] for t, p in parts.items()}) for name in first}
        if len(parts) == 1:
            return first
        joined = np.empty((self.num_envs, *first.shape[1:]), first.dtype)
        for task, part in parts.items():
            joined[self._games[task]] = part
        return joined


def without_tasks(observation_spec: ObservationSpec) -> ObservationSpec:
    """Returns the spec of the observations of a single map of several."""
    return dataclasses.replace(observation_spec, num_tasks=0)


def _allowed(action_spec: ActionSpec, own_functions: Sequence[Sequence[str]]) -> np.ndarray:
    """bool [maps, F]: the functions that may be chosen on each map."""
    return np.array(
        [[not own or name in own for name in action_spec.function_names] for own in own_functions]
    )


def _call(env: vector.VectorEnvironment, name: str, value: Any) -> None:
    """Calls a method of environments with a demonstrator."""
    method = getattr(env, name, None)
    if method is not None:
        method(value)
