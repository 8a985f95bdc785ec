"""Published mean returns on the seven mini-games, all on StarCraft II itself."""

from typing import Dict, NamedTuple


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
    'CollectMineralsAndGas': Scores(12, 3351, 5055, 7566),
    'BuildMarines': Scores(0, 6, 123, 133),
}
"""By map name. A random policy on BuildMarines has 'less than 1'."""


def human_normalised(map_name: str, mean_return: float) -> float:
    """The part of the way from a random policy to a human, in per cent.

    Raises:
      KeyError: if there is no such map.
    """
    scores = SCORES[map_name]
    return 100 * (mean_return - scores.random) / (scores.human - scores.random)
