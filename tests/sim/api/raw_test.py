import numpy as np
import pytest
from s2clientprotocol import sc2api_pb2

from sc2impala.sim.api import raw
from tests.sim.api import helpers

MARINE, ROACH, SCV, MINERALS, COMMAND_CENTER = 48, 110, 45, 341, 18
ATTACK, MOVE, GATHER, TRAIN_SCV, BUILD_DEPOT, STOP = 3674, 3794, 3666, 524, 319, 3665
SUCCESS, NOT_SUPPORTED, ERROR, NOT_ENOUGH_MINERALS = 1, 2, 3, 9
DEPOT = 19


def units(client, kind=None):
    shown = client.observe().observation.raw_data.units
    return [unit for unit in shown if kind in (None, unit.unit_type)]


def order(ability, tags, target=None, point=None, queued=False):
    action = sc2api_pb2.Action()
    command = action.action_raw.unit_command
    command.ability_id, command.queue_command = ability, queued
    command.unit_tags.extend(tags)
    if target is not None:
        command.target_unit_tag = target
    if point is not None:
        command.target_world_space_pos.x, command.target_world_space_pos.y = point
    return action


@pytest.fixture
def battle():
    return helpers.Client().start('DefeatRoaches', raw=True)


@pytest.fixture
def base():
    return helpers.Client().start('CollectMineralsAndGas', raw=True)


def test_what_units_look_like(battle):
    marines, roaches = units(battle, MARINE), units(battle, ROACH)
    assert (len(marines), len(roaches)) == (9, 4)
    assert {(u.alliance, u.owner, u.health, u.health_max) for u in marines} == {(1, 1, 45, 45)}
    assert {(u.alliance, u.owner, u.health, u.health_max) for u in roaches} == {(4, 2, 145, 145)}
    assert {(u.display_type, u.cloak, u.radius, u.build_progress) for u in marines} == {
        (1, 3, 0.375, 1.0)
    }
    assert len({unit.tag for unit in units(battle)}) == 13
    assert all(unit.tag for unit in units(battle))
    assert all(unit.is_on_screen for unit in units(battle))


def test_units_keep_their_tags_and_new_ones_have_others(battle):
    marines, roaches = ({unit.tag for unit in units(battle, kind)} for kind in (MARINE, ROACH))
    target = min(roaches)
    battle.act(order(ATTACK, marines, target=target))
    while target in {unit.tag for unit in units(battle, ROACH)}:
        battle.step(8)
    assert {unit.tag for unit in units(battle, ROACH)} < roaches
    assert {unit.tag for unit in units(battle, MARINE)} <= marines


def test_an_order_selects_its_units_and_they_obey(battle):
    first, second = sorted(unit.tag for unit in units(battle, MARINE))[:2]
    x, y = [(u.pos.x, u.pos.y) for u in units(battle, MARINE) if u.tag == first][0]
    assert battle.act(order(MOVE, [first, second], point=(x + 1, y - 1))) == [SUCCESS]
    chosen = {unit.tag: [o.ability_id for o in unit.orders] for unit in units(battle, MARINE)}
    assert [chosen[tag] for tag in (first, second)] == [[16], [16]]
    assert {unit.tag for unit in units(battle) if unit.is_selected} == {first, second}
    others = {tag: place for tag, place in chosen.items() if tag not in (first, second)}
    assert 16 not in sum(others.values(), [])
    battle.act(order(MOVE, [first], point=(x, y), queued=True))
    assert [len(u.orders) for u in units(battle, MARINE) if u.tag == first] == [2]
    battle.act(order(STOP, [first]))
    assert [len(u.orders) for u in units(battle, MARINE) if u.tag == first] == [0]


def test_work_in_an_economy(base):
    workers = sorted(unit.tag for unit in units(base, SCV))
    (home,) = (unit.tag for unit in units(base, COMMAND_CENTER))
    field = units(base, MINERALS)[0].tag
    assert base.act(order(GATHER, workers[:3], target=field)) == [SUCCESS]
    assert base.act(order(TRAIN_SCV, [home])) == [SUCCESS]
    shown = {unit.tag: unit for unit in units(base)}
    assert [o.ability_id for o in shown[workers[0]].orders] == [295]
    assert [o.ability_id for o in shown[home].orders] == [TRAIN_SCV]
    base.step(100)
    shown = {unit.tag: unit for unit in units(base)}
    assert 0.2 < shown[home].orders[0].progress < 0.6
    base.step(2000)
    assert base.observe().observation.player_common.minerals > 0


