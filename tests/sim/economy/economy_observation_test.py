import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import functions, orders, unit_types
from sc2impala.sim.economy import economy_observation
from sc2impala.sim.units import NO_TYPE

GAS, MARINES = 'CollectMineralsAndGas', 'BuildMarines'


class Economy:
    """A game at its beginning, with a record that tests can change."""

    def __init__(self, map_name=GAS):
        self.game = sim.make(map_name, [3], (84, 84), (64, 64), ['pathable', 'buildable'])
        self.game.reset()
        self.g = self.game.games[0]
        self.first = len(self.g.goal_x)
        self.ids = [unit_type.unit_type for unit_type in self.game.unit_types]

    def slot(self, unit_type):
        """The first slot of a type."""
        return np.flatnonzero(self.g.alive * (self.g.type == self.ids.index(unit_type.unit_type)))[
            0
        ]

    def put(self, unit_type):
        """Creates a building of player 1 in the next slot."""
        slot = int(self.g.unit_end)
        self.g.alive[slot], self.g.owner[slot] = True, unit_types.SELF
        self.g.type[slot], self.g.health[slot] = self.ids.index(unit_type.unit_type), 100
        self.g.unit_end += 1
        return slot

    def train(self, slot, *types, until=0):
        """Sets the queue of a building, whose first unit is complete in frame `until`."""
        queue = self.g.queue[slot - self.first]
        queue[:] = NO_TYPE
        queue[: len(types)] = [self.ids.index(unit_type.unit_type) for unit_type in types]
        self.g.training_until[slot - self.first] = until

    def select(self, *slots):
        self.game.select(np.isin(np.arange(len(self.g.alive)), slots)[None])

    def observe(self):
        self.game.select(self.game.games['selected'] != 0)  # The record has changed.
        return {
            name: value[0] for name, value in self.game.observe().items() if hasattr(value, 'dtype')
        }

    def offers(self):
        return set(np.flatnonzero(self.observe()['available_actions']))


@pytest.mark.parametrize('map_name, idle', [(MARINES, 0), (GAS, 12)])
def test_the_player_at_the_beginning(map_name, idle):
    seen = Economy(map_name).observe()
    np.testing.assert_array_equal(seen['player'], [1, 50, 0, 12, 15, 0, 12, idle, 0, 0, 0])


def test_units_in_training_use_supply():
    economy = Economy(MARINES)
    economy.train(economy.slot(unit_types.COMMAND_CENTER), unit_types.SCV, unit_types.SCV, until=9)
    barracks, waiting = economy.put(unit_types.BARRACKS), economy.put(unit_types.BARRACKS)
    economy.train(barracks, unit_types.MARINE, until=30)
    economy.train(waiting, unit_types.MARINE)
    assert economy.observe()['player'].tolist() == [1, 50, 0, 14, 15, 1, 13, 0, 0, 0, 0]


def test_the_score_counts_what_is_complete_collected_and_spent():
    economy = Economy()
    g = economy.g
    economy.put(unit_types.BARRACKS)
    g.unfinished[economy.put(unit_types.SUPPLY_DEPOT)] = 5
    g.collected_minerals, g.collected_vespene = 4, 5
    g.spent_minerals, g.spent_vespene = 50, 1
    g.rate_minerals, g.rate_vespene = 700.9, 90.2
    row = economy.observe()['score_cumulative'].tolist()
    assert row == [0, 0, 0, 600, 550, 0, 0, 4, 5, 700, 90, 50, 1]


def test_idle_time_is_summed_over_units_in_seconds():
    economy = Economy()
    busy, idle = economy.put(unit_types.BARRACKS), economy.put(unit_types.BARRACKS)
    economy.g.unfinished[economy.put(unit_types.COMMAND_CENTER)] = 1000
    economy.put(unit_types.SUPPLY_DEPOT)
    economy.train(busy, unit_types.MARINE, until=1000)
    economy.train(idle)
    economy.g.order_kind[:3, 0] = orders.HOLD
    economy.game.advance(np.array([24]))
    # One barracks and the command center; nine of twelve workers.
    assert economy.observe()['score_cumulative'][1:3].tolist() == [3, 13]


