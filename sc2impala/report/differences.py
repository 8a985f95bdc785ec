"""Settings of a run that differ from defaults, and the command that starts the same run."""

import shlex
from typing import Any, Dict, List, Mapping, NamedTuple

from sc2impala.settings import resolve
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.fields import PROCESS

GIVEN, MAP, ALGORITHM = 'given', 'map', 'algorithm'

_DECIDING = (
    'map_file',
    'backend',
    'from_scratch',
    'init_checkpoint',
    'demonstrations',
    'demonstrator',
    'algorithm',
)
"""Settings that determine the defaults of others."""

_OF_FOLDER = ('mode', 'logdir', 'map_name')


class Difference(NamedTuple):
    """A setting that differs from a default.

    name: name of the setting.
    value: its value as text.
    default: for a given one the value that it would have otherwise, for others the general
      default; empty where every map has its own.
    source: GIVEN, MAP or ALGORITHM.
    help: meaning of the setting.
    """

    name: str
    value: str
    default: str
    source: str
    help: str


def find(config: Mapping[str, Any]) -> List[Difference]:
    """Returns the settings of a run that differ from defaults; given ones first.

    Args:
      config: all settings, typed.
    """
    settings = settings_lib.all_settings()
    general = settings_lib.general_defaults()
    chosen = given(config)
    of_algorithm = resolve.of_algorithm(config['algorithm'])
    found = []
    for name, setting in settings.items():
        value, default, source = config[name], general[name], MAP
        if name in chosen:
            rest = {other: chosen[other] for other in chosen if other != name}
            default, source = resolve.complete(rest)[name], GIVEN
        elif name in of_algorithm and of_algorithm[name] == value:
            source = ALGORITHM
        if name in _OF_FOLDER or value == default:
            continue
        text = '' if default is None else setting.type.to_text(default)
        found.append(Difference(name, setting.type.to_text(value), text, source, setting.help))
    return sorted(found, key=lambda each: (GIVEN, MAP, ALGORITHM).index(each.source))


def given(config: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns settings from which all others of a run follow as defaults.

    Args:
      config: all settings, typed.
    """
    free = set(resolve.of_scope(PROCESS)).union(_OF_FOLDER)
    chosen: Dict[str, Any] = {'map_name': config['map_name']}
    for name in _DECIDING:
        if resolve.complete(chosen)[name] != config[name]:
            chosen[name] = config[name]
    made = resolve.complete(chosen)
    chosen.update({n: v for n, v in config.items() if n not in free and made[n] != v})
    return chosen


def command(config: Mapping[str, Any], logdir: str) -> List[str]:
    """Returns a command that starts a run with the same settings, one argument each.

    Args:
      config: all settings, typed.
      logdir: folder of the new run.
    """
    settings = settings_lib.all_settings()
    flags = {n: settings[n].type.to_text(v) for n, v in given(config).items()}
    return [
        'python -m sc2impala.experiment',
        f'--logdir={shlex.quote(logdir)}',
        *(f'--{name}={shlex.quote(value)}' for name, value in flags.items()),
    ]
