"""Runs a peer, and measures its speed, its memory, its processor time or its time to a return."""

import collections
import contextlib
import json
import os
import signal
import statistics
import subprocess
import tempfile
import time
from typing import Any, Deque, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from benchmarks.league.peers import reporting

Report = Dict[str, Any]

WINDOW = 100
"""Number of training episodes whose mean return has to reach the target."""

_POLL_SECS = 0.1
_SAMPLE_SECS = 1.0
_START_TIMEOUT_SECS = 600.0
_MIN_UPDATES = 3
_STOP_SECS = 15.0
_SUSPENSION_SECS = 3.0
_LOG_BYTES = 4000
_TICKS = os.sysconf('SC_CLK_TCK')


class PeerFailed(Exception):
    """A peer ended, or learned too slowly.

    reason: what happened, if it is not in the output.
    output: the end of its output.
    """

    def __init__(self, output: str, reason: str = ''):
        super().__init__(f'{reason}\n{output}' if reason else output)
        self.reason = reason
        self.output = output


class Usage(NamedTuple):
    """Resources that a group of processes uses.

    time: seconds since the epoch.
    cpu_seconds: processor time since their start.
    memory: bytes; what processes share counts once.
    """

    time: float
    cpu_seconds: float
    memory: int


class Speed(NamedTuple):
    """A round of a peer.

    parameters: trained parameters of its network.
    steps: agent steps learned within the measurement.
    seconds: length of the measurement, from one update to another.
    cpu_seconds: processor time within it.
    peak_memory: bytes, since the start of the peer.
    """

    parameters: int
    steps: int
    seconds: float
    cpu_seconds: float
    peak_memory: int


class TimeToReturn(NamedTuple):
    """A run to a return.

    seconds, steps: to the target, from the start of the command; None if it was not reached.
    best: highest mean return.
    episodes: number of finished episodes; 0 if the peer reports means only.
    """

    seconds: Optional[float]
    steps: Optional[int]
    best: Optional[float]
    episodes: int


class Suspensions:
    """Times in which this process did not run, such as while the machine slept.

    A peer on the same machine did not run either, so they do not count as its time.
    """

    def __init__(self) -> None:
        self._last = time.time()
        self._found: List[Tuple[float, float]] = []

    def sleep(self, seconds: float) -> None:
        """Sleeps, and records a suspension if much more time has passed since the last call."""
        time.sleep(seconds)
        now = time.time()
        if now > self._last + _SUSPENSION_SECS:
            self._found.append((self._last, now))
        self._last = now

    def seconds_between(self, start: float, end: float) -> float:
        """Returns the seconds between two times, without suspensions."""
        lost = (min(end, last) - max(start, first) for first, last in self._found)
        return end - start - sum(each for each in lost if each > 0)


class Peer:
    """A running peer; a context that ends all of its processes."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Dict[str, str],
        cores: Sequence[int],
        folder: Optional[str] = None,
    ):
        """Starts the peer.

        Args:
          command: of the peer.
          environment: variables in addition to those of this process.
          cores: numbers of the cores to which it is confined.
          folder: in which it runs; None for that of this process.
        """
        self._folder = tempfile.TemporaryDirectory()
        self._report_path = os.path.join(self._folder.name, 'report')
        self._log_path = os.path.join(self._folder.name, 'log')
        self._marker = f'{reporting.FILE_VARIABLE}={self._report_path}'.encode()
        variables = dict(os.environ, **environment)
        variables[reporting.FILE_VARIABLE] = self._report_path
        self.started = time.time()
        with open(self._report_path, 'w'), open(self._log_path, 'wb') as log:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=variables,
                cwd=folder,
                start_new_session=True,
                preexec_fn=lambda: os.sched_setaffinity(0, cores),
            )
        self._file = open(self._report_path)  # noqa: SIM115  # Closed in __exit__.
        self._rest = ''

    def __enter__(self) -> 'Peer':
        return self

    def __exit__(self, *unused: Any) -> None:
        self.stop()
        self._file.close()
        self._folder.cleanup()

    def reports(self) -> List[Report]:
        """Returns the reports since the last call.

        Raises:
          PeerFailed: if the peer has ended.
        """
        is_alive = self._process.poll() is None
        lines = (self._rest + self._file.read()).split('\n')
        self._rest = lines.pop()
        if not is_alive and not lines:
            raise PeerFailed(self.log())
        return [json.loads(line) for line in lines]

    def log(self) -> str:
        """Returns the end of the peer's output."""
        with open(self._log_path, 'rb') as log:
            return log.read()[-_LOG_BYTES:].decode(errors='replace')

    def usage(self) -> Usage:
        """Returns what the processes of the peer use now."""
        processes = self._processes()
        return Usage(
            time.time(), sum(map(_cpu_seconds, processes)), sum(map(_memory_bytes, processes))
        )

    def stop(self) -> None:
        """Ends all processes of the peer."""
        # Before their parents end: they are found by these as well.
        processes = self._processes()
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_STOP_SECS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        left = (processes | self._processes()) - {self._process.pid}
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        give_up = time.time() + _STOP_SECS
        while any(map(_is_running, left)) and time.time() < give_up:
            time.sleep(_POLL_SECS)

    def _processes(self) -> Set[int]:
        """The process, its descendants, and processes that have the peer's variable."""
        parents, found = {}, {self._process.pid}
        for name in os.listdir('/proc'):
            if name.isdigit():
                try:
                    parents[int(name)] = int(_stat(int(name))[1])
                    with open(f'/proc/{name}/environ', 'rb') as file:
                        if self._marker in file.read().split(b'\0'):
                            found.add(int(name))
                except (OSError, IndexError):
                    continue
        while True:
            more = {pid for pid, parent in parents.items() if parent in found} - found
            if not more:
                return found
            found |= more


