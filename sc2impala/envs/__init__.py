"""Specs of observations and actions in PySC2's terms, and environments that follow them.

The backend 'simulator' runs the games in this process, 'pysc2' runs StarCraft II in other
processes, and 'synthetic' returns random observations, to measure the speed of everything else.

    observation_spec, action_spec = envs.make_specs('MoveToBeacon')
    env = envs.make_environment(
        'simulator', 'MoveToBeacon', range(32), observation_spec, action_spec, max_step_mul=8
    )

NumPy only: environments run in processes that never load TensorFlow.
"""

import dataclasses
import functools
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Union

from sc2impala import sim
from sc2impala.envs import checks, ordered, tasks, visited
from sc2impala.envs.actions import ActionSpec, make_action_spec
from sc2impala.envs.maps import MAP_DEFAULTS, MapDefaults, joined
from sc2impala.envs.pysc2_backend import (
    LADDER_DEFAULTS,
    LADDER_MAPS,
    GameError,
    GameSettings,
    PySC2Environment,
    installation,
    own_map,
)
from sc2impala.envs.simulated import SimulatedEnvironment
from sc2impala.envs.specs import ObservationSpec, make_observation_spec
from sc2impala.envs.start_states import StartShare
from sc2impala.envs.synthetic import SYNTHETIC_MAPS, SyntheticEnvironment
from sc2impala.envs.vector import VectorEnvironment

Names = Union[str, Iterable[str]]

BACKENDS = {
    'simulator': SimulatedEnvironment,
    'pysc2': PySC2Environment,
    'synthetic': SyntheticEnvironment,
}
"""Environment classes by name of the backend."""

MAP_NAMES: Tuple[str, ...]
"""The maps that can be simulated; there may be defaults for others. Set by __getattr__."""


def __getattr__(name: str) -> Any:
    # Lazy because it imports the compiled games, which workers of the real game do not need.
    if name != 'MAP_NAMES':
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return _simulated_maps()


def _simulated_maps() -> Tuple[str, ...]:
    return tuple(name for name in MAP_DEFAULTS if name in sim.MAP_NAMES)


def playable_maps(backend: str) -> Tuple[str, ...]:
    """The maps of a backend."""
    return {
        'simulator': _simulated_maps(),
        'pysc2': tuple(MAP_DEFAULTS) + LADDER_MAPS,
        'synthetic': tuple(MAP_DEFAULTS) + tuple(SYNTHETIC_MAPS),
    }[backend]


def map_defaults(map_name: str, map_file: str = '') -> MapDefaults:
    """The defaults of a mini-game, of a synthetic map, or those that all ladder maps share.

    Args:
      map_name: of the map, or of several mini-games, see `tasks`.
      map_file: of an own map, whose name may be unknown; empty if there is none.

    Raises:
      ValueError: if there is no such map.
    """
    names = tasks.split(map_name)
    if len(names) > 1:
        return joined([checks.check_name('map_name', name, MAP_DEFAULTS) for name in names])
    if map_name in LADDER_MAPS:
        return LADDER_DEFAULTS
    if map_name in SYNTHETIC_MAPS:
        return SYNTHETIC_MAPS[map_name]
    if map_file and map_name not in MAP_DEFAULTS:
        return own_map.DEFAULTS
    return MAP_DEFAULTS[checks.check_name('map_name', map_name, MAP_DEFAULTS)]


def check_rules(map_name: str, rules: Mapping[str, float]) -> None:
    """Checks constants of the simulator's rules, see `sim.make`.

    Raises:
      ValueError: if one is unknown on the map or out of range.
    """
    sim.check_rules(map_name, rules)


def begin_compilation(backend: str, map_name: str) -> None:
    """Starts to compile the game of a map in the background, if the backend needs that.

    A program that imports TensorFlow next gains the time of the import on the first run of a
    machine. Unknown maps have no effect.
    """
    if backend == 'simulator':
        for name in tasks.split(map_name):
            if name in MAP_DEFAULTS:
                sim.begin_compilation(name)


