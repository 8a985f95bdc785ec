"""The policy with which the training starts: the best model of cloning, or a loaded one."""

import functools
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.agents.teacher import Teacher
from sc2impala.envs import scores
from sc2impala.envs.vector import Specs
from sc2impala.evaluation import phase_evaluation
from sc2impala.factories import acting, environments
from sc2impala.learner.phases import Phase
from sc2impala.runtime import console, seeds
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.settings.settings import Settings
from sc2impala.training.component import Component
from sc2impala.training.run import Run


def make(run: Run) -> List[Component]:
    """Returns the component, if there is a start policy."""
    policy, phases = run.graph.start_policy, run.graph.phases
    if policy is None:
        return []
    of_cloning = [phase.frames for phase in phases if phase.title == 'cloning']
    cloning_frames = of_cloning[0] if of_cloning else None
    return [StartPolicyHook(policy, cloning_frames, run.frames, run.summaries)]


def make_start_policy(settings: Settings, agent: Agent, specs: Specs) -> Optional['StartPolicy']:
    """Builds the teacher and the choice among the models of cloning.

    Args:
      settings: all of them.
      agent: `agents.agent.Agent` the trained agent.
      specs: observation and action spec.

    Returns:
      The policy, or None if neither is used.
    """
    environment, cloning = settings.environment, settings.algorithms['cloning']
    is_selected = bool(cloning.num_cloning_frames and cloning.phase_evaluations)
    if not is_selected and not acting.teacher_cost(settings):
        return None
    made = StartPolicy(acting.make_copy(settings, agent, specs), None)
    if not is_selected:
        return made
    env_seeds = seeds.streams(
        settings.run.seed, 'phase_evaluation', cloning.phase_evaluation_episodes
    )
    games = phase_evaluation.on_simulator(
        acting.as_policy(settings, agent),
        specs,
        environment.map_names[0],
        environment.longest_step,
        env_seeds,
        dict(environment.simulator_rules),
    )
    number = cloning.num_cloning_frames, cloning.phase_evaluations
    if len(environment.map_names) == 1:
        return made._replace(selection=Selection(games, made.teacher, *number))
    of_all = functools.partial(_mean_normalised, games, settings, specs, env_seeds)
    measure = 'mean human-normalised score'
    return made._replace(selection=Selection(of_all, made.teacher, *number, measure=measure))


def _mean_normalised(
    games: phase_evaluation.PhaseEvaluation,
    settings: Settings,
    specs: Specs,
    env_seeds: Sequence[int],
    session: tf.Session,
) -> float:
    """Returns the mean of the human-normalised scores of all maps, and prints their returns."""
    environment, means = settings.environment, {}
    for task, name in enumerate(environment.map_names):
        make_env = functools.partial(
            environments.make_environment,
            environment,
            settings.starcraft,
            specs,
            env_seeds,
            task=task,
        )
        means[name] = games(session, make_env)
    console.say(', '.join(f'{name} {mean:.2f}' for name, mean in means.items()))
    return float(np.mean([scores.human_normalised(*each) for each in means.items()]))


