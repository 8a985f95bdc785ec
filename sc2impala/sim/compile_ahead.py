"""Compilation of all kernels of a map at once, in several processes.

    echo act | python -m sc2impala.sim.compile_ahead MoveToBeacon

numba compiles in one thread at a time, and the first step of a game would wait for every kernel in
turn. The first batch of a map therefore starts processes that compile its kernels into the cache.
What two kernels of one process have in common is compiled once.
"""

import concurrent.futures
import os
import subprocess
import sys
from typing import Any, Iterator, Sequence

import numpy as np

from sc2impala.sim import compiler

KERNELS = ('advance', 'draw', 'act', 'available', 'restart')
"""Compiled functions, roughly from the longest time to the shortest."""


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
            kernels = iter(KERNELS)
            succeeded = list(pool.map(lambda _: _compile(map_name, kernels), range(processes)))
        if all(succeeded):
            mark.touch()
    except OSError:
        pass


def _compile(map_name: str, kernels: Iterator[str]) -> bool:
    """Compiles all kernels in a separate process; returns whether it succeeded."""
    # The package can be imported in the same way as here.
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    with subprocess.Popen(
        [sys.executable, '-m', __name__, map_name],
        env=dict(os.environ, SC2IMPALA_COMPILES='1', PYTHONPATH=paths),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        universal_newlines=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for kernel in kernels:
            print(kernel, file=process.stdin, flush=True)
            if not process.stdout.readline():
                break  # The process has failed.
        process.stdin.close()
        return process.wait() == 0


def main(arguments: Sequence[str]) -> None:
    """Compiles the kernels that are named on the input, and prints the name of each.

    Args:
      arguments: name of the map.
    """
    # GameBatch imports this module.
    from sc2impala.sim.game_batch import GameBatch

    (map_name,) = arguments
    game: Any = GameBatch(map_name, [0], (8, 8), (8, 8))
    calls = {
        'restart': game.reset,
        'advance': lambda: game.advance(np.zeros([1], np.int64)),
        'act': lambda: game.act(np.zeros([1], np.int64), {}),
        'draw': game.observe,
        'available': game.available_actions,
    }
    for line in sys.stdin:
        calls[line.strip()]()
        print(line.strip(), flush=True)


if __name__ == '__main__':
    main(sys.argv[1:])
