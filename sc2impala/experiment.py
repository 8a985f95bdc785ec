"""Trains and evaluates StarCraft II agents, and records demonstrations for them.

    python -m sc2impala.experiment --logdir=runs/beacon
    python -m sc2impala.experiment --logdir=runs/beacon --mode=evaluate --animation --curve

The first command trains on the built-in simulator until --total_environment_frames, or with
--backend=pysc2 on StarCraft II; the same command again goes on with a run that was stopped. The
second one plays whole episodes with the trained agent. --mode=record --policy=scripted records
those of a script for agents to learn from (--demonstrations). tensorboard --logdir=runs shows the
curves. An environment frame is a game loop of StarCraft II, 16 in a game second; the step
multiplier is the number of frames of an agent step.

A setting that is not given comes from the run in the folder if there is one, else from the defaults
of the map (sc2impala/envs/maps.py), else from the general ones below.
"""

import contextlib
import os
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from absl import app, flags

from sc2impala import learner, tf_setup
from sc2impala.errors import UserError
from sc2impala.learner.algorithm import NO_REPLAY
from sc2impala.runtime import console, manifest
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.settings import resolve, setting_flags, validation
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.settings import Settings

# TensorFlow, and what imports it, is imported by the functions that use it: --help and wrong flags
# do not wait for it.
_HELP = ('--help', '-help', '-h', '-?')
_FULL_HELP = ('--helpfull', '-helpfull')


def run() -> None:
    """The command, as an absl application."""
    setting_flags.define(flags.FLAGS)

    def parse(argv: Sequence[str]) -> None:
        _show_help(argv, flags.FLAGS)
        exit_code = _report_errors(lambda: setting_flags.parse(flags.FLAGS, argv[1:]))
        if exit_code:
            sys.exit(exit_code)

    app.run(lambda unused: _report_errors(lambda: _run(flags.FLAGS)), flags_parser=parse)


def main(arguments: Sequence[str]) -> int:
    """Does what the command does, with flags of its own, as often as it is called.

    Args:
      arguments: the command line without the name of the program.

    Returns:
      The exit code.
    """
    flag_values = _own_flags()
    _show_help(arguments, flag_values)

    def parse_and_run() -> None:
        setting_flags.parse(flag_values, arguments)
        _run(flag_values)

    return _report_errors(parse_and_run)


def read_settings(arguments: Sequence[str]) -> Settings:
    """Flags -> settings; `resolve` finds the values of those that were not given.

    An evaluation uses the settings of the run in its folder, but for its own, and may be played on
    another backend.

    Raises:
      UserError: if a flag is not understood, an evaluation asks for other settings than those of
        the run, or the folder's manifest cannot be read.
    """
    flag_values = _own_flags()
    setting_flags.parse(flag_values, arguments)
    return _read_settings(flag_values)


def train(settings: Settings, hooks: Sequence[Any] = ()) -> None:
    """Trains until the frames are used up, going on where the folder's last run stopped.

    Args:
      settings: all of them, see `read_settings`.
      hooks: further `tf.train.SessionRunHook`s; each run of the session is one update.

    Raises:
      UserError: for anything wrong with the settings, the folder, or what is in it.
    """
    validation.check(settings)
    tf_setup.enable()
    import tensorflow.compat.v1 as tf

    from sc2impala.runtime import checkpoints, demonstrations, graph, logdir

    folder = settings.run.logdir
    specs = demonstrations.labelled_specs(
        settings.demonstrations, graph.make_specs(settings.environment)
    )
    logdir.prepare(folder)
    with logdir.Lock(folder), StopRequest().installed() as stop:
        before = manifest.read(folder)
        if before is not None:
            manifest.check_same_settings(folder, settings.values(), before)
        checkpoint = checkpoints.latest(folder)
        if checkpoint is not None and before is None:
            raise UserError(
                f'--logdir={folder} holds a checkpoint but no {manifest.MANIFEST}, expected a '
                'folder of this program or an empty one.'
            )
        with tf.Graph().as_default(), contextlib.ExitStack() as stack:
            _train_in_graph(settings, specs, before, checkpoint, stop, stack, hooks)


