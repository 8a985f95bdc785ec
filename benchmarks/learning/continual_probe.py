"""Frames in which a map is learned after others, in `benchmarks.learning.continual`."""

from typing import Dict, NamedTuple, Optional, Sequence

import numpy as np

from benchmarks.learning.continual_arms import EXPERTS
from sc2impala.continual import metrics, runs, summary, tables
from sc2impala.envs.scores import SCORES


class Probe(NamedTuple):
    """The return until which frames are counted, on a map that is learned after others.

    map_name: the map; the last one of a cycle is learned after all others.
    threshold: the return to reach.
    num_episodes: number of episodes of the running mean.
    """

    map_name: str
    threshold: float
    num_episodes: int


def choose(
    maps: Sequence[str],
    experts: Sequence[runs.Run],
    map_name: Optional[str],
    threshold: Optional[float],
    num_episodes: int,
) -> Optional[Probe]:
    """Returns the probe; None if no return is given and there is no expert to derive it from.

    Args:
      maps: of the experiment, in the order of learning.
      experts: runs on one map each.
      map_name: its map; None for the last one.
      threshold: its return; None for half-way from a random policy to the experts.
      num_episodes: of the running mean.
    """
    name = map_name or maps[-1]
    if threshold is None:
        finals = [float(run.returns[-1, 0]) for run in experts if run.maps == (name,)]
        if not finals:
            return None
        random = SCORES[name].random if name in SCORES else 0.0
        threshold = (random + float(np.mean(finals))) / 2
    return Probe(name, threshold, num_episodes)


def measure(
    probe: Probe, summaries: Dict[str, summary.Summary], experts: Sequence[runs.Run]
) -> Dict[str, np.ndarray]:
    """Measures the frames in which a map is learned, for the first time in a run.

    Args:
      probe: the map and the return.
      summaries: by arm; those without blocks are left out.
      experts: runs on one map each.

    Returns:
      float64 [n] frames of the runs of each arm, and of the experts on the map, which learn it from
      scratch, as EXPERTS; NaN if the return is not reached.
    """
    found = {
        name: np.array([_frames_of_block(run, probe) for run in each.runs])
        for name, each in summaries.items()
        if len(each.runs[0].blocks)
    }
    scratch = []
    for run in experts:
        if run.maps == (probe.map_name,):
            episodes = runs.read_episodes(run)
            scratch.append(_frames(episodes.steps, episodes.returns, probe, 0))
    return {**found, EXPERTS: np.array(scratch)} if scratch else found


def table(probe: Probe, frames: Dict[str, np.ndarray], bootstrap: summary.Bootstrap) -> str:
    """Formats the frames of the probe, one arm per row."""
    lines = [
        f'| arm | frames until a mean return of {probe.threshold:.1f} on {probe.map_name} '
        '| relative to scratch | runs that reach it |',
        '| --- | ---: | ---: | ---: |',
    ]
    scratch = bootstrap.estimate(frames.get(EXPERTS, np.zeros([0])))
    for name, of_runs in frames.items():
        estimate = bootstrap.estimate(of_runs)
        text = relative = tables.NONE
        if estimate is not None:
            text = f'{estimate.value:,.0f} [{estimate.low:,.0f}, {estimate.high:,.0f}]'
            if scratch is not None:
                relative = f'{estimate.value / scratch.value:.2f}'
        reached = int((~np.isnan(of_runs)).sum())
        name = 'from scratch' if name == EXPERTS else name
        lines.append(f'| {name} | {text} | {relative} | {reached} of {len(of_runs)} |')
    return '\n'.join(lines) + '\n'


def _frames_of_block(run: runs.Run, probe: Probe) -> float:
    block = run.maps.index(probe.map_name)  # In the first cycle.
    episodes = runs.read_episodes(run)
    own = episodes.blocks == block
    start = int(run.starts[block])
    return _frames(episodes.steps[own], episodes.returns[own], probe, start)


def _frames(steps: np.ndarray, returns: np.ndarray, probe: Probe, start: int) -> float:
    return metrics.frames_to_return(steps, returns, probe.threshold, probe.num_episodes, start)
