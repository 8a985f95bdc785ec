"""The metrics of the runs of an arm: several runs with the same settings and different seeds."""

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from sc2impala.compare import statistics
from sc2impala.compare.comparison import Estimate
from sc2impala.continual import lifelong, metrics
from sc2impala.continual import runs as runs_lib
from sc2impala.continual.runs import Episodes, Run
from sc2impala.envs import scores
from sc2impala.errors import UserError
from sc2impala.runtime import console


class Metric(NamedTuple):
    """A metric in a table.

    title: its name.
    better: 'higher' or 'lower'.
    decimals: number of decimals.
    """

    title: str
    better: str
    decimals: int = 2


OVERALL: Dict[str, Metric] = {
    'final_score': Metric('final performance, human-normalised', 'higher'),
    'average_score': Metric('average performance, human-normalised', 'higher'),
    'final_relative_to_experts': Metric('final performance relative to experts', 'higher'),
    'lost_share': Metric('lost share', 'lower'),
    'isolated_forgetting': Metric('isolated forgetting (CORA), first cycle', 'lower', 3),
    'isolated_transfer': Metric('isolated zero-shot transfer (CORA)', 'higher', 3),
    'performance_maintenance': Metric('performance maintenance (PM)', 'higher', 1),
    'forward_transfer_ratio': Metric('forward transfer (FT), ratio', 'higher'),
    'forward_transfer_contrast': Metric('forward transfer (FT), contrast', 'higher', 3),
    'backward_transfer_ratio': Metric('backward transfer (BT), ratio', 'higher'),
    'backward_transfer_contrast': Metric('backward transfer (BT), contrast', 'higher', 3),
    'relative_performance': Metric('relative performance (RP)', 'higher'),
    'sample_efficiency': Metric('sample efficiency (SE)', 'higher'),
}
"""Metrics of a run, in the order of the table."""

OF_MAPS: Dict[str, Metric] = {
    'final_return': Metric('final return', 'higher', 1),
    'average_return': Metric('average return', 'higher', 1),
    'expert_return': Metric('return of experts', 'higher', 1),
    'final_relative_to_experts': Metric('final, relative to experts', 'higher'),
    'lost_share': Metric('lost share', 'lower'),
    'performance_maintenance': Metric('PM', 'higher', 1),
    'relative_performance': Metric('RP', 'higher'),
    'sample_efficiency': Metric('SE', 'higher'),
}
"""Metrics of each map."""


class Summary(NamedTuple):
    """The metrics of an arm with R runs on M maps.

    runs: the runs.
    overall: float64 [R] by names in `OVERALL`; without those that are not defined for the arm.
    of_maps: float64 [R, M] by names in `OF_MAPS`, likewise.
    forgetting: float64 [R, C, M, M], see `metrics.isolated_forgetting`; None without blocks.
    transfer: float64 [R, M, M], see `metrics.isolated_transfer`; None without blocks.
    """

    runs: List[Run]
    overall: Dict[str, np.ndarray]
    of_maps: Dict[str, np.ndarray]
    forgetting: Optional[np.ndarray]
    transfer: Optional[np.ndarray]

    @property
    def maps(self) -> Tuple[str, ...]:
        """Names of the maps."""
        return self.runs[0].maps


class Bootstrap(NamedTuple):
    """Settings of intervals.

    repetitions: number of bootstrap samples of the runs.
    confidence: confidence level.
    seed: of the samples.
    """

    repetitions: int = 2000
    confidence: float = 0.95
    seed: int = 0

    def estimate(self, values: np.ndarray) -> Optional[Estimate]:
        """Estimates a mean over runs with a percentile interval.

        Args:
          values: float64 [R]; those that are NaN are left out.

        Returns:
          The mean and its bounds, which are equal for a single run; None if no value is left.
        """
        defined = values[~np.isnan(values)]
        if not len(defined):
            return None
        rng = np.random.default_rng(self.seed)
        (samples,) = statistics.resample([defined], self.repetitions, rng)
        low, high = statistics.interval(samples.mean(axis=1), self.confidence)
        return Estimate(float(defined.mean()), float(low), float(high))


def summarize(
    runs: Sequence[Run], experts: Sequence[Run] = (), untrained: Optional[np.ndarray] = None
) -> Summary:
    """Computes all metrics that are defined for some runs.

    Args:
      runs: runs on the same maps, either all with blocks or all without.
      experts: runs on one map each; several per map, or none at all.
      untrained: float64 [M], returns of an untrained agent. Gains, which are lost or relative to
        experts, are over these; None for those of a random policy with the functions of the map.

    Raises:
      UserError: if the runs differ in maps or blocks, if a map has no expert, or if episodes cannot
        be read.
    """
    _check_same(runs)
    maps = runs[0].maps
    of_experts = _by_map(experts, maps)
    random = np.array([scores.SCORES[m].random if m in scores.SCORES else 0.0 for m in maps])
    start = random if untrained is None else untrained
    has_blocks = len(runs[0].blocks) > 0
    episodes = [runs_lib.read_episodes(run) for run in runs] if has_blocks else []
    returns = np.stack([run.returns[-1] for run in runs])
    averages = np.stack([metrics.average_performance(r.steps, r.returns) for r in runs])
    overall: Dict[str, np.ndarray] = {}
    of_maps = {'final_return': returns, 'average_return': averages}
    if all(name in scores.SCORES for name in maps):
        human = np.array([scores.SCORES[name].human for name in maps])
        overall['final_score'] = ((returns - random) / (human - random)).mean(axis=1)
        overall['average_score'] = ((averages - random) / (human - random)).mean(axis=1)
    if of_experts:
        expert = np.array([np.mean([e.returns[-1, 0] for e in of_experts[m]]) for m in maps])
        gains = np.where(expert > start, expert - start, np.nan)
        of_maps['expert_return'] = np.tile(expert, (len(runs), 1))
        of_maps['final_relative_to_experts'] = (returns - start) / gains
        overall['final_relative_to_experts'] = _mean(of_maps['final_relative_to_experts'])
    if not has_blocks:
        return Summary(list(runs), overall, of_maps, None, None)
    forgetting, transfer = _isolated(runs)
    of_maps['lost_share'] = np.stack(
        [metrics.lost_share(run.returns - start, run.blocks, run.before, run.after) for run in runs]
    )
    overall['lost_share'] = _mean(of_maps['lost_share'])
    overall['isolated_forgetting'] = _mean(forgetting[:, 0])
    overall['isolated_transfer'] = _mean(transfer)
    _add_lifelong(runs, episodes, of_experts, overall, of_maps)
    return Summary(list(runs), overall, of_maps, forgetting, transfer)