def evaluate(settings: Settings) -> Dict[str, Any]:
    """Plays whole episodes of one player and writes what came of them to the folder of the run.

    Returns:
      The content of `evaluation.json`.

    Raises:
      UserError: for anything wrong with the settings, the folder, or what is in it.
    """
    validation.check(settings)
    tf_setup.enable()
    from sc2impala.runtime import playing

    return playing.evaluate(settings)


def record(settings: Settings) -> Dict[str, Any]:
    """Records whole episodes of one player in a new folder inside that of the run.

    Returns:
      The manifest of the recording.

    Raises:
      UserError: for anything wrong with the settings, the folder, or what is in it.
    """
    validation.check(settings)
    tf_setup.enable()
    from sc2impala.runtime import playing

    return playing.record(settings)


def _own_flags() -> flags.FlagValues:
    """Flags that no other module and no other call shares."""
    flag_values = flags.FlagValues()
    setting_flags.define(flag_values)
    return flag_values


def _show_help(arguments: Sequence[str], flag_values: flags.FlagValues) -> None:
    """Prints the help and exits, if it was asked for."""
    if set(_HELP).intersection(arguments):
        console.say(setting_flags.help_text(__doc__))
        sys.exit(0)
    # absl's own flag does the same, but exits with 1.
    if set(_FULL_HELP).intersection(arguments):
        console.say(f'{__doc__}\n{flag_values.get_help()}')
        sys.exit(0)


def _report_errors(function: Callable[[], Any]) -> int:
    """Calls a function; returns the exit code, after one line on standard error if it is not 0."""
    try:
        function()
    except UserError as error:
        console.write(sys.stderr, f'error: {error}\n')
        return 1
    return 0


def _run(flag_values: flags.FlagValues) -> None:
    settings = _read_settings(flag_values)
    if settings.run.mode == 'evaluate':
        evaluate(settings)
    elif settings.run.mode == 'record':
        record(settings)
    else:
        train(settings)


def _read_settings(flag_values: flags.FlagValues) -> Settings:
    given = setting_flags.read(flag_values)
    if not given.get('logdir'):
        map_name = given.get('map_name', settings_lib.general_defaults()['map_name'])
        given['logdir'] = 'runs/' + map_name
    if given.get('mode') == 'record':
        return Settings.from_values(_settings_of_recording(given))
    before = manifest.read(given['logdir'])
    if before is None:
        return Settings.from_values(resolve.complete(given))
    of_run, evaluates = before['config'], given.get('mode') == 'evaluate'
    if evaluates:
        of_run = resolve.of_evaluation(of_run, given.get('backend', of_run['backend']))
    values = resolve.complete(given, of_run)
    if evaluates:
        manifest.check_evaluation(given['logdir'], values, before)
    return Settings.from_values(values)


def _settings_of_recording(given: Mapping[str, Any]) -> Dict[str, Any]:
    """Those of the run in `--init_checkpoint`, if its agent plays; else as of a new run."""
    run = given.get('init_checkpoint', '')
    if given.get('policy', 'sampled') not in ('sampled', 'greedy') or not run:
        return resolve.complete(given)
    before = manifest.read(run if os.path.isdir(run) else os.path.dirname(run))
    if before is None:
        return resolve.complete(given)
    backend = given.get('backend', before['config']['backend'])
    return resolve.complete(given, resolve.of_evaluation(before['config'], backend))


