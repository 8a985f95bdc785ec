"""The players that follow a build order: every call follows from what is seen at the time."""

import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs import demonstrator, players
from sc2impala.envs.players import build_marines, collect_minerals_and_gas, unit_types
from sc2impala.envs.players.build_order import NOTHING, Town, first_missing
from tests.envs.players import boards

LEFT_FIELD = boards.unit(unit_types.MINERAL_FIELD, boards.NEUTRAL, 7, 29)
RIGHT_FIELD = boards.unit(unit_types.MINERAL_FIELD, boards.NEUTRAL, 77, 29)
FIELDS = [LEFT_FIELD, boards.unit(unit_types.MINERAL_FIELD, boards.NEUTRAL, 12, 10), RIGHT_FIELD]
SELECT, IDLE_WORKER = 'select_point', 'select_idle_worker'


def scv(x, y=33, order=unit_types.GATHERING, **columns):
    has_order = int(order > 0)
    return boards.unit(
        unit_types.SCV, boards.MINE, x, y, order_length=has_order, order_id_0=order, **columns
    )


def building(unit_type, x, y=33, **columns):
    return boards.unit(unit_type, boards.MINE, x, y, **columns)


def centre(x=33, **columns):
    return building(unit_types.COMMAND_CENTER, x, **columns)


def depot(x=1, y=1, **columns):
    return building(unit_types.SUPPLY_DEPOT, x, y, **columns)


def observe(rows, minerals=0, food=(12, 15), workers=12):
    return {
        'feature_units': boards.feature_units(rows),
        'player': np.array([[1, minerals, 0, food[0], food[1], 0, workers, 0, 0, 0, 0]]),
    }


def call(player_class, rows, minerals=0, food=(12, 15), workers=12, missing=()):
    """The call on an observation: the name, and its arguments if there are some."""
    player = boards.make(player_class)
    observation = observe(rows, minerals, food, workers)
    available = [name not in missing for name in player.action_spec.function_names]
    observation['available_actions'] = np.array([available])
    # It does not matter what was called before.
    first, second = (boards.calls(player, observation)[0] for _ in range(2))
    assert first == second
    name, arguments = first
    return (name, *arguments) if arguments else name


def see(rows, **kwargs):
    return Town(observe(rows, **kwargs), (84, 84))


class TestTown:
    def test_what_is_complete_selected_and_in_queues(self):
        half = centre(51, build_progress=50, order_length=1, is_selected=1)
        town = see([centre(order_length=2), half, scv(20)], workers=14)
        assert town.number(unit_types.COMMAND_CENTER) == [2]
        assert town.complete(unit_types.COMMAND_CENTER).tolist() == [[True, False, False]]
        assert town.queued(unit_types.COMMAND_CENTER) == [2]
        assert town.selected.tolist() == [[False, True, False]]
        assert town.workers == [14]

    def test_a_worker_is_free_until_it_stands_at_its_building(self):
        order = unit_types.CONSTRUCTION[unit_types.COMMAND_CENTER]
        unfinished = centre(51, build_progress=10)
        # The corner of a command centre is 3.5 cells across and down from its middle.
        workers = [scv(20), scv(30, 33, 0), scv(40, 22, order), scv(60, 50, order), scv(45)]
        assert see([unfinished] + workers).free_workers().tolist() == [
            [False, True, True, False, True, True]
        ]
        assert see([centre(51)] + workers).free_workers().sum() == 5

    def test_a_worker_below_a_marine_cannot_be_clicked_on(self):
        marine = boards.unit(unit_types.MARINE, boards.MINE, 21, 34)
        town = see([marine, scv(21, 34), scv(25, 34), scv(30, 34)])
        assert town.below_marines((84, 84)).tolist() == [[True, True, False, False]]
        # A pixel is 5.25 times as wide: columns 21 to 26 are one.
        assert town.below_marines((16, 16)).tolist() == [[True, True, True, False]]
        rows = [scv(21, 34), scv(30, 34), centre()]
        for more, x in (([], 21), ([marine], 30)):
            selected = call(build_marines.SixBarracksPlayer, rows + more, 100, (15, 15))
            assert selected == (SELECT, [2], [x, 34])

    def test_sites_are_taken_by_what_overlaps_them(self):
        sites = np.array([(10, 4), (13, 4)])
        where = np.array([True])

        def first(*rows):
            index, found = see(rows).first_site(where, sites, unit_types.SUPPLY_DEPOT)
            return index.item() if found.item() else None

        assert first(scv(35, 14)) == 0
        assert first(depot(35, 14)) == 1
        assert first(building(unit_types.BARRACKS, 37, 21)) == 1
        # One cell off the first site it covers a part of the second one, too.
        assert first(depot(40, 14)) is None
        town = see([scv(1)])
        assert town.first_site(~where, sites, unit_types.SUPPLY_DEPOT)[1].tolist() == [False]

    def test_an_entry_of_a_build_order_waits_for_workers_and_later_ones_for_it(self):
        order = (
            (unit_types.SUPPLY_DEPOT, 1, 0),
            (unit_types.REFINERY, 1, 16),
            (unit_types.SUPPLY_DEPOT, 2, 0),
        )
        refinery = building(unit_types.REFINERY, 60)
        assert first_missing(see([centre()]), order) == [unit_types.SUPPLY_DEPOT]
        assert first_missing(see([depot()]), order) == [NOTHING]
        assert first_missing(see([depot()], workers=16), order) == [unit_types.REFINERY]
        assert first_missing(see([depot(), refinery]), order) == [unit_types.SUPPLY_DEPOT]
        assert first_missing(see([depot(), depot(), refinery], workers=30), order) == [NOTHING]


