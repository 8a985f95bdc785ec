"""The comparison itself: statistics of A and B, and the sentences that answer."""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from sc2impala.compare import statistics
from sc2impala.compare.runs import Run
from sc2impala.compare.scores import Score
from sc2impala.envs import scores as published
from sc2impala.errors import UserError
from sc2impala.runtime import console

MAX_RUNS = 1000
"""More needed runs are reported as 'more than'."""


class Estimate(NamedTuple):
    """A statistic with the bounds of its confidence interval."""

    value: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """True if 0 is outside of the interval."""
        return self.low > 0 or self.high < 0


class Settings(NamedTuple):
    """Settings of a comparison.

    names: names of A and B.
    repetitions: number of bootstrap samples, and of exchanges of the permutation test.
    confidence: confidence level of intervals; 1 - confidence is the level of the test.
    seed: seed of both.
    """

    names: Tuple[str, str] = ('A', 'B')
    repetitions: int = 2000
    confidence: float = 0.95
    seed: int = 0


class OfMap(NamedTuple):
    """The comparison on one map.

    counts: number of runs of A and B.
    means: mean return of the runs of A and B.
    difference: of the mean returns, A - B.
    improvement: probability of improvement of A over B; None in a comparison of single runs.
    """

    counts: Tuple[int, int]
    means: Tuple[Estimate, Estimate]
    difference: Estimate
    improvement: Optional[Estimate]


class Comparison(NamedTuple):
    """Results of a comparison.

    settings: its settings.
    unit: 'mean return' on one map, 'human-normalised score' on several.
    of_maps: by map name.
    scores: of A and B, one float64 [n] per map, in this unit.
    means: interquartile means of A and B.
    difference: of the interquartile means, A - B.
    improvement: probability of improvement of A over B; None in a comparison of single runs.
    p_value: of the permutation test; None likewise.
    smallest_p_value: the smallest one possible with these numbers of runs; None likewise.
    runs_needed: runs per map and side that would show the difference; None if unknown.
    notes: sentences that limit the conclusions.
    """

    settings: Settings
    unit: str
    of_maps: Dict[str, OfMap]
    scores: Tuple[List[np.ndarray], List[np.ndarray]]
    means: Tuple[Estimate, Estimate]
    difference: Estimate
    improvement: Optional[Estimate]
    p_value: Optional[float]
    smallest_p_value: Optional[float]
    runs_needed: Optional[int]
    notes: List[str]

    @property
    def is_of_single_runs(self) -> bool:
        """True if each side has one run per map: intervals are then over episodes."""
        return self.p_value is None

    @property
    def is_shown(self) -> bool:
        """True if the interval of the difference excludes 0, and the test agrees."""
        if not self.difference.excludes_zero or self.p_value is None or self.improvement is None:
            return self.difference.excludes_zero
        same_direction = (self.improvement.value > 0.5) == (self.difference.value > 0)
        return same_direction and self.p_value <= 1 - self.settings.confidence + 1e-12


Side = Sequence[Tuple[Run, Score]]


def compare(side_a: Side, side_b: Side, settings: Settings) -> Comparison:
    """Compares the runs of A and B on the maps that both have.

    Args:
      side_a: runs of A with their scores.
      side_b: runs of B with their scores.
      settings: settings of the comparison.

    Raises:
      UserError: if there is no map to compare on.
    """
    maps, notes = _maps_of(side_a, side_b, settings.names)
    chosen = [[[s for r, s in side if r.map_name == m] for m in maps] for side in (side_a, side_b)]
    # One map is reported in its own unit.
    scales = [_scale_of(name) if len(maps) > 1 else (0.0, 1.0) for name in maps]
    rng = np.random.default_rng(settings.seed)
    returns = [[np.array([s.mean for s in scores]) for scores in side] for side in chosen]
    counts = [[len(scores) for scores in side] for side in chosen]
    single = all(count == 1 for side in counts for count in side)
    samples = [
        [_episode_samples(scores[0], settings, rng) for scores in side]
        if single
        else statistics.resample(returns[i], settings.repetitions, rng)
        for i, side in enumerate(chosen)
    ]
    normalised = [_normalise(side, scales) for side in returns]
    normalised_samples = [_normalise(side, scales) for side in samples]
    means = [statistics.interquartile_mean(side) for side in normalised]
    mean_samples = [statistics.interquartile_mean(side) for side in normalised_samples]
    result = Comparison(
        settings=settings,
        unit='mean return' if len(maps) == 1 else 'human-normalised score',
        of_maps={
            name: _of_map([r[i] for r in returns], [s[i] for s in samples], single, settings)
            for i, name in enumerate(maps)
        },
        scores=(normalised[0], normalised[1]),
        means=(
            _estimate(means[0], mean_samples[0], settings),
            _estimate(means[1], mean_samples[1], settings),
        ),
        difference=_estimate(means[0] - means[1], mean_samples[0] - mean_samples[1], settings),
        improvement=None,
        p_value=None,
        smallest_p_value=None,
        runs_needed=None,
        notes=notes,
    )
    if single:
        return result._replace(notes=[*notes, _single_note(settings.names)])
    improvement = _estimate(
        statistics.probability_of_improvement(*normalised),
        statistics.probability_of_improvement(*normalised_samples),
        settings,
    )
    return result._replace(
        improvement=improvement,
        p_value=statistics.permutation_p_value(
            normalised[0], normalised[1], settings.repetitions, rng
        ),
        smallest_p_value=statistics.smallest_p_value(*counts),
        runs_needed=statistics.runs_needed(
            float(means[0] - means[1]),
            _run_variances(mean_samples, counts),
            len(maps),
            settings.confidence,
        ),
        notes=[*notes, *_count_notes(maps, counts, settings.names)],
    )