def make_specs(
    map_name: str,
    functions: Optional[Union[str, Iterable[Union[str, int]]]] = None,
    screen_size: Optional[Tuple[int, int]] = None,
    minimap_size: Optional[Tuple[int, int]] = None,
    screen_layers: Optional[Names] = None,
    minimap_layers: Optional[Names] = None,
    vectors: Optional[Names] = None,
    fixed_arguments: Optional[Mapping[str, int]] = None,
    no_op_as_last_resort: bool = False,
    map_file: str = '',
) -> Tuple[ObservationSpec, ActionSpec]:
    """Makes the specs of a map; None is the map's own default.

    Args:
      map_name: a name in MAP_DEFAULTS, LADDER_MAPS or SYNTHETIC_MAPS; or names in MAP_DEFAULTS
        separated by commas, whose observations have the index of the map.
      functions: names or ids of PySC2 functions, or 'all'.
      screen_size: (width, height) in pixels.
      minimap_size: (width, height) in pixels.
      screen_layers, minimap_layers: names of PySC2 layers or of `specs.OWN_LAYERS`, or 'all' for
        PySC2's.
      vectors: names out of `specs.VECTOR_SHAPES`, or 'all'.
      fixed_arguments: values of argument types that the agent does not choose.
      no_op_as_last_resort: see `make_action_spec`.
      map_file: see `map_defaults`.

    Raises:
      ValueError: if anything is unknown, repeated or out of range.
    """
    defaults = map_defaults(map_name, map_file)

    def chosen(name: str, value: Any) -> Any:
        return getattr(defaults, name) if value is None else value

    screen_size = chosen('screen_size', screen_size)
    minimap_size = chosen('minimap_size', minimap_size)
    action_spec = make_action_spec(
        chosen('functions', functions),
        screen_size,
        minimap_size,
        chosen('fixed_arguments', fixed_arguments),
        no_op_as_last_resort,
    )
    observation_spec = make_observation_spec(
        screen_size,
        minimap_size,
        chosen('screen_layers', screen_layers),
        chosen('minimap_layers', minimap_layers),
        chosen('vectors', vectors),
        action_spec.num_functions,
    )
    names = tasks.split(map_name)
    if len(names) > 1:
        observation_spec = dataclasses.replace(observation_spec, num_tasks=len(names))
    return observation_spec, action_spec


def make_environment(
    backend: str,
    map_name: str,
    seeds: Sequence[int],
    observation_spec: ObservationSpec,
    action_spec: ActionSpec,
    max_step_mul: int,
    game_settings: Optional[GameSettings] = None,
    spread_frames: int = 0,
    rules: Optional[Mapping[str, float]] = None,
    max_episode_frames: Optional[int] = None,
    start_share: Optional[StartShare] = None,
) -> VectorEnvironment:
    """Makes an environment of K = len(seeds) games.

    Args:
      backend: a name in BACKENDS.
      map_name: the map of all games.
      seeds: one non-negative int per game; it determines all its random numbers.
      observation_spec: of the observations.
      action_spec: of the actions.
      max_step_mul: the largest number of environment frames of one agent step.
      game_settings: how StarCraft II is run; ignored by other backends.
      spread_frames, rules, start_share: see `SimulatedEnvironment`; ignored by other backends.
      max_episode_frames: number of frames after which an episode is truncated; None leaves the end
        to the map.

    Raises:
      ValueError: if the backend or the map is unknown, or an argument does not fit the others.
      GameError: if StarCraft II does not run.
    """
    checks.check_name('backend', backend, BACKENDS)
    if backend != 'pysc2' or game_settings is None or game_settings.map_file is None:
        checks.check_name('map_name', map_name, playable_maps(backend))
    more: Dict[str, Any] = {}
    if backend == 'pysc2':
        installation.check_installed()
        if max_episode_frames is not None:
            game_settings = dataclasses.replace(
                game_settings or GameSettings(), max_episode_frames=max_episode_frames
            )
        more = {'settings': game_settings}
    else:
        more = {'max_episode_frames': max_episode_frames}
        if backend == 'simulator':
            more.update(spread_frames=spread_frames, rules=rules, start_share=start_share)

    def make(played: ObservationSpec) -> VectorEnvironment:
        return BACKENDS[backend](map_name, seeds, played, action_spec, max_step_mul, **more)

    return with_own_layers(make, map_name, observation_spec)


def with_own_layers(
    make: Callable[[ObservationSpec], VectorEnvironment],
    map_name: str,
    observation_spec: ObservationSpec,
) -> VectorEnvironment:
    """Makes an environment whose observations may have `specs.OWN_LAYERS`.

    Args:
      make: makes one of a spec without them.
      map_name: of its games.
      observation_spec: of the observations.
    """
    return ordered.make(functools.partial(visited.make, make, map_name), observation_spec)


__all__ = [
    'BACKENDS',
    'LADDER_MAPS',
    'MAP_DEFAULTS',
    'MAP_NAMES',
    'ActionSpec',
    'GameError',
    'GameSettings',
    'MapDefaults',
    'ObservationSpec',
    'PySC2Environment',
    'SYNTHETIC_MAPS',
    'SimulatedEnvironment',
    'SyntheticEnvironment',
    'VectorEnvironment',
    'check_rules',
    'make_environment',
    'make_specs',
    'map_defaults',
    'playable_maps',
    'with_own_layers',
]