class Selection:
    """Evaluates a phase at regular intervals, and keeps the best model.

    The model is kept in the variables of a teacher. The rest of its state is part of checkpoints,
    so a run that resumes has the same best model.
    """

    def __init__(
        self,
        evaluate: Callable[[tf.Session], float],
        teacher: Teacher,
        num_frames: int,
        num_evaluations: int,
        measure: str = 'mean return',
    ):
        """Args:
        evaluate: measures the agent with the weights in a session; more is better.
        teacher: `agents.teacher.Teacher`.
        num_frames: length of the phase in environment frames.
        num_evaluations: how many times to evaluate; the last time is at its end.
        measure: what `evaluate` returns.
        """
        self._measure = measure
        self._evaluate = evaluate
        self._teacher = teacher
        self._num_frames = num_frames
        self._num_evaluations = num_evaluations
        self._count = _state('cloning_evaluations', np.int64(0))
        self._best = _state('cloning_best_return', np.float32(-np.inf))
        self._new = [tf.placeholder(tf.int64, []), tf.placeholder(tf.float32, [])]
        self._set = [v.assign(t).op for v, t in zip((self._count, self._best), self._new)]

    def evaluate_if_due(self, session: tf.Session, frames: int) -> Dict[str, float]:
        """Evaluates if enough frames were generated since the last evaluation.

        Args:
          session: the session with the weights.
          frames: environment frames of the phase so far.

        Returns:
          Summaries by tag; empty if no evaluation was due.
        """
        wanted = min(frames, self._num_frames) * self._num_evaluations // self._num_frames
        count, best = session.run([self._count, self._best])
        if wanted <= count:
            return {}
        mean = self._evaluate(session)
        if mean > best:
            session.run(self._teacher.keep)
            best = mean
        session.run(self._set, dict(zip(self._new, (wanted, best))))
        console.say(
            f'evaluation {wanted} of {self._num_evaluations}: {self._measure} {mean:.2f}, '
            f'best {best:.2f}'
        )
        return {'cloning/evaluation_return': mean, 'cloning/best_return': float(best)}

    def finish(self, session: tf.Session) -> Dict[str, float]:
        """Gives the weights of the best model to the agent.

        Returns:
          Summaries by tag, if the last model had to be evaluated.
        """
        tags = self.evaluate_if_due(session, self._num_frames)
        session.run(self._teacher.give)
        return tags


class StartPolicy(NamedTuple):
    """The policy with which a run starts, and its origin.

    teacher: `agents.teacher.Teacher` with its weights.
    selection: chooses it among the models of cloning; None for the last one, or without cloning.
    """

    teacher: Teacher
    selection: Optional[Selection]


class StartPolicyHook(Component):
    """Makes the teacher final when cloning has ended, or at the start if there is no cloning.

    The next phase begins with the best model of cloning if it was evaluated, and the teacher is the
    policy that it begins with. This happens once, even if the run is stopped or killed
    in between.
    """

    def __init__(
        self,
        policy: StartPolicy,
        cloning_frames: Optional[tf.Variable],
        total_frames: tf.Tensor,
        summaries: SummaryLog,
    ):
        """Args:
        policy: the teacher, and the selection of the model.
        cloning_frames: the counter of the cloning phase, or None if there is none.
        total_frames: environment frames of all phases together, int64 [].
        summaries: where the results of evaluations are written.
        """
        self._teacher = policy.teacher
        self._selection = policy.selection
        self._cloning_frames = cloning_frames
        self._total_frames = total_frames
        self._summaries = summaries

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        """Remembers the session."""
        self._session = session

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Makes the teacher final if cloning is over and it is not yet."""
        super().begin_phase(phase, frames)
        session = self._session
        if self._is_cloning():
            if self._selection is not None:
                # An evaluation that an earlier start has missed.
                self._write(self._selection.evaluate_if_due(session, frames), self._step())
            return
        if session.run(self._teacher.is_frozen):
            return
        if self._selection is None:
            session.run(self._teacher.keep)
        else:
            self._write(self._selection.finish(session), self._step())
        session.run(self._teacher.freeze)

    def before_run(
        self, run_context: tf.train.SessionRunContext
    ) -> Optional[tf.train.SessionRunArgs]:
        """Requests the frames after the update."""
        if self._selection is None or not self._is_cloning():
            return None
        return tf.train.SessionRunArgs({'frames': self.phase.train, 'step': self.phase.step})

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Evaluates if an evaluation is due."""
        results = run_values.results
        if results is not None and self._selection is not None:
            tags = self._selection.evaluate_if_due(run_context.session, int(results['frames']))
            self._write(tags, int(results['step']))

    def _write(self, tags: Dict[str, float], step: int) -> None:
        if tags:
            self._summaries.add_scalars(tags, step)

    def _step(self) -> int:
        return int(self._session.run(self._total_frames))

    def _is_cloning(self) -> bool:
        return self._cloning_frames is not None and self.phase.frames is self._cloning_frames


def _state(name: str, value: np.generic) -> tf.Variable:
    return tf.Variable(value, trainable=False, use_resource=True, name=name)
