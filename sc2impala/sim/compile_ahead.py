"""Compilation of all kernels of a map at once, in several processes.

    echo act | python -m sc2impala.sim.compile_ahead MoveToBeacon

numba compiles in one thread at a time, and the first step of a game would wait for every kernel in
turn. The first use of a map therefore starts processes that compile its kernels into the cache.
What two kernels of one process have in common is compiled once. A command can start them before it
imports TensorFlow, and builds its graph in the meantime.
"""

import collections
import contextlib
import os
import subprocess
import sys
import threading
from typing import Any, Deque, Dict, List, Sequence

import numpy as np

from sc2impala.sim import compiler

KERNELS = ('draw', 'act', 'advance', 'restart', 'available')
"""Compiled functions, roughly from the longest time to the shortest."""


def begin(map_name: str) -> None:
    """Starts to compile the kernels of a map that the cache lacks, in the background.

    `prepare` waits for them. Without effect where nothing is compiled (NUMBA_DISABLE_JIT) and in
    the processes that compile.
    """
    if map_name in _begun or _mark(map_name).exists():
        return
    if compiler.is_disabled() or os.environ.get('SC2IMPALA_COMPILES'):
        return
    compiler.announce()
    _begun[map_name] = _Compilation(map_name)


def prepare(map_name: str) -> None:
    """Compiles the kernels of a map that the cache lacks; returns when all of them are there.

    Games of several threads can wait for the same kernels. If another process cannot be started,
    kernels are compiled at their first use.
    """
    with _preparing:
        begin(map_name)
        compilation = _begun.pop(map_name, None)
        if compilation is not None and compilation.wait():
            with contextlib.suppress(OSError):
                _mark(map_name).touch()


def _mark(map_name: str) -> Any:
    """A file that exists once all kernels of a map are in the cache."""
    return compiler.cache_folder() / f'{map_name}.compiled'


class _Compilation:
    """Processes that compile the kernels of one map."""

    def __init__(self, map_name: str):
        self._map_name = map_name
        self._kernels: Deque[str] = collections.deque(KERNELS)
        self._succeeded: List[bool] = []
        # Daemons: a command that fails in the meantime does not wait for them.
        self._threads = [
            threading.Thread(target=self._compile, daemon=True)
            for _ in range(min(max(os.cpu_count() or 1, 2), len(KERNELS)))
        ]
        for thread in self._threads:
            thread.start()

    def wait(self) -> bool:
        """Returns whether all kernels are compiled, once all processes have ended."""
        for thread in self._threads:
            thread.join()
        return len(self._succeeded) == len(self._threads) and all(self._succeeded)

    def _compile(self) -> None:
        with contextlib.suppress(OSError):  # There is no process, or it has ended.
            self._succeeded.append(self._run_process())

    def _run_process(self) -> bool:
        """Compiles kernels in a separate process until none is left; returns its success."""
        # The package can be imported in the same way as here.
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        with subprocess.Popen(
            [sys.executable, '-m', __name__, self._map_name],
            env=dict(os.environ, SC2IMPALA_COMPILES='1', PYTHONPATH=paths),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            while self._kernels:
                try:
                    kernel = self._kernels.popleft()
                except IndexError:
                    break  # Another thread was faster.
                print(kernel, file=process.stdin, flush=True)
                if not process.stdout.readline():
                    break  # The process has failed.
            process.stdin.close()
            return process.wait() == 0


_preparing = threading.Lock()

_begun: Dict[str, _Compilation] = {}
"""Compilations by map, until `prepare` has waited for them."""


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
