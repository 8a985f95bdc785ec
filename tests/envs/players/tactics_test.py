import numpy as np

from sc2impala.envs.players import tactics, unit_types
from tests.envs.players import boards


class Player(tactics.TacticsPlayer):
    functions = (
        'no_op',
        'select_point',
        'select_idle_worker',
        'Train_SCV_quick',
        'Harvest_Gather_screen',
    )

    def tactics(self, economy):
        rich = economy.minerals >= 50
        idle = economy.idle(unit_types.SCV)
        mineral = economy.first(economy.units.select_type(unit_types.MINERAL_FIELD))
        return (
            tactics.Tactic('Harvest_Gather_screen', idle.any(axis=1), None, mineral),
            tactics.Tactic(
                'Train_SCV_quick', rich, economy.least_busy(unit_types.COMMAND_CENTER), None
            ),
        )


def scv(x, y, orders=0):
    return boards.unit(unit_types.SCV, boards.MINE, x, y, order_length=orders)


def centre(x, orders=0):
    return boards.unit(unit_types.COMMAND_CENTER, boards.MINE, x, 33, order_length=orders)


FIELD = boards.unit(unit_types.MINERAL_FIELD, boards.NEUTRAL, 12, 20)


def make():
    player = boards.make(Player)

    def call(rows, minerals=0, functions=Player.functions):
        observation = {
            'feature_units': boards.feature_units(rows),
            'player': np.array([[1, minerals] + [0] * 9]),
            'available_actions': boards.available(player, functions),
        }
        return boards.calls(player, observation)[0]

    return call


def test_the_first_tactic_that_applies_takes_two_calls():
    call = make()
    rows = [FIELD, scv(20, 20, orders=1), scv(25, 20), centre(33), centre(50)]
    assert call(rows, 50) == ('select_idle_worker', [[0]])
    assert call(rows, 50) == ('Harvest_Gather_screen', [[0], [12, 20]])
    rows = [FIELD, scv(20, 20, orders=1), scv(25, 20, orders=1), centre(33, 2), centre(50, 1)]
    assert call(rows, 50) == ('select_point', [[0], [50, 33]])
    # Whatever has come up in between, and although it is chosen no more.
    assert call(rows + [scv(30, 20)], 0) == ('Train_SCV_quick', [[0]])
    assert call(rows, 49) == ('no_op', [])
    assert call(rows, 50) == ('select_point', [[0], [50, 33]])


def test_an_order_that_cannot_be_given_is_dropped():
    call = make()
    rows = [FIELD, scv(25, 20)]
    call(rows)
    assert call(rows, functions=['no_op', 'select_point']) == ('no_op', [])
    assert call(rows) == ('select_idle_worker', [[0]])


def test_sites_are_scaled_to_the_screen():
    sites = [(20, 6), (28, 12)]
    for size, expected in (
        ((84, 84), [[20, 6], [28, 12], [28, 12]]),
        ((42, 21), [[10, 1], [14, 3], [14, 3]]),
    ):
        player = boards.make(Player, screen_size=size)
        assert player.site(sites, np.array([0, 1, 7])).tolist() == expected
