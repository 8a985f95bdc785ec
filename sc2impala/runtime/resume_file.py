"""Reads the file of a saved state, which may be anybody's; `replay.save` writes it."""

from typing import Dict

import numpy as np

from sc2impala import replay

FORMAT = 1


def read(path: str) -> Dict[str, np.ndarray]:
    """All arrays of a file by name, in memory, without the number of its format.

    Raises:
      ValueError: if it is truncated, damaged, or of another version.
      OSError: if there is no such file, or it cannot be read.
    """
    saved = replay.load(path)
    state = {name: np.array(saved[name]) for name in saved}
    found = state.pop('format', np.array(0))
    if found.shape != () or found.dtype.kind != 'i' or int(found) != FORMAT:
        raise ValueError(f'it has the format {found}, expected {FORMAT}')
    return state