def measure_speed(peer: Peer, warm_up: float, seconds: float) -> Speed:
    """Measures the agent steps that a peer learns in a time.

    Both ends of the measurement are ends of an update, and it has at least three updates.

    Args:
      peer: just started.
      warm_up: seconds after its first update that are not counted.
      seconds: length of the measurement.

    Raises:
      PeerFailed: if it ends, or reports no update in the time.
    """
    reports: List[Report] = []
    usages: List[Usage] = []
    clock = Suspensions()
    limit = _START_TIMEOUT_SECS + warm_up + 3 * seconds
    while True:
        clock.sleep(_POLL_SECS)
        reports += peer.reports()
        if not usages or time.time() >= usages[-1].time + _SAMPLE_SECS:
            usages.append(peer.usage())
        counted = updates_after(reports, warm_up)
        if len(counted) > _MIN_UPDATES:
            measured = clock.seconds_between(counted[0]['time'], counted[-1]['time'])
            if measured >= seconds:
                break
        if clock.seconds_between(peer.started, time.time()) > limit:
            raise PeerFailed(peer.log(), f'{len(counted)} updates after {limit:.0f} s')
    usages.append(peer.usage())
    first, last = counted[0], counted[-1]
    return Speed(
        parameters=[each['parameters'] for each in reports if 'parameters' in each][-1],
        steps=last['steps'] - first['steps'],
        seconds=measured,
        cpu_seconds=cpu_seconds_at(usages, last['time']) - cpu_seconds_at(usages, first['time']),
        peak_memory=max(usage.memory for usage in usages),
    )


def updates_after(reports: Sequence[Report], warm_up: float) -> List[Report]:
    """Returns the reports of updates, without those of the first `warm_up` seconds."""
    updates = [report for report in reports if 'steps' in report]
    return [each for each in updates if each['time'] >= updates[0]['time'] + warm_up]


def cpu_seconds_at(usages: Sequence[Usage], when: float) -> float:
    """Returns the processor time at a moment, interpolated between samples."""
    for before, after in zip(usages, usages[1:]):
        if before.time <= when <= after.time:
            share = (when - before.time) / max(after.time - before.time, 1e-9)
            return before.cpu_seconds + share * (after.cpu_seconds - before.cpu_seconds)
    return min(usages, key=lambda usage: abs(usage.time - when)).cpu_seconds


def measure_return(peer: Peer, target: float, limit: float) -> TimeToReturn:
    """Measures the time to a mean return of the last 100 training episodes.

    Args:
      peer: just started.
      target: mean return to reach.
      limit: seconds after which the run is stopped.

    Raises:
      PeerFailed: if it ends by itself.
    """
    watch, clock = ReturnWatch(target), Suspensions()
    while watch.reached is None and clock.seconds_between(peer.started, time.time()) < limit:
        clock.sleep(_POLL_SECS)
        watch.add(peer.reports())
    if watch.reached is None:
        return watch.result(None)
    return watch.result(clock.seconds_between(peer.started, watch.reached['time']))


class ReturnWatch:
    """Follows the mean return of the last 100 training episodes.

    reached: the report with which it reached the target, None before.
    """

    def __init__(self, target: float):
        """Args: target: mean return to reach."""
        self.reached: Optional[Report] = None
        self._target = target
        self._returns: Deque[float] = collections.deque(maxlen=WINDOW)
        self._num_episodes = 0
        self._steps = 0
        self._best: Optional[float] = None

    def add(self, reports: Sequence[Report]) -> None:
        """Adds reports, up to the one with which the target is reached."""
        for report in reports:
            if self.reached is None:
                self._steps = report.get('steps', self._steps)
                mean = self._mean_after(report)
                if mean is not None:
                    self._best = mean if self._best is None else max(self._best, mean)
                    if mean >= self._target:
                        self.reached = report

    def result(self, seconds: Optional[float]) -> TimeToReturn:
        """Returns the result, with the seconds to the target or None."""
        steps = None if self.reached is None else self._steps
        return TimeToReturn(seconds, steps, self._best, self._num_episodes)

    def _mean_after(self, report: Report) -> Optional[float]:
        """The mean return of a full window, if the report changes it."""
        if report.get('episodes') == WINDOW:
            return report['mean_return']
        if 'episode_return' not in report:
            return None
        self._num_episodes += 1
        self._returns.append(report['episode_return'])
        return statistics.mean(self._returns) if len(self._returns) == WINDOW else None


def _stat(pid: int) -> List[str]:
    """Fields of /proc/PID/stat from the third on, which is the state."""
    with open(f'/proc/{pid}/stat') as file:
        return file.read().rpartition(')')[2].split()


def _is_running(pid: int) -> bool:
    try:
        return _stat(pid)[0] != 'Z'
    except OSError:
        return False


def _cpu_seconds(pid: int) -> float:
    """Processor time of a process and of its children that have ended."""
    try:
        return sum(map(int, _stat(pid)[11:15])) / _TICKS
    except OSError:
        return 0.0


def _memory_bytes(pid: int) -> int:
    """Proportional set size: pages that n processes share count 1 / n in each."""
    try:
        with open(f'/proc/{pid}/smaps_rollup') as file:
            for line in file:
                if line.startswith('Pss:'):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    return 0
