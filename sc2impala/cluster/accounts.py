"""The frame accounts of a learner: frames its actors have generated, trained on and lost.

All amounts are environment frames of this start of the learner:

    played = trained + discarded + aborted + queued + unsent + lost

`played` and `aborted` are reported by the actors. `unsent` frames are generated, but not yet
received by the learner; for silent actors they count as `lost`. Frames that a silent
actor may have generated after its last report are estimated: they count as `played` and `lost`.
"""

import collections
import threading
import time
from typing import Callable, Deque, Dict, List, NamedTuple, Optional

from sc2impala.cluster.messages import Header

SILENT_SECS = 30.0
"""An actor without messages for this long counts as lost."""

_TURNS = 3
"""Turns of other actors before an actor is missed: calls are repeated, and queue again."""

_REMEMBERED = 256
"""Numbers of messages that may arrive out of order."""


class Amounts(NamedTuple):
    """Environment frames, as in the equation above.

    lost_estimated: the estimated part of `lost` and `played`.
    """

    played: int
    trained: int
    discarded: int
    aborted: int
    queued: int
    unsent: int
    lost: int
    lost_estimated: int

    def is_balanced(self) -> bool:
        """Returns whether the equation holds."""
        parts = self.trained + self.discarded + self.aborted + self.queued
        return self.played == parts + self.unsent + self.lost


class Traffic(NamedTuple):
    """Messages since the start: those without sequences, repeated, refused, of another run."""

    reports: int
    repeated: int
    refused: int
    of_other_runs: int


class Actor:
    """Frame account of one actor, as the learner knows it."""

    def __init__(self, slot: int, header: Header, now: float):
        self.slot = slot
        self.header = header
        self.joined = self.last_time = now
        self.last_message = 0
        self.received = 0
        self.unrolls = 0
        self.is_gone = False
        self._numbers: Deque[int] = collections.deque(maxlen=_REMEMBERED)
        self._highest = -1

    def is_new(self, number: int) -> bool:
        """Records the number of a message; returns whether it is new."""
        if number in self._numbers or number <= self._highest - _REMEMBERED:
            return False
        self._numbers.append(number)
        self._highest = max(self._highest, number)
        return True

    @property
    def unsent(self) -> int:
        """Environment frames that it has generated but that have not arrived."""
        return max(0, self.header.played - self.header.aborted - self.received)

    @property
    def estimate(self) -> int:
        """Returns the expected frames since its last message: half an unroll."""
        if self.header.ending or not self.unrolls:
            return 0
        return self.received // self.unrolls // 2


