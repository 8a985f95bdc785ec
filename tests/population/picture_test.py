"""The picture of a population, and who descends from whom."""

import pytest
from matplotlib import image

from sc2impala.errors import UserError
from sc2impala.population import picture
from sc2impala.population.ranges import Range

DRAWN = {
    'learning_rate': Range('learning_rate', 1e-5, 1e-2, log=True),
    'reward_clipping': Range('reward_clipping', values=['none', 'abs_one']),
}


def row(generation, member, score, parent):
    return {
        'generation': generation,
        'member': member,
        'frames': 100 * (generation + 1) + member,
        'score': score,
        'parent': parent,
        'settings': {'learning_rate': 10.0 ** -(2 + member), 'reward_clipping': 'none'},
    }


HISTORY = [
    row(0, 0, 1.0, None),
    row(0, 1, 9.0, None),
    row(0, 2, None, None),
    row(1, 0, 2.0, 1),
    row(1, 1, 3.0, 1),
    row(1, 2, 0.0, 1),
    row(2, 0, 2.5, 0),
    row(2, 1, None, 1),
    row(2, 2, 2.0, 0),
]


def test_lineage():
    assert picture.origins(HISTORY)[(0, 2)] is None
    assert picture.origins(HISTORY)[(1, 2)] == (0, 1)
    assert picture.ancestors(HISTORY) == [(0, 1), (1, 0), (2, 0)]
    assert picture.ancestors(HISTORY[:6]) == [(0, 1), (1, 1)]
    assert picture.ancestors([row(0, 0, None, None)]) == []


def test_is_drawn_with_a_panel_for_each_setting(tmp_path):
    picture.save(str(tmp_path), HISTORY, DRAWN)
    pixels = image.imread(str(tmp_path / picture.NAME))
    assert pixels.shape[:2] == (750, 900) and pixels[..., :3].std() > 0.01
    assert [path.name for path in tmp_path.iterdir()] == [picture.NAME]
    # A value that is not among those to choose from, as that of a reference.
    other = dict(HISTORY[0], settings={'learning_rate': 0.1, 'reward_clipping': 'soft_asymmetric'})
    picture.save(str(tmp_path), [other], DRAWN)


def test_a_folder_that_is_gone_is_named(tmp_path):
    with pytest.raises(UserError, match='population.png cannot be written'):
        picture.save(str(tmp_path / 'gone'), HISTORY, DRAWN)
