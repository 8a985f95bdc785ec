"""Properties that hold in every game of every map for arbitrary actions."""

import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import functions, layers, protocol_codes, unit_types
from sc2impala.sim.games import GAMES
from tests.sim import players
from tests.sim.curious import ALL_LAYERS, CuriousPlayer, a_game, fill
from tests.sim.maps import every_map_but_slow_ones

EPISODE_LOOPS = {
    'MoveToBeacon': 1920,
    'CollectMineralShards': 1920,
    'FindAndDefeatZerglings': 2880,
    'DefeatRoaches': 1920,
    'DefeatZerglingsAndBanelings': 1920,
    'CollectMineralsAndGas': 6720,
    'BuildMarines': 14400,
}
MAPS_WITH_MORTAL_MARINES = (
    'FindAndDefeatZerglings',
    'DefeatRoaches',
    'DefeatZerglingsAndBanelings',
)
"""Maps on which an episode ends early when no marine is left."""

every_map = pytest.mark.parametrize('map_name', sim.MAP_NAMES)


def some_steps(game, player, steps, random, speed=1):
    """Plays with a different number of frames in each game; returns the actions.

    speed: factor of the number of frames, int or int [K].
    """
    done = []
    for _ in range(steps):
        call, loops = player(game), speed * random.randint(12, size=game.num_games)
        game.act(*call)
        game.advance(loops)
        done.append((call, loops))
        if game.ended.any():
            game.reset(game.ended)
    return done


def repeat(game, done, select=slice(None)):
    """Replays recorded actions in some of the games."""
    for (function, arguments), loops in done:
        game.act(function[select], {name: value[select] for name, value in arguments.items()})
        game.advance(loops[select])
        if game.ended.any():
            game.reset(game.ended)


def assert_same(one, other, select=slice(None)):
    """Asserts that games `select` of one batch equal the games of another, bit for bit."""
    expected = other.get_state()
    for name, array in one.get_state().items():
        np.testing.assert_array_equal(array[select], expected[name], err_msg=name)
    assert_same_observations(one, other, select)


def assert_same_observations(one, other, select=slice(None)):
    np.testing.assert_array_equal(one.feature_units()[select], other.feature_units())
    seen, expected = one.observe(), other.observe()
    for name, array in seen.items():
        if name in ('screen', 'minimap'):
            for layer, picture in array.items():
                np.testing.assert_array_equal(picture[select], expected[name][layer], err_msg=layer)
        else:
            np.testing.assert_array_equal(array[select], expected[name], err_msg=name)


def test_the_length_of_every_episode_is_known():
    assert set(sim.MAP_NAMES) <= set(EPISODE_LOOPS)


@every_map_but_slow_ones
def test_episodes_of_idle_play_have_their_length_whatever_the_step(map_name):
    game = a_game(map_name, range(4))
    episode = EPISODE_LOOPS[map_name]
    assert game.episode_loops == episode
    while (episode - game.game_loop > 999).all():
        game.advance(fill(game, 999))
    assert not game.ended.any()
    loops = game.game_loop.astype(np.int64)
    steps = np.array([7, 89, 998, 2**40])
    while not game.ended.all():
        game.advance(steps)
        loops = np.minimum(loops + steps, episode)
        np.testing.assert_array_equal(game.game_loop, loops)
        np.testing.assert_array_equal(game.ended, loops == episode)
    state = game.get_state()
    game.advance(fill(game, 10))
    game.act(fill(game, functions.SELECT_ARMY), {})
    for name, array in game.get_state().items():
        if name != 'action_result':
            np.testing.assert_array_equal(array, state[name], err_msg=name)


WILD_GAMES = 3


