import numpy as np
import pytest

from sc2impala.sim import kernels
from sc2impala.sim.feature_units import COLUMNS
from sc2impala.sim.games import GAMES
from tests.sim import players

FOG = 'FindAndDefeatZerglings'
ENEMY = COLUMNS.index('alliance'), 4
PLACES = [COLUMNS.index('x'), COLUMNS.index('y')]


def make(map_name, num_games=2, **layers):
    game = players.make(map_name, range(num_games), **layers)
    game.reset()
    return game


@pytest.mark.parametrize('map_name', ['DefeatRoaches', 'BuildMarines'])
def test_described_units_are_those_of_the_list_of_units(map_name):
    game = make(map_name)
    game.advance(np.array([30, 100]))
    rows, slots = game.describe_units()
    for k, listed in enumerate(game.feature_units()):
        listed = listed[listed[:, 0] > 0]
        described = rows[k, slots[k] >= 0].astype(np.int32)
        assert len(described) == len(listed) > 5
        assert not described[:, PLACES].any()
        listed[:, PLACES] = 0
        np.testing.assert_array_equal(described, listed)
    assert not rows[slots < 0].any()


def test_descriptions_are_not_truncated():
    game = make('DefeatRoaches')
    game.games.health[1, 3] = 7.25
    rows, slots = game.describe_units()
    assert rows[1, list(slots[1]).index(3), COLUMNS.index('health')] == 7.25


def test_without_fog_all_enemies_are_described():
    game = make(FOG)
    column, value = ENEMY

    def num_enemies():
        rows, slots = game.describe_units()
        shown = slots >= 0
        alive = (game.games.alive != 0).sum()
        return (rows[shown][:, column] == value).sum(), shown.sum() == alive

    before, all_shown = num_enemies()
    assert not all_shown
    game.lift_fog()
    after, all_shown = num_enemies()
    assert after > before and all_shown


def test_lifting_the_fog_draws_the_map_again_and_lasts():
    game = make(FOG, minimap_layers=('visibility_map',))
    hidden = (game.observe()['minimap']['visibility_map'] == 2).mean()
    game.lift_fog()
    lifted = game.observe()['minimap']['visibility_map'].copy()
    assert (lifted == 2).mean() > 2 * hidden
    assert set(np.unique(lifted)) == {0, 2}
    game.advance(np.array([50, 8]))
    game.reset()
    np.testing.assert_array_equal(game.observe()['minimap']['visibility_map'], lifted)


def test_a_kernel_runs_on_all_games():
    game = make('CollectMineralsAndGas')
    before = game.games.taken.sum((1, 2))
    field = game.games.goal_x.shape[1]
    game.games.alive[1, field] = False
    game.run(kernels.build_economy().survey)
    after = game.games.taken.sum((1, 2))
    assert after[0] == before[0] and 0 < before[1] - after[1] <= 2


def test_parts_that_are_made_for_every_map_have_names_of_their_own():
    """Else the game of one map is played by the rules of another one, see `compiler.compiled`."""
    names = {kernels.build_player(game).__qualname__ for game in GAMES.values()}
    assert len(names) == len(GAMES) == 7
