import json

import numpy as np
import pytest
from s2clientprotocol import debug_pb2, sc2api_pb2

from sc2impala import sim
from tests.sim.api import helpers

LAUNCHED, INIT, IN_GAME, ENDED, QUIT = (
    sc2api_pb2.launched,
    sc2api_pb2.init_game,
    sc2api_pb2.in_game,
    sc2api_pb2.ended,
    sc2api_pb2.quit,
)


def in_status(status):
    client = helpers.Client()
    if status == INIT:
        client.ask(create_game=helpers.create())
    elif status in (IN_GAME, ENDED):
        client.start()
        if status == ENDED:
            client.step(5000)
    elif status == QUIT:
        client.ask(quit=True)
    assert client.session.status == status
    return client


@pytest.mark.parametrize(
    'request_name, allowed',
    [
        ('create_game', {LAUNCHED, IN_GAME, ENDED}),
        ('join_game', {INIT}),
        ('restart_game', {IN_GAME, ENDED}),
        ('leave_game', {IN_GAME, ENDED}),
        ('game_info', {IN_GAME, ENDED}),
        ('observation', {IN_GAME, ENDED}),
        ('save_replay', {IN_GAME, ENDED}),
        ('data', {IN_GAME, ENDED}),
        ('query', {IN_GAME, ENDED}),
        ('step', {IN_GAME}),
        ('action', {IN_GAME}),
        ('ping', {LAUNCHED, INIT, IN_GAME, ENDED}),
        ('available_maps', {LAUNCHED, INIT, IN_GAME, ENDED}),
    ],
)
def test_requests_are_answered_in_their_states_and_refused_in_others(request_name, allowed):
    content = {'create_game': helpers.create(), 'join_game': helpers.join()}
    for status in (LAUNCHED, INIT, IN_GAME, ENDED, QUIT):
        client = in_status(status)
        response = client.ask(**{request_name: content.get(request_name, True)})
        if status in allowed:
            assert response.WhichOneof('response') == request_name
            assert not response.error
        else:
            assert request_name in response.error[0]
            assert response.status == status == client.session.status


def test_the_life_of_a_game():
    client = helpers.Client()
    assert client.ask(ping=True).status == LAUNCHED
    assert client.ask(create_game=helpers.create()).status == INIT
    assert client.ask(join_game=helpers.join()).status == IN_GAME
    assert client.step(1919).status == IN_GAME
    response = client.step(7)
    assert (response.status, response.step.simulation_loop) == (ENDED, 1920)
    observation = client.observe()
    assert observation.observation.game_loop == 1920
    assert [result.player_id for result in observation.player_result] == [1]
    assert client.ask(restart_game=True).status == IN_GAME
    observation = client.observe()
    assert observation.observation.game_loop == 0 and not observation.player_result
    assert client.ask(leave_game=True).status == LAUNCHED
    assert client.ask(quit=True).status == QUIT
    assert client.session.has_quit


@pytest.mark.long
def test_episodes_follow_from_the_seed():
    def boards(seed):
        client = helpers.Client().start('CollectMineralShards', seed=seed)
        first = client.observe().SerializeToString()
        client.ask(restart_game=True)
        return first, client.observe().SerializeToString()

    assert boards(5) == boards(5)
    assert boards(5)[0] != boards(5)[1]
    assert boards(5)[0] != boards(6)[0]


def test_without_a_seed_games_differ():
    def board():
        client = helpers.Client()
        request = helpers.create('CollectMineralShards')
        request.ClearField('random_seed')
        client.ask(create_game=request)
        client.ask(join_game=helpers.join())
        return client.observe().SerializeToString()

    assert board() != board()


@pytest.mark.parametrize(
    'change, error',
    [
        (lambda r: r.ClearField('local_map'), 'MissingMap'),
        (lambda r: setattr(r, 'battlenet_map_name', 'Any'), 'InvalidMapPath'),
        (lambda r: setattr(r.local_map, 'map_path', ''), 'InvalidMapPath'),
        (lambda r: setattr(r.local_map, 'map_path', 'Ladder/Simple64.SC2Map'), 'InvalidMapName'),
        (lambda r: r.ClearField('player_setup'), 'MissingPlayerSetup'),
        (lambda r: r.player_setup.add(type=sc2api_pb2.Observer), 'MultiplayerUnsupported'),
        (lambda r: setattr(r.player_setup[0], 'type', 2), 'MultiplayerUnsupported'),
        (lambda r: r.player_setup.add(type=sc2api_pb2.Participant), 'MultiplayerUnsupported'),
    ],
)
def test_games_that_cannot_be_created_are_errors(change, error):
    client = helpers.Client()
    request = helpers.create()
    change(request)
    response = client.ask(create_game=request)
    assert response.create_game.error == getattr(sc2api_pb2.ResponseCreateGame, error)
    assert response.create_game.error_details
    assert response.status == LAUNCHED


