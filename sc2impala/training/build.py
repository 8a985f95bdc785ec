"""The bill of materials of a run."""

import contextlib
from typing import Dict, List, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala import actors as actors_lib
from sc2impala.checkpoints.writer import CheckpointWriter, SavedFile
from sc2impala.envs.vector import Specs
from sc2impala.factories import acting
from sc2impala.learner import phases as learner_phases
from sc2impala.learner.sources import Batches
from sc2impala.runtime import seeds, sessions
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.settings import validation
from sc2impala.settings.settings import Settings
from sc2impala.training import components as components_lib
from sc2impala.training import memory_limits, phases, replay_buffer
from sc2impala.training.actors import Actors
from sc2impala.training.component import Component
from sc2impala.training.components import (
    checkpoints,
    demonstrator,
    episodes,
    evaluations,
    exact_resume,
    frame_limit,
    gradient_norm,
    progress,
    recordings,
    replay_limit,
    staging,
    start_policy,
    stop,
    summaries,
    tasks,
    tracking,
    watch,
)
from sc2impala.training.run import Graph, Run
from sc2impala.training.saved_files import REPLAY, STATE, ReplayFile, StateFile
from sc2impala.training.start import Start
from sc2impala.training.state import LearnerState


def build_graph(settings: Settings, specs: Specs, actors: Actors, start: int = 0) -> Graph:
    """Builds the default graph, in the order of the data flow.

    Args:
      settings: all of them.
      specs: observation and action spec.
      actors: actors of the run, not built yet.
      start: number of earlier starts of the run.

    Raises:
      UserError: for anything wrong with the settings or the recordings, if an environment cannot be
        made, or if the run does not fit into memory.
    """
    run_seed, unroll_length = settings.run.seed, settings.actors.unroll_length
    devices = sessions.learner_devices(settings.training.num_learner_devices)
    tf.set_random_seed(seeds.streams(run_seed, 'graph', 1, start)[0])

    agent = acting.make_agent(settings, specs)
    with actors.place_variables():
        learner_phases.policy_version()
        policy = start_policy.make_start_policy(settings, agent, specs)
    teacher = policy.teacher if policy is not None and policy.teacher.acts else None

    spec = actors_lib.sequence_spec(agent, specs[0], unroll_length, teacher)
    memory_limits.check(settings, agent, spec, actors.num_games, sessions.gpu_device() is None)
    actors.build(agent, specs, spec, start, teacher)

    table = None
    _, num_replay = validation.batch_split(settings.training, settings.replay)
    if num_replay:
        (seed,) = seeds.streams(run_seed, 'replay', 1)
        table = replay_buffer.make_replay_table(settings.replay, spec, seed)

    recorded = open_recordings(settings, specs, start)
    batches = Batches(devices)
    of_phases = phases.make_phases(settings, agent, actors.queue, table, batches, recorded)
    return Graph(agent, policy, actors, table, recorded, batches, of_phases, specs[0])


def build_files(built: Graph) -> Tuple[StateFile, Dict[str, SavedFile]]:
    """Builds the files of a checkpoint besides its variables.

    Args:
      built: the graph; all its variables exist.

    Returns:
      The file for states of components, and all files by name, this one first.
    """
    state = StateFile([_learner_state(built)], built.actors)
    files: Dict[str, SavedFile] = {STATE: state}
    if built.table is not None:
        files[REPLAY] = ReplayFile(built.table)
    return state, files


def build_components(
    settings: Settings,
    built: Graph,
    writer: CheckpointWriter,
    state: StateFile,
    start: Start,
    stopping: StopRequest,
    stack: contextlib.ExitStack,
    own_hooks: Sequence[tf.train.SessionRunHook] = (),
) -> List[tf.train.SessionRunHook]:
    """Builds the components of a run, in the order in which they are called.

    A component is a file in `components` and a line here; without the line, it is off.
    Removes entries after the checkpoint from the logs in the folder of the run.

    Args:
      settings: all of them.
      built: the graph.
      writer: saves checkpoints.
      state: see `build_files`.
      start: where the run begins.
      stopping: set when the run should end.
      stack: closes files and processes.
      own_hooks: hooks of the caller.

    Raises:
      UserError: if something in the folder of the run cannot be written to.
    """
    actors = built.actors
    frames = tf.add_n([phase.frames.read_value() for phase in built.phases])
    episode_log = episodes.open_log(settings, start)
    stack.callback(episode_log.close)
    event_log = SummaryLog(settings.run.logdir, settings.output.save_summaries_secs)
    stack.callback(event_log.close)
    run = Run(settings, built, frames, start, stopping, stack, writer, event_log, episode_log)
    components = [
        *exact_resume.make(run, state),
        *stop.make(run),
        *tracking.make(run),
        *summaries.make(run),
        *episodes.make(run),
        *actors.components(frames, event_log, stopping),
        *progress.make(run),
        *gradient_norm.make(run),
        *watch.make(run),
        # Before the start policy may replace the trained weights of the agent.
        *evaluations.make(run),
        *start_policy.make(run),
        *own_hooks,
        *(component for make in components_lib.OWN for component in make(run)),
        *replay_limit.make(run),
        *staging.make(run),
        *recordings.make(run),
        *demonstrator.make(run),
        *tasks.make(run),
        # After all state that an update changes, and before any actor acts.
        *checkpoints.make(run),
        *frame_limit.make(run),
        *actors.acting(),
    ]
    for component in components:
        if isinstance(component, Component):
            state.add(component.states)
    return components


def open_recordings(settings: Settings, specs: Specs, start: int) -> recordings.Recorded:
    """Opens the recordings to learn from, if any.

    Args:
      settings: all of them.
      specs: observation and action spec.
      start: number of earlier starts of the run.

    Raises:
      UserError: if one cannot be used.
    """
    recordings_of_run = recordings.open_recordings(
        settings.demonstrations.demonstrations, settings.environment, specs[1]
    )
    (seed,) = seeds.streams(settings.run.seed, 'demonstrations', 1, start)
    return recordings.Recorded(recordings_of_run, specs, settings.actors.unroll_length, seed)


def _learner_state(built: Graph) -> LearnerState:
    """Returns the learner's local variables for an exact resume."""
    variables = built.batches.variables
    if built.actors.is_saved:
        # Other processes rely on a count that starts at 0 in each start.
        variables.append(learner_phases.policy_version()[1])
    return LearnerState(variables)
