"""Durations of repeated calls."""

import time
from typing import Any, Callable, Dict, List, Mapping


def seconds_of(function: Callable[[], Any]) -> float:
    """Calls a function once and returns the wall-clock seconds that it took."""
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def interleaved_seconds(
    runs: Mapping[str, Callable[[], float]], seconds: float, rounds: int
) -> Dict[str, List[float]]:
    """Runs several candidates alternately, so that load on the machine affects all of them alike.

    Args:
      runs: by name a function that runs the candidate once and returns its duration in seconds.
        Each is called once before the first round to warm up; that call is not counted.
      seconds: wall-clock time for each candidate in each round; each runs at least twice.
      rounds: the number of rounds.

    Returns:
      By name the durations of all counted runs, in seconds.
    """
    found: Dict[str, List[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(rounds):
        for name, run in runs.items():
            end, min_runs = time.perf_counter() + seconds, len(found[name]) + 2
            while len(found[name]) < min_runs or time.perf_counter() < end:
                found[name].append(run())
    return found
