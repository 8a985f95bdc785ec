"""Values of settings that are not given.

`complete` merges dictionaries; later ones have precedence: the general defaults, defaults of the
algorithm, of the map (`envs/maps.py`) and of the backend, the settings of the run whose weights a
new run starts from, and the given settings. A run that resumes has the settings of its folder. The
settings that a run takes from another one follow from their scope, see `fields.SCOPES`.
The result is written to the manifest, so that a run resumes as it began when a later version has
other defaults.

Settings are mappings from names to typed values throughout.
"""

from typing import Any, Dict, List, Mapping, Optional, Set

from sc2impala import envs, learner
from sc2impala.envs import pysc2_backend, tasks
from sc2impala.envs.pysc2_backend import own_map
from sc2impala.settings import own_algorithms
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.fields import ACTOR, GAME, LEARNING, POLICY, PROCESS, WEIGHTS
from sc2impala.settings.groups.tasks import SEQUENTIAL

_FIRST_FIXED_ARGUMENTS = {'queued': 0, 'select_add': 0, 'select_point_act': 0}
"""The defaults of all maps at the time when manifests held empty text instead of values."""

_WITHOUT = {'spread_games': False}
"""Values for versions without a setting, if they differ from its general default."""

_OF_RECORDINGS = (
    'functions',
    'screen_layers',
    'minimap_layers',
    'screen_size',
    'minimap_size',
    'demonstration_step_mul',
)
"""The settings that a recording shares with runs that learn from it."""

STARTS = ('imitation', 'scratch', 'other')
"""Kinds of starts: the agent first imitates a script; it learns a policy from rewards alone; or it
learns the values of actions, has learned before, also has demonstrations, or does not learn."""


def of_scope(*scopes: str) -> List[str]:
    """Names of the settings with these scopes, see `fields.SCOPES`."""
    return [n for n, setting in settings_lib.all_settings().items() if setting.scope in scopes]


def imitates(values: Mapping[str, Any]) -> bool:
    """Returns whether the map's defaults for imitating a script apply.

    On maps that have `imitates_by_default`, unless the algorithm cannot imitate; or if the
    demonstrator is given.

    Args:
      values: settings; some may be missing.
    """
    general = settings_lib.general_defaults()
    of = {name: values.get(name, general[name]) for name in general}
    starts_anew = of['mode'] == 'train' and not of['from_scratch'] and not of['init_checkpoint']
    if not starts_anew or of['backend'] != 'simulator':
        return False
    named = values.get('demonstrator')
    if named is not None:
        return named != 'none' or bool(of['demonstrations'])
    return _imitates_by_default(of['map_name']) and not learns_values(values)


def _imitates_by_default(map_name: str) -> bool:
    try:
        return envs.map_defaults(map_name).imitates_by_default
    except ValueError:
        return True


def learns_values(values: Mapping[str, object]) -> bool:
    """Returns whether the algorithm learns action values instead of a policy.

    Args:
      values: see `imitates`.
    """
    name = values.get('algorithm', settings_lib.general_defaults()['algorithm'])
    return name in learner.ALGORITHMS and learner.load_settings(name).LEARNS_VALUES


def start_of(values: Mapping[str, object]) -> str:
    """Returns the kind of start of an agent: one of `STARTS`.

    Args:
      values: see `imitates`.
    """
    general = settings_lib.general_defaults()
    if imitates(values):
        return 'imitation'
    from_scratch = values.get('from_scratch') or not values.get('init_checkpoint')
    shown = values.get('demonstrations') or values.get('demonstrator', 'none') != 'none'
    trains = values.get('mode', general['mode']) == 'train'
    is_scratch = trains and from_scratch and not shown and not learns_values(values)
    return 'scratch' if is_scratch else 'other'


