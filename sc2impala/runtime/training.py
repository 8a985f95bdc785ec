"""A training, from the folder of the run to the last update."""

import contextlib
from typing import Any, Iterator, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.errors import FINISHED, Interrupted, UserError, exit_code_of_signal
from sc2impala.runtime import (
    checkpoints,
    console,
    demonstrations,
    garbage,
    graph,
    logdir,
    manifest,
    trainer,
    training_graph,
    training_resume,
    training_start,
)
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.train_log import TrainLog
from sc2impala.runtime.training_description import (
    describe,
    finished_text,
    is_finished,
    schedule_change,
)
from sc2impala.runtime.training_hooks import make_hooks
from sc2impala.runtime.training_start import Start
from sc2impala.settings.settings import Settings


def train(
    settings: Settings,
    own_hooks: Sequence[tf.train.SessionRunHook] = (),
    remote: Optional[Any] = None,
) -> int:
    """Trains until the frames are used up, going on where the folder's last run stopped.

    Args:
      settings: all of them, valid.
      own_hooks: further hooks; each run of the session is one update.
      remote: `remote_actors.RemoteActors`; None for actors in this process.

    Returns:
      The exit code of the command: 0 if the training is finished, else that of the signal by which
      it was stopped.

    Raises:
      UserError: for anything wrong with the settings, the folder, or what is in it.
      Exception: for errors of the program; the traceback is in the log of the run.
    """
    folder = settings.run.logdir
    specs = demonstrations.labelled_specs(
        settings.demonstrations, graph.make_specs(settings.environment)
    )
    logdir.prepare(folder)
    stop, log = StopRequest(interrupts=True), TrainLog(folder)
    with logdir.Lock(folder), console.copied_to(log), _ends_logged(log), stop.installed():
        try:
            start = training_start.find(settings)
            with tf.Graph().as_default(), contextlib.ExitStack() as stack:
                _train_in_graph(settings, specs, start, stop, stack, own_hooks, remote)
        except Interrupted as interrupted:
            console.say('stopped before the training began: this start has changed nothing')
            return exit_code_of_signal(interrupted.number)
    return FINISHED if stop.number is None else exit_code_of_signal(stop.number)


@contextlib.contextmanager
def _ends_logged(log: TrainLog) -> Iterator[None]:
    """Writes the error that ends the block to a log: its sentence, or its traceback."""
    try:
        yield
    except UserError as error:
        log.write_line(f'error: {error}')
        raise
    except Exception as error:
        log.write_error(error)
        raise


def _train_in_graph(
    settings: Settings,
    specs: Tuple[Any, Any],
    start: Start,
    stop: StopRequest,
    stack: contextlib.ExitStack,
    own_hooks: Sequence[tf.train.SessionRunHook],
    remote: Optional[Any],
) -> None:
    """Builds everything in the default graph, and trains.

    Args:
      settings: all of them.
      specs: observation and action spec.
      start: where the training begins.
      stop: set when it should end.
      stack: closes what was opened.
      own_hooks: hooks of the caller.
      remote: see `train`.
    """
    run, output = settings.run, settings.output
    session_config = graph.session_config(run.deterministic, run.bfloat16)
    if remote is not None:
        remote.open(session_config)
    with garbage.collection_paused():
        training = training_graph.build(settings, specs, start.number, stack, remote)
        of_run = None if start.before is None else start.before['config']
        resume = training_resume.build(settings, training, remote, of_run)
        writer = checkpoints.CheckpointWriter(
            run.logdir,
            output.save_checkpoint_secs,
            output.keep_checkpoints,
            resume.parts,
            output.max_unsaved_secs,
            output.keep_every_frames,
        )
        initialize = training_start.prepare_restoring(
            settings,
            training.agent,
            writer,
            start.checkpoint,
            [phase.frames for phase in training.phases],
        )
        hooks = make_hooks(
            settings, training, resume, writer, start, stop, stack, own_hooks, remote
        )
        if remote is not None:
            remote.run_in_background()
        training_start.clean_up(run.logdir, start)
        manifest.write(run.logdir, settings.values(), start.before, specs, start.skipped)
        lines = describe(settings, specs, training, start.checkpoint)
        if start.before is not None and start.checkpoint is not None:
            frames = checkpoints.global_step(start.checkpoint)
            lines += schedule_change(settings, start.before['config'], frames)
        console.say('\n'.join(lines))
        if is_finished(training.phases, start.checkpoint):
            console.say(finished_text(settings))
    trainer.train(
        training.phases,
        hooks,
        writer.saver,
        session_config,
        start.checkpoint,
        initialize,
        '' if remote is None else remote.master,
    )
