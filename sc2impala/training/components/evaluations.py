"""Evaluations within a run (`--evaluate_every_frames`): each blocks the training.

The results are in `evaluations.csv` and TensorBoard, the best model is in `best`.
"""

import functools
from typing import Any, Callable, Dict, List, Optional

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.checkpoints import directory
from sc2impala.errors import UserError
from sc2impala.evaluation import phase_evaluation, scoring
from sc2impala.evaluation.log import EVALUATIONS_CSV, EvaluatedPolicy
from sc2impala.evaluation.record import EvaluationRecord
from sc2impala.factories import acting, environments
from sc2impala.learner.phases import Phase
from sc2impala.runtime import console, disk, seeds
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.settings.settings import Settings
from sc2impala.training.component import Component
from sc2impala.training.run import Run

Evaluate = Callable[[tf.Session, Callable[[], bool]], Optional[Dict[str, Any]]]
"""(session, should_stop) -> result of its weights, see `scoring.summarize`; None if stopped."""


def make(run: Run) -> List[Component]:
    """Returns the component, if evaluations are on.

    Call it after building everything that depends on the graph's random seed.

    Raises:
      UserError: if the results cannot be written.
    """
    settings, checkpoint = run.settings, run.start.checkpoint
    own, folder = settings.evaluation, settings.run.logdir
    if not own.evaluate_every_frames:
        return []
    policy = EvaluatedPolicy.of(scoring.describe(settings.environment, own, settings.run.seed))
    record = EvaluationRecord(folder, settings.environment.map_name, policy, run.summaries)
    undone = record.log.undo(None if checkpoint is None else directory.frames_of(checkpoint))
    if undone:
        console.say(
            f'{EVALUATIONS_CSV}: removed {console.count_text(undone, "row")} after the checkpoint, '
            'whose frames will be generated again'
        )
    record.repair()
    evaluate = _make_evaluate(settings, run.graph.agent)
    return [
        RunEvaluationHook(
            own.evaluate_every_frames,
            evaluate,
            record,
            policy,
            run.writer.save_variables,
            run.frames,
            run.stop,
        )
    ]


class RunEvaluationHook(Component):
    """Evaluates before the first update, and after the updates that pass a multiple of N frames.

    The table alone records past evaluations. An evaluation that was stopped or killed is
    repeated when the run resumes, before the next update, with the same weights.
    """

    def __init__(
        self,
        every_frames: int,
        evaluate: Evaluate,
        record: EvaluationRecord,
        policy: EvaluatedPolicy,
        save: Callable[[tf.Session, str], None],
        frames: tf.Tensor,
        stop: StopRequest,
    ):
        """Args:
        every_frames: N.
        evaluate: see above.
        record: the evaluations so far, none beyond the checkpoint from which the run resumes.
        policy: the evaluated policy.
        save: saves all variables of a session to a folder.
        frames: environment frames of all phases together, int64 [].
        stop: set when the training should end.
        """
        self._every_frames = every_frames
        self._evaluate = evaluate
        self._record = record
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
        self._unless_the_disk_fails(self._record.log.flush)

    def fail(self, error: Exception) -> None:
        """Writes pending rows."""
        self._unless_the_disk_fails(self._record.log.flush)

    def _evaluate_if_due(self, session: tf.Session, frames: int) -> None:
        last, every = self._record.log.last_frames(self._policy), self._every_frames
        if last is not None and frames // every <= last // every:
            return
        result = self._evaluate(session, lambda: self._stop.requested)
        if result is None:
            # Not even one more update: the weights are evaluated when the run resumes.
            self._coord.request_stop()
            return
        found, best = dict(result, global_step=frames), self._record.best
        save = functools.partial(self._save, session)
        self._unless_the_disk_fails(
            lambda: self._record.add(found, lambda: best.hold_new(frames, save))
        )

    def _unless_the_disk_fails(self, write: Callable[[], None]) -> None:
        try:
            write()
        except (OSError, tf.errors.OpError, UserError) as error:
            console.say(
                f'an evaluation cannot be written ({disk.reason(error)}): the training does not '
                'depend on it'
            )


def _make_evaluate(settings: Settings, agent: Agent) -> Evaluate:
    """Evaluates on the backend of the run, always in the same games."""
    own, run, environment = settings.evaluation, settings.run, settings.environment
    specs = environments.make_specs(environment)
    num_envs = min(own.num_eval_envs, own.num_episodes)
    player_seed, *env_seeds = seeds.streams(run.seed, 'run_evaluation', 1 + num_envs)
    games = phase_evaluation.PhaseEvaluation(
        acting.in_evaluation(settings, agent),
        specs[0],
        lambda: environments.make_environment(environment, settings.starcraft, specs, env_seeds),
        own.num_episodes,
        player_seed,
        num_envs,
        own.policy == 'greedy',
    )
    about = scoring.describe(environment, own, run.seed)

    def evaluate(session: tf.Session, should_stop: Callable[[], bool]) -> Optional[Dict[str, Any]]:
        infos = games.play(session, should_stop)
        return None if infos is None else dict(about, **scoring.summarize(infos))

    return evaluate
