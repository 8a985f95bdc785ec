"""The players of the two maps with an economy: what they build and train, and when."""

import numpy as np

from sc2impala.envs.players import build_marines, collect_minerals_and_gas, unit_types
from tests.envs.players import boards

FIELD = boards.unit(unit_types.MINERAL_FIELD, boards.NEUTRAL, 12, 20)
CENTRE = boards.unit(unit_types.COMMAND_CENTER, boards.MINE, 33, 33, radius=9)
SECOND_CENTRE = boards.unit(unit_types.COMMAND_CENTER, boards.MINE, 51, 33, radius=9)


def scv(x, y=20):
    order = unit_types.GATHERING
    return boards.unit(unit_types.SCV, boards.MINE, x, y, order_length=1, order_id_0=order)


IDLE = boards.unit(unit_types.SCV, boards.MINE, 40, 20)


def depots(number):
    return [boards.unit(unit_types.SUPPLY_DEPOT, boards.MINE, 1, 1)] * number


def barracks(*orders):
    return [
        boards.unit(unit_types.BARRACKS, boards.MINE, 60 + i, 50, order_length=length)
        for i, length in enumerate(orders)
    ]


HARVEST = 'select_idle_worker', 'Harvest_Gather_screen', [12, 20]


class Game:
    """Returns pairs of calls: the selection of a unit, and the order to it."""

    def __init__(self, player_class):
        self.player = boards.make(player_class)

    def pair(self, rows, minerals, food=(12, 15)):
        observation = {
            'feature_units': boards.feature_units(rows),
            'player': np.array([[1, minerals, 0] + list(food) + [0] * 6]),
            'available_actions': np.ones([1, len(self.player.functions)], bool),
        }
        (select, first), (order, second) = (
            boards.calls(self.player, observation)[0] for _ in range(2)
        )
        if select == 'no_op':
            return None
        unit = first[1] if select == 'select_point' else select
        return unit, order, second[1] if len(second) > 1 else None


class TestCollectMineralsAndGas:
    BASE = [FIELD, scv(20), scv(25), CENTRE]
    LARGER = BASE + [SECOND_CENTRE]

    def test_workers_until_there_is_enough_for_a_second_centre(self):
        game = Game(collect_minerals_and_gas.FirstWorkerPlayer)
        assert game.pair(self.BASE, 49) is None
        assert game.pair(self.BASE, 449) == ([33, 33], 'Train_SCV_quick', None)
        assert game.pair(self.BASE, 449, food=(15, 15)) is None
        assert game.pair(self.BASE, 450) == ([20, 20], 'Build_CommandCenter_screen', [51, 33])
        assert game.pair(self.LARGER, 450) == ([33, 33], 'Train_SCV_quick', None)

    def test_the_second_centre_is_where_there_is_room(self):
        game = Game(collect_minerals_and_gas.FirstWorkerPlayer)
        rows = [FIELD, scv(20), SECOND_CENTRE]
        assert game.pair(rows, 450) == ([20, 20], 'Build_CommandCenter_screen', [33, 33])

    def test_at_most_three_depots_and_only_when_no_supply_is_left(self):
        game = Game(collect_minerals_and_gas.FirstWorkerPlayer)
        order = 'Build_SupplyDepot_screen'
        full = 30, 30
        for number, site in ((0, [20, 6]), (2, [20, 20])):
            assert game.pair(self.LARGER + depots(number), 100, full) == ([20, 20], order, site)
        assert game.pair(self.LARGER + depots(3), 100, full) is None
        assert game.pair(self.LARGER, 99, full) is None
        assert game.pair(self.LARGER, 100, (29, 30))[1] == 'Train_SCV_quick'
        assert game.pair(self.BASE, 100, (15, 15)) is None

    def test_idle_workers_harvest_first(self):
        game = Game(collect_minerals_and_gas.FirstWorkerPlayer)
        assert game.pair(self.LARGER + [IDLE], 50) == HARVEST

    def test_an_idle_worker_builds(self):
        game = Game(collect_minerals_and_gas.IdleWorkerPlayer)
        rows = self.BASE + [IDLE]
        assert game.pair(rows, 450) == ([40, 20], 'Build_CommandCenter_screen', [51, 33])
        assert game.pair(self.BASE, 450)[0] == [20, 20]
        full = 30, 30
        assert game.pair(self.LARGER, 100, full)[2] == [22, 12]


class TestBuildMarines:
    BASE = [FIELD, scv(20), scv(25), CENTRE]

    def test_barracks_come_before_workers_and_workers_before_nothing(self):
        game = Game(build_marines.FirstWorkerPlayer)
        order = 'Build_Barracks_screen'
        assert game.pair(self.BASE, 150) == ([20, 20], order, [62, 7])
        assert game.pair(self.BASE + barracks(0, 0, 0, 0), 150)[2] == [75, 7]
        assert game.pair(self.BASE, 149) == ([33, 33], 'Train_SCV_quick', None)
        assert game.pair(self.BASE, 49) is None

    def test_no_more_than_twenty_workers(self):
        game = Game(build_marines.FirstWorkerPlayer)
        workers = [scv(x) for x in range(20)]
        assert game.pair([CENTRE] + workers[:19], 50)[1] == 'Train_SCV_quick'
        assert game.pair([CENTRE] + workers, 50) is None

    def test_marines_only_with_seven_barracks_in_the_one_with_the_fewest_orders(self):
        game = Game(build_marines.FirstWorkerPlayer)
        assert game.pair(self.BASE + barracks(*[0] * 6), 50)[1] == 'Train_SCV_quick'
        rows = self.BASE + barracks(2, 2, 1, 2, 1, 2, 2)
        assert game.pair(rows, 50) == ([62, 50], 'Train_Marine_quick', None)
        assert game.pair(rows, 50, food=(15, 15)) is None

    def test_a_depot_when_no_supply_is_left(self):
        game = Game(build_marines.FirstWorkerPlayer)
        full = 15, 15
        order = 'Build_SupplyDepot_screen'
        assert game.pair(self.BASE, 100, full) == ([20, 20], order, [20, 6])
        assert game.pair(self.BASE + depots(24), 100, full)[2] == [50, 56]
        assert game.pair(self.BASE + depots(25), 100, full) is None

    def test_an_idle_worker_builds_and_depots_never_end(self):
        game = Game(build_marines.IdleWorkerPlayer)
        full = 15, 15
        order = 'Build_SupplyDepot_screen'
        assert game.pair(self.BASE, 100, full) == ([20, 20], order, [22, 12])
        sites = [game.pair(self.BASE + depots(16), 100, full)[2] for _ in range(200)]
        # Up to four radii of 9 pixels around the centre, but one to the right, inside the screen.
        assert np.min(sites, axis=0).tolist() == [0, 0]
        assert 38 <= np.max(sites, axis=0)[0] <= 42 and 64 <= np.max(sites, axis=0)[1] <= 69
        assert len({tuple(site) for site in sites}) > 150
        assert game.pair(self.BASE + [IDLE], 100, full) == HARVEST
