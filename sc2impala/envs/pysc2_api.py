"""The installed PySC2 client: the one module of the package that imports it.

`pysc2_evolved` (Python 3.11 and newer) and `pysc2` (Python 3.7) hold the same tables of functions,
arguments and feature layers. Importing this module loads these tables alone: they need neither the
game nor its command line flags, pygame or a logger. `load_client` loads the rest.
"""

import collections
import contextlib
import importlib
import importlib.util
import logging
import math
import os
from typing import Any, Dict

CLIENT_PACKAGES = ('pysc2_evolved', 'pysc2')

Client = collections.namedtuple('Client', ['sc2_env', 'maps'])
"""Modules of PySC2: `env.sc2_env`, with its environment and what that is made of, and `maps`."""


def find_client_package() -> str:
    """Returns the name of the first client package that is installed.

    Raises:
      ImportError: if there is none. An installed package that fails to load raises its own error.
    """
    for package in CLIENT_PACKAGES:
        if importlib.util.find_spec(package) is not None:
            return package
    raise ImportError(
        'No PySC2 client is installed: install pysc2_evolved on Python 3.11 or newer, '
        'or pysc2 on Python 3.7.'
    )


_package = find_client_package()
actions = importlib.import_module(_package + '.lib.actions')
features = importlib.import_module(_package + '.lib.features')


def load_client(timeout_secs: float) -> Client:
    """Loads the part of PySC2 that launches the game and talks to it.

    For processes that do nothing else: it changes variables of the environment, which games inherit
    from the process, installs a logger, and parses PySC2's flags, if it has some, to their
    defaults.

    Args:
      timeout_secs: how long PySC2 waits for the game, rounded up to whole seconds. It counts from
        the first call on.
    """
    seconds = int(math.ceil(timeout_secs))
    os.environ['TIMEOUT_SECONDS'] = str(seconds)
    os.environ.setdefault('PYGAME_HIDE_SUPPORT_PROMPT', '1')
    # A proxy cannot reach the game: it listens on this machine alone.
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
    """The builds of all versions of the game that PySC2 knows, by their names."""
    with _no_warnings():
        lib = importlib.import_module(_package + '.run_configs.lib')
    return {name: version.build_version for name, version in lib.VERSIONS.items()}


@contextlib.contextmanager
def _no_warnings():
    """Without the one in which `pysc2_evolved` tells its timeout."""
    logger = logging.getLogger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _set_timeout_flag(flags: Any, seconds: int) -> None:
    """Sets the flag of `pysc2`, which reads no flag before all were parsed."""
    if 'sc2_timeout' in flags:
        if not flags.is_parsed():
            flags(['pysc2'])
        flags.sc2_timeout = seconds
