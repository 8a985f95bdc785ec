"""Reference scores, and mean returns relative to them."""

import re

import pytest

from sc2impala import envs
from sc2impala.envs import scores
from tests.docs import documents


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


def table_rows(title):
    """The cells of a table of the results, without emphasis, by the first cell."""
    text = documents.read('docs/results.md')
    table = text[text.index(title) :].split('\n\n')[0]
    rows = [
        [cell.strip(' *`') for cell in line.strip('|').split('|')] for line in table.splitlines()
    ]
    return {row[0]: dict(zip(rows[0], row)) for row in rows[2:]}


def test_scripts_are_those_of_the_results():
    rows = table_rows('| map | script | 2 |')
    assert set(rows) == set(scores.SCRIPTS)
    for map_name, script in scores.SCRIPTS.items():
        row = rows[map_name]
        numbers = [float(part) for part in re.split('±', row[str(script.step_mul)])]
        assert row['script'] == script.name
        assert numbers == [script.mean, script.standard_error]


def test_published_scores_are_those_of_the_results():
    for map_name, row in table_rows('| map | FullyConv LSTM |').items():
        published = scores.SCORES[map_name]
        assert float(row['FullyConv LSTM']) == published.fully_conv_lstm
        assert float(row['relational agent']) == published.relational
        assert float(row['human: mean (maximum)'].split()[0]) == published.human
