"""Mean returns of others on the seven mini-games: published ones, and those of the scripts."""

from typing import Dict, NamedTuple, Optional


class Scores(NamedTuple):
    """Published mean returns on one map, on StarCraft II itself.

    random: a random policy (Vinyals et al. 2017, arXiv 1708.04782, table 1).
    fully_conv_lstm: FullyConv LSTM (ibid.).
    relational: the relational agent of Zambaldi et al. 2018, arXiv 1806.01830, after 10^10 steps.
    human: a grandmaster (1708.04782).
    """

    random: float
    fully_conv_lstm: float
    relational: float
    human: float


SCORES: Dict[str, Scores] = {
    'MoveToBeacon': Scores(1, 26, 27, 28),
    'CollectMineralShards': Scores(17, 104, 196, 177),
    'FindAndDefeatZerglings': Scores(4, 44, 62, 61),
    'DefeatRoaches': Scores(1, 98, 303, 215),
    'DefeatZerglingsAndBanelings': Scores(23, 96, 736, 727),
    'CollectMineralsAndGas': Scores(12, 3351, 4906, 7566),
    'BuildMarines': Scores(0, 6, 123, 133),
}
"""By map name. A random policy on BuildMarines has 'less than 1'."""


class ScriptScore(NamedTuple):
    """Mean return of the best script of a map, on the simulator.

    name: the script.
    step_mul: frames from one action to the next.
    mean: mean return.
    standard_error: of the mean.
    """

    name: str
    step_mul: int
    mean: float
    standard_error: float


SCRIPTS: Dict[str, ScriptScore] = {
    'MoveToBeacon': ScriptScore('PySC2', 8, 26.1, 0.2),
    'CollectMineralShards': ScriptScore('PySC2', 8, 115.1, 0.6),
    'FindAndDefeatZerglings': ScriptScore('stutter_step', 8, 55.8, 0.8),
    'DefeatRoaches': ScriptScore('pull_back', 8, 138, 18),
    'DefeatZerglingsAndBanelings': ScriptScore('kite', 8, 848, 5),
    'CollectMineralsAndGas': ScriptScore('build_order', 8, 6698, 7),
    'BuildMarines': ScriptScore('build_order', 8, 132.0, 0.0),
}
"""By map name, as in docs/results.md: at 8 frames, like the published agents."""

HUMAN_SCORES = ('human_normalised_score', 'capped_score', 'human_gap')


def human_normalised(map_name: str, mean_return: float) -> float:
    """The part of the way from a random policy to a human: 0 is random, 1 is human.

    Raises:
      KeyError: if there is no such map.
    """
    scores = SCORES[map_name]
    return (mean_return - scores.random) / (scores.human - scores.random)


def human_scores(map_name: str, mean_return: float) -> Dict[str, Optional[float]]:
    """A mean return next to a human's.

    Returns:
      By the names in `HUMAN_SCORES`: the human-normalised score; the same, clipped to [0, 1]; and
      what is missing of that to 1. None on maps without a published score.
    """
    if map_name not in SCORES:
        return dict.fromkeys(HUMAN_SCORES)
    score = human_normalised(map_name, mean_return)
    capped = min(1.0, max(0.0, score))
    return dict(zip(HUMAN_SCORES, (score, capped, 1.0 - capped)))