def test_a_computer_is_accepted_and_has_no_part():
    scores = []
    for players in (
        [sc2api_pb2.Participant],
        [sc2api_pb2.Participant, sc2api_pb2.Computer],
        [sc2api_pb2.Computer, sc2api_pb2.Participant],
    ):
        setup = [sc2api_pb2.PlayerSetup(type=kind) for kind in players]
        client = helpers.Client().start('DefeatRoaches', player_setup=setup)
        assert len(client.ask(game_info=True).game_info.player_info) == 1
        client.step(100)
        scores.append(client.observe().SerializeToString())
    assert scores[0] == scores[1] == scores[2]


def unset_race(request):
    request.ClearField('race')


def no_options(request):
    request.ClearField('options')


def rgb(request):
    request.options.render.width = 24


def wide(request):
    request.options.feature_layer.width = 30


def huge(request):
    request.options.feature_layer.resolution.x = 1 << 30


def negative(request):
    request.options.feature_layer.minimap_resolution.y = -1


@pytest.mark.parametrize(
    'change, error',
    [
        (unset_race, 'MissingParticipation'),
        (no_options, 'MissingOptions'),
        (rgb, 'FeatureUnsupported'),
        (wide, 'FeatureUnsupported'),
        (huge, 'FeatureUnsupported'),
        (negative, 'FeatureUnsupported'),
    ],
)
def test_games_that_cannot_be_joined_are_errors(change, error):
    client = in_status(INIT)
    request = helpers.join()
    change(request)
    response = client.ask(join_game=request)
    assert response.join_game.error == getattr(sc2api_pb2.ResponseJoinGame, error)
    assert response.join_game.error_details
    assert response.status == INIT
    assert client.ask(join_game=helpers.join()).status == IN_GAME


@pytest.mark.parametrize('name', ['replay_info', 'start_replay', 'quick_save'])
def test_what_the_simulator_has_not_is_refused(name):
    response = in_status(IN_GAME).ask(**{name: True})
    assert name in response.error[0] and response.status == IN_GAME


def test_drawings_for_the_window_of_the_game_are_accepted():
    client = in_status(IN_GAME)
    before = client.observe()
    draw = debug_pb2.DebugDraw(text=[debug_pb2.DebugText(text='here')])
    commands = [debug_pb2.DebugCommand(draw=draw), debug_pb2.DebugCommand()]
    for request in (sc2api_pb2.RequestDebug(debug=commands), True):
        response = client.ask(debug=request)
        assert not response.error and response.HasField('debug')
    assert client.observe() == before


@pytest.mark.parametrize(
    'name, command',
    [
        ('game_state', debug_pb2.DebugCommand(game_state=debug_pb2.minerals)),
        (
            'create_unit',
            debug_pb2.DebugCommand(create_unit=debug_pb2.DebugCreateUnit(unit_type=48)),
        ),
        ('end_game', debug_pb2.DebugCommand(end_game=debug_pb2.DebugEndGame())),
    ],
)
def test_debug_commands_that_change_the_game_are_refused(name, command):
    response = in_status(IN_GAME).ask(debug=sc2api_pb2.RequestDebug(debug=[command]))
    assert name in response.error[0] and response.status == IN_GAME


def test_options_for_what_does_not_occur_are_accepted():
    client = in_status(INIT)
    request = helpers.join(raw=True)
    request.options.feature_layer.allow_cheating_layers = True
    for name in ('show_cloaked', 'show_burrowed_shadows', 'show_placeholders'):
        setattr(request.options, name, True)
    assert client.ask(join_game=request).status == IN_GAME


def minimap(client, name='player_relative'):
    layer = getattr(client.observe().observation.feature_layer_data.minimap_renders, name)
    values = np.frombuffer(layer.data, np.uint8)
    values = np.unpackbits(values) if layer.bits_per_pixel == 1 else values
    return values.reshape(layer.size.y, layer.size.x)


