"""Pauses the cyclic garbage collector of Python."""

import contextlib
import gc
from typing import Iterator


@contextlib.contextmanager
def collection_paused() -> Iterator[None]:
    """Disables the cyclic garbage collector within the context, and then restores its state.

    While a graph is built, the collector takes a fifth of the time and frees nothing, since the new
    objects stay alive.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