class TestTwoBases:
    PLAYER = collect_minerals_and_gas.TwoBasesPlayer
    GEYSERS = [
        boards.unit(unit_types.VESPENE_GEYSER, boards.NEUTRAL, x, y)
        for x, y in ((65, 8), (19, 57), (19, 8), (65, 57))
    ]
    BASE = FIELDS + GEYSERS + [centre()]

    def call(self, rows, *args, **kwargs):
        return call(self.PLAYER, self.BASE + rows, *args, **kwargs)

    def test_idle_workers_harvest_on_the_left_until_there_are_two_centres(self):
        idle = [scv(30, 20, 0), scv(30, 22, 0), scv(20)]
        selected = [scv(30, 20, 0, is_selected=1), scv(30, 22, 0, is_selected=1), scv(20)]
        assert self.call(idle) == (IDLE_WORKER, [2])
        harvest = 'Harvest_Gather_screen'
        assert self.call(selected) == (harvest, [0], [7, 29])
        assert self.call(selected + [centre(51)]) == (harvest, [0], [77, 29])
        assert self.call(selected + [centre(51, build_progress=99)]) == (harvest, [0], [7, 29])

    def test_workers_that_have_work_are_left_alone(self):
        rows = [scv(30, 20, 0, is_selected=1), scv(20, is_selected=1)]
        assert self.call(rows) == (IDLE_WORKER, [2])
        assert self.call([scv(20, is_selected=1)]) == 'no_op'

    def test_three_workers_for_each_refinery(self):
        rows = [scv(30, 20, 0, is_selected=1)]
        refineries = [building(unit_types.REFINERY, 65, 8), building(unit_types.REFINERY, 19, 57)]
        rows += refineries
        assert self.call(rows, workers=17)[-1] == [7, 29]
        assert self.call(rows, workers=18)[-1] == [19, 57]
        rows[-1] = building(unit_types.REFINERY, 19, 57, assigned_harvesters=3)
        assert self.call(rows, workers=18)[-1] == [65, 8]
        rows[-2] = building(unit_types.REFINERY, 65, 8, build_progress=20)
        assert self.call(rows, workers=18)[-1] == [7, 29]

    def test_one_worker_builds_until_the_building_appears(self):
        assert self.call([scv(20), scv(26)], 100) == (SELECT, [2], [20, 33])
        assert self.call([scv(20), scv(40, 20, 0)], 100) == (IDLE_WORKER, [0])
        order = unit_types.CONSTRUCTION[unit_types.SUPPLY_DEPOT]
        for worker in (scv(20, is_selected=1), scv(30, 20, order, is_selected=1)):
            site = 'Build_SupplyDepot_screen', [0], [38, 7]
            assert self.call([worker, scv(26)], 100) == site
        two = [scv(20, is_selected=1), scv(21, is_selected=1)]
        assert self.call(two, 100) == site
        # That one is busy with the first depot.
        rows = [depot(38, 7, build_progress=5), scv(38, 12, order, is_selected=1), scv(26)]
        assert self.call(rows, 400) == (SELECT, [2], [26, 33])

    def test_the_second_centre_comes_after_a_depot(self):
        worker = scv(20, is_selected=1)
        expand = 'Build_CommandCenter_screen', [0], [51, 33]
        assert self.call([worker, depot()], 400) == expand
        assert self.call([worker], 400)[0] == 'Build_SupplyDepot_screen'
        assert self.call([worker, depot()], 399, (15, 15)) == 'no_op'

    def test_refineries_stand_on_free_geysers(self):
        rows = [scv(20, is_selected=1), depot(), centre(51)]
        build = 'Build_Refinery_screen'
        assert self.call(rows, 75, (23, 23), 16) == 'no_op'
        assert self.call(rows, 75, workers=17) == (build, [0], [19, 8])
        rows.append(building(unit_types.REFINERY, 19, 8))
        assert self.call(rows, 75, workers=19) == (build, [0], [19, 57])

    def test_all_centres_train_two_workers_each(self):
        rows = [scv(20), depot(), centre(51)]
        assert self.call(rows, 50) == (SELECT, [2], [33, 33])
        assert self.call(rows, 49) == 'no_op'
        assert self.call(rows, 50, (30, 30)) == 'no_op'
        selected = [centre(is_selected=1), centre(51, is_selected=1), depot()]
        no_fields = call(self.PLAYER, selected, 50)
        assert no_fields == ('Train_SCV_quick', [0])
        busy = [centre(is_selected=1, order_length=2), centre(51, is_selected=1, order_length=1)]
        assert call(self.PLAYER, busy, 50)[0] == 'Train_SCV_quick'
        busy[1] = centre(51, is_selected=1, order_length=2)
        assert call(self.PLAYER, busy, 50) == 'no_op'


