"""Where the value of a setting comes from that was not given.

From the run that the folder holds; without one from the map (`envs/maps.py`) and the backend; and
where these have nothing to say, from the general defaults of `Config`. What came of it is written
to the manifest, so that a run goes on as it began when a later version has other defaults.
"""

from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence

from sc2impala import envs
from sc2impala.envs import pysc2_backend
from sc2impala.runtime import config as config_lib

_FIRST_FIXED_ARGUMENTS = 'queued=0,select_add=0,select_point_act=0'
"""What the defaults of all maps were while manifests held the empty text instead."""


def of_map(map_name: str) -> Dict[str, Any]:
    """The settings that a map has defaults for; none for an unknown map, which `check` refuses."""
    try:
        defaults = envs.map_defaults(map_name)
    except ValueError:
        return {}
    pairs = [f'{name}={value}' for name, value in defaults.fixed_arguments.items()]
    return dict(
        functions=_names_text(defaults.functions),
        fixed_arguments=_names_text(pairs),
        screen_layers=_names_text(defaults.screen_layers),
        minimap_layers=_names_text(defaults.minimap_layers),
        vectors=_names_text(defaults.vectors),
        screen_size=_size_text(defaults.screen_size),
        minimap_size=_size_text(defaults.minimap_size),
        **defaults.flags,
    )


def of_backend(backend: str, map_name: str) -> Dict[str, Any]:
    """The settings that a backend has defaults for: StarCraft II takes a core and 1 GiB a game."""
    if backend != 'pysc2':
        return {}
    return {
        'num_actors': 2,
        'num_envs': 4,
        'num_eval_envs': 4,
        'relaunch_episodes': pysc2_backend.RELAUNCH_EPISODES.get(map_name, 0),
    }


def set_by_some_map() -> List[str]:
    """The settings for which at least one map has another default than the general one."""
    general = config_lib.Config()._asdict()
    return sorted(
        {
            name
            for map_name in envs.MAP_DEFAULTS
            for name, value in of_map(map_name).items()
            if value != general[name]
        }
    )


def complete(
    given: Mapping[str, Any], of_run: Optional[Mapping[str, Any]] = None
) -> config_lib.Config:
    """Adds what was not given.

    Args:
      given: settings that the user chose. Empty text for one of `OF_THE_MAP` is no choice.
      of_run: settings of the run to go on with, or None if there is none.

    Returns:
      Settings that name everything, unless the map is unknown.
    """
    chosen = {k: v for k, v in given.items() if v != '' or k not in config_lib.OF_THE_MAP}
    if of_run is None:
        general = config_lib.Config()
        map_name = chosen.get('map_name', general.map_name)
        of_run = dict(
            of_map(map_name), **of_backend(chosen.get('backend', general.backend), map_name)
        )
    return config_lib.Config(**dict(of_run, **chosen))


def of_evaluation(of_run: Mapping[str, Any], backend: str, anew: Iterable[str]) -> Dict[str, Any]:
    """The settings with which a run is evaluated, as far as nothing is given.

    Args:
      of_run: settings of the run.
      backend: what runs the game in the evaluation; with another one than in the run its settings
        have their defaults.
      anew: settings that are no matter of the run.
    """
    map_name = of_run['map_name']
    fresh = dict(
        config_lib.Config()._asdict(), **dict(of_map(map_name), **of_backend(backend, map_name))
    )
    names = set(anew)
    if backend != of_run['backend']:
        names.update(config_lib.OF_THE_GAME)
    return dict(of_run, backend=backend, **{name: fresh[name] for name in names})


def of_older_run(manifest: Mapping[str, Any]) -> Dict[str, Any]:
    """The settings of a manifest, completed with what a version that lacked a setting did.

    That is never the default of a map: those came with the versions that write all settings.

    Raises:
      ValueError: if a list that says what an empty setting stood for is missing or no list.
    """
    settings = dict(config_lib.Config()._asdict(), **manifest['config'])
    for name in ('functions', 'screen_layers', 'minimap_layers'):
        if settings[name] == '':
            names = manifest.get(name)
            if not isinstance(names, list):
                raise ValueError(f'{name} is missing or no list')
            settings[name] = _names_text(names)
    settings['fixed_arguments'] = settings['fixed_arguments'] or _FIRST_FIXED_ARGUMENTS
    return settings


def description(config: config_lib.Config) -> List[str]:
    """What differs from the general defaults: a line of the map's or backend's, and one of choices.

    Either is left out if it is empty. The functions are in neither: there are too many of them.
    """
    general, of_the_map = config_lib.Config()._asdict(), of_map(config.map_name)
    of_the_map.update(of_backend(config.backend, config.map_name))
    expected = dict(general, **of_the_map)
    settings = {
        name: value
        for name, value in config._asdict().items()
        if name not in ('mode', 'logdir', 'map_name', 'functions')
    }
    chosen = {k: v for k, v in settings.items() if v != expected[k]}
    as_on_map = {k: v for k, v in settings.items() if k not in chosen and v != general[k]}
    lines = []
    if as_on_map:
        whose = 'map and backend' if config.backend == 'pysc2' else 'the map'
        lines.append(f'{config.map_name}: {_flags_text(as_on_map)} (defaults of {whose})')
    if chosen:
        lines.append(f'other settings: {_flags_text(chosen)}')
    return lines


def _flags_text(settings):
    return ' '.join(f'--{name}={value}' for name, value in settings.items())


def _names_text(names: Sequence[str]) -> str:
    return ','.join(names) or 'none'


def _size_text(size):
    return str(size[0]) if size[0] == size[1] else '{}x{}'.format(*size)
