"""The account of the environment frames of a run whose actors are in this process.

    played = trained + discarded + aborted + waiting
    waiting = unrolls + queued + staged

`played` is what the games report, and `trained` what the updates add to the counters of their
phases, without recorded frames. Both are of the run, over all its starts, as a checkpoint has them:
what a killed start has done after its last checkpoint is in neither. Every sequence is counted
where it leaves an actor, where it is taken into a batch, and where that is trained on; each count
has to agree with the one before it. The books of a cluster are `cluster.accounts`.
"""

import collections
import threading
import time
from typing import Any, Callable, Deque, Dict, Mapping, NamedTuple, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import actors, frames
from sc2impala.learner.phases import Phase
from sc2impala.runtime import console
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.saved_arrays import Arrays
from sc2impala.structs import ActorOutput
from sc2impala.training.component import Component
from sc2impala.training.state import State

_SHORTEST_SECS = 1e-3
_SAVED = ('trained', 'recorded', 'discarded', 'aborted', 'unrolls', 'queued', 'staged')


class Amounts(NamedTuple):
    """Environment frames, as in the equations above.

    discarded: had left an actor, and were not trained on: they waited when an earlier start ended,
        or were staged at the end of a phase.
    aborted: of earlier starts: were in an unroll that was never finished.
    unrolls: played since the last unroll of each actor.
    queued: in the queue, or waiting for room there.
    staged: in a batch that has been taken and not trained on.
    """

    played: int
    trained: int
    discarded: int
    aborted: int
    unrolls: int
    queued: int
    staged: int

    @property
    def waiting(self) -> int:
        """Played, and not trained on yet."""
        return self.unrolls + self.queued + self.staged

    def is_balanced(self) -> bool:
        """Returns whether the equation holds and no amount is negative."""
        parts = self.trained + self.discarded + self.aborted + self.waiting
        return self.played == parts and min(self) >= 0


class Account:
    """Counts; may be used from several threads.

    envs: the environments of the actors in their order, to be set before they play.
    """

    def __init__(self) -> None:
        self.envs: Sequence[Any] = ()
        self._lock = threading.Lock()
        self._before: Dict[str, int] = dict.fromkeys(_SAVED, 0)
        self._left: Dict[int, int] = {}
        self._taken = self._trained = self._recorded = self._discarded = 0
        self._batches: Deque[int] = collections.deque()
        self._fault = ''
        self._waited = dict.fromkeys(('learner', 'actors'), 0.0)

    def wait(self, who: str, seconds: float) -> None:
        """Counts a wait: of the `learner` for a batch, or of one of the `actors` for room."""
        with self._lock:
            self._waited[who] += seconds

    def waited(self) -> Dict[str, float]:
        """Seconds since the start that the learner and all actors together have waited."""
        with self._lock:
            return dict(self._waited)

    def leave(self, actor: int, count: int) -> None:
        """Counts an unroll that an actor has finished.

        Args:
          actor: its index.
          count: environment frames.
        """
        with self._lock:
            left = self._left[actor] = self._left.get(actor, 0) + count
            played = self.envs[actor].frames_played
            if played != left:
                self._complain(f'actor {actor} has played {played:,}, its unrolls have {left:,}')

    def take(self, count: int) -> None:
        """Counts what was taken from the queue into a batch."""
        with self._lock:
            self._taken += count
            self._batches.append(count)

    def train(self, count: int, recorded: bool = False) -> None:
        """Counts what an update has added to the counter of its phase.

        Args:
          count: environment frames.
          recorded: whether they are of recordings, which were not played in this run.
        """
        with self._lock:
            if recorded:
                self._recorded += count
                return
            self._trained += count
            taken = self._batches.popleft() if self._batches else 0
            if taken != count:
                self._complain(f'an update has trained on {count:,}, its batch has {taken:,}')

    def give_up_staged(self) -> None:
        """Batches that were taken are not going to be trained on."""
        with self._lock:
            self._discarded += sum(self._batches)
            self._batches.clear()

    def go_on_from(self, saved: Dict[str, int]) -> None:
        """Goes on from the account of a checkpoint; what waited there is given up.

        Args:
          saved: as `to_save` returned it.
        """
        with self._lock:
            self._before = dict.fromkeys(_SAVED, 0)
            for name in ('trained', 'recorded', 'discarded', 'aborted'):
                self._before[name] = saved[name]
            self._before['aborted'] += saved['unrolls']
            self._before['discarded'] += saved['queued'] + saved['staged']

    def keep(self, queued: int, staged: Sequence[int] = ()) -> None:
        """Takes back what was given up: it has been restored.

        Args:
          queued: environment frames in the queue.
          staged: of each batch that was taken and not trained on.
        """
        with self._lock:
            self._before['discarded'] -= queued + sum(staged)
            self._before['queued'] += queued + sum(staged)
            self._batches.extend(staged)
            self._taken += sum(staged)

    def begin(self, trained: int) -> None:
        """Begins a start.

        Args:
          trained: environment frames of all phases. If there is no account of them, as in runs of
            older versions, they count as played.
        """
        with self._lock:
            known = self._before['trained'] + self._before['recorded']
            if not known:
                self._before['trained'] = trained
            elif known != trained:
                self._complain(f'the phases have {trained:,}, the account has {known:,}')

    def amounts(self) -> Amounts:
        """Returns the totals of frames that were generated, trained on and lost."""
        with self._lock:
            left = sum(self._left.values())
            before = self._before
            played = sum(env.frames_played for env in self.envs)
            given_up = before['trained'] + before['discarded'] + before['aborted']
            return Amounts(
                played=given_up + before['queued'] + played,
                trained=before['trained'] + self._trained,
                discarded=before['discarded'] + self._discarded,
                aborted=before['aborted'],
                unrolls=played - left,
                queued=before['queued'] + left - self._taken,
                staged=sum(self._batches),
            )

    def to_save(self) -> Dict[str, int]:
        """The account by name, for `go_on_from`."""
        amounts = self.amounts()._asdict()
        with self._lock:
            amounts['recorded'] = self._before['recorded'] + self._recorded
        return {name: amounts[name] for name in _SAVED}

    def complaint(self) -> Optional[str]:
        """A sentence if the account does not hold."""
        amounts = self.amounts()
        if not self._fault and amounts.is_balanced():
            return None
        parts = ', '.join(f'{count:,} {name}' for name, count in amounts._asdict().items())
        reason = self._fault or 'the sum is not what was played'
        return (
            f'the account of environment frames does not hold ({reason}): {parts}. This is an '
            'error of the program; the training itself may be sound'
        )

    def _complain(self, fault: str) -> None:
        self._fault = self._fault or fault