def to_json(summary: Summary, bootstrap: Bootstrap) -> Dict[str, Any]:
    """Returns all numbers of a summary as JSON values; those that are not defined are None."""
    estimates = {}
    for name, values in summary.overall.items():
        found = bootstrap.estimate(values)
        estimates[name] = None if found is None else found._asdict()
    return {
        'maps': list(summary.maps),
        'cycles': summary.runs[0].num_cycles,
        'runs': [
            {
                'folder': run.folder,
                'seed': run.seed,
                'frames': run.frames,
                'steps': run.steps.tolist(),
                'returns': run.returns.tolist(),
            }
            for run in summary.runs
        ],
        'estimates': estimates,
        'overall': {name: plain(values) for name, values in summary.overall.items()},
        'of_maps': {name: plain(values) for name, values in summary.of_maps.items()},
        'isolated_forgetting': plain(summary.forgetting),
        'isolated_transfer': plain(summary.transfer),
        'bootstrap': bootstrap._asdict(),
    }


def plain(values: Optional[np.ndarray]) -> Any:
    """Returns an array as nested lists, in which NaN is None."""
    if values is None:
        return None
    result = values.astype(object)
    result[np.isnan(values)] = None
    return result.tolist()


def _check_same(runs: Sequence[Run]) -> None:
    for run in runs[1:]:
        if run.maps != runs[0].maps or run.num_cycles != runs[0].num_cycles:
            raise UserError(
                f'{run.folder} has learned {_description(run)}, expected '
                f'{_description(runs[0])} as {runs[0].folder}.'
            )


def _description(run: Run) -> str:
    cycles = f' in {console.count_text(run.num_cycles, "cycle")}' if run.num_cycles else ''
    return ', '.join(run.maps) + cycles


def _by_map(experts: Sequence[Run], maps: Sequence[str]) -> Dict[str, List[Run]]:
    """The experts of each map; empty without experts."""
    if not experts:
        return {}
    found = {name: [run for run in experts if run.maps == (name,)] for name in maps}
    missing = [name for name in maps if not found[name]]
    if missing:
        raise UserError(
            f'--experts has no run on {", ".join(missing)}, expected at least one on each of '
            f'{", ".join(maps)}.'
        )
    return found


def _isolated(runs: Sequence[Run]) -> Tuple[np.ndarray, np.ndarray]:
    """Isolated forgetting and transfer of all runs, on the scale of the arm."""
    scale = metrics.largest_returns([run.returns for run in runs])
    arguments = [(run.returns, run.before, run.after, scale) for run in runs]
    return (
        np.stack([metrics.isolated_forgetting(*each) for each in arguments]),
        np.stack([metrics.isolated_transfer(*each) for each in arguments]),
    )


def _add_lifelong(
    runs: Sequence[Run],
    episodes: Sequence[Episodes],
    experts: Mapping[str, Sequence[Run]],
    overall: Dict[str, np.ndarray],
    of_maps: Dict[str, np.ndarray],
) -> None:
    shown = None
    if experts:
        shown = [
            [runs_lib.read_episodes(expert).returns for expert in experts[name]]
            for name in runs[0].maps
        ]
    found = [
        lifelong.compute(
            run.returns[run.boundaries],
            run.blocks,
            [of_run.of_block(block) for block in range(len(run.blocks))],
            shown,
        )
        for run, of_run in zip(runs, episodes)
    ]
    of_maps['performance_maintenance'] = np.stack([each.maintenance for each in found])
    overall['performance_maintenance'] = _mean(of_maps['performance_maintenance'])
    for direction in ('forward', 'backward'):
        for kind in ('ratio', 'contrast'):
            matrices = [getattr(getattr(each, kind), direction) for each in found]
            overall[f'{direction}_transfer_{kind}'] = _mean(np.stack(matrices))
    if shown is not None:
        for name in ('relative_performance', 'sample_efficiency'):
            of_maps[name] = np.stack([getattr(each, name) for each in found])
            overall[name] = _mean(of_maps[name])


def _mean(values: np.ndarray) -> np.ndarray:
    """Means over all but the first axis, of the entries that are defined: float64 [R]."""
    flat = values.reshape(len(values), -1)
    counts = (~np.isnan(flat)).sum(axis=1)
    return np.where(counts > 0, np.nansum(flat, axis=1) / np.maximum(counts, 1), np.nan)