def answer(found: Comparison) -> str:
    """Returns the sentences that answer which of A and B is better."""
    name_a, name_b = found.settings.names
    better, worse = (name_a, name_b) if found.difference.value > 0 else (name_b, name_a)
    maps = list(found.of_maps)
    where = f'on {maps[0]}' if len(maps) == 1 else f'over {len(maps)} maps'
    if not found.is_shown:
        verdict = f'No difference between {name_a} and {name_b} is shown {where}'
    elif found.is_of_single_runs:
        verdict = f'The run of {better} scores higher than the run of {worse} {where}'
    else:
        verdict = f'{better} is better than {worse} {where}'
    kind = aggregate_name(found)
    facts = [
        f'{kind} {_number(found.means[0])} of {name_a}, {_number(found.means[1])} of {name_b}, '
        f'difference {_number(found.difference)}'
    ]
    if found.improvement is not None:
        facts.append(
            f'probability of improvement of {name_a} over {name_b} '
            f'{number_text(found.improvement, 2)}'
        )
        facts.append(f'permutation test p = {found.p_value:.2g}')
    sentences = [f'{verdict}: {"; ".join(facts)}.']
    sentences += _more_runs(found)
    return ' '.join(sentences)


def aggregate_name(found: Comparison) -> str:
    """The name of the aggregate over runs and maps."""
    if len(found.of_maps) > 1:
        return f'interquartile mean of the {found.unit}'
    return found.unit if found.is_of_single_runs else 'interquartile mean'


def number_text(estimate: Estimate, decimals: int) -> str:
    """Formats a value and its interval, such as '0.93 [0.80, 1.00]'."""
    value, low, high = (f'{each + 0.0:.{decimals}f}' for each in estimate)
    return f'{value} [{low}, {high}]'


def decimals_of(estimates: Sequence[Estimate]) -> int:
    """Number of decimals with which the smallest of some intervals has two significant digits."""
    widths = [each.high - each.low for each in estimates if each.high > each.low]
    if not widths:
        return 2
    return int(np.clip(1 - np.floor(np.log10(min(widths))), 0, 4))


def _number(estimate: Estimate) -> str:
    return number_text(estimate, decimals_of([estimate]))


def _more_runs(found: Comparison) -> List[str]:
    """Sentences about the runs that would settle a difference that is not shown."""
    if found.is_shown or found.p_value is None or found.smallest_p_value is None:
        return []
    sentences = []
    level = 1 - found.settings.confidence
    if found.smallest_p_value > level + 1e-12:
        sentences.append(
            f'With these numbers of runs no permutation test can reach p <= {level:.2g} (at best '
            f'{found.smallest_p_value:.2g}).'
        )
    elif found.difference.excludes_zero:
        sentences.append(
            'The interval excludes 0, but bootstrap intervals of few runs are too narrow: the test '
            'decides.'
        )
    if found.runs_needed is not None:
        needed = found.runs_needed
        text = f'about {needed:,}' if needed <= MAX_RUNS else f'more than {MAX_RUNS:,}'
        more = _more_of_each(found) if needed <= MAX_RUNS else ''
        sentences.append(
            f'If the difference is as large as observed, {text} runs of each per map would show it '
            f'with probability {statistics.POWER:.0%}{more} (normal approximation with the '
            'bootstrap standard errors).'
        )
    return sentences


def _more_of_each(found: Comparison) -> str:
    """The runs in addition to those on the map with the fewest."""
    assert found.runs_needed is not None
    parts = []
    for i, name in enumerate(found.settings.names):
        fewest = min(of_map.counts[i] for of_map in found.of_maps.values())
        parts.append(f'{max(0, found.runs_needed - fewest)} more of {name}')
    return f', {" and ".join(parts)}'