def test_orders_name_their_targets(base):
    first, second, third = sorted(unit.tag for unit in units(base, SCV))[:3]
    field = units(base, MINERALS)[0].tag
    base.act(order(GATHER, [first], target=field))
    base.act(
        order(MOVE, [second], point=(30, 28)), order(MOVE, [second], point=(31, 28), queued=True)
    )
    shown = {unit.tag: unit.orders for unit in units(base, SCV)}
    assert [each.target_unit_tag for each in shown[first]] == [field]
    assert not shown[first][0].HasField('target_world_space_pos')
    points = [(o.target_world_space_pos.x, o.target_world_space_pos.y) for o in shown[second]]
    assert points == [(30, 28), (31, 28)] and not shown[third]


def test_units_that_died_are_events(battle):
    marines, roaches = ({unit.tag for unit in units(battle, kind)} for kind in (MARINE, ROACH))
    battle.act(order(ATTACK, marines, target=min(roaches)))
    dead = []
    for _ in range(60):
        battle.step(8)
        raw_data = battle.observe().observation.raw_data
        dead.extend(raw_data.event.dead_units)
        alive = {unit.tag for unit in raw_data.units}
        if min(roaches) not in alive:
            break
    assert min(roaches) in dead and len(dead) == len(set(dead))
    assert set(dead) == (marines | roaches) - alive
    battle.ask(restart_game=True)
    assert not battle.observe().observation.raw_data.event.dead_units


def test_where_there_is_no_money_the_error_says_so(base):
    workers = [unit.tag for unit in units(base, SCV)]
    assert base.act(order(BUILD_DEPOT, workers[:1], point=(40, 28)))[0] > SUCCESS
    (error,) = base.observe().action_errors
    assert (error.ability_id, error.unit_tag) == (BUILD_DEPOT, workers[0])


def test_errors_of_builds_that_fail_on_arrival(base):
    workers = sorted(unit.tag for unit in units(base, SCV))
    field = units(base, MINERALS)[0].tag
    base.act(order(GATHER, workers, target=field))
    while base.observe().observation.player_common.minerals < 100:
        base.step(8)
    # There is money for one of the depots.
    sites = {tag: (34, 22 + 4 * place) for place, tag in enumerate(workers[:3])}
    for tag, point in sites.items():
        assert base.act(order(BUILD_DEPOT, [tag], point=point)) == [SUCCESS]
    base.step(100)
    observation = base.observe()
    depots = [u for u in observation.observation.raw_data.units if u.unit_type == DEPOT]
    assert len(depots) == 1
    failed = set(sites) - {tag for tag in sites if sites[tag] == (depots[0].pos.x, depots[0].pos.y)}
    errors = {(e.unit_tag, e.ability_id, e.result) for e in observation.action_errors}
    assert errors == {(tag, BUILD_DEPOT, NOT_ENOUGH_MINERALS) for tag in failed}
    assert len(observation.action_errors) == 2
    assert not base.observe().action_errors


def test_the_list_of_units_changes_its_order_and_an_observation_does_not(base):
    lists = []
    for _ in range(8):
        tags = [unit.tag for unit in units(base)]
        assert tags == [unit.tag for unit in units(base)]
        lists.append(tuple(tags))
        base.step(1)
    assert len(set(lists)) == 8 and len({frozenset(tags) for tags in lists}) == 1


def test_an_order_may_leave_the_selection_as_it_is():
    client = helpers.Client().start('DefeatRoaches', raw=True, raw_affects_selection=False)
    client.step(1)
    before = {unit.tag for unit in units(client) if unit.is_selected}
    first = min(unit.tag for unit in units(client, MARINE))
    assert client.act(order(MOVE, [first], point=(30, 30))) == [SUCCESS]
    assert {unit.tag for unit in units(client) if unit.is_selected} == before != {first}
    assert [u.tag for u in units(client, MARINE) if u.orders] == [first]


