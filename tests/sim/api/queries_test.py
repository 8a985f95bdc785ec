import math

import pytest
from s2clientprotocol import query_pb2

from sc2impala.sim.api import abilities
from tests.sim.api import helpers

SUCCESS, NOT_SUPPORTED, NOT_ENOUGH_MINERALS, NO_DEPOT, INVALID, TOO_CLOSE = 1, 2, 9, 40, 44, 47
SCV, COMMAND_CENTER, GEYSER = 45, 18, 342


@pytest.fixture
def base():
    return helpers.Client().start('CollectMineralsAndGas', seed=4, raw=True)


@pytest.fixture
def battle():
    return helpers.Client().start('DefeatRoaches', raw=True)


def units(client, kind):
    shown = client.observe().observation.raw_data.units
    return [unit for unit in shown if unit.unit_type == kind]


def places(client, ability, points, rich=True):
    """The ActionResults of building at points."""
    request = query_pb2.RequestQuery(ignore_resource_requirements=rich)
    for point in points:
        target = request.placements.add(ability_id=ability).target_pos
        target.x, target.y = point
    return [found.result for found in client.ask(query=request).query.placements]


def place(client, ability, point, rich=True):
    """The ActionResult of building at a point."""
    (result,) = places(client, ability, [point], rich)
    return result


def walk(client, end, start=None, tag=None):
    """The distance from a point or a unit to a point."""
    request = query_pb2.RequestQuery()
    question = request.pathing.add()
    question.end_pos.x, question.end_pos.y = end
    if tag is None:
        question.start_pos.x, question.start_pos.y = start
    else:
        question.unit_tag = tag
    (found,) = client.ask(query=request).query.pathing
    return found.distance


def offers(client, *tags, rich=False):
    request = query_pb2.RequestQuery(ignore_resource_requirements=rich)
    for tag in tags:
        request.abilities.add(unit_tag=tag)
    found = client.ask(query=request).query.abilities
    return [({each.ability_id for each in one.abilities}, one.unit_type_id) for one in found]


@pytest.mark.long
def test_barracks_can_stand_at_the_lower_border():
    """The sites of a published agent (ccr-cheng), at pixels of a screen of 84 x 84."""
    client = helpers.Client().start('BuildMarines', raw=True)
    camera = client.observe().observation.raw_data.player.camera
    pixels = [(15 + 11 * i, 60) for i in range(7)]
    pixels += [(26 + 11 * i, 49) for i in range(6)] + [(48 + 11 * i, 38) for i in range(4)]
    sites = [
        (camera.x - 12 + (x + 0.5) * 24 / 84, camera.y + 12 - (y + 0.5) * 24 / 84)
        for x, y in pixels
    ]
    assert places(client, abilities.BUILD_BARRACKS, sites) == [NO_DEPOT] * len(sites)
    beyond = [(x, y - 1) for x, y in sites[:7]] + [(x + 1, y) for x, y in (sites[6], sites[-1])]
    assert places(client, abilities.BUILD_BARRACKS, beyond) == [INVALID] * len(beyond)


@pytest.mark.long
def test_locations_of_buildings(base):
    home, geyser = units(base, COMMAND_CENTER)[0].pos, units(base, GEYSER)[0].pos
    free = home.x - 1, home.y + 6
    assert place(base, abilities.BUILD_SUPPLY_DEPOT, free) == SUCCESS
    assert place(base, abilities.BUILD_SUPPLY_DEPOT, (home.x, home.y)) == INVALID
    assert place(base, abilities.BUILD_SUPPLY_DEPOT, (1, 1)) == INVALID
    assert place(base, abilities.BUILD_SUPPLY_DEPOT, (math.nan, math.inf)) == INVALID
    assert place(base, abilities.BUILD_REFINERY, (geyser.x, geyser.y)) == SUCCESS
    assert place(base, abilities.BUILD_REFINERY, free) == INVALID
    points = [(home.x + x, home.y + y) for x in range(-12, 13) for y in range(-12, 13)]
    found = places(base, abilities.BUILD_COMMAND_CENTER, points)
    assert set(found) == {SUCCESS, INVALID, TOO_CLOSE}
    for ability in (0, 4711, abilities.TRAIN_SCV, abilities.MOVE):
        assert place(base, ability, free) == NOT_SUPPORTED


