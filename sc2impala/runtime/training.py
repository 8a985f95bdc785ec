"""Training: the folder of the run, the graph in the order in which data moves, and the session."""

import contextlib
import functools
import os
from typing import Any, Callable, Optional

import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.runtime import (
    checkpoints,
    defaults,
    experience,
    garbage,
    graph,
    logdir,
    loop,
    memory,
    phases,
    replay_watch,
    seeds,
)
from sc2impala.runtime import config as config_lib
from sc2impala.runtime.episodes import EpisodeLog
from sc2impala.runtime.errors import UserError
from sc2impala.runtime.summary_log import SummaryLog

EPISODES_CSV = 'episodes.csv'


def train(config: config_lib.Config) -> None:
    """Trains until the frames are used up, going on where the folder's last run stopped.

    Raises:
      UserError: for anything wrong with the settings, the folder, or what is in it.
    """
    config_lib.check(config)
    specs = config_lib.make_specs(config)
    logdir.prepare(config.logdir)
    with logdir.Lock(config.logdir):
        manifest = logdir.read_manifest(config.logdir)
        if manifest is not None:
            logdir.check_same_settings(config, manifest)
        checkpoint = checkpoints.latest(config.logdir)
        if checkpoint is not None and manifest is None:
            raise UserError(
                f'--logdir={config.logdir} holds a checkpoint but no {logdir.MANIFEST}, expected a '
                'folder of this program or an empty one.'
            )
        with tf.Graph().as_default(), contextlib.ExitStack() as stack:
            with garbage.collection_paused():
                looped, stages = _prepare(config, specs, manifest, checkpoint, stack)
            looped.run(stages)


def _prepare(config, specs, manifest, checkpoint, stack):
    """Builds the graph and opens the session; `stack` closes what was opened.

    Returns:
      The `Loop`, and the phases that it is to run.
    """
    start = 0 if manifest is None else len(manifest['starts'])
    tf.set_random_seed(seeds.streams(config.seed, 'graph', 1, start)[0])

    agent = graph.make_agent(config, *specs)
    source = experience.build_experience(config, agent, specs, start)
    for env in source.envs:
        stack.callback(env.close)
    stack.enter_context(graph.failures_reported(source.envs))
    replay = experience.make_replay(config, source.queue)
    if replay is not None:
        experience.add_replay_summaries(replay)
    with tf.device('/cpu'):
        batch = learner.next_batch(source.queue, *config_lib.batch_split(config), replay=replay)
        queue_size = source.queue.size()
    device, stage = graph.gpu_device(), None
    if device is not None:
        batch, stage = learner.stage(batch, device)
    with tf.device(device):
        stages = phases.build_phases(config, agent, batch)
    writer = checkpoints.CheckpointWriter(
        config.logdir, config.save_checkpoint_secs, config.keep_checkpoints, replay
    )
    initialize = _restore(config, checkpoint, replay)
    if not config.deterministic:
        experience.run_in_background(source)

    episodes = EpisodeLog(os.path.join(config.logdir, EPISODES_CSV), start)
    stack.callback(episodes.close)
    logdir.write_manifest(config, manifest, specs)
    print(_description(config, specs, source.queue, device, checkpoint), flush=True)
    session = stack.enter_context(_open_session(config, writer.saver, initialize))
    frames = sum(int(session.run(phase.frames)) for phase in stages)
    writer.start_from(frames if checkpoint else None)
    summaries = SummaryLog(config.logdir, config.save_summaries_secs, frames)
    stack.callback(summaries.close)
    stop = stack.enter_context(loop.StopRequest().installed())
    before_update = []
    if replay is not None and config.replay_compression != 'none':
        raw_bytes = experience.replay_bytes(config, source.queue)
        before_update.append(replay_watch.ReplayWatch(replay, raw_bytes))
    if config.deterministic:
        before_update.append(
            functools.partial(
                _play_until_full, session, source.enqueue_ops[0], queue_size, config.batch_size
            )
        )
    looped = loop.Loop(
        config.map_name,
        session,
        stop,
        writer,
        episodes,
        summaries,
        config.progress_secs,
        before_update,
        stage,
    )
    return looped, stages


def _open_session(config, saver, initialize):
    return tf.train.MonitoredTrainingSession(
        scaffold=tf.train.Scaffold(saver=saver, init_fn=initialize),
        checkpoint_dir=config.logdir,
        save_checkpoint_secs=None,
        save_checkpoint_steps=None,
        save_summaries_secs=None,
        save_summaries_steps=None,
        log_step_count_steps=None,
        stop_grace_period_secs=30,
        config=graph.session_config(config.deterministic, config.bfloat16),
    )


def _restore(config, checkpoint, replay) -> Optional[Callable[[Any, Any], None]]:
    """Proves that the checkpoint fits and restores the replay memory.

    Returns:
      What is to be run after the variables have been initialised, in a run that has no checkpoint
      of its own: a function of scaffold and session, or None.
    """
    if checkpoint is not None:
        checkpoints.check_complete(checkpoint, tf.global_variables())
        if replay is not None and not checkpoints.restore_memory(replay, checkpoint):
            print(f'no replay memory was saved with {checkpoint}: it starts empty')
        return None
    if not config.init_checkpoint:
        return None
    return _load_weights(config.init_checkpoint)


def _load_weights(init_checkpoint):
    path = checkpoints.find_initial(init_checkpoint)
    variables = tf.trainable_variables()
    values = checkpoints.assignments_from(path, variables)
    missing = sorted(v.op.name for v in variables if v.op.name not in values)
    if missing:
        print('{} has no {}: they start fresh'.format(path, ', '.join(missing)))
    placeholders = {
        name: tf.placeholder(value.dtype, value.shape) for name, value in values.items()
    }
    assign = [v.assign(placeholders[v.op.name]).op for v in variables if v.op.name in values]
    feed = {placeholders[name]: value for name, value in values.items()}
    return lambda unused_scaffold, session: session.run(assign, feed)


def _play_until_full(session, enqueue, queue_size, num_sequences):
    """Plays on until there is a batch: actor and learner take turns in one thread."""
    while session.run(queue_size) < num_sequences:
        session.run(enqueue)


def _description(config, specs, queue, device, checkpoint):
    """What is about to be run, in a few lines."""
    num_parameters = sum(v.shape.num_elements() for v in tf.trainable_variables())
    num_new, num_replay = config_lib.batch_split(config)
    lines = [
        '{} on {} ({}), {:,} parameters, {} actors of {} environments, learner on {}'.format(
            config.agent,
            config.map_name,
            config.backend,
            num_parameters,
            config.num_actors,
            config.num_envs,
            'the GPU' if device else 'the CPU',
        ),
        *defaults.description(config),
        'functions: {}'.format(', '.join(specs[1].function_names)),
        f'batch: {num_new} new, {num_replay} replayed sequences of {config.unroll_length} steps',
    ]
    if num_replay:
        how = '' if config.replay_compression == 'none' else ' if they were not compressed'
        lines.append(
            f'replay: {config.replay_buffer_size:,} sequences, '
            f'{experience.replay_bytes(config, queue) / memory.MIB:,.1f} MiB{how}'
        )
    lines.append(
        'logdir: {}{}'.format(config.logdir, f', going on from {checkpoint}' if checkpoint else '')
    )
    return '\n'.join(lines)