class AccountedQueue(actors.SequenceQueue):
    """A queue that counts what actors enqueue and what is taken into batches.

    account: what it counts in.
    """

    def __init__(self, spec: ActorOutput, capacity: int, overlap: int = 0):
        """Args:
        spec: `ActorOutput` of `tf.TensorSpec`s of one sequence.
        capacity: number of sequences.
        overlap: steps that sequences share with those before them, see `actors.build_actor`.
        """
        super().__init__(spec, capacity)
        self.account = Account()
        self._overlap = overlap

    def num_frames(self, env_outputs: Any, step_mul: np.ndarray) -> int:
        """Environment frames that sequences add to those before them; see `frames.count`."""
        return int(frames.count(env_outputs, step_mul, self._overlap).sum())

    def enqueue_many(self, batch: Any) -> tf.Operation:
        """Enqueues the unroll of an actor, a nest of [K, ...]."""

        def count(actor: np.ndarray, count: int) -> None:
            self.account.leave(int(actor[0]), count)

        counted = self._counted(batch, count, 'count_played')
        with tf.control_dependencies(tf.nest.flatten(counted)):
            since = tf.timestamp()
        with tf.control_dependencies([since]):
            enqueued = super().enqueue_many(counted)
        return self._waited_after([enqueued], since, 'actors').op

    def dequeue_many(self, count: int) -> Any:
        """Dequeues a batch, a nest of [count, ...], as soon as there are that many."""

        def take(unused_actor: np.ndarray, frames_of_batch: int) -> None:
            self.account.take(frames_of_batch)

        since = tf.timestamp()
        with tf.control_dependencies([since]):
            taken = super().dequeue_many(count)
        waited = self._waited_after(tf.nest.flatten(taken), since, 'learner')
        with tf.control_dependencies([waited]):
            taken = tf.nest.map_structure(tf.identity, taken)
        return self._counted(taken, take, 'count_taken')

    def _counted(self, sequences: Any, count: Any, name: str) -> Any:
        """The same nest, which cannot be used before (actors, environment frames) were counted."""
        outputs, step_mul = sequences.env_outputs, sequences.agent_outputs.step_mul
        small = outputs._replace(observation=())

        def call(actor: np.ndarray, step_mul: np.ndarray, *totals: np.ndarray) -> np.int64:
            number = self.num_frames(tf.nest.pack_sequence_as(small, totals), step_mul)
            count(actor, number)
            return np.int64(number)

        inputs = [sequences.sequence_info.actor, step_mul, *tf.nest.flatten(small)]
        with tf.device('/cpu'):
            counted = tf.numpy_function(call, inputs, tf.int64, name=name)
        with tf.control_dependencies([counted]):
            return tf.nest.map_structure(tf.identity, sequences)

    def _waited_after(self, ends: Sequence[Any], since: tf.Tensor, who: str) -> tf.Tensor:
        """Counts the seconds until the operations or tensors `ends` are there, float64 []."""
        with tf.control_dependencies(ends):
            seconds = tf.timestamp() - since

        def count(seconds: np.float64) -> np.float64:
            self.account.wait(who, float(seconds))
            return seconds

        with tf.device('/cpu'):
            return tf.numpy_function(count, [seconds], tf.float64, name=f'wait_of_{who}')


