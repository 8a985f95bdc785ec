"""Published scores, and what an agent's mean return is beside them."""

import pytest

from sc2impala import envs
from sc2impala.envs import scores


def test_scores_are_those_of_all_maps_and_humans_beat_chance():
    assert set(scores.SCORES) == set(envs.MAP_NAMES)
    assert all(of_map.human > of_map.random for of_map in scores.SCORES.values())


def test_human_normalised_scores():
    assert scores.human_normalised('DefeatRoaches', 1) == 0
    assert scores.human_normalised('DefeatRoaches', 215) == 1
    assert scores.human_normalised('CollectMineralShards', 97) == 0.5
    with pytest.raises(KeyError):
        scores.human_normalised('Simple64', 1)


@pytest.mark.parametrize(
    'mean, expected',
    [(97, (0.5, 0.5, 0.5)), (337, (2.0, 1.0, 0.0)), (-143, (-1.0, 0.0, 1.0))],
)
def test_scores_beside_a_human(mean, expected):
    found = scores.human_scores('CollectMineralShards', mean)
    assert found == dict(zip(scores.HUMAN_SCORES, expected))


def test_maps_without_a_published_score():
    assert set(scores.human_scores('Simple64', 1).values()) == {None}