def test_locations_with_and_without_money():
    base = helpers.Client().start('BuildMarines', raw=True)
    home = units(base, COMMAND_CENTER)[0].pos
    free = home.x - 1, home.y + 6
    assert place(base, abilities.BUILD_SUPPLY_DEPOT, free, rich=False) == NOT_ENOUGH_MINERALS
    assert place(base, abilities.BUILD_SUPPLY_DEPOT, free) == SUCCESS
    assert place(base, abilities.BUILD_BARRACKS, free) == NO_DEPOT


def test_without_an_economy_nothing_can_be_built(battle):
    assert place(battle, abilities.BUILD_SUPPLY_DEPOT, (30, 30)) == NOT_SUPPORTED


def test_ways_on_open_ground(battle):
    marine = units(battle, 48)[0]
    start = marine.pos.x, marine.pos.y
    assert walk(battle, (30, 28), start=(27, 24)) == pytest.approx(5)
    expected = math.hypot(30 - start[0], 28 - start[1])
    assert walk(battle, (30, 28), tag=marine.tag) == pytest.approx(expected)
    assert walk(battle, (1, 1), tag=marine.tag) == 0
    assert walk(battle, (30, 28), start=(1, 1)) == 0
    assert walk(battle, (30, 28), tag=123456) == 0


@pytest.mark.long
def test_ways_around_buildings(base):
    home = units(base, COMMAND_CENTER)[0].pos
    left, right = (home.x - 4, home.y), (home.x + 4, home.y)
    way = walk(base, right, start=left)
    assert 9 < way < 16
    assert walk(base, left, start=right) == pytest.approx(way, abs=2)
    assert walk(base, (home.x, home.y), start=left) == 0


def test_abilities_of_units(base):
    worker, home = units(base, SCV)[0].tag, units(base, COMMAND_CENTER)[0].tag
    (of_worker, of_home, of_nobody) = offers(base, worker, home, 987654)
    assert of_worker[1] == SCV and of_home[1] == COMMAND_CENTER
    assert {abilities.MOVE, abilities.GATHER, abilities.STOP} <= of_worker[0]
    assert abilities.BUILD_SUPPLY_DEPOT not in of_worker[0]
    assert abilities.TRAIN_SCV in of_home[0] and abilities.MOVE not in of_home[0]
    assert of_nobody == (set(), 0)
    ((rich, _),) = offers(base, worker, rich=True)
    assert abilities.BUILD_SUPPLY_DEPOT in rich and abilities.BUILD_BARRACKS not in rich


def test_enemies_offer_nothing(battle):
    assert offers(battle, units(battle, 110)[0].tag) == [(set(), 110)]


def test_a_question_changes_nothing(base):
    twin = helpers.Client().start('CollectMineralsAndGas', seed=4, raw=True)
    for _ in range(5):
        offers(base, units(base, SCV)[3].tag, rich=True)
        place(base, abilities.BUILD_SUPPLY_DEPOT, (30, 30))
        walk(base, (30, 30), start=(25, 25))
        for client in (base, twin):
            client.step(40)
        units(twin, SCV)
    assert base.observe() == twin.observe()
    restart = [client.ask(restart_game=True) and client.observe() for client in (base, twin)]
    assert restart[0] == restart[1]


def test_questions_are_answered_in_their_order(battle):
    assert not battle.ask(query=True).query.ListFields()
    request = query_pb2.RequestQuery()
    for x in (28, 26):
        question = request.pathing.add()
        question.start_pos.x, question.start_pos.y = 25, 25
        question.end_pos.x, question.end_pos.y = x, 25
    found = battle.ask(query=request).query.pathing
    assert [way.distance for way in found] == [3, 1]