def test_a_minimap_of_the_playable_area():
    """The longer side of the area, 22 x 16 cells from (22, 20), fills the minimap."""
    client = helpers.Client().start('MoveToBeacon', raw=True, size=88, crop_to_playable_area=True)
    assert client.ask(game_info=True).game_info.options.feature_layer.crop_to_playable_area
    visible = minimap(client, 'visibility_map')
    assert visible.shape == (88, 88) and (visible[:64] == 2).all() and not visible[64:].any()
    shown = client.observe().observation.raw_data.units
    for unit in shown:
        column, row = int((unit.pos.x - 22) * 4), int((36 - unit.pos.y) * 4)
        assert minimap(client)[row, column] == (1 if unit.unit_type == 48 else 3)
    action = sc2api_pb2.Action()
    action.action_ui.select_army.SetInParent()
    client.act(action)
    action = sc2api_pb2.Action()
    command = action.action_feature_layer.unit_command
    command.ability_id = 3794
    command.target_minimap_coord.x, command.target_minimap_coord.y = 80, 60
    assert client.act(action) == [1]
    client.step(300)
    (marine,) = (u for u in client.observe().observation.raw_data.units if u.unit_type == 48)
    assert (marine.pos.x, marine.pos.y) == pytest.approx((22 + 80.5 / 4, 36 - 60.5 / 4), abs=1e-4)


@pytest.mark.parametrize('message', [b'', b'\xff' * 20, b'\x0a\xff\xff\xff\xff\x0f'])
def test_invalid_and_empty_requests_are_refused(message):
    client = in_status(IN_GAME)
    assert client.raw(message).error
    assert client.session.status == IN_GAME


def test_a_new_game_can_be_created_while_one_runs():
    client = in_status(IN_GAME)
    client.start('DefeatRoaches')
    response = client.ask(game_info=True).game_info
    assert response.map_name == 'DefeatRoaches'
    assert client.observe().observation.player_common.army_count == 9


def test_game_info():
    client = helpers.Client().start('BuildMarines')
    info = client.ask(game_info=True).game_info
    assert info.options == helpers.join().options
    assert [(p.player_id, p.race_requested, p.player_name) for p in info.player_info] == [
        (1, 1, 'someone')
    ]
    assert (info.start_raw.map_size.x, info.start_raw.map_size.y) == (64, 64)
    assert len(info.start_raw.pathing_grid.data) == 64 * 64 // 8
    assert any(info.start_raw.pathing_grid.data)


def test_all_maps_are_listed():
    paths = helpers.Client().ask(available_maps=True).available_maps.local_map_paths
    assert [path.split('/')[1].split('.')[0] for path in paths] == list(sim.MAP_NAMES)


def test_tables_name_every_type_on_the_map():
    client = helpers.Client().start('CollectMineralsAndGas')
    everything = sc2api_pb2.RequestData(ability_id=True, unit_type_id=True)
    data = client.ask(data=everything).data
    names = {unit.unit_id: unit.name for unit in data.units}
    assert names[45] == 'SCV' and names[18] == 'CommandCenter' and len(names) >= 5
    assert {23, 3674, 295} <= {ability.ability_id for ability in data.abilities}
    assert not client.ask(data=True).data.units


def test_a_saved_replay_describes_the_game():
    client = helpers.Client().start(seed=9)
    client.step(11)
    account = json.loads(client.ask(save_replay=True).save_replay.data.decode())
    assert (account['map_name'], account['seed'], account['game_loops']) == ('MoveToBeacon', 9, 11)


def test_in_real_time_games_go_on_by_themselves():
    client = helpers.Client().start(realtime=True)
    first = client.observe().observation.game_loop
    waited = client.ask(observation=sc2api_pb2.RequestObservation(game_loop=first + 5))
    assert waited.observation.observation.game_loop >= first + 5


def test_the_requests_of_pysc2_1_2():
    """A Computer, no name, no seed and no random options; layers and tables are read in full."""
    client = helpers.Client()
    request = helpers.create(
        player_setup=[
            sc2api_pb2.PlayerSetup(type=sc2api_pb2.Participant),
            sc2api_pb2.PlayerSetup(type=sc2api_pb2.Computer, race=4, difficulty=1),
        ]
    )
    request.ClearField('random_seed')
    request.local_map.map_data = b'anything'
    assert client.ask(create_game=request).status == INIT
    join = sc2api_pb2.RequestJoinGame(race=4)
    join.options.score = True
    join.options.feature_layer.width = 24
    for size in (
        join.options.feature_layer.resolution,
        join.options.feature_layer.minimap_resolution,
    ):
        size.x = size.y = 84
    assert client.ask(join_game=join).status == IN_GAME
    layers = client.observe().observation.feature_layer_data
    for group, count in ((layers.renders, 27), (layers.minimap_renders, 11)):
        assert len(group.ListFields()) == count
        assert all(len(layer.data) >= 84 * 84 // 8 for _, layer in group.ListFields())