class TestSixBarracks:
    PLAYER = build_marines.SixBarracksPlayer
    BASE = FIELDS[:2] + [centre(), scv(20, is_selected=1)]
    SUPPLIED = dict(food=(15, 47))

    def call(self, rows, *args, **kwargs):
        return call(self.PLAYER, self.BASE + rows, *args, **kwargs)

    def barracks(self, number, **columns):
        return [
            building(unit_types.BARRACKS, x, y, **columns)
            for x, y in self.PLAYER.sites[unit_types.BARRACKS][:number]
        ]

    def test_a_depot_before_supply_runs_out(self):
        def depot_at(x, y):
            return 'Build_SupplyDepot_screen', [0], [x, y]

        assert self.call([], 149, (12, 15))[0] == SELECT  # A worker.
        assert self.call([], 149, (13, 15)) == depot_at(35, 3)
        assert self.call([depot(35, 3, build_progress=9)], 100, (15, 15)) != depot_at(45, 3)
        rows = [depot(35, 3)] + self.barracks(6)
        assert self.call(rows, 100, (12, 23)) == depot_at(45, 3)
        rows.append(depot(45, 3, build_progress=9))
        assert self.call(rows, 100, (19, 23)) != depot_at(35, 56)

    def test_six_barracks_after_the_first_depot(self):
        build = 'Build_Barracks_screen'
        assert self.call([depot(build_progress=99)], 150, (12, 15))[0] == SELECT
        assert self.call([depot()], 150, **self.SUPPLIED) == (build, [0], [65, 22])
        rows = [depot()] + self.barracks(5)
        assert self.call(rows, 150, **self.SUPPLIED) == (build, [0], [65, 54])
        rows = [depot()] + self.barracks(6)
        assert self.call(rows, 150, **self.SUPPLIED)[0] == SELECT

    def test_marines_in_all_barracks_unless_a_building_is_next(self):
        rows = [depot()] + self.barracks(6)
        full = dict(self.SUPPLIED, workers=25)
        assert self.call(rows, 50, **full) == (SELECT, [2], [65, 8])
        assert self.call(rows, 49, **full) == 'no_op'
        assert self.call([depot()] + self.barracks(5), 50, **full) == 'no_op'
        rows = [depot()] + self.barracks(6, is_selected=1)
        assert self.call(rows, 50, **full) == ('Train_Marine_quick', [0])
        assert self.call(rows, 50, (40, 47), 25) == 'no_op'
        rows = [depot()] + self.barracks(6, is_selected=1, order_length=1)
        assert self.call(rows, 50, **full) == 'no_op'

    def test_without_a_site_for_another_depot_the_marines_go_on(self):
        rows = [depot(x, y) for x, y in self.PLAYER.sites[unit_types.SUPPLY_DEPOT]]
        rows += self.barracks(6, is_selected=1)
        assert self.call(rows, 100, (46, 47), 25) == ('Train_Marine_quick', [0])

    def test_workers_come_before_marines(self):
        rows = [depot()] + self.barracks(6)
        assert self.call(rows, 50, **self.SUPPLIED, workers=24) == (SELECT, [2], [33, 33])


@pytest.mark.parametrize('missing', ['select_idle_worker', 'Harvest_Gather_screen'])
def test_what_is_not_available_is_not_called(missing):
    idle = scv(30, 20, 0, is_selected=missing == 'Harvest_Gather_screen')
    name = call(
        collect_minerals_and_gas.TwoBasesPlayer, FIELDS + [centre(), idle], missing=[missing]
    )[0]
    assert name != missing


@pytest.mark.long
@pytest.mark.parametrize(
    'map_name, least', [('CollectMineralsAndGas', 6400), ('BuildMarines', 138)]
)
def test_the_game_is_played_well_through_the_pixels_of_an_agent_that_often_does_nothing(
    map_name, least
):
    script = players.RULES[map_name]['build_order']
    observation_spec, action_spec = envs.make_specs(map_name, screen_size=(16, 16))
    seen = demonstrator.with_needs(observation_spec, script, fine=True)
    env = envs.make_environment('simulator', map_name, [3], seen, action_spec, 16)
    player = script(seen, action_spec)
    random = np.random.RandomState(0)
    observation, done = env.reset(), np.array([True])
    output = None
    while output is None or not output.done[0]:
        action = player.act(observation, done)
        if random.random_sample() < 0.05:
            action['function'][:] = action_spec.function_names.index('no_op')
        output = env.step(action, np.array([16]))
        observation, done = output.observation, output.done
    assert output.info.episode_return[0] >= least
