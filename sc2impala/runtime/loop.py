"""The loop of updates, and what happens between two of them: log, save, stop."""

import contextlib
import os
import signal
from typing import Any, Iterator, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.runtime.errors import UserError
from sc2impala.runtime.progress import Progress

_STDERR = 2


class StopRequest:
    """Turns the first Ctrl-C or SIGTERM into the wish to stop after this update.

    The second one has its usual effect.
    """

    def __init__(self):
        self.requested = False

    @contextlib.contextmanager
    def installed(self) -> Iterator['StopRequest']:
        """Listens to the signals inside of the block."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.getsignal(number) for number in numbers}

        def on_signal(number, unused_frame):
            # Python's own streams may be in the middle of a write, and cannot be entered again.
            os.write(_STDERR, b'\nstopping after this update; once more stops at once\n')
            self.requested = True
            signal.signal(number, before[number])

        for number in numbers:
            signal.signal(number, on_signal)
        try:
            yield self
        finally:
            for number in numbers:
                signal.signal(number, before[number])


class Loop:
    """Runs phases in a session."""

    def __init__(
        self,
        map_name: str,
        session: Any,
        stop: StopRequest,
        checkpoints: Any,
        episodes: Any,
        summaries: Any,
        progress_secs: float,
        before_update: Sequence[Any] = (),
        stage: Optional[tf.Operation] = None,
    ):
        """Args:
        map_name: prefix of the tags of the returns.
        session: where everything runs.
        stop: asked after every update.
        checkpoints: `CheckpointWriter`. episodes: `EpisodeLog`. summaries: `SummaryLog`.
        progress_secs: seconds between two lines of progress.
        before_update: callables without arguments, run before every update.
        stage: puts the next batch ahead on the device, or None.
        """
        self._map_name = map_name
        self._session = session
        self._stop = stop
        self._checkpoints = checkpoints
        self._episodes = episodes
        self._summaries = summaries
        self._progress_secs = progress_secs
        self._before_update = before_update
        self._stage = stage

    def run(self, phases: Sequence[Any]) -> None:
        """Runs one phase after the other from where each of them stands; saves at the end."""
        frames = [int(self._session.run(phase.frames)) for phase in phases]
        self._checkpoints.save(self._session, sum(frames))
        if self._stage is not None:
            self._prepare_update()
            self._session.run(self._stage)
        earlier = 0
        for phase, phase_frames in zip(phases, frames):
            earlier += self._run_phase(phase, phase_frames, earlier)
        self._checkpoints.save(self._session, earlier)

    def _run_phase(self, phase, frames, earlier):
        """Updates until the phase has its frames; returns how many it has now."""
        if frames >= phase.num_frames or self._stop.requested:
            return frames
        progress = Progress(phase.name, frames, phase.num_frames, self._progress_secs)
        while frames < phase.num_frames and not self._stop.requested:
            frames, steps = self._update(phase, earlier)
            rates = progress.update(frames, steps, self._episodes)
            if rates is not None:
                self._episodes.flush()
                self._summaries.add_scalars(rates._asdict(), earlier + frames)
            self._checkpoints.save_if_due(self._session, earlier + frames)
        progress.finish(frames, self._episodes)
        return frames

    def _update(self, phase, earlier):
        """One update; returns the frames of the phase after it, and the agent steps in it."""
        self._prepare_update()
        fetches = {
            'done': phase.done,
            'infos': phase.infos,
            'steps': phase.steps,
            'frames': phase.train,
        }
        if self._stage is not None:
            fetches['stage'] = self._stage
        if self._summaries.due():
            fetches['summary'] = phase.summary
        try:
            results = self._session.run(fetches)
        except tf.errors.InvalidArgumentError as error:
            if learner.NOT_FINITE not in str(error):
                raise
            raise UserError(
                f'the gradient is no longer finite in {phase.name}; the last checkpoint is from '
                'before: lower the learning rate, or clip rewards or gradients, in a new --logdir '
                'with --init_checkpoint.'
            ) from error
        frames = int(results['frames'])
        step = earlier + frames
        if 'summary' in results:
            self._summaries.add(results['summary'], step)
        means = self._episodes.add(results['done'], results['infos'], step)
        if means:
            self._summaries.add_scalars(
                {self._map_name + '/' + name: mean for name, mean in means.items()}, step
            )
        return frames, int(results['steps'])

    def _prepare_update(self):
        for function in self._before_update:
            function()
