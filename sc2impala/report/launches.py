"""The launches of a run: every start of its command, from manifest, log and events."""

import datetime
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from sc2impala.report.events import Events

_FORMATS = ('%Y-%m-%dT%H:%M:%S%z', '%Y-%m-%dT%H:%M:%S')


class Launch(NamedTuple):
    """One start of the command.

    time: Unix time; None if unknown.
    seconds: until the last line of the log or event; None if unknown.
    first_frames, last_frames: frames at its start and its last event; None if unknown.
    version, tensorflow, revision: of the package, of TensorFlow, and of the checkout; '' if
      unknown.
    command: the command line, with the path of the program.
    changed: names and values of the settings that it changed.
    skipped: reasons by frames of the checkpoints that it could not use.
    """

    time: Optional[float]
    seconds: Optional[float]
    first_frames: Optional[int]
    last_frames: Optional[int]
    version: str
    tensorflow: str
    revision: str
    command: List[str]
    changed: Mapping[str, Any]
    skipped: Mapping[str, Any]


def of_run(starts: Sequence[Any], log_times: Sequence[float], events: Events) -> List[Launch]:
    """Combines what is known about the launches of a run.

    Args:
      starts: entry `starts` of the manifest.
      log_times: Unix times of the lines of the log.
      events: the event files.
    """
    entries = [entry for entry in starts if isinstance(entry, dict)]
    times = [_parse(entry.get('time')) for entry in entries]
    written = np.sort(np.concatenate([np.array(log_times, np.float64), events.times]))
    launches = []
    for i, (entry, begin) in enumerate(zip(entries, times)):
        later = [time for time in times[i + 1 :] if time is not None]
        end = later[0] if later else np.inf
        versions = _mapping(entry.get('versions'))
        launch = Launch(
            time=begin,
            seconds=None,
            first_frames=None,
            last_frames=None,
            version=str(versions.get('sc2impala', '')),
            tensorflow=str(versions.get('tensorflow', '')),
            revision=str(entry.get('git_revision') or ''),
            command=_texts(entry.get('command')),
            changed=_mapping(entry.get('settings_changed')),
            skipped=_mapping(entry.get('checkpoints_skipped')),
        )
        if begin is not None:
            launch = _with_progress(launch, begin, end, written, events)
        launches.append(launch)
    return launches


def total_seconds(launches: Sequence[Launch]) -> Optional[float]:
    """Returns the sum of the durations; None if none is known."""
    known = [launch.seconds for launch in launches if launch.seconds is not None]
    return sum(known) if known else None


def _with_progress(
    launch: Launch, begin: float, end: float, written: np.ndarray, events: Events
) -> Launch:
    """Adds duration and frames of a launch between two Unix times."""
    within = written[(written >= begin) & (written < end)]
    started = [step for time, step in events.starts if begin <= time < end]
    steps = events.steps[(events.times >= begin) & (events.times < end)]
    return launch._replace(
        seconds=float(within[-1] - begin) if len(within) else None,
        first_frames=started[0] if started else None,
        last_frames=int(steps.max()) if len(steps) else None,
    )


def _parse(time: Any) -> Optional[float]:
    for form in _FORMATS:
        try:
            return datetime.datetime.strptime(str(time), form).timestamp()
        except (ValueError, OverflowError):
            continue
    return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> List[str]:
    return [str(each) for each in value] if isinstance(value, list) else []
