"""Current activity of each thread, set by the code that performs it.

with activity.doing(activity.REPLAY):
    table.insert(arrays)
"""

import threading
from types import TracebackType
from typing import Dict, Optional, Type

UPDATE = 'computes an update'
FILL = 'fills the queue'
GAME = 'steps games'
REPLAY = 'uses the replay buffer'
EVALUATION = 'waits for the games of an evaluation'
SAVING = 'waits for the disk, to which it saves a checkpoint'

_now: Dict[int, str] = {}


class doing:
    """Marks the activity of the current thread in a block; of nested ones the innermost counts."""

    __slots__ = ('_before', '_what')

    def __init__(self, what: str):
        """Args: what: predicate of a sentence, e.g. one of the constants above."""
        self._what = what

    def __enter__(self) -> None:
        thread = threading.get_ident()
        self._before = _now.get(thread)
        _now[thread] = self._what

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        thread = threading.get_ident()
        if self._before is None:
            del _now[thread]
        else:
            _now[thread] = self._before


def by_thread() -> Dict[int, str]:
    """Returns the activities by thread identifier; unmarked threads are absent."""
    return _now.copy()
