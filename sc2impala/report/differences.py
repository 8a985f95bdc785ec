"""Settings of a run that differ from defaults, and the command that starts the same run."""

import shlex
from typing import Any, Dict, List, Mapping, NamedTuple

from sc2impala.settings import resolve
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.fields import PROCESS

MAP, ALGORITHM, GIVEN = 'map', 'algorithm', 'given'

_NOT_SHOWN = ('mode', 'logdir', 'map_name')


class Difference(NamedTuple):
    """A setting that differs from a default.

    name: name of the setting.
    value: its value as text.
    default: for a given one the value that it would have otherwise, for others the general
      default; empty where every map has its own.
    source: MAP, ALGORITHM or GIVEN.
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
    sources = resolve.by_source(config)

    def text(name: str, value: Any) -> str:
        return '' if value is None else settings[name].type.to_text(value)

    return [
        Difference(
            name=name,
            value=text(name, value),
            default=text(name, defaults.get(name)),
            source=source,
            help=settings[name].help,
        )
        for source, values, defaults in (
            (GIVEN, sources.given, sources.expected),
            (MAP, sources.of_map, general),
            (ALGORITHM, sources.of_algorithm, general),
        )
        for name, value in values.items()
        if name not in _NOT_SHOWN
    ]


def command(config: Mapping[str, Any], logdir: str) -> List[str]:
    """Returns a command that starts a run with the same settings, one argument each.

    Args:
      config: all settings, typed.
      logdir: folder of the new run.
    """
    settings = settings_lib.all_settings()
    given: Dict[str, Any] = {'map_name': config['map_name']}
    given.update({n: v for n, v in resolve.by_source(config).given.items() if n in settings})
    # Settings that follow from others may differ from what the given ones imply.
    made = resolve.complete(given)
    given.update({n: v for n, v in config.items() if n in settings and made[n] != v})
    free = set(resolve.of_scope(PROCESS)).union(('mode', 'logdir'))
    flags = {n: settings[n].type.to_text(v) for n, v in given.items() if n not in free}
    return [
        'python -m sc2impala.experiment',
        f'--logdir={shlex.quote(logdir)}',
        *(f'--{name}={shlex.quote(value)}' for name, value in flags.items()),
    ]
