"""Published mean returns on the seven mini-games, all on StarCraft II itself."""

from typing import Dict, NamedTuple, Optional


class Scores(NamedTuple):
    """Mean returns on one map.

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
