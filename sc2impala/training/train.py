"""A run, from its folder to the last update."""

import contextlib
from typing import Iterator, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import variables
from sc2impala.checkpoints.writer import CheckpointWriter
from sc2impala.envs.vector import Specs
from sc2impala.errors import FINISHED, Interrupted, UserError, exit_code_of_signal
from sc2impala.factories import environments
from sc2impala.runtime import console, logdir, manifest, memory, sessions
from sc2impala.runtime.console import TrainLog
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.settings.settings import Settings
from sc2impala.training import build, loop
from sc2impala.training import start as start_lib
from sc2impala.training.actors import Actors
from sc2impala.training.description import (
    describe,
    finished_text,
    is_finished,
    schedule_change,
)
from sc2impala.training.local_actors import LocalActors
from sc2impala.training.start import Start


def train(settings: Settings, own_hooks: Sequence[tf.train.SessionRunHook] = ()) -> int:
    """Trains until the frames are used up, resuming where the folder's last run stopped.

    Args:
      settings: all of them, valid.
      own_hooks: further hooks; each run of the session is one update.

    Returns:
      The exit code of the command: 0 if the training is finished, else the code of the signal that
      has stopped it.

    Raises:
      UserError: for invalid settings, or an unusable folder or file in it.
      Exception: for errors of the program; the traceback is in the log of the run.
    """
    folder = settings.run.logdir
    specs = environments.labelled_specs(
        settings.demonstrations, environments.make_specs(settings.environment)
    )
    logdir.prepare(folder)
    stop, log = StopRequest(interrupts=True), TrainLog(folder)
    with logdir.Lock(folder), console.copied_to(log), _ends_logged(log), stop.installed():
        try:
            start = start_lib.find(settings)
            with tf.Graph().as_default(), contextlib.ExitStack() as stack:
                actors = make_actors(settings, stack, start)
                _train_in_graph(settings, specs, actors, start, stop, stack, own_hooks)
        except Interrupted as interrupted:
            console.say('stopped before the first update: the run is unchanged')
            return exit_code_of_signal(interrupted.number)
    actors.close()
    return FINISHED if stop.number is None else exit_code_of_signal(stop.number)


def make_actors(settings: Settings, stack: contextlib.ExitStack, start: Start) -> Actors:
    """Returns the actors of the settings.

    Args:
      settings: all of them.
      stack: closes their environments.
      start: state of the folder of the run.
    """
    if settings.cluster.job_name:
        # Imported here: a run in one process does not need clusters.
        from sc2impala.training.remote_actors import RemoteActors

        return RemoteActors(settings)
    return LocalActors(settings, stack, None if start.before is None else start.before['config'])


@contextlib.contextmanager
def _ends_logged(log: TrainLog) -> Iterator[None]:
    """Logs an error that ends the block: its sentence, or its traceback."""
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
    specs: Specs,
    actors: Actors,
    start: Start,
    stop: StopRequest,
    stack: contextlib.ExitStack,
    own_hooks: Sequence[tf.train.SessionRunHook],
) -> None:
    """Builds everything in the default graph, and trains.

    Args:
      settings: all of them.
      specs: observation and action spec.
      actors: actors of the run, not built yet.
      start: state of the folder of the run.
      stop: set when the run should end.
      stack: closes files and processes.
      own_hooks: hooks of the caller.
    """
    folder, output = settings.run.logdir, settings.output
    session_config = sessions.session_config(settings.run.deterministic, settings.run.bfloat16)
    actors.open(session_config)
    with memory.collection_paused():
        built = build.build_graph(settings, specs, actors, start.number)
        state, files = build.build_files(built)
        writer = CheckpointWriter(
            folder,
            output.save_checkpoint_secs,
            output.keep_checkpoints,
            files,
            output.max_unsaved_secs,
            output.keep_every_frames,
        )
        initialize = start_lib.prepare_restoring(
            settings,
            built.agent,
            writer,
            start.checkpoint,
            [phase.frames for phase in built.phases],
        )
        components = build.build_components(
            settings, built, writer, state, start, stop, stack, own_hooks
        )
        start_lib.clean_up(folder, start)
        manifest.write(folder, settings.values(), start.before, specs, start.skipped)
        lines = describe(settings, specs, built, start.checkpoint)
        if start.before is not None and start.checkpoint is not None:
            frames = variables.global_step(start.checkpoint)
            lines += schedule_change(settings, start.before['config'], frames)
        console.say('\n'.join(lines))
        if is_finished(built.phases, start.checkpoint):
            console.say(finished_text(settings))
    loop.train(
        built.phases,
        components,
        writer.saver,
        session_config,
        start.checkpoint,
        initialize,
        actors.master,
    )