class Accounts:
    """Counts; may be used from several threads."""

    def __init__(
        self,
        run: str,
        max_policy_lag: int = 0,
        say: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = time.monotonic,
    ):
        """Args:
        run: id of this run.
        max_policy_lag: discard sequences whose weights are older, in updates; 0 keeps all.
        say: called with a line when an actor comes or goes.
        clock: seconds.
        """
        self._run = run
        self._max_policy_lag = max_policy_lag
        self._say = say
        self._clock = clock
        self._lock = threading.Lock()
        self._actors: Dict[str, Actor] = {}
        self._received = self._discarded = self._trained = 0
        self._sequences = {'received': 0, 'discarded': 0, 'trained': 0}
        self._bytes = self._messages = 0
        self._waited = 0.0
        self._traffic = Traffic(0, 0, 0, 0)
        self.last_arrival = clock()

    def admit(self, header: Header, num_bytes: int, updates: int) -> bool:
        """Returns whether to train on the sequences of a message.

        Args:
          header: header of the message.
          num_bytes: its size.
          updates: number of updates of the weights so far.
        """
        with self._lock:
            self._bytes += num_bytes
            if header.run != self._run:
                self._count(of_other_runs=1)
                return False
            actor = self._actor(header)
            if not actor.is_new(header.number):
                self._count(repeated=1)
                return False
            if header.number >= actor.header.number:
                actor.header = header
            self._messages += 1
            self._see(actor)
            if not header.sequences:
                self._count(reports=1)
                return False
            actor.received += header.frames
            actor.unrolls += 1
            self._received += header.frames
            self._sequences['received'] += header.sequences
            self.last_arrival = self._clock()
            if 0 < self._max_policy_lag < updates - header.policy_updates:
                self._discarded += header.frames
                self._sequences['discarded'] += header.sequences
                return False
            return True

    def refuse(self, num_bytes: int, reason: str) -> None:
        """Counts an invalid message; reports the first one."""
        with self._lock:
            self._bytes += num_bytes
            if not self._traffic.refused:
                self._say(f'dropped a malformed message ({reason}); further ones are only counted')
            self._count(refused=1)

    def train(self, sequences: int, frames: int, waited_secs: float) -> None:
        """Counts frames taken into a batch, and the time that the batch had to wait for them."""
        with self._lock:
            self._waited += waited_secs
            self._trained += frames
            self._sequences['trained'] += sequences

    def look_for_silence(self, waiting_since: float, waiting: int = 0) -> None:
        """Finds silent actors; call it regularly.

        An actor that waits for a busy learner cannot report. Its turn comes when earlier messages
        have been taken: one message of each actor, and all messages in the queue.

        Args:
          waiting_since: time since which the learner takes every message at once.
          waiting: messages in the queue.
        """
        with self._lock:
            now = self._clock()
            turns = _TURNS * (self._num_present() + waiting)
            for actor in self._actors.values():
                since = now - actor.last_time
                if self._messages - actor.last_message <= turns:
                    since = min(since, now - waiting_since)
                if not actor.is_gone and since > SILENT_SECS:
                    actor.is_gone = True
                    self._say(f'{_name(actor)} has been silent for {SILENT_SECS:.0f} s')

    def amounts(self) -> Amounts:
        """Returns the totals of frames that were generated, trained on and lost."""
        with self._lock:
            actors = list(self._actors.values())
            gone = [actor for actor in actors if actor.is_gone]
            estimated = sum(actor.estimate for actor in gone)
            return Amounts(
                played=sum(max(a.header.played, a.header.aborted + a.received) for a in actors)
                + estimated,
                trained=self._trained,
                discarded=self._discarded,
                aborted=sum(actor.header.aborted for actor in actors),
                queued=self._received - self._discarded - self._trained,
                unsent=sum(actor.unsent for actor in actors if not actor.is_gone),
                lost=sum(actor.unsent for actor in gone) + estimated,
                lost_estimated=estimated,
            )

    def sequences(self) -> Dict[str, int]:
        """Sequences received, discarded and trained."""
        with self._lock:
            return dict(self._sequences)

    def traffic(self) -> Traffic:
        """Messages without anything to train on."""
        with self._lock:
            return self._traffic

    def totals(self) -> Dict[str, float]:
        """Bytes in and out, and seconds of waiting of learner and actors."""
        with self._lock:
            headers = [actor.header for actor in self._actors.values()]
            return {
                'bytes_in': self._bytes,
                'bytes_out': sum(header.received_bytes for header in headers),
                'learner_wait': self._waited,
                'actor_wait': sum(header.waited_secs for header in headers),
            }

    def present(self) -> List[Actor]:
        """The actors that are neither silent nor have left, by slot."""
        with self._lock:
            found = [actor for actor in self._actors.values() if not actor.is_gone]
        return sorted(found, key=lambda actor: actor.slot)

    def _actor(self, header: Header) -> Actor:
        actor = self._actors.get(header.actor)
        if actor is None:
            actor = Actor(self._free_slot(header.task), header, self._clock())
            self._actors[header.actor] = actor
            self._say(f'{_name(actor)} has joined, {self._num_present()} connected')
        return actor

    def _free_slot(self, task: int) -> int:
        taken = {actor.slot for actor in self._actors.values() if not actor.is_gone}
        if task >= 0 and task not in taken:
            return task
        return next(slot for slot in range(len(taken) + 1) if slot not in taken)

    def _see(self, actor: Actor) -> None:
        actor.last_time = self._clock()
        actor.last_message = self._messages
        if actor.header.ending:
            actor.is_gone = True
            self._say(f'{_name(actor)} has left, {self._num_present()} connected')
        elif actor.is_gone:
            actor.is_gone = False
            self._say(f'{_name(actor)} is back, {self._num_present()} connected')

    def _num_present(self) -> int:
        return sum(not actor.is_gone for actor in self._actors.values())

    def _count(self, **changes: int) -> None:
        self._traffic = self._traffic._replace(
            **{name: getattr(self._traffic, name) + change for name, change in changes.items()}
        )


def _name(actor: Actor) -> str:
    return f'actor {actor.slot} ({actor.header.host})'


class Rates:
    """Amounts per second between two calls."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._last: Optional[Dict[str, float]] = None
        self._last_time = clock()

    def update(self, totals: Dict[str, float]) -> Dict[str, float]:
        """Returns rates since the last call, for amounts known then; {} at the first call."""
        now = self._clock()
        seconds, before = now - self._last_time, self._last
        self._last, self._last_time = dict(totals), now
        if before is None or seconds <= 0:
            return {}
        return {n: (total - before[n]) / seconds for n, total in totals.items() if n in before}
