"""Compilation of all kernels of a map at once, in several processes.

    python -m sc2impala.sim.compile_ahead MoveToBeacon act advance

numba compiles in one thread at a time, and the first step of a game would wait for every kernel in
turn. The first batch of a map therefore starts processes that compile its kernels into the cache.
"""

import concurrent.futures
import os
import subprocess
import sys
from typing import Any, Sequence

import numpy as np

from sc2impala.sim import compiler

KERNELS = ('advance', 'draw', 'act', 'available', 'restart')
"""What is compiled, about from the longest time to the shortest."""


def prepare(map_name: str) -> None:
    """Compiles the kernels of a map that the cache lacks; returns when all of them are there.

    Without effect where nothing is compiled (NUMBA_DISABLE_JIT), in the processes that compile, and
    where another process cannot be started: kernels are then compiled at their first use.
    """
    mark = compiler.cache_folder() / f'{map_name}.compiled'
    if mark.exists() or compiler.is_disabled() or os.environ.get('SC2IMPALA_COMPILES'):
        return
    compiler.announce()
    processes = min(max(os.cpu_count() or 1, 2), len(KERNELS))
    try:
        with concurrent.futures.ThreadPoolExecutor(processes) as pool:
            codes = list(pool.map(lambda kernel: _compile(map_name, kernel), KERNELS))
        if not any(codes):
            mark.touch()
    except OSError:
        pass


def _compile(map_name: str, kernel: str) -> int:
    """Compiles a kernel in a process of its own; returns its exit code."""
    # The package can be imported in the same way as here.
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    return subprocess.call(
        [sys.executable, '-m', __name__, map_name, kernel],
        env=dict(os.environ, SC2IMPALA_COMPILES='1', PYTHONPATH=paths),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


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
        'available': game.available_actions,
    }
    for name in names:
        calls[name]()


if __name__ == '__main__':
    main(sys.argv[1:])
