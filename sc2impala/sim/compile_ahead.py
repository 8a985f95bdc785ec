"""Compilation of all kernels of a map at once, in several processes.

    python -m sc2impala.sim.compile_ahead MoveToBeacon act advance

numba compiles in one thread at a time, and the first step of a game would wait for every kernel in
turn. The first batch of a map therefore starts processes that compile its kernels into the cache.
"""

import os
import subprocess
import sys
from typing import Any, List, Sequence, Tuple

import numpy as np

from sc2impala.sim import compiler

PARTS: Tuple[Tuple[str, ...], ...] = (('restart', 'advance'), ('draw', 'act'))
"""Kernels of which each process compiles one part, in about equal time."""


def prepare(map_name: str) -> None:
    """Compiles the kernels of a map that the cache lacks; returns when all of them are there.

    Without effect where nothing is compiled (NUMBA_DISABLE_JIT), in the processes that compile, and
    where another process cannot be started: kernels are then compiled at their first use.
    """
    mark = compiler.cache_folder() / f'{map_name}.compiled'
    if mark.exists() or compiler.is_disabled() or os.environ.get('SC2IMPALA_COMPILES'):
        return
    compiler.announce()
    try:
        codes = [process.wait() for process in _start(map_name)]
        if not any(codes):
            mark.touch()
    except OSError:
        pass


def _start(map_name: str) -> List['subprocess.Popen[bytes]']:
    # The package can be imported in the same way as here.
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    environment = dict(os.environ, SC2IMPALA_COMPILES='1', PYTHONPATH=paths)
    return [
        subprocess.Popen(
            [sys.executable, '-m', __name__, map_name, *part],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for part in PARTS
    ]


def main(arguments: Sequence[str]) -> None:
    """Compiles kernels.

    Args:
      arguments: name of the map, then names of kernels.
    """
    # GameBatch imports this module.
    from sc2impala.sim.game_batch import GameBatch

    map_name, *names = arguments
    game: Any = GameBatch(map_name, [0], (8, 8), (8, 8))
    calls = {
        'restart': game.reset,
        'advance': lambda: game.advance(np.zeros([1], np.int64)),
        'act': lambda: game.act(np.zeros([1], np.int64), {}),
        'draw': game.observe,
    }
    for name in names:
        calls[name]()


if __name__ == '__main__':
    main(sys.argv[1:])
