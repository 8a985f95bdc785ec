"""The evaluations within a training that its settings ask for."""

from typing import Any, Callable, Dict, List, Optional

import tensorflow.compat.v1 as tf

from sc2impala.runtime import (
    acting,
    checkpoints,
    console,
    evaluation,
    graph,
    phase_evaluation,
    seeds,
)
from sc2impala.runtime.checkpoints import CheckpointWriter
from sc2impala.runtime.evaluation_log import EVALUATIONS_CSV, EvaluatedPolicy
from sc2impala.runtime.evaluation_record import EvaluationRecord
from sc2impala.runtime.run_evaluation import Evaluate, RunEvaluationHook
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.settings.settings import Settings


def make_evaluation_hooks(
    settings: Settings,
    agent: Any,
    frames: tf.Tensor,
    writer: CheckpointWriter,
    checkpoint: Optional[str],
    summaries: SummaryLog,
    stop: StopRequest,
) -> List[RunEvaluationHook]:
    """The hook that evaluates, if `--evaluate_every_frames` asks for it.

    To be called when everything that depends on the random seed of the graph has been built.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent` that is trained.
      frames: environment frames of all phases together, int64 [].
      writer: saves models.
      checkpoint: that the training goes on from, or None.
      summaries: where to.
      stop: set when the training should end.

    Raises:
      UserError: if the results cannot be written.
    """
    own, folder = settings.evaluation, settings.run.logdir
    if not own.evaluate_every_frames:
        return []
    policy = EvaluatedPolicy.of(evaluation.describe(settings.environment, own, settings.run.seed))
    record = EvaluationRecord(folder, settings.environment.map_name, policy, summaries)
    undone = record.log.undo(None if checkpoint is None else checkpoints.number(checkpoint))
    if undone:
        console.say(
            f'{EVALUATIONS_CSV}: rows after the checkpoint are removed, since these frames are '
            f'trained again: {undone}'
        )
    record.repair()
    evaluate = _make_evaluate(settings, agent)
    return [
        RunEvaluationHook(
            own.evaluate_every_frames,
            evaluate,
            record,
            policy,
            writer.save_variables,
            frames,
            stop,
        )
    ]


def _make_evaluate(settings: Settings, agent: Any) -> Evaluate:
    """Plays on the backend of the run, the same games every time."""
    own, run, environment = settings.evaluation, settings.run, settings.environment
    specs = graph.make_specs(environment)
    num_envs = min(own.num_eval_envs, own.num_episodes)
    player_seed, *env_seeds = seeds.streams(run.seed, 'run_evaluation', 1 + num_envs)
    games = phase_evaluation.PhaseEvaluation(
        acting.in_evaluation(settings, agent),
        specs[0],
        lambda: graph.make_environment(environment, settings.starcraft, specs, env_seeds),
        own.num_episodes,
        player_seed,
        num_envs,
        own.policy == 'greedy',
    )
    about = evaluation.describe(environment, own, run.seed)

    def evaluate(session: tf.Session, should_stop: Callable[[], bool]) -> Optional[Dict[str, Any]]:
        infos = games.play(session, should_stop)
        return None if infos is None else dict(about, **evaluation.summarize(infos))

    return evaluate
