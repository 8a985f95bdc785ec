"""Independent random seeds, derived from the seed of a run."""

from typing import List

import numpy as np

_PURPOSES = {
    'graph': 0,
    'replay': 1,
    'training': 2,
    'evaluation': 3,
    'player': 4,
    'phase_evaluation': 8,
    'demonstrator': 5,
    'demonstrations': 6,
    'recording': 7,
    'following': 9,
    'actions': 10,
    'run_evaluation': 11,
    'population': 12,
}


def streams(seed: int, purpose: str, count: int, *more: int) -> List[int]:
    """Returns `count` 32-bit seeds that depend on all other arguments.

    Args:
      seed: the seed of the run.
      purpose: a key of `_PURPOSES`; different purposes have independent seeds.
      count: number of seeds; a smaller count returns the first seeds of a larger one.
      *more: further non-negative integers on which the seeds depend, such as the index of an actor,
        or the number of starts of the run, so that a restart does not repeat the same games.
    """
    sequence = np.random.SeedSequence([seed, _PURPOSES[purpose]] + list(more))
    return [int(s) for s in sequence.generate_state(count, np.uint32)]