def test_coordinates_relative_to_the_playable_area():
    cropped = helpers.Client().start('BuildMarines', raw=True, raw_crop_to_playable_area=True)
    whole = helpers.Client().start('BuildMarines', raw=True)
    corner = np.array([19, 18])
    start, reference = (
        client.ask(game_info=True).game_info.start_raw for client in (cropped, whole)
    )
    assert (start.map_size.x, start.map_size.y) == (27, 19)
    assert (start.playable_area.p1.x, start.playable_area.p1.y) == (27, 19)
    assert (start.pathing_grid.size.x, start.placement_grid.size.y) == (27, 19)
    assert (reference.map_size.x, reference.playable_area.p0.x) == (64, 19)
    camera, other = (c.observe().observation.raw_data.player.camera for c in (cropped, whole))
    assert (camera.x + 19, camera.y + 18) == pytest.approx((other.x, other.y), abs=1e-5)
    for client, offset in ((cropped, corner), (whole, 0 * corner)):
        client.step(300)
        tag = min(unit.tag for unit in units(client, SCV))
        point = np.array([34, 22]) - offset
        assert client.act(order(BUILD_DEPOT, [tag], point=point.tolist())) == [SUCCESS]
        (builder,) = (unit for unit in units(client, SCV) if unit.tag == tag)
        target = builder.orders[0].target_world_space_pos
        assert (target.x, target.y) == tuple(point.tolist())
        client.step(100)
    places = [
        sorted((unit.unit_type, unit.pos.x + x, unit.pos.y + y) for unit in units(client))
        for client, (x, y) in ((cropped, (19, 18)), (whole, (0, 0)))
    ]
    assert (DEPOT, 34, 22) in places[0]
    np.testing.assert_allclose(places[0], places[1], atol=1e-5)


def test_orders_that_make_no_sense_are_errors(battle):
    marine, roach = units(battle, MARINE)[0].tag, units(battle, ROACH)[0].tag
    for action, code in [
        (order(MOVE, [], point=(30, 30)), ERROR),
        (order(MOVE, [123456789], point=(30, 30)), ERROR),
        (order(MOVE, [2**64 - 1], point=(30, 30)), ERROR),
        (order(MOVE, [roach], point=(30, 30)), ERROR),
        (order(ATTACK, [marine], target=77), ERROR),
        (order(4711, [marine]), NOT_SUPPORTED),
        (order(MOVE, [marine]), NOT_SUPPORTED),
    ]:
        assert battle.act(action) == [code], action
        assert [error.result for error in battle.observe().action_errors] == [code]
    assert battle.act(order(MOVE, [marine], point=(float('nan'), float('inf')))) == [SUCCESS]


def test_the_camera_moves_where_it_can():
    client = helpers.Client().start('FindAndDefeatZerglings', raw=True)
    before = client.observe().observation.raw_data.player.camera
    action = sc2api_pb2.Action()
    action.action_raw.camera_move.center_world_space.x = before.x + 5
    action.action_raw.camera_move.center_world_space.y = before.y
    assert client.act(action) == [SUCCESS]
    after = client.observe().observation.raw_data.player.camera
    assert (after.x, after.y) == (before.x + 5, before.y)


def test_hidden_enemies_are_not_listed():
    client = helpers.Client().start('FindAndDefeatZerglings', raw=True)
    assert len(units(client)) < 10


def test_without_layers_there_are_none():
    client = helpers.Client().start('DefeatRoaches', raw=True, size=0)
    observation = client.observe().observation
    assert not observation.HasField('feature_layer_data')
    assert len(observation.raw_data.units) == 13


def test_per_cent_survive_single_precision():
    for value in list(range(101)) + [12.3, 99.99, 28.999]:
        assert int(float(np.float32(raw.percent(value))) * 100) == int(value), value
        assert raw.percent(value) == pytest.approx(value / 100, abs=0.01), value


@pytest.mark.parametrize('value', [0.0, 45.0, 234.99999999999, 234.5, 1e-9, 99.99999999])
def test_integer_parts_survive_single_precision(value):
    assert int(raw.single(value)) == int(value)
    assert raw.single(value) == np.float32(raw.single(value)) == pytest.approx(value, abs=1e-4)
