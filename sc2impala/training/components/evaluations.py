"""Evaluations within a run (`--evaluate_every_frames`): each blocks the training.

The results are in `evaluations.csv` and TensorBoard, the best model is in `best`. With several maps
each of them is evaluated, and has its own best model, in `best-<map_name>`. Where they are learned
one after the other, evaluations are due before the first update and whenever the map changes
(`--evaluations_per_task`).
"""

import functools
import os
from typing import Any, Callable, Dict, List, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.checkpoints import choice, directory
from sc2impala.errors import UserError
from sc2impala.evaluation import phase_evaluation, scoring
from sc2impala.evaluation.log import EVALUATIONS_CSV, EvaluatedPolicy, EvaluationLog
from sc2impala.evaluation.record import EvaluationRecord
from sc2impala.factories import acting, environments
from sc2impala.learner.phases import Phase
from sc2impala.runtime import console, disk, seeds
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.settings.settings import Settings
from sc2impala.training.component import Component
from sc2impala.training.run import Run

Evaluate = Callable[[tf.Session, Callable[[], bool]], Optional[List[Dict[str, Any]]]]
"""(session, should_stop) -> results of its weights, one per map, see `scoring.summarize`; None if
stopped."""


def make(run: Run) -> List[Component]:
    """Returns the component, if evaluations are on.

    Call it after building everything that depends on the graph's random seed.

    Raises:
      UserError: if the results cannot be written.
    """
    settings, checkpoint = run.settings, run.start.checkpoint
    own, folder, environment = settings.evaluation, settings.run.logdir, settings.environment
    every, first = own.evaluate_every_frames, 0
    if settings.tasks.is_sequential:
        every = settings.tasks.evaluation_frames
        first = sum(phase.num_frames for phase in run.graph.phases[:-1])
    if not every:
        return []
    policy = EvaluatedPolicy.of(scoring.describe(environment, own, settings.run.seed))
    log = EvaluationLog(os.path.join(folder, EVALUATIONS_CSV), environment.map_name)
    undone = log.undo(None if checkpoint is None else directory.frames_of(checkpoint))
    if undone:
        console.say(
            f'{EVALUATIONS_CSV}: removed {console.count_text(undone, "row")} after the checkpoint, '
            'whose frames will be generated again'
        )
    records = []
    for map_name in environment.map_names:
        is_only = len(environment.map_names) == 1
        best = choice.BEST if is_only else f'{choice.BEST}-{map_name}'
        record = EvaluationRecord(folder, map_name, policy, run.summaries, log, best)
        record.repair()
        records.append(record)
    return [
        RunEvaluationHook(
            every,
            _make_evaluate(settings, run.graph.agent),
            records,
            policy,
            run.writer.save_variables,
            run.frames,
            run.stop,
            first,
        )
    ]


class RunEvaluationHook(Component):
    """Evaluates before the first update, and after the updates that pass a multiple of N frames.

    The table alone records past evaluations. An evaluation that was stopped or killed is
    repeated when the run resumes, before the next update, with the same weights. All maps are
    evaluated with the same weights.
    """

    def __init__(
        self,
        every_frames: int,
        evaluate: Evaluate,
        records: Sequence[EvaluationRecord],
        policy: EvaluatedPolicy,
        save: Callable[[tf.Session, str], None],
        frames: tf.Tensor,
        stop: StopRequest,
        first_frames: int = 0,
    ):
        """Args:
        every_frames: N.
        evaluate: see above.
        records: the evaluations so far by map, with one table; none beyond the checkpoint from
            which the run resumes.
        policy: the evaluated policy.
        save: saves all variables of a session to a folder.
        frames: environment frames of all phases together, int64 [].
        stop: set when the training should end.
        first_frames: where N frames are counted from; the updates before it are not evaluated.
        """
        self._every_frames = every_frames
        self._evaluate = evaluate
        self._records = list(records)
        self._log = self._records[0].log
        self._first_frames = first_frames
        self._policy = policy
        self._save = save
        self._frames = frames
        self._stop = stop

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Remembers the session."""
        self._session = session
        self._coord = coord

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Makes an evaluation that an earlier start has missed."""
        super().begin_phase(phase, frames)
        self._evaluate_if_due(self._session, int(self._session.run(self._frames)))

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Requests the frames after the update."""
        return tf.train.SessionRunArgs(self.phase.step)

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Evaluates if one is due."""
        self._evaluate_if_due(run_context.session, int(run_values.results))

    def end(self, session: tf.Session) -> None:
        """Writes pending rows."""
        self._unless_the_disk_fails(self._log.flush)

    def fail(self, error: Exception) -> None:
        """Writes pending rows."""
        self._unless_the_disk_fails(self._log.flush)

    def _evaluate_if_due(self, session: tf.Session, frames: int) -> None:
        last = self._log.last_frames(self._policy)
        if last is not None and self._number(frames) <= self._number(last):
            return
        results = self._evaluate(session, lambda: self._stop.requested)
        if results is None:
            # Not even one more update: the weights are evaluated when the run resumes.
            self._coord.request_stop()
            return
        save = functools.partial(self._save, session)
        for record, result in zip(self._records, results):
            self._unless_the_disk_fails(
                functools.partial(_add, record, dict(result, global_step=frames), save)
            )

    def _number(self, frames: int) -> int:
        """Number of the last evaluation that is due."""
        return (
            (frames - self._first_frames) // self._every_frames
            if self._first_frames <= frames
            else -1
        )

    def _unless_the_disk_fails(self, write: Callable[[], None]) -> None:
        try:
            write()
        except (OSError, tf.errors.OpError, UserError) as error:
            console.say(
                f'an evaluation cannot be written ({disk.reason(error)}): the training does not '
                'depend on it'
            )


def _add(record: EvaluationRecord, found: Dict[str, Any], save: Callable[[str], None]) -> None:
    record.add(found, lambda: record.best.hold_new(found['global_step'], save))


def _make_evaluate(settings: Settings, agent: Agent) -> Evaluate:
    """Evaluates on the backend of the run, always in the same games of each map."""
    own, run, environment = settings.evaluation, settings.run, settings.environment
    specs = environments.make_specs(environment)
    num_envs = min(own.num_eval_envs, own.num_episodes)
    player_seed, *env_seeds = seeds.streams(run.seed, 'run_evaluation', 1 + num_envs)
    make_env = functools.partial(
        environments.make_environment, environment, settings.starcraft, specs, env_seeds
    )
    games = phase_evaluation.PhaseEvaluation(
        acting.in_evaluation(settings, agent),
        specs[0],
        make_env,
        own.num_episodes,
        player_seed,
        num_envs,
        own.policy == 'greedy',
    )

    def evaluate(
        session: tf.Session, should_stop: Callable[[], bool]
    ) -> Optional[List[Dict[str, Any]]]:
        results = []
        for task, map_name in enumerate(environment.map_names):
            infos = games.play(session, should_stop, functools.partial(make_env, task=task))
            if infos is None:
                return None
            about = scoring.describe(environment.of_map(map_name), own, run.seed)
            results.append(dict(about, **scoring.summarize(infos)))
        return results

    return evaluate
