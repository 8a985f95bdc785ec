"""TensorBoard's event files of a run, read without TensorFlow.

A file is a sequence of records: the length (uint64) with its masked CRC-32C, the serialized event,
and its CRC-32C, which is not checked. The file of a run that was killed may end within a record.
"""

import contextlib
import glob
import os
import struct
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import numpy as np

_PATTERN = 'events.out.tfevents.*'
_HEADER = struct.Struct('<QI')
_FOOTER_BYTES = 4
_MAX_BYTES = 2**28
"""Longest record; the graph of a run is the longest."""


class Series(NamedTuple):
    """The values of a tag, in the order of their steps.

    steps: int64 [n], environment frames of all phases.
    values: float64 [n].
    clock: float64 [n], seconds of training; time between launches does not count.
    """

    steps: np.ndarray
    values: np.ndarray
    clock: np.ndarray


class Events(NamedTuple):
    """The event files of a run.

    series: the scalars by tag.
    starts: (Unix time, step) of the beginning of every launch.
    times: Unix times of all events with scalars, in the order of writing, float64 [n].
    steps: their steps, int64 [n].
    duration: seconds of training.
    fault: a sentence about what is missing, or empty.
    """

    series: Dict[str, Series]
    starts: List[Tuple[float, int]]
    times: np.ndarray
    steps: np.ndarray
    duration: float
    fault: str


class _Reader:
    """Collects the scalars of events, without those that a later launch replaced."""

    def __init__(self) -> None:
        self.points: Dict[str, List[Tuple[int, float, float]]] = {}
        self.starts: List[Tuple[float, int]] = []
        self.moments: List[Tuple[float, int]] = []
        self.clock = 0.0
        self._last_time = 0.0

    def add(self, event: Any) -> None:
        """Adds an event."""
        if event.HasField('session_log'):
            self._start(event)
        elif event.HasField('summary'):
            scalars = [each for each in event.summary.value if each.HasField('simple_value')]
            if not scalars:
                return
            if self._last_time:
                self.clock += max(0.0, event.wall_time - self._last_time)
            self._last_time = event.wall_time
            self.moments.append((event.wall_time, event.step))
            for each in scalars:
                point = (event.step, each.simple_value, self.clock)
                self.points.setdefault(each.tag, []).append(point)

    def _start(self, event: Any) -> None:
        if event.session_log.status != event.session_log.START:
            return
        self.starts.append((event.wall_time, event.step))
        self._last_time = event.wall_time
        for tag, points in self.points.items():
            self.points[tag] = [point for point in points if point[0] <= event.step]


def read(folder: str) -> Events:
    """Reads the event files in the folder of a run; never raises an error."""
    reader = _Reader()
    paths = sorted(glob.glob(os.path.join(glob.escape(folder), _PATTERN)))
    faults = []
    for path in paths:
        try:
            for event in _events(path):
                reader.add(event)
        except (OSError, ValueError) as error:
            faults.append(f'{os.path.basename(path)} was read in part: {error}.')
    if not paths:
        faults.append('There is no event file of TensorBoard.')
    elif not reader.points:
        faults.append('The event files have no scalars yet.')
    moments = np.array(reader.moments, np.float64).reshape([-1, 2])
    return Events(
        series={tag: _to_series(points) for tag, points in reader.points.items() if points},
        starts=reader.starts,
        times=moments[:, 0],
        steps=moments[:, 1].astype(np.int64),
        duration=reader.clock,
        fault=' '.join(faults),
    )


def _to_series(points: List[Tuple[int, float, float]]) -> Series:
    steps, values, clock = (np.array(each) for each in zip(*points))
    order = np.argsort(steps, kind='stable')
    return Series(steps[order].astype(np.int64), values[order].astype(np.float64), clock[order])


def _events(path: str) -> Iterator[Any]:
    """Yields the events of a file, `Event` of TensorBoard.

    Raises:
      OSError, ValueError: if the rest cannot be read. A record that is cut off is the end.
    """
    # Imported here: it takes time, and it is not needed without event files.
    from google.protobuf.message import DecodeError
    from tensorboard.compat.proto.event_pb2 import Event

    with open(path, 'rb') as file:
        while True:
            offset = file.tell()
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size:
                return
            length, checksum = _HEADER.unpack(header)
            if _masked_crc32c(header[:8]) != checksum or length > _MAX_BYTES:
                raise ValueError(f'the record at byte {offset:,} is damaged')
            content = file.read(length + _FOOTER_BYTES)
            if len(content) < length + _FOOTER_BYTES:
                return
            event = None
            with contextlib.suppress(DecodeError):
                event = Event.FromString(content[:length])
            if event is None:
                raise ValueError(f'the record at byte {offset:,} is damaged')
            yield event


def _make_table() -> List[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _make_table()


def _masked_crc32c(data: bytes) -> int:
    """Returns the checksum of a header, as in TensorFlow's record format."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