class AccountState(State):
    """The account in a checkpoint.

    staged: environment frames that were staged in the one that was restored.
    """

    name = 'account'
    otherwise = 'frames are counted from here'
    survives_transfer = True

    def __init__(self, account: Account):
        """Args: account: of the run."""
        self._account = account
        self.staged = 0

    def get_state(self, session: tf.Session) -> Arrays:
        """See `State`."""
        saved = self._account.to_save()
        return {name: np.array(count, np.int64) for name, count in saved.items()}

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `State`. Checkpoints of older versions have none."""
        if not state:
            return
        missing = [name for name in _SAVED if name not in state]
        if missing:
            raise ValueError(f'{", ".join(missing)} are missing')
        counts = {name: state[name] for name in _SAVED}
        wrong = [n for n, c in counts.items() if c.shape or c.dtype != np.int64 or c < 0]
        if wrong:
            raise ValueError(f'{", ".join(wrong)} are not numbers of frames')
        self.staged = int(counts['staged'])
        self._account.go_on_from({name: int(count) for name, count in counts.items()})


class AccountHook(Component):
    """Counts what updates train on, and writes the amounts to TensorBoard."""

    def __init__(
        self,
        account: Account,
        frames: tf.Tensor,
        summaries: SummaryLog,
        every_secs: float,
        clock: Callable[[], float] = time.monotonic,
    ):
        """Args:
        account: of the run, restored from a checkpoint if there is one.
        frames: environment frames of all phases together, int64 [].
        summaries: where to.
        every_secs: seconds between two events.
        clock: seconds.
        """
        self._account = account
        self._frames = frames
        self._summaries = summaries
        self._every_secs = every_secs
        self._clock = clock
        self._last_time = clock()
        self._last_frames = self._step = 0
        self._stage: Optional[tf.Operation] = None
        self._waited = account.waited()

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Compares the account with the counters of the phases."""
        self._step = int(session.run(self._frames))
        self._account.begin(self._step)

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Counts from here."""
        super().begin_phase(phase, frames)
        self._last_frames = frames
        if self._stage is not None and phase.stage is not self._stage:
            self._account.give_up_staged()
        self._stage = phase.stage

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Asks for the frames after the update."""
        return tf.train.SessionRunArgs({'frames': self.phase.train, 'step': self.phase.step})

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Counts them."""
        frames, self._step = (int(run_values.results[name]) for name in ('frames', 'step'))
        self._account.train(frames - self._last_frames, self.phase.recorded)
        self._last_frames = frames
        now = self._clock()
        if now - self._last_time >= self._every_secs:
            self._write(now - self._last_time)
            self._last_time = now

    def end(self, session: tf.Session) -> None:
        """Writes the last amounts; says so if they do not add up."""
        self._write(self._clock() - self._last_time)
        complaint = self._account.complaint()
        if complaint is not None:
            console.say(complaint)

    def _write(self, seconds: float) -> None:
        """Writes amounts; and waits, over the seconds since they were written before."""
        amounts = self._account.amounts()
        values = dict(amounts._asdict(), waiting=amounts.waiting)
        tags: Dict[str, float] = {'account/' + name: count for name, count in values.items()}
        waited = self._account.waited()
        for who, total in waited.items():
            share = (total - self._waited[who]) / max(seconds, _SHORTEST_SECS)
            tags[f'wait/{who}_per_second'] = share
        self._waited = waited
        self._summaries.add_scalars(tags, self._step)