def of_map(map_name: str, start: str = 'other', map_file: str = '') -> Dict[str, Any]:
    """Returns the defaults of a map; empty for an unknown map.

    Args:
      map_name: any text.
      start: one of `STARTS`, if the map has defaults for it.
      map_file: file of an own map, or empty.
    """
    try:
        defaults = envs.map_defaults(map_name, map_file)
    except ValueError:
        return {}
    found = dict(
        functions=defaults.functions,
        fixed_arguments=dict(defaults.fixed_arguments),
        screen_layers=tuple(defaults.screen_layers),
        minimap_layers=tuple(defaults.minimap_layers),
        vectors=tuple(defaults.vectors),
        screen_size=defaults.screen_size,
        minimap_size=defaults.minimap_size,
        **defaults.settings,
    )
    of_start = {'imitation': defaults.demonstrated, 'scratch': defaults.from_scratch}
    return dict(found, **of_start.get(start, {}))


def of_algorithm(name: str) -> Dict[str, Any]:
    """Returns the defaults of an algorithm; empty for an unknown one."""
    return dict(learner.load_settings(name).DEFAULTS) if name in learner.ALGORITHMS else {}


def of_recording(values: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the defaults of a recording, equal to the defaults of runs that learn from it.

    Args:
      values: settings with `mode`, `from_scratch` and the map; others may be missing.
    """
    if values['mode'] != 'record' or values['from_scratch']:
        return {}
    imitating = of_map(values['map_name'], 'imitation', values['map_file'])
    return {name: imitating[name] for name in _OF_RECORDINGS if name in imitating}


def of_backend(backend: str, map_name: str) -> Dict[str, Any]:
    """Returns the defaults of a backend: StarCraft II takes a core and 1 GiB per game."""
    if backend != 'pysc2':
        return {}
    return {
        'num_actors': 2,
        'num_envs': 4,
        'num_eval_envs': 4,
        'relaunch_episodes': pysc2_backend.RELAUNCH_EPISODES.get(map_name, 0),
    }


def set_by_some_map() -> List[str]:
    """Returns the settings with a default that differs between maps."""
    general = settings_lib.general_defaults()
    return sorted(
        {
            name
            for map_name in envs.MAP_DEFAULTS
            for start in STARTS
            for name, value in of_map(map_name, start).items()
            if value != general[name]
        }
    )


def of_weights(of_run: Mapping[str, Any], chosen: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the settings of a run that are defaults of a run from its weights.

    These are the map, the agent, its observations and actions. If map and algorithm are the
    same, the new run also learns like the old one after imitation, and is evaluated in the same
    way, unless it has the map's defaults of learning from scratch.

    Args:
      of_run: all settings of the run with the weights.
      chosen: given settings of the new run.
    """
    expected = {name: of_run[name] for name in ('map_name', 'algorithm')}
    same = all(chosen.get(name, value) == value for name, value in expected.items())
    learns_alike = same and not chosen.get('from_scratch')
    scopes = (WEIGHTS, LEARNING, POLICY) if learns_alike else (WEIGHTS,)
    effective = settings_lib.settings_with(of_run['algorithm'])
    names = [name for name in of_scope(*scopes) if name in effective]
    return {name: of_run[name] for name in ('map_name', *names)}


def with_all_maps(given: Mapping[str, Any]) -> Dict[str, Any]:
    """Replaces the name `all` by the names of all mini-games."""
    if given.get('map_name') != 'all':
        return dict(given)
    return dict(given, map_name=tasks.SEPARATOR.join(envs.MAP_DEFAULTS))


def named(given: Mapping[str, Any]) -> Dict[str, Any]:
    """Adds the name of an own map from its file."""
    if not given.get('map_file') or given.get('map_name') is not None:
        return dict(given)
    return dict(given, map_name=own_map.name_of(given['map_file']))


def complete(
    given: Mapping[str, object],
    of_run: Optional[Mapping[str, object]] = None,
    of_start: Optional[Mapping[str, object]] = None,
) -> Dict[str, Any]:
    """Adds the settings that are not given.

    Args:
      given: given settings; None, for a setting with defaults per map, counts as missing.
      of_run: all settings of the run to resume, or None.
      of_start: all settings of the run whose weights a new run starts from, or None.

    Returns:
      A value for every setting; None is left only if the map is unknown.
    """
    chosen = named({name: value for name, value in given.items() if value is not None})
    chosen = with_all_maps(chosen)
    general = settings_lib.general_defaults()
    if of_run is not None:
        of_process = {name: general[name] for name in of_scope(PROCESS)}
        return {**of_run, **of_process, **chosen}
    from_start = {} if of_start is None else of_weights(of_start, chosen)
    where = {**general, **from_start, **chosen}
    on_map = of_map(where['map_name'], start_of(chosen), where['map_file'])
    if chosen.get('demonstrations'):
        on_map.pop('demonstrator', None)  # Recordings replace the script.
    specific = {
        **on_map,
        **of_recording(where),
        **of_backend(where['backend'], where['map_name']),
        **from_start,
        **chosen,
    }
    algorithm = specific.get('algorithm', general['algorithm'])
    defaults = {**general, **of_algorithm(algorithm), **specific, **of_schedule(specific)}
    return {**defaults, **chosen}


def of_schedule(given: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns what differs in a run whose maps are learned one after the other.

    Learning rate and entropy cost stay as they are, so that later maps are learned like the first.

    Args:
      given: settings; those among them that differ were defaults of a map, unless they were chosen.
    """
    of = {**settings_lib.general_defaults(), **given}
    if of['task_schedule'] != SEQUENTIAL:
        return {}
    num_maps = len(tasks.split(of['map_name']))
    return {
        'total_environment_frames': num_maps * of['cycles'] * of['frames_per_task'],
        'final_learning_rate': of['learning_rate'],
        'final_entropy_cost': -1.0,
    }


def of_evaluation(of_run: Mapping[str, object], backend: str) -> Dict[str, Any]:
    """Returns the default settings of an evaluation of a run.

    Args:
      of_run: all settings of the run.
      backend: backend of the evaluation; if it differs from the run's, the
        settings of StarCraft II and the rules of the simulator have their defaults.
    """
    of_map_only = {name: of_run[name] for name in ('map_name', 'map_file')}
    own = complete(dict(of_map_only, backend=backend))
    names = {n for n, setting in settings_lib.all_settings().items() if setting.own_in_evaluation}
    names.difference_update(of_scope(POLICY))
    if backend != of_run['backend']:
        names.update(of_scope(GAME))
    return dict(of_run, backend=backend, **{name: own[name] for name in names})


def differences_in_evaluation(
    values: Mapping[str, object], of_run: Mapping[str, object]
) -> List[str]:
    """Returns names of settings that an evaluation changes but must not."""
    settings = settings_lib.all_settings()
    free = {n for n, each in settings.items() if each.own_in_evaluation or each.scope == GAME}
    free.add('backend')
    return sorted(n for n, value in values.items() if n not in free and value != of_run[n])


def differences_on_resume(values: Mapping[str, object], of_run: Mapping[str, object]) -> List[str]:
    """Returns names of settings that a continued run changes but must not."""
    free = _free_on_resume(values)
    free.update(n for n, setting in settings_lib.all_settings().items() if setting.on_resume)
    if values.get('replay_proportion') == 0.0 and of_run['replay_proportion']:
        free.remove('replay_proportion')  # The next checkpoints would have no replay buffer.
    return sorted(n for n, value in values.items() if n not in free and value != of_run[n])


def changes_on_resume(values: Mapping[str, object], of_run: Mapping[str, object]) -> List[str]:
    """Returns the effects of changed settings of a resumed run, a line for each."""
    settings = settings_lib.all_settings()
    changed: Dict[str, List[str]] = {}
    for name, each in settings.items():
        if each.on_resume and values[name] != of_run[name]:
            now, before = (each.type.to_text(of[name]) for of in (values, of_run))
            changed.setdefault(each.on_resume, []).append(f'--{name}={now} instead of {before}')
    return [f'resumes with {" and ".join(flags)}: {why}' for why, flags in changed.items()]


def differences_of_actor(
    given: Mapping[str, object], of_learner: Mapping[str, object]
) -> List[str]:
    """Returns names of given settings of an actor that must not differ from its learner's."""
    chosen = named({name: value for name, value in given.items() if value is not None})
    free = _free_on_resume(chosen).union(of_scope(ACTOR))
    return sorted(n for n, value in chosen.items() if n not in free and value != of_learner[n])


def _free_on_resume(values: Mapping[str, Any]) -> Set[str]:
    """Returns names of the settings that may differ without a report."""
    allowed = values.get('may_change', ())
    return {
        name
        for name, each in settings_lib.all_settings().items()
        if each.free_on_resume or (each.tunable and (allowed == 'all' or name in allowed))
    }


def to_manifest(values: Mapping[str, Any]) -> Dict[str, Any]:
    """All settings as numbers, bools and text, for JSON."""
    settings = settings_lib.all_settings()
    foreign = own_algorithms.foreign_settings(values.get('algorithm', ''))
    return {
        name: settings[name].type.to_json(value)
        for name, value in values.items()
        if name not in foreign
    }


def of_older_versions() -> Dict[str, Any]:
    """The values of settings in versions that did not have them: they preserve the old behaviour.

    Each is the general default except for `_WITHOUT`; never the default of a map, since versions
    with such defaults write all settings.
    """
    return dict(settings_lib.general_defaults(), **_WITHOUT)


def from_manifest(manifest: Mapping[str, Any]) -> Dict[str, Any]:
    """The settings of a manifest, also of one that an older version wrote; see `of_older_versions`.

    Raises:
      ValueError: if a value has the wrong type or is invalid, or a list that defines an
        empty setting is missing.
      KeyError: if a setting is unknown.
      UserError: if the algorithm is outside of the package and cannot be imported.
    """
    config = manifest['config']
    own_algorithms.register(config.get('algorithm', ''))
    settings = settings_lib.all_settings()
    values = of_older_versions()
    for name, value in config.items():
        try:
            values[name] = settings[name].type.from_json(value)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise ValueError(f'config has {value!r} for {name}') from error
    for name in ('functions', 'screen_layers', 'minimap_layers'):
        if values[name] is None:
            names = manifest.get(name)
            if not isinstance(names, list) or any(type(each) is not str for each in names):
                raise ValueError(f'{name} is missing or not a list of names')
            values[name] = tuple(names)
    if values['fixed_arguments'] is None:
        values['fixed_arguments'] = dict(_FIRST_FIXED_ARGUMENTS)
    return values


def description(values: Mapping[str, Any]) -> List[str]:
    """Returns the settings that differ from the general defaults, printed at the start of a run.

    Returns:
      A line with the defaults of map and backend, one with defaults of the algorithm, and one with
      given settings, each omitted if empty; and a line if the algorithm cannot imitate the
      script of the map. Functions are omitted: there are too many of them.
    """
    general = settings_lib.general_defaults()
    algorithm, map_name = values['algorithm'], values['map_name']
    on_map = of_map(map_name, start_of(values), values['map_file'])
    on_map.update(of_backend(values['backend'], map_name))
    expected = {**general, **of_algorithm(algorithm), **on_map}
    shown = {
        name: value
        for name, value in values.items()
        if name not in ('mode', 'logdir', 'map_name', 'functions')
    }
    chosen = {name: value for name, value in shown.items() if value != expected[name]}
    other = {n: v for n, v in shown.items() if n not in chosen and v != general[n]}
    as_on_map = {n: v for n, v in other.items() if n in on_map}
    as_of_algorithm = {n: v for n, v in other.items() if n not in on_map}
    lines = []
    if as_on_map:
        whose = 'map and backend' if values['backend'] == 'pysc2' else 'the map'
        lines.append(f'{map_name}: {flags_text(as_on_map)} (defaults of {whose})')
    if as_of_algorithm:
        lines.append(f'{algorithm}: {flags_text(as_of_algorithm)} (defaults of the algorithm)')
    deciding = ('map_name', 'backend', 'mode', 'from_scratch', 'init_checkpoint')
    if imitates({name: values[name] for name in deciding}) and learns_values(values):
        lines.append(f'{algorithm} cannot imitate a script: the run starts from scratch')
    if chosen:
        lines.append(f'other settings: {flags_text(chosen)}')
    return lines


def flags_text(values: Mapping[str, object]) -> str:
    """Formats settings as flags: '--a=1 --b=2'."""
    settings = settings_lib.all_settings()
    return ' '.join(f'--{n}={settings[n].type.to_text(v)}' for n, v in values.items())
