"""Evaluates the checkpoints of a run as they appear, and keeps the best one."""

import contextlib
import os
from typing import Any, Dict, List, Optional, Set

import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import choice, directory, variables
from sc2impala.checkpoints.directory import DamagedError
from sc2impala.errors import UserError
from sc2impala.evaluation import players, scoring
from sc2impala.evaluation.log import EvaluatedPolicy
from sc2impala.evaluation.record import EvaluationRecord
from sc2impala.factories import acting, environments
from sc2impala.runtime import console, manifest, seeds, sessions
from sc2impala.runtime.run_watch import GONE_SECS, Presence, Wait
from sc2impala.runtime.summary_log import SummaryLog
from sc2impala.settings.settings import Settings

SUMMARIES = 'eval'
"""Folder of the summaries: TensorBoard follows one file in each."""


def follow(settings: Settings) -> None:
    """Evaluates every checkpoint of a run once, until the run has ended.

    Args:
      settings: all settings of the run, which has started; valid.

    Raises:
      UserError: if the folder or a file in it is unusable.
    """
    # Evaluations use CPUs only: their TensorFlow must not take memory of the learner's GPU.
    os.environ['CUDA_VISIBLE_DEVICES'] = ''
    with tf.Graph().as_default(), contextlib.ExitStack() as stack:
        follower = Follower(settings, stack)
        try:
            while follower.evaluate_next() or follower.wait():
                pass
        except KeyboardInterrupt:
            console.say('stopped')
        console.say(follower.verdict())


class Follower:
    """Evaluates new checkpoints in a folder; the table records evaluated ones."""

    def __init__(self, settings: Settings, stack: contextlib.ExitStack):
        """Builds the agent in the default graph.

        Args:
          settings: see `follow`.
          stack: closes files and processes.
        """
        self._folder = settings.run.logdir
        _check_alone(self._folder)
        about = scoring.describe(settings.environment, settings.evaluation, settings.run.seed)
        self._policy = EvaluatedPolicy.of(about)
        self._evaluator = _Evaluator(settings, stack)
        self._summaries = SummaryLog(os.path.join(self._folder, SUMMARIES), 0)
        stack.callback(self._summaries.close)
        self._record = EvaluationRecord(
            self._folder, settings.environment.map_name, self._policy, self._summaries
        )
        self._log, self._best = self._record.log, self._record.best
        self._presence = Presence(self._folder)
        self._wait: Optional[Wait] = None
        self._damaged: Set[int] = set()
        self._record.repair()

    def evaluate_next(self) -> bool:
        """Evaluates the oldest new checkpoint, if any; returns whether there was one."""
        waiting = self._new()
        if not waiting:
            return False
        _check_alone(self._folder)
        self._wait = None
        frames, held = directory.frames_of(waiting[0]), self._best.hold(waiting[0])
        if held is None:
            console.say(f'checkpoint {frames} was removed before it was evaluated')
            return True
        try:
            result = dict(self._evaluator.evaluate(held), global_step=frames)
        except DamagedError as error:
            console.say(f'not evaluated: {error}')
            self._damaged.add(frames)
            self._best.drop_others()
            return True
        self._record.add(result)
        return True

    def wait(self) -> bool:
        """Waits a little for a new checkpoint; returns whether there may be one."""
        # This order does not miss the last checkpoint of the training.
        absent_secs, is_finished = self._presence.absent_secs(), self._is_finished()
        if self._new():
            return True
        if is_finished or absent_secs >= GONE_SECS:
            console.say('the training is finished' if is_finished else 'the training has ended')
            return False
        what = f'a checkpoint after {self._last_frames():,} frames in {self._folder}'
        if absent_secs:
            what += f', where no training has run for {absent_secs:.0f} of {GONE_SECS:.0f} s'
        self._wait = self._wait or Wait()
        self._wait.once_more(what)
        return True

    def verdict(self) -> str:
        """A line with the best checkpoint."""
        row = self._record.best_result()
        if row is None:
            return 'no checkpoint was evaluated'
        checkpoints = console.count_text(len(self._log.rows_of(self._policy)), 'checkpoint')
        return (
            f'best of {checkpoints}: {row["global_step"]:,} frames, '
            f'mean return {row["mean_return"]:.2f}, in {self._best.folder}'
        )

    def _new(self) -> List[str]:
        """Checkpoints without a row in the table, by frames."""
        found = {directory.frames_of(c): c for c in choice.found(self._folder)}
        return [
            checkpoint
            for frames, checkpoint in found.items()
            if frames not in self._damaged and self._log.find(frames, self._policy) is None
        ]

    def _last_frames(self) -> int:
        return max([row['global_step'] for row in self._log.rows], default=0)

    def _is_finished(self) -> bool:
        """Returns whether the last checkpoint is the final one of the run."""
        found = choice.found(self._folder)
        content = manifest.read(self._folder)
        if not found or content is None:
            return False
        try:
            return variables.global_step(found[-1]) >= content['config'][_TOTAL]
        except UserError:
            # The checkpoint was removed meanwhile.
            return False


_TOTAL = 'total_environment_frames'
_EVERY = 'evaluate_every_frames'


def _check_alone(folder: str) -> None:
    """Raises: UserError: if the run writes the table and the best checkpoint itself."""
    content = manifest.read(folder)
    every = 0 if content is None else content['config'][_EVERY]
    if every:
        raise UserError(
            f'--follow with --logdir={folder}: this run evaluates itself '
            f'(--{_EVERY}={every}), expected one that does not.'
        )


class _Evaluator:
    """The agent in a session, and its games: the same ones for every checkpoint."""

    def __init__(self, settings: Settings, stack: contextlib.ExitStack):
        environment, own, run = settings.environment, settings.evaluation, settings.run
        self._settings = settings
        self._specs = environments.make_specs(environment)
        self._num_envs = min(own.num_eval_envs, own.num_episodes)
        self._seeds = seeds.streams(run.seed, 'following', self._num_envs)
        tf.set_random_seed(seeds.streams(run.seed, 'player', 1)[0])
        self._agent = acting.make_agent(settings, self._specs)
        self._player = players.SessionPlayer(
            acting.in_evaluation(settings, self._agent),
            self._specs[0],
            self._num_envs,
            own.policy == 'greedy',
        )
        self._saver = tf.train.Saver(self._agent.weights)
        config = sessions.session_config(run.deterministic)
        self._session = stack.enter_context(tf.Session(config=config))

    def evaluate(self, checkpoint: str) -> Dict[str, Any]:
        """Evaluates the weights of a checkpoint; see `scoring.summarize`."""
        settings, own = self._settings, self._settings.evaluation
        variables.check_complete(checkpoint, self._agent.weights)
        variables.restore(self._saver, self._session, checkpoint)
        self._player.start(self._session)
        env = environments.make_environment(
            settings.environment, settings.starcraft, self._specs, self._seeds
        )
        with env, sessions.failures_reported([env]):
            infos = scoring.play_episodes(env, self._player, own.num_episodes)
        about = scoring.describe(settings.environment, own, settings.run.seed)
        return dict(about, **scoring.summarize(infos))
