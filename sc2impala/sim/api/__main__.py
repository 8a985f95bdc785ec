"""Commands of the stand-in: `install DIR`, and `serve`, which the installed binary runs."""

import os
import shlex
import sys
from typing import Sequence

USAGE = """usage: python -m sc2impala.sim.api install DIR

Installs a stand-in for StarCraft II into DIR: the simulated mini-games, served over the SC2 API on
this machine only. Set SC2PATH to DIR to use it with PySC2."""


def main(argv: Sequence[str]) -> int:
    """Executes one command.

    Returns:
      The exit status.
    """
    if argv[:1] == ['serve']:
        from sc2impala.sim.api import server

        return server.main(argv[1:])
    if argv in (['-h'], ['--help']):
        print(USAGE)
        return 0
    if len(argv) != 2 or argv[0] != 'install':
        print(USAGE, file=sys.stderr)
        return 2
    return _install(argv[1])


def _install(folder: str) -> int:
    from sc2impala.sim.api import install

    if os.name != 'posix':
        print(
            f'{folder}: the stand-in runs on Linux and macOS, expected one of them', file=sys.stderr
        )
        return 1

    try:
        path = install.install(folder)
    except OSError as error:
        print(f'{folder}: {error.strerror or error}', file=sys.stderr)
        return 1
    print(f'The stand-in is in {path}. To use it:\n')
    print(f'    export SC2PATH={shlex.quote(path)}')
    print('    python -m sc2impala.experiment --backend=pysc2 --map_name=MoveToBeacon')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