def _train_in_graph(
    settings: Settings,
    specs: Tuple[Any, Any],
    before: Optional[Mapping[str, Any]],
    checkpoint: Optional[str],
    stop: StopRequest,
    stack: contextlib.ExitStack,
    own_hooks: Sequence[Any],
) -> None:
    """Builds everything in the order in which data moves, and trains.

    Args:
      settings: all of them.
      specs: observation and action spec.
      before: the manifest of the folder, or None.
      checkpoint: to continue from, or None.
      stop: set when the training should end.
      stack: closes what was opened.
      own_hooks: hooks of the caller.
    """
    import tensorflow.compat.v1 as tf

    from sc2impala.runtime import (
        checkpoints,
        demonstrations,
        experience,
        garbage,
        graph,
        seeds,
        trainer,
    )
    from sc2impala.runtime.batches import Batches

    start = 0 if before is None else len(before['starts'])
    session_config = graph.session_config(settings.run.deterministic, settings.run.bfloat16)
    with garbage.collection_paused():
        tf.set_random_seed(seeds.streams(settings.run.seed, 'graph', 1, start)[0])
        environment = settings.environment
        agent = graph.make_agent(
            settings.agent, specs, environment.max_step_mul, environment.agent_step_mul
        )
        start_policy = _make_start_policy(settings, agent, specs)
        teacher = start_policy.teacher if start_policy and start_policy.teacher.acts else None
        played, table = make_experience(settings, agent, specs, start, stack, teacher)
        batches = Batches(graph.gpu_device())
        recorded = _open_recordings(settings, specs, start)
        phases = make_phases(settings, agent, played, table, batches, recorded)
        writer = checkpoints.CheckpointWriter(
            settings.run.logdir,
            settings.output.save_checkpoint_secs,
            settings.output.keep_checkpoints,
            table,
        )
        initialize = _prepare_restoring(settings, agent, table, checkpoint)
        hooks = _make_hooks(settings, phases, writer, checkpoint, stop, start, stack, start_policy)
        hooks += [*own_hooks, *_playing_hooks(settings, played, table)]
        hooks += _demonstrator_hooks(settings, played, phases, checkpoint)
        if not settings.run.deterministic:
            experience.run_in_background(played)
        manifest.write(settings.run.logdir, settings.values(), before, specs)
        _describe(settings, specs, agent, played, batches, checkpoint)
        for line in demonstrations.describe(settings.demonstrations, recorded.recordings):
            console.say(line)
    trainer.train(
        phases,
        hooks,
        writer.saver,
        session_config,
        checkpoint,
        initialize,
    )


def make_experience(
    settings: Settings,
    agent: Any,
    specs: Tuple[Any, Any],
    start: int,
    stack: contextlib.ExitStack,
    teacher: Optional[Any] = None,
) -> Tuple[Any, Optional[Any]]:
    """Environments, actors and their queue; and the replay table, None if nothing is replayed."""
    from sc2impala import actors
    from sc2impala.learner import phases
    from sc2impala.runtime import demonstrations, experience, graph, seeds

    spec = actors.sequence_spec(agent, specs[0], settings.actors.unroll_length, teacher)

    def make_env(actor: int) -> Any:
        num_envs = settings.actors.num_envs
        env_seeds = seeds.streams(settings.run.seed, 'training', num_envs, start, actor)
        (share_seed,) = seeds.streams(settings.run.seed, 'demonstrator', 1, start, actor)
        return demonstrations.make_environment(
            settings.environment,
            settings.starcraft,
            settings.demonstrations,
            specs,
            env_seeds,
            share_seed,
        )

    played = experience.build_experience(
        agent,
        spec,
        make_env,
        settings.actors,
        settings.training.batch_size,
        phases.policy_version(),
        teacher,
    )
    for env in played.envs:
        stack.callback(env.close)
    stack.enter_context(graph.failures_reported(played.envs))
    _, num_replay = validation.batch_split(settings.training, settings.replay)
    if not num_replay:
        return played, None
    seed = seeds.streams(settings.run.seed, 'replay', 1)[0]
    return played, experience.make_replay_table(settings.replay, spec, seed)


def _open_recordings(settings: Settings, specs: Tuple[Any, Any], start: int) -> Any:
    """The recordings that the run learns from, as `runtime.demonstrations.Recorded`."""
    from sc2impala.runtime import demonstrations, seeds

    recordings = demonstrations.open_recordings(
        settings.demonstrations.demonstrations, settings.environment, specs[1]
    )
    (seed,) = seeds.streams(settings.run.seed, 'demonstrations', 1, start)
    return demonstrations.Recorded(recordings, specs, settings.actors.unroll_length, seed)


