"""Access to the installed PySC2 client; no other module of the package imports PySC2.

`pysc2_evolved` (Python 3.11 and newer) and `pysc2` (Python 3.7) have the same tables of functions,
arguments and feature layers:

actions: PySC2's module `lib.actions`.
features: PySC2's module `lib.features`, imported at its first use.

The tables need neither the game nor its command line flags, pygame or a logger. `load_client`
imports the part of PySC2 that runs the game.
"""

import contextlib
import importlib
import importlib.util
import logging
import math
import os
from typing import Any, Dict, Iterator, NamedTuple

CLIENT_PACKAGES = ('pysc2_evolved', 'pysc2')


class Client(NamedTuple):
    """Modules of PySC2.

    sc2_env: `env.sc2_env`, with its environment and its settings.
    maps: `maps`.
    """

    sc2_env: Any
    maps: Any


def find_client_package() -> str:
    """Returns the name of the first client package that is installed.

    Raises:
      ImportError: if neither is installed.
    """
    for package in CLIENT_PACKAGES:
        if importlib.util.find_spec(package) is not None:
            return package
    raise ImportError(
        'No PySC2 client is installed: install pysc2_evolved on Python 3.11 or newer, '
        'or pysc2 on Python 3.7.'
    )


_package = find_client_package()
actions: Any = importlib.import_module(_package + '.lib.actions')
features: Any  # Set by __getattr__.


def __getattr__(name: str) -> Any:
    # Lazy because it imports absl and all protocol messages: more than the rest of the package.
    if name != 'features':
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    globals()[name] = importlib.import_module(_package + '.lib.features')
    return globals()[name]


def load_client(timeout_secs: float) -> Client:
    """Imports the part of PySC2 that launches the game and talks to it.

    For use in processes that only run a game: it changes environment variables, which the game
    inherits, installs a logger, and parses PySC2's flags, if it has any, to their defaults.

    Args:
      timeout_secs: how long PySC2 waits for the game, rounded up to whole seconds. `pysc2_evolved`
        reads it once, in the first call.
    """
    seconds = int(math.ceil(timeout_secs))
    os.environ['TIMEOUT_SECONDS'] = str(seconds)
    os.environ.setdefault('PYGAME_HIDE_SUPPORT_PROMPT', '1')
    # The game listens on 127.0.0.1 only, where a proxy cannot reach it.
    for name in ('no_proxy', 'NO_PROXY'):
        others = os.environ.get(name)
        os.environ[name] = '127.0.0.1,localhost,::1' + (',' + others if others else '')
    with _no_warnings():
        client = Client(
            importlib.import_module(_package + '.env.sc2_env'),
            importlib.import_module(_package + '.maps'),
        )
    _set_timeout_flag(importlib.import_module('absl.flags').FLAGS, seconds)
    return client


def known_versions() -> Dict[str, int]:
    """Returns the build number of every version of the game that PySC2 knows, by its name."""
    with _no_warnings():
        lib = importlib.import_module(_package + '.run_configs.lib')
    return {name: version.build_version for name, version in lib.VERSIONS.items()}


@contextlib.contextmanager
def _no_warnings() -> Iterator[None]:
    """Suppresses the warning with which `pysc2_evolved` reports its timeout."""
    logger = logging.getLogger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _set_timeout_flag(flags: Any, seconds: int) -> None:
    """Sets the timeout flag of `pysc2`, whose flags must be parsed before they are read."""
    if 'sc2_timeout' in flags:
        if not flags.is_parsed():
            flags(['pysc2'])
        flags.sc2_timeout = seconds
