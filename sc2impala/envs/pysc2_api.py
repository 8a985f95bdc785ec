"""The installed PySC2 client: the one module of the package that imports it.

`pysc2_evolved` (Python 3.11 and newer) and `pysc2` (Python 3.7) hold the same tables of functions,
arguments and feature layers. Only these tables are loaded here: they need neither the game nor its
command line flags, pygame or a logger.
"""

import importlib
import importlib.util

CLIENT_PACKAGES = ('pysc2_evolved', 'pysc2')


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