def make_phases(
    settings: Settings,
    agent: Any,
    played: Any,
    table: Optional[Any],
    batches: Any,
    recorded: Optional[Any] = None,
) -> Sequence[Any]:
    """The list of phases: pre-training that was asked for, then the training.

    Args:
      settings: all of them.
      agent: what is trained.
      played: see `make_experience`.
      table: the replay table, or None.
      batches: `runtime.batches.Batches`.
      recorded: `runtime.demonstrations.Recorded`, or None.
    """
    import tensorflow.compat.v1 as tf

    from sc2impala.learner import phases, sources
    from sc2impala.runtime import experience

    _check_labels(settings, played.queue.spec.env_outputs.observation)
    source, of_recordings = _make_sources(settings, played, table, recorded)
    metrics: Dict[str, Any] = {}
    if table is not None:
        metrics = experience.replay_metrics(table, batches.of(source)[0])
    task, plans = settings.environment.map_name, []
    for name in learner.PRETRAINING:
        pretraining = learner.load_pretraining(name)(settings.algorithms[name])
        if pretraining.num_frames:
            frames = phases.frames_variable(pretraining.frames_variable)
            plan = phases.Plan(pretraining, source, task, pretraining.num_frames, frames, metrics)
            if pretraining.from_demonstrations and of_recordings is not None:
                plan = plan._replace(source=of_recordings, metrics={})
            elif table is not None and pretraining.replay == NO_REPLAY:
                new = sources.QueueSource(played.queue, settings.training.batch_size)
                plan = plan._replace(source=new, metrics={})
            plans.append(plan)
    main_name = settings.training.algorithm
    main_algorithm = learner.load(main_name)(settings.algorithms[main_name])
    global_step = tf.train.get_or_create_global_step()
    total = settings.training.total_environment_frames
    plans.append(phases.Plan(main_algorithm, source, task, total, global_step, metrics))
    with tf.device(batches.device):
        return phases.build_phases(
            plans,
            agent,
            batches.of,
            phases.policy_version(),
            update_priorities=experience.priority_updates(table),
        )


def _make_sources(
    settings: Settings, played: Any, table: Optional[Any], recorded: Optional[Any]
) -> Tuple[Any, Optional[Any]]:
    """The source of the training; and that of phases that learn from recordings alone, or None.

    With a script beside the actors there is no such phase.
    """
    from sc2impala.learner import sources
    from sc2impala.learner.demonstration_source import DemonstrationSource, JoinedSource

    num_new, num_replay = validation.batch_split(settings.training, settings.replay)
    source: sources.Source = sources.QueueSource(played.queue, num_new)
    if table is not None:
        source = sources.MixedSource(played.queue, table, num_new, num_replay)
    if recorded is None or not recorded.recordings:
        return source, None

    def demonstrations(count: int) -> DemonstrationSource:
        return DemonstrationSource(recorded.streams(count), played.queue.spec, count)

    if settings.demonstrations.demonstration_sequences:
        more = demonstrations(settings.demonstrations.demonstration_sequences)
        source = JoinedSource(source, more)
    if settings.demonstrations.demonstrator != 'none':
        return source, None
    return source, demonstrations(settings.training.batch_size)


def _check_labels(settings: Settings, observation: Mapping[str, Any]) -> None:
    """Raises: UserError: if something cannot learn from labels, or observations have none."""
    of_main = settings.algorithms[settings.training.algorithm]
    wanted = {
        'num_cloning_frames': settings.algorithms['cloning'].num_cloning_frames,
        'demonstration_cost': getattr(of_main, 'demonstration_cost', 0.0),
    }
    cost = wanted['demonstration_cost']
    if cost and settings.agent.argument_conditioning:
        raise UserError(
            f'--demonstration_cost={cost} with --argument_conditioning: the arguments of a label '
            'depend on its function, and those of the training on the one that was played; '
            'expected only one of the two.'
        )
    if 'demonstration' in observation:
        return
    for name, value in wanted.items():
        if value:
            raise UserError(
                f'--{name}={value} needs something to imitate, expected --demonstrator or '
                '--demonstrations with it.'
            )


