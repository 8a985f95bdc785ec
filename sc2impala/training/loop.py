"""The loop of a run: runs its phases in order in a monitored session with hooks."""

from typing import Callable, Optional, Sequence, Union

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import activity
from sc2impala.checkpoints import variables
from sc2impala.errors import UserError
from sc2impala.learner.phases import Phase
from sc2impala.runtime import memory
from sc2impala.training.component import Component

_STOP_GRACE_SECS = 30


def train(
    phases: Sequence[Phase],
    hooks: Sequence[tf.train.SessionRunHook],
    saver: tf.train.Saver,
    session_config: tf.ConfigProto,
    checkpoint: Optional[str] = None,
    initialize: Optional[Callable[[tf.Session], None]] = None,
    master: str = '',
) -> None:
    """Trains until all phases have their frames or a hook requests to stop.

    Each phase continues from the value of its counter of frames.

    Args:
      phases: in the order in which they run.
      hooks: called in this order around every update; `Component`s are notified of the phase.
      saver: restores the checkpoint.
      session_config: configuration of the session.
      checkpoint: the checkpoint to resume from, or None for initial values.
      initialize: called with the session after the variables were restored, or set to their initial
        values.
      master: target of the session, e.g. of a `tf.train.Server`; empty for this process.

    Raises:
      UserError: if the gradient became NaN or infinite, or there is not enough memory.
    """
    with open_session(hooks, saver, session_config, checkpoint, initialize, master) as session:
        of_phases = [hook for hook in hooks if isinstance(hook, Component)]
        try:
            for phase in phases:
                _run_phase(session, phase, of_phases)
        except Exception as error:
            # The session is still open, so the last updates can be saved.
            for hook in of_phases:
                hook.fail(error)
            raise


def open_session(
    hooks: Sequence[tf.train.SessionRunHook],
    saver: tf.train.Saver,
    session_config: tf.ConfigProto,
    checkpoint: Optional[str] = None,
    initialize: Optional[Callable[[tf.Session], None]] = None,
    master: str = '',
) -> tf.train.MonitoredSession:
    """Opens the monitored session of a run and sets all variables; see `train`."""

    def restore(unused_scaffold: tf.train.Scaffold, session: tf.Session) -> None:
        if checkpoint is not None:
            variables.restore(saver, session, checkpoint)
        if initialize is not None:
            initialize(session)

    with memory.collection_paused():
        return tf.train.MonitoredTrainingSession(
            master=master,
            scaffold=tf.train.Scaffold(saver=saver, init_fn=restore),
            checkpoint_dir=None,
            hooks=[_MarkedHook(hook) for hook in hooks],
            save_checkpoint_secs=None,
            save_checkpoint_steps=None,
            save_summaries_secs=None,
            save_summaries_steps=None,
            log_step_count_steps=None,
            stop_grace_period_secs=_STOP_GRACE_SECS,
            config=session_config,
        )


def _run_phase(
    session: tf.train.MonitoredSession, phase: Phase, hooks: Sequence[Component]
) -> None:
    """Updates until the phase has its frames."""
    frames = int(_read(session, phase.frames))
    if frames >= phase.num_frames or session.should_stop():
        return
    for hook in hooks:
        with _busy_in(hook):
            hook.begin_phase(phase, frames)
    while frames < phase.num_frames and not session.should_stop():
        frames = update(session, phase)
    for hook in hooks:
        with _busy_in(hook):
            hook.end_phase(frames)


def _read(
    session: tf.train.MonitoredSession, variable: tf.Variable
) -> Union[np.ndarray, np.generic]:
    """Reads a variable without hooks, for which every run is an update."""
    # TensorFlow prescribes the argument's name.
    return session.run_step_fn(lambda step_context: step_context.session.run(variable))


class _MarkedHook(tf.train.SessionRunHook):
    """A hook that marks its calls as the activity of the thread."""

    def __init__(self, hook: tf.train.SessionRunHook):
        self._hook = hook

    def begin(self) -> None:
        with _busy_in(self._hook):
            self._hook.begin()

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        with _busy_in(self._hook):
            self._hook.after_create_session(session, coord)

    def before_run(
        self, run_context: tf.train.SessionRunContext
    ) -> Optional[tf.train.SessionRunArgs]:
        with _busy_in(self._hook):
            return self._hook.before_run(run_context)

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        with _busy_in(self._hook):
            self._hook.after_run(run_context, run_values)

    def end(self, session: tf.Session) -> None:
        with _busy_in(self._hook):
            self._hook.end(session)


def _busy_in(hook: tf.train.SessionRunHook) -> activity.doing:
    return activity.doing(f'is busy in {type(hook).__name__}')


def update(session: tf.train.MonitoredSession, phase: Phase) -> int:
    """Runs one update, with all hooks of the session.

    Returns:
      Environment frames of the phase after it.

    Raises:
      UserError: if the gradient became NaN or infinite, or there is not enough memory.
    """
    try:
        with activity.doing(activity.UPDATE):
            return int(session.run(phase.train))
    except tf.errors.InvalidArgumentError as error:
        finite = phase.gradient_is_finite
        if finite is None or _read(session, finite):
            raise
        raise UserError(
            f'the gradient became NaN or infinite in {phase.title}; the state before it is saved '
            'if it is finite: lower the learning rate, or clip rewards or gradients, in a new '
            '--logdir with --init_checkpoint.'
        ) from error
    except (tf.errors.ResourceExhaustedError, MemoryError) as error:
        reason = (str(error).strip() or 'MemoryError').splitlines()[0]
        raise UserError(
            f'there is not enough memory in {phase.title} ({reason}); what was trained before is '
            'saved: resume where there is more, or in a new --logdir with --init_checkpoint and a '
            'smaller --replay_buffer_size, --batch_size, --num_envs or --unroll_length.'
        ) from error
