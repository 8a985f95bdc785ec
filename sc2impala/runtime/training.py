"""A training, from the folder of the run to the last update."""

import contextlib
from typing import Any, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.runtime import (
    checkpoints,
    console,
    demonstrations,
    experience,
    garbage,
    graph,
    logdir,
    manifest,
    trainer,
    training_graph,
    training_start,
)
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.training_description import describe
from sc2impala.runtime.training_hooks import make_hooks
from sc2impala.runtime.training_start import Start
from sc2impala.settings.settings import Settings


def train(settings: Settings, own_hooks: Sequence[tf.train.SessionRunHook] = ()) -> None:
    """Trains until the frames are used up, going on where the folder's last run stopped.

    Args:
      settings: all of them, valid.
      own_hooks: further hooks; each run of the session is one update.

    Raises:
      UserError: for anything wrong with the settings, the folder, or what is in it.
    """
    folder = settings.run.logdir
    specs = demonstrations.labelled_specs(
        settings.demonstrations, graph.make_specs(settings.environment)
    )
    logdir.prepare(folder)
    with logdir.Lock(folder), StopRequest().installed() as stop:
        start = training_start.find(settings)
        with tf.Graph().as_default(), contextlib.ExitStack() as stack:
            _train_in_graph(settings, specs, start, stop, stack, own_hooks)


def _train_in_graph(
    settings: Settings,
    specs: Tuple[Any, Any],
    start: Start,
    stop: StopRequest,
    stack: contextlib.ExitStack,
    own_hooks: Sequence[tf.train.SessionRunHook],
) -> None:
    """Builds everything in the default graph, and trains.

    Args:
      settings: all of them.
      specs: observation and action spec.
      start: where the training begins.
      stop: set when it should end.
      stack: closes what was opened.
      own_hooks: hooks of the caller.
    """
    run, output = settings.run, settings.output
    session_config = graph.session_config(run.deterministic, run.bfloat16)
    with garbage.collection_paused():
        training = training_graph.build(settings, specs, start.number, stack)
        writer = checkpoints.CheckpointWriter(
            run.logdir, output.save_checkpoint_secs, output.keep_checkpoints, training.table
        )
        initialize = training_start.prepare_restoring(
            settings, training.agent, training.table, start.checkpoint
        )
        hooks = make_hooks(settings, training, writer, start, stop, stack, own_hooks)
        if not run.deterministic:
            experience.run_in_background(training.experience)
        manifest.write(run.logdir, settings.values(), start.before, specs)
        console.say('\n'.join(describe(settings, specs, training, start.checkpoint)))
    trainer.train(
        training.phases,
        hooks,
        writer.saver,
        session_config,
        start.checkpoint,
        initialize,
    )