def _make_start_policy(settings: Settings, agent: Any, specs: Tuple[Any, Any]) -> Optional[Any]:
    """The teacher and the choice among the models of cloning; None if there is use for neither."""
    import tensorflow.compat.v1 as tf

    from sc2impala.learner import optimization
    from sc2impala.runtime import graph, phase_evaluation, seeds, start_policy

    environment, main_name = settings.environment, settings.training.algorithm
    main, cloning = settings.algorithms[main_name], settings.algorithms['cloning']
    is_selected = bool(cloning.num_cloning_frames and cloning.phase_evaluations)
    if not is_selected and not getattr(main, 'teacher_cost', 0.0):
        return None

    def make_copy() -> Any:
        return graph.make_agent(
            settings.agent, specs, environment.max_step_mul, environment.agent_step_mul
        )

    total = settings.training.total_environment_frames
    schedule = optimization.Schedule(tf.train.get_or_create_global_step(), total)
    cost = learner.load(main_name)(main).teacher_cost(schedule)
    made = start_policy.StartPolicy(start_policy.make_teacher(make_copy, agent, cost), None)
    if not is_selected:
        return made
    env_seeds = seeds.streams(
        settings.run.seed, 'phase_evaluation', cloning.phase_evaluation_episodes
    )
    evaluate_agent = phase_evaluation.on_simulator(
        agent, specs, environment.map_name, environment.longest_step, env_seeds
    )
    num_frames, num_evaluations = cloning.num_cloning_frames, cloning.phase_evaluations
    return made._replace(
        selection=start_policy.Selection(evaluate_agent, made.teacher, num_frames, num_evaluations)
    )


def _prepare_restoring(
    settings: Settings, agent: Any, table: Optional[Any], checkpoint: Optional[str]
) -> Optional[Callable[[Any], None]]:
    """Checks the checkpoint and restores the replay table.

    Returns:
      What initializes a run that has no checkpoint of its own, a function of a session, or None.
    """
    import tensorflow.compat.v1 as tf

    from sc2impala.runtime import checkpoints

    if checkpoint is not None:
        checkpoints.check_complete(checkpoint, tf.global_variables())
        if table is not None and not checkpoints.restore_replay(table, checkpoint):
            console.say(f'no replay buffer was saved with {checkpoint}: it starts empty')
        return None
    if not settings.start.init_checkpoint:
        return None
    path = checkpoints.find_initial(settings.start.init_checkpoint)
    return checkpoints.weights_loader(path, agent.weights)


def _make_hooks(
    settings: Settings,
    phases: Sequence[Any],
    writer: Any,
    checkpoint: Optional[str],
    stop: StopRequest,
    start: int,
    stack: contextlib.ExitStack,
    start_policy: Optional[Any] = None,
) -> List[Any]:
    """Hooks for what is saved, logged and shown, and what happens between phases."""
    import tensorflow.compat.v1 as tf

    from sc2impala.runtime import evaluation, hooks
    from sc2impala.runtime.episodes import EpisodeLog
    from sc2impala.runtime.start_policy import StartPolicyHook
    from sc2impala.runtime.summary_log import SummaryLog

    run, output = settings.run, settings.output
    episodes = EpisodeLog(os.path.join(run.logdir, evaluation.EPISODES_CSV), start)
    stack.callback(episodes.close)
    summaries = SummaryLog(run.logdir, output.save_summaries_secs)
    stack.callback(summaries.close)
    frames = tf.add_n([phase.frames.read_value() for phase in phases])
    result = [
        hooks.SavingHook(writer, frames, restored=checkpoint is not None),
        hooks.StopHook(stop),
        hooks.SummaryHook(summaries, frames),
        hooks.EpisodeHook(episodes, summaries),
        hooks.ProgressHook(episodes, summaries, output.progress_secs),
    ]
    if start_policy is not None:
        of_cloning = [phase.frames for phase in phases if phase.title == 'cloning']
        cloning_frames = of_cloning[0] if of_cloning else None
        result.append(StartPolicyHook(start_policy, cloning_frames, frames, summaries))
    return result


