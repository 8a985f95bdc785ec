"""Records of the evaluations of a run: the table, the best model, and summaries."""

import os
from typing import Any, Callable, Dict, List, Mapping, Optional

from sc2impala.checkpoints import choice
from sc2impala.checkpoints.best import BestCheckpoint
from sc2impala.envs import scores
from sc2impala.evaluation.log import EVALUATIONS_CSV, EvaluatedPolicy, EvaluationLog
from sc2impala.runtime import console
from sc2impala.runtime.summary_log import SummaryLog


class EvaluationRecord:
    """The evaluations of one policy.

    log: the table.
    best: the folder of the best model.
    """

    def __init__(
        self,
        folder: str,
        map_name: str,
        policy: EvaluatedPolicy,
        summaries: SummaryLog,
        log: Optional[EvaluationLog] = None,
        best: str = choice.BEST,
    ):
        """Args:
        folder: folder of the run.
        map_name: rows of other maps are ignored.
        policy: rows of other policies are ignored.
        summaries: the event file.
        log: the table, if it is shared by several maps.
        best: name of the folder of the best model.

        Raises:
          UserError: if table or folder cannot be written to.
        """
        self.log = log or EvaluationLog(os.path.join(folder, EVALUATIONS_CSV), map_name)
        rows = [row for row in self.log.rows if row['map_name'] == map_name]
        self.best = _find_best(folder, policy, rows, best)
        self._map_name = map_name
        self._where = f' on {map_name}' if best != choice.BEST else ''
        self._policy = policy
        self._summaries = summaries

    def repair(self) -> None:
        """Finishes an update that a kill has interrupted."""
        kept, result = self.best.kept, self.best_result()
        found = [] if result is None else [result]
        for row in self.log.rows_of(self._policy, self._map_name):
            if row['global_step'] != kept and self.best.holds(row['global_step']):
                found.append(row)
        best = max(found, key=lambda row: row['mean_return'], default=None)
        if best is None or (best is result and self.best.is_complete):
            self.best.drop_others()
        else:
            self.best.keep(best['global_step'], best)

    def best_result(self) -> Optional[Dict[str, Any]]:
        """The evaluation of the best model; None before the first one.

        Its row may have been undone, or belong to another model with the same number of frames: the
        record in the folder of the best model comes first.
        """
        kept = self.best.kept
        if kept is None or not self.best.holds(kept):
            return None
        return self.best.result() or self.log.find(kept, self._policy, self._map_name)

    def add(self, result: Mapping[str, Any], hold: Callable[[], None] = lambda: None) -> None:
        """Adds an evaluation, and keeps its model if it is the best so far.

        Args:
          result: see `scoring.summarize`; includes 'global_step', the frames of the model.
          hold: puts the model into the folder of the best one, unless it is there.

        Raises:
          UserError: if table or folder cannot be written to.
        """
        of_humans = scores.human_scores(self._map_name, result['mean_return'])
        result = dict(result, **of_humans)
        best = self.best_result()
        is_best = best is None or result['mean_return'] > best['mean_return']
        self._show(result, result if best is None or is_best else best)
        self.log.add(result)
        if is_best:
            hold()
            self.best.keep(result['global_step'], result)
        else:
            self.best.drop_others()

    def _show(self, result: Mapping[str, Any], best: Mapping[str, Any]) -> None:
        """A line, and summaries."""
        frames, mean = result['global_step'], result['mean_return']
        error = result['std_return'] / result['num_episodes'] ** 0.5
        line = (
            f'evaluation{self._where}: {frames:,} frames | mean return {mean:.2f} +- {error:.2f} '
            f'({console.count_text(result["num_episodes"], "episode")})'
        )
        values = {
            'episode_return': mean,
            'episode_return_std': result['std_return'],
            'episode_frames': result['environment_frames'] / result['num_episodes'],
            'best_return': best['mean_return'],
        }
        if result['human_gap'] is not None:
            line += f' | human-normalised {result["human_normalised_score"]:.3f}'
            values.update((name, result[name]) for name in scores.HUMAN_SCORES)
        console.say(line + (', the best so far' if best is result else ''))
        tags = {f'{self._map_name}/eval/{name}': value for name, value in values.items()}
        self._summaries.add_scalars(tags, frames)
        self._summaries.flush()


def _find_best(
    folder: str, policy: EvaluatedPolicy, rows: List[Dict[str, Any]], name: str
) -> BestCheckpoint:
    """Returns the folder of the best model: `name`, or one named after the policy as well.

    `name` belongs to the first evaluated policy of a run; no other policy replaces its model.
    """
    best = BestCheckpoint(folder, name)
    result = best.result()
    found = [] if result is None else [result]
    if not found and best.kept is not None:
        found = [row for row in rows if row['global_step'] == best.kept]
    elif not found:
        # The process was killed before the first model was kept.
        found = [row for row in rows if best.holds(row['global_step'])][:1]
    owner = EvaluatedPolicy.of(found[-1]) if found else None
    if owner == policy or (owner is None and best.kept is None):
        return best
    own = BestCheckpoint(folder, f'{name}-{policy.name}')
    reason = 'a model of unknown score' if owner is None else f'the best model with {owner.flags}'
    console.say(f'{best.folder} has {reason}: the best one with {policy.flags} is in {own.folder}')
    return own
