"""Independent random streams from the one seed of a run."""

from typing import List

import numpy as np

_PURPOSES = {'graph': 0, 'replay': 1, 'training': 2, 'evaluation': 3, 'player': 4}


def streams(seed: int, purpose: str, count: int, *more: int) -> List[int]:
    """`count` seeds of 32 bits.

    Args:
      seed: the seed of the run.
      purpose: a key of `_PURPOSES`; two purposes never share a stream.
      count: how many.
      *more: what else tells streams apart: the start of the run, the number of an actor. After a
        restart other games are played than after the first start.
    """
    sequence = np.random.SeedSequence([seed, _PURPOSES[purpose]] + list(more))
    return [int(s) for s in sequence.generate_state(count, np.uint32)]