def _demonstrator_hooks(
    settings: Settings, played: Any, phases: Sequence[Any], checkpoint: Optional[str]
) -> List[Any]:
    """What switches the demonstrator on and off, if there are labels."""
    from sc2impala.runtime import checkpoints
    from sc2impala.runtime.demonstrator_hook import DemonstratorHook, first_share

    if 'demonstration' not in played.queue.spec.env_outputs.observation:
        return []
    shares = {}
    for name, algorithm_settings in settings.algorithms.items():
        is_main = name in learner.ALGORITHMS
        if not is_main or name == settings.training.algorithm:
            load: Callable[[str], Any] = learner.load if is_main else learner.load_pretraining
            algorithm = load(name)(algorithm_settings)
            shares[algorithm.title] = algorithm.demonstrator_share
    frames = [0] * len(phases)
    if checkpoint is not None:
        frames = checkpoints.frames_of(checkpoint, [phase.frames for phase in phases])
    first = first_share(
        frames, [phase.num_frames for phase in phases], [shares[p.title] for p in phases]
    )
    return [DemonstratorHook(played.envs, shares, first)]


def _playing_hooks(settings: Settings, played: Any, table: Optional[Any]) -> List[Any]:
    """What happens before each update: the watch over the replay table, staging, playing."""
    from sc2impala.runtime import experience, hooks
    from sc2impala.runtime.replay_watch import ReplayWatch

    result: List[Any] = []
    if table is not None and settings.replay.replay_compression != 'none':
        raw_bytes = experience.raw_bytes(settings.replay, played.queue.spec)
        result.append(hooks.CheckHook(ReplayWatch(table, raw_bytes)))
    if settings.run.deterministic:
        batch_size = settings.training.batch_size
        alternation = hooks.AlternationHook(played.enqueue_ops[0], played.queue.size(), batch_size)
        return result + [hooks.StagingHook(alternation.play), alternation]
    return result + [hooks.StagingHook()]


def _describe(
    settings: Settings,
    specs: Tuple[Any, Any],
    agent: Any,
    played: Any,
    batches: Any,
    checkpoint: Optional[str],
) -> None:
    """Prints what is about to be run, in a few lines."""
    from sc2impala.runtime import experience, memory

    environment, actors, replay = settings.environment, settings.actors, settings.replay
    num_parameters = sum(v.shape.num_elements() for v in agent.weights)
    num_new, num_replay = validation.batch_split(settings.training, replay)
    lines = [
        '{} on {} ({}), {:,} parameters, {} actors of {} environments, learner on {}'.format(
            settings.agent.agent,
            environment.map_name,
            environment.backend,
            num_parameters,
            actors.num_actors,
            actors.num_envs,
            'the GPU' if batches.device else 'the CPU',
        ),
        *resolve.description(settings.values()),
        'functions: {}'.format(', '.join(specs[1].function_names)),
        f'batch: {num_new} new, {num_replay} replayed sequences of {actors.unroll_length} steps',
    ]
    if num_replay:
        how = '' if replay.replay_compression == 'none' else ' without compression'
        lines.append(
            f'replay: {replay.replay_buffer_size:,} sequences, '
            f'{experience.raw_bytes(replay, played.queue.spec) / memory.MIB:,.1f} MiB{how}'
        )
    going_on = f', going on from {checkpoint}' if checkpoint else ''
    lines.append(f'logdir: {settings.run.logdir}{going_on}')
    console.say('\n'.join(lines))


if __name__ == '__main__':
    run()