def test_the_queue_of_the_only_selected_building():
    economy = Economy()
    centre = economy.slot(unit_types.COMMAND_CENTER)
    economy.train(centre, unit_types.SCV, unit_types.SCV, until=272 - 68)
    economy.select(centre)
    seen = economy.observe()
    worker = [45, 1, 45, 0, 0, 0]
    assert seen['build_queue'].tolist() == [worker + [25], worker + [0]] + [[0] * 7] * 3
    assert seen['production_queue'].tolist() == [[524, 25], [524, 0]] + [[0, 0]] * 3
    assert seen['build_queue_count'] == 2
    economy.select(centre, 0)
    seen = economy.observe()
    assert not seen['build_queue'].any() and not seen['build_queue_count']


def test_maps_without_an_economy_have_empty_queues():
    game = sim.make('MoveToBeacon', [1, 2], (84, 84), (64, 64))
    game.reset()
    seen = game.observe()
    for name in ('build_queue', 'production_queue', 'build_queue_count', 'alerts'):
        assert not seen[name].any() and seen[name].dtype == np.int32


def test_what_is_offered_to_workers():
    economy = Economy()
    builds = {functions.BUILD_SUPPLY_DEPOT_SCREEN, functions.BUILD_REFINERY_SCREEN}
    economy.select(0)
    assert functions.SELECT_IDLE_WORKER in economy.offers()
    assert not economy.offers() & (builds | {functions.HARVEST_RETURN_QUICK, functions.HALT_QUICK})
    economy.g.minerals = 100
    economy.g.cargo[0] = 5
    economy.g.bound[0] = True
    assert economy.offers() > builds | {functions.HARVEST_RETURN_QUICK, functions.HALT_QUICK}
    assert functions.BUILD_BARRACKS_SCREEN not in economy.offers()
    economy.g.order_kind[:12, 0] = 2
    assert functions.SELECT_IDLE_WORKER not in economy.offers()


def test_barracks_need_a_depot():
    economy = Economy(MARINES)
    economy.select(0)
    economy.g.minerals = 1000
    assert functions.BUILD_BARRACKS_SCREEN not in economy.offers()
    depot = economy.put(unit_types.SUPPLY_DEPOT)
    assert functions.BUILD_BARRACKS_SCREEN in economy.offers()
    economy.g.unfinished[depot] = 1
    assert functions.BUILD_BARRACKS_SCREEN not in economy.offers()


def test_what_is_offered_to_buildings():
    economy = Economy()
    centre = economy.slot(unit_types.COMMAND_CENTER)
    economy.select(centre)
    assert functions.TRAIN_SCV_QUICK in economy.offers()
    cancels = {functions.CANCEL_LAST_QUICK, functions.BUILD_QUEUE}
    assert not economy.offers() & cancels
    economy.train(centre, unit_types.SCV)
    assert economy.offers() > cancels
    economy.select(centre, 0)
    assert functions.BUILD_QUEUE not in economy.offers()
    assert functions.CANCEL_QUICK not in economy.offers()
    depot = economy.put(unit_types.SUPPLY_DEPOT)
    economy.g.unfinished[depot] = 7
    economy.select(depot)
    assert functions.CANCEL_QUICK in economy.offers()
    economy.g.minerals = 49
    economy.select(centre)
    assert functions.TRAIN_SCV_QUICK not in economy.offers()


def test_buildings_cover_the_ground():
    economy = Economy()
    before = {name: image[0].copy() for name, image in economy.game.observe()['screen'].items()}
    # Pixel (42, 42) shows the cell (32, 24).
    economy.g.taken[24, 32] = not economy.g.taken[24, 32]
    economy.g._ground_changed = True
    after = economy.game.observe()['screen']
    for name in ('pathable', 'buildable'):
        rows, columns = np.nonzero(after[name][0] != before[name])
        assert 3 <= len(set(rows)) <= 4 and 3 <= len(set(columns)) <= 4
        assert abs(rows - 42).max() <= 4 and abs(columns - 42).max() <= 4


def test_abilities_are_those_of_the_functions():
    from tests.sim.functions_test import pysc2_actions

    for function, unit_type in (
        (functions.TRAIN_MARINE_QUICK, unit_types.MARINE),
        (functions.TRAIN_SCV_QUICK, unit_types.SCV),
    ):
        ability = pysc2_actions.FUNCTIONS[function].ability_id
        assert economy_observation._training_ability(unit_type.unit_type) == ability