def _maps_of(side_a: Side, side_b: Side, names: Tuple[str, str]) -> Tuple[List[str], List[str]]:
    """Returns the maps to compare on, and notes about the others."""
    on_a, on_b = ({run.map_name for run, _ in side} for side in (side_a, side_b))
    shared = sorted(on_a & on_b)
    if not shared:
        raise UserError(
            f'{names[0]} has runs on {", ".join(sorted(on_a))} and {names[1]} on '
            f'{", ".join(sorted(on_b))}, expected a map that both have runs on.'
        )
    notes = [
        f'Runs of {name} on {", ".join(sorted(own - set(shared)))} are left out: the other side '
        'has none there.'
        for name, own in zip(names, (on_a, on_b))
        if own - set(shared)
    ]
    without = [name for name in shared if name not in published.SCORES]
    if without and len(shared) > 1:
        shared = [name for name in shared if name in published.SCORES]
        if not shared:
            raise UserError(
                f'Scores on {", ".join(without)} cannot be averaged, since these maps have no '
                'published scores: expected runs on one map, or on the seven mini-games.'
            )
        notes.append(
            f'Runs on {", ".join(without)} are left out: there are no published scores to '
            'normalise theirs by.'
        )
    return shared, notes


def _scale_of(map_name: str) -> Tuple[float, float]:
    """Mean returns of a random policy and of a human."""
    of_map = published.SCORES[map_name]
    return of_map.random, of_map.human


def _normalise(
    scores: statistics.Scores, scales: Sequence[Tuple[float, float]]
) -> List[np.ndarray]:
    return [(each - zero) / (one - zero) for each, (zero, one) in zip(scores, scales)]


def _episode_samples(score: Score, settings: Settings, rng: np.random.Generator) -> np.ndarray:
    """Mean returns of one run over other episodes, float64 [R, 1]."""
    return score.resampled_means(settings.repetitions, rng)[:, None]


def _of_map(
    returns: Sequence[np.ndarray],
    samples: Sequence[np.ndarray],
    single: bool,
    settings: Settings,
) -> OfMap:
    values = [each.mean() for each in returns]
    value_samples = [each.mean(axis=1) for each in samples]
    improvement = None
    if not single:
        improvement = _estimate(
            statistics.probability_of_improvement([returns[0]], [returns[1]]),
            statistics.probability_of_improvement([samples[0]], [samples[1]]),
            settings,
        )
    return OfMap(
        (len(returns[0]), len(returns[1])),
        (
            _estimate(values[0], value_samples[0], settings),
            _estimate(values[1], value_samples[1], settings),
        ),
        _estimate(values[0] - values[1], value_samples[0] - value_samples[1], settings),
        improvement,
    )


def _estimate(value: Any, samples: np.ndarray, settings: Settings) -> Estimate:
    low, high = statistics.interval(samples, settings.confidence)
    return Estimate(float(value), float(low), float(high))


def _run_variances(
    mean_samples: Sequence[np.ndarray], counts: Sequence[Sequence[int]]
) -> List[float]:
    """Squared standard errors times runs per map, of A and B.

    A bootstrap variance of n runs is too small by (n - 1) / n. That of single runs is unknown: it
    is taken from the other side.
    """
    found = []
    for samples, of_maps in zip(mean_samples, counts):
        count = float(np.mean(of_maps))
        found.append(float(np.var(samples)) * count**2 / (count - 1) if count > 1 else None)
    known = [each for each in found if each is not None]
    return [max(known) if each is None else each for each in found]


def _single_note(names: Tuple[str, str]) -> str:
    return (
        f'There is one run of {names[0]} and of {names[1]} per map: the intervals are over '
        'episodes of these runs and do not cover differences between seeds. Another seed may '
        'reverse the result.'
    )


def _count_notes(
    maps: Sequence[str], counts: Sequence[Sequence[int]], names: Tuple[str, str]
) -> List[str]:
    notes = []
    for name, of_maps in zip(names, counts):
        alone = [map_name for map_name, count in zip(maps, of_maps) if count == 1]
        if alone:
            notes.append(
                f'There is one run of {name} on {", ".join(alone)}: the intervals do not cover '
                'differences between its seeds.'
            )
    total = sum(map(sum, counts))
    if min(map(min, counts)) < 5:
        notes.append(
            f'Intervals of {console.count_text(total, "run")} are a coarse estimate; with fewer '
            'than 5 runs of each per map they tend to be too narrow.'
        )
    return notes