@every_map_but_slow_ones
def test_any_arguments_of_any_function_for_a_whole_episode(map_name):
    game = a_game(map_name, range(WILD_GAMES), **ALL_LAYERS)
    random = np.random.RandomState(0)
    extremes = np.array([-(2**63), -1, 0, 1, 2, 3, 4, 5, 9, 10, 31, 32, 500, 2**63 - 1])
    curious = CuriousPlayer(1)

    def anything(*shape):
        return random.choice(extremes, size=shape)

    def wild(game):
        function, arguments = curious(game)
        function = np.where(random.rand(WILD_GAMES) < 0.95, function, anything(WILD_GAMES))
        for name in functions.SCALAR_ARGUMENTS + functions.POINT_ARGUMENTS:
            shape = [WILD_GAMES, 2] if name in functions.POINT_ARGUMENTS else [WILD_GAMES]
            value = arguments.get(name, np.zeros(shape, np.int64))
            extreme = random.rand(*shape) < 0.3
            arguments[name] = np.where(extreme, anything(*shape), value)
        return function, arguments

    step_mul = -(-EPISODE_LOOPS[map_name] // 300) + 1
    may_end = map_name in MAPS_WITH_MORTAL_MARINES
    times_offered = np.zeros([functions.NUM_FUNCTIONS], int)
    called = np.zeros([functions.NUM_FUNCTIONS], bool)
    while not game.ended.all():
        function, arguments = wild(game)
        offered = game.observe()['available_actions']
        allowed = offered[np.arange(WILD_GAMES), np.clip(function, 0, 572)] & (function >= 0)
        allowed &= (function < 573) & ~game.ended
        game.act(function, arguments)
        seen = game.observe()
        refused = seen['action_result'][:, 0] == protocol_codes.NOT_SUPPORTED
        assert refused[~allowed].all()
        times_offered += (offered & ~game.ended[:, None]).sum(0)
        called[function[allowed]] = True
        for scales, pictures in (
            (layers.SCREEN_SCALES, seen['screen']),
            (layers.MINIMAP_SCALES, seen['minimap']),
        ):
            # Mineral fields exceed the scale of the layer, in the game as well.
            for name in set(pictures) - {'unit_hit_points'}:
                assert pictures[name].max() < scales[name], name
        before = game.game_loop
        running = ~game.ended
        game.advance(fill(game, step_mul))
        ended = game.ended & running
        lost = game.game_loop[ended] < EPISODE_LOOPS[map_name]
        assert may_end or not lost.any()
        units = game.get_state()
        own = (units['alive'] != 0) & (units['owner'] == unit_types.SELF)
        assert not own[ended][lost].any()
        going = running & ~game.ended
        np.testing.assert_array_equal(game.game_loop[going], (before + step_mul)[going])
    # Enough to be chosen at least once.
    assert called[times_offered >= 200].all()
    assert called.sum() >= 10


@every_map
def test_a_batch_plays_as_its_games_alone(map_name):
    seeds = [11, 2**64 - 1, 0]
    restarts = np.array([True, False, True])
    together = a_game(map_name, seeds, **ALL_LAYERS)
    random = np.random.RandomState(0)
    before = some_steps(together, CuriousPlayer(1), 50, random)
    together.reset(restarts)
    after = some_steps(together, CuriousPlayer(2), 50, random)
    for index, seed in enumerate(seeds):
        alone = a_game(map_name, [seed], **ALL_LAYERS)
        select = slice(index, index + 1)
        repeat(alone, before, select)
        if restarts[index]:
            alone.reset()
        repeat(alone, after, select)
        assert_same(together, alone, select)


def fill_slots(game, k):
    """Fills free slots of a game with copies of its first own unit, at other points."""
    games = game.games
    num_mobile = games.goal_x.shape[1]
    own = (games.alive[k] != 0) & (games.owner[k] == unit_types.SELF)
    end = min(num_mobile, game.rules.num_units, 60)
    slots = np.flatnonzero(games.alive[k, :end] == 0)
    for name in games.dtype.names:
        if games[name].ndim > 1 and games[name].shape[1] in (num_mobile, games.x.shape[1]):
            games[name][k, slots] = games[name][k, np.flatnonzero(own)[0]]
    for axis, low in (('x', 27), ('y', 23)):
        games[axis][k, slots] = games['goal_' + axis][k, slots] = low + slots % 9
    games.mobile_end[k] = max(games.mobile_end[k], slots.max(initial=-1) + 1)
    games.unit_end[k] = max(games.unit_end[k], games.mobile_end[k])


@every_map
def test_a_game_does_not_depend_on_what_happens_in_others(map_name):
    alone = a_game(map_name, [5], **ALL_LAYERS)
    together = a_game(map_name, [1, 2, 5, 3], **ALL_LAYERS)
    select = slice(2, 3)
    for k in (0, 1, 3):
        fill_slots(together, k)
    if map_name not in ('CollectMineralShards', 'FindAndDefeatZerglings'):  # No slot is free.
        assert together.games.alive[0].sum() > alone.games.alive.sum()
    random, player = np.random.RandomState(0), CuriousPlayer(1)
    for _ in range(5):
        done = some_steps(together, player, 10, random, speed=np.array([9, 4, 1, 9]))
        repeat(alone, done, select)
        assert_same(together, alone, select)
    assert (together.games.game_loop[0], together.episode[0]) != (alone.game_loop, alone.episode)


@every_map
def test_eight_frames_are_eight_times_one_frame(map_name):
    games = [a_game(map_name, range(4), **ALL_LAYERS) for _ in range(2)]
    player = CuriousPlayer(3)
    for _ in range(60):
        call = player(games[0])
        for game in games:
            game.act(*call)
        games[0].advance(fill(games[0], 8))
        for _ in range(8):
            games[1].advance(fill(games[1], 1))
    assert_same(*games)


@every_map
def test_a_restored_batch_goes_on_exactly(map_name):
    game = a_game(map_name, range(5), **ALL_LAYERS)
    random = np.random.RandomState(0)
    some_steps(game, CuriousPlayer(0), 60, random)
    state = game.get_state()
    before = {name: array.copy() for name, array in state.items()}
    done = some_steps(game, CuriousPlayer(1), 60, random)

    restored = players.make(map_name, [99] * 5, screen=32, minimap=32, **ALL_LAYERS)
    restored.reset()
    some_steps(restored, CuriousPlayer(5), 10, random)
    restored.set_state(state)
    repeat(restored, done)
    assert_same(game, restored)
    for name, array in state.items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


@every_map
def test_an_episode_does_not_depend_on_those_before(map_name):
    one, other = (a_game(map_name, [7, 8], **ALL_LAYERS) for _ in range(2))
    some_steps(one, CuriousPlayer(0), 40, np.random.RandomState(0))
    # Until both are in their episode after next.
    for game in (one, other):
        while (game.episode < 3).any():
            game.reset(game.episode < 3)
    assert_same(one, other)


@every_map
def test_to_restart_no_game_changes_nothing(map_name):
    game = a_game(map_name, range(3))
    before = game.get_state()
    game.reset(np.zeros([3], bool))
    for name, array in game.get_state().items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


@every_map
def test_to_look_changes_nothing(map_name):
    games = [a_game(map_name, range(3), **ALL_LAYERS) for _ in range(2)]
    done = some_steps(games[0], CuriousPlayer(4), 40, np.random.RandomState(4))
    for step in done:
        repeat(games[1], [step])
        games[1].observe()
        games[1].feature_units()
    assert_same(*games)


@pytest.mark.parametrize('map_name', [name for name in sim.MAP_NAMES if GAMES[name].has_fog])
def test_enemies_in_the_fog_are_in_no_observation(map_name):
    with_them, without = (a_game(map_name, range(8), **ALL_LAYERS) for _ in range(2))
    player, random = CuriousPlayer(0), np.random.RandomState(0)
    num_hidden = num_shown = 0
    for _ in range(60):
        some_steps(with_them, player, 1, random)
        state = with_them.get_state()
        alive, owner = state['alive'] != 0, state['owner']
        x, y = (
            np.minimum(np.floor(state[axis]).astype(int), last)
            for axis, last in (('x', 53), ('y', 43))
        )
        with_them.observe()
        rows = np.take_along_axis(with_them.games._visible, y, axis=1)
        visible = (rows >> x.astype(np.uint64)) & np.uint64(1) == 1
        hidden = alive & (owner == unit_types.ENEMY) & ~visible
        num_hidden += hidden.sum()
        num_shown += (alive & (owner == unit_types.ENEMY) & visible).sum()
        without.set_state(dict(state, alive=(alive & ~hidden).astype(np.uint8)))
        assert_same_observations(with_them, without)
    assert num_hidden > 1000 and num_shown > 100
