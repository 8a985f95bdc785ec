"""Measures what the results of the league are compared with.

    python -m benchmarks.league.probe --cores=0,1 matrix_product

matrix_product: floating-point operations per second of a product of two 2048 x 2048 matrices in
float32, the best of many; flops: operations per agent step of the common work, acted once, and
learned once; machine: hardware and versions. The last line of the output is JSON.
"""

import argparse
import json
import os
from typing import Any, Optional, Sequence

from benchmarks import timing, workload
from benchmarks.league.peers.sc2impala import SPEED_FLAGS
from benchmarks.speed import performance


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Prints what was found.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or '').split('\n')[0])
    parser.add_argument('--cores', required=True)
    parser.add_argument('--seconds', type=float, default=3)
    parser.add_argument('name', choices=('matrix_product', 'flops', 'machine'))
    arguments = parser.parse_args(argv)
    found: Any
    os.sched_setaffinity(0, [int(word) for word in arguments.cores.split(',')])
    if arguments.name == 'flops':
        found = flops_per_step(SPEED_FLAGS)
    elif arguments.name == 'machine':
        found = performance.machine()
    else:
        with workload.matrix_product() as (run, operations):
            runs = timing.interleaved_seconds({'product': run}, arguments.seconds, rounds=1)
            found = operations / min(runs['product'])
    print(json.dumps({arguments.name: found}))


def flops_per_step(flags: Sequence[str]) -> float:
    """Returns the operations of the network per agent step: forward to act, and an update.

    Args:
      flags: of the training.
    """
    settings = workload.make_settings(flags)
    sizes = workload.sizes(settings)
    acting = sum(workload.flops(settings, 'act').values()) / sizes.num_envs
    learning = sum(workload.flops(settings, 'update').values()) / sizes.steps_per_update
    return acting + learning


if __name__ == '__main__':
    main()
