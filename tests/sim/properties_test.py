"""What must hold in every game of every map, whatever is done in it."""

import functools

import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import functions, layers, results, unit_types
from sc2impala.sim.games import GAMES
from tests.sim import players

ALL_LAYERS = {
    'screen_layers': tuple(layers.SCREEN_SCALES),
    'minimap_layers': tuple(layers.MINIMAP_SCALES),
}
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
"""There an episode ends before its time when no marine is left."""

every_map = pytest.mark.parametrize('map_name', sim.MAP_NAMES)


UNDO = [functions.BUILD_QUEUE, functions.CANCEL_QUICK, functions.CANCEL_LAST_QUICK]
UNDO += [functions.HALT_QUICK, functions.STOP_QUICK]


class CuriousPlayer:
    """Mostly calls what it has called least among the available functions, and does not undo it;
    points at units more often than at the ground; queues little."""

    layers = {'screen_layers': ('player_relative',)}

    def __init__(self, seed, screen=32, minimap=32):
        self._random = np.random.RandomState(seed)
        self._uniform = players.RandomPlayer(seed, screen, minimap)
        self._calls = np.zeros([functions.NUM_FUNCTIONS])

    def __call__(self, game):
        function, arguments = self._uniform(game)
        seen = game.observe()
        for index, available in enumerate(seen['available_actions']):
            if self._random.rand() < 0.8:
                calls = self._calls + self._random.rand(functions.NUM_FUNCTIONS)
                calls[UNDO] = np.inf
                function[index] = np.where(available, calls, np.inf).argmin()
            self._calls[function[index]] += 1
            rows, columns = np.nonzero(seen['screen']['player_relative'][index])
            if rows.size and self._random.rand() < 0.5:
                unit = self._random.randint(len(rows))
                arguments['screen'][index] = columns[unit], rows[unit]
        arguments['queued'] = (self._random.rand(game.num_games) < 0.1).astype(np.int64)
        return function, arguments


def a_game(map_name, seeds, **options):
    game = players.make(map_name, seeds, **dict({'screen': 32, 'minimap': 32}, **options))
    game.reset()
    return game


def fill(game, value):
    return np.full([game.num_games], value)


def some_steps(game, player, steps, random):
    """Plays, with a different number of loops in each game; returns what the player did."""
    done = []
    for _ in range(steps):
        call, loops = player(game), random.randint(12, size=game.num_games)
        game.act(*call)
        game.advance(loops)
        done.append((call, loops))
        if game.ended.any():
            game.reset(game.ended)
    return done


def repeat(game, done, select=slice(None)):
    """Plays what was recorded, of some of the games only."""
    for (function, arguments), loops in done:
        game.act(function[select], {name: value[select] for name, value in arguments.items()})
        game.advance(loops[select])
        if game.ended.any():
            game.reset(game.ended)


def assert_same(one, other, select=slice(None)):
    """Asserts that games `select` of one batch are the games of another, to the last bit."""
    batch = one.num_games
    expected = other.get_state()
    for name, array in one.get_state().items():
        # The axis of the games is the first, or the second of points.
        part = array[select] if array.shape[0] == batch else array[:, select]
        np.testing.assert_array_equal(part, expected[name], err_msg=name)
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


@every_map
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


@every_map
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
        refused = seen['action_result'][:, 0] == results.NOT_SUPPORTED
        assert refused[~allowed].all()
        times_offered += (offered & ~game.ended[:, None]).sum(0)
        called[function[allowed]] = True
        for scales, pictures in (
            (layers.SCREEN_SCALES, seen['screen']),
            (layers.MINIMAP_SCALES, seen['minimap']),
        ):
            # Minerals have more hit points than the layer's scale says, in the game as well.
            for name in set(pictures) - {'unit_hit_points'}:
                assert pictures[name].max() < scales[name], name
        before = game.game_loop
        running = ~game.ended
        game.advance(fill(game, step_mul))
        ended = game.ended & running
        lost = game.game_loop[ended] < EPISODE_LOOPS[map_name]
        assert may_end or not lost.any()
        units = game.get_state()
        own = units['units/alive'] & (units['units/owner'] == unit_types.SELF)
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


@every_map
def test_eight_loops_are_eight_times_one_loop(map_name):
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
    # As often as it takes for both to be in their next episode but one.
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


def has_fog(map_name):
    return any(mechanic.name == 'fog' for mechanic in GAMES[map_name].mechanics(1))


@pytest.mark.parametrize('map_name', [name for name in sim.MAP_NAMES if has_fog(name)])
def test_enemies_in_the_fog_are_in_no_observation(map_name):
    with_them, without = (a_game(map_name, range(8), **ALL_LAYERS) for _ in range(2))
    player, random = CuriousPlayer(0), np.random.RandomState(0)
    num_hidden = num_shown = 0
    for _ in range(60):
        some_steps(with_them, player, 1, random)
        state = with_them.get_state()
        alive, owner = state['units/alive'], state['units/owner']
        visibility = with_them._world.mechanics['fog'].visibility(with_them._world)
        x, y = np.minimum(np.floor(state['units/position']).astype(int), [[[53]], [[43]]])
        visible = visibility[np.arange(8)[:, None], y, x] == 2
        hidden = alive & (owner == unit_types.ENEMY) & ~visible
        num_hidden += hidden.sum()
        num_shown += (alive & (owner == unit_types.ENEMY) & visible).sum()
        without.set_state(dict(state, **{'units/alive': alive & ~hidden}))
        assert_same_observations(with_them, without)
    assert num_hidden > 1000 and num_shown > 100


def send_to_work(game):
    """Orders all on the screen to harvest from something there, where that is possible, and
    selects something else: a building, most likely."""
    relative = game.observe()['screen']['player_relative']

    def some_pixel(value):
        pixels = [np.argwhere(picture == value)[:, ::-1] for picture in relative]
        return np.array([p[len(p) // 2] if len(p) else [0, 0] for p in pixels])

    game.act(fill(game, functions.SELECT_RECT), {'screen2': np.full([game.num_games, 2], 99)})
    game.act(fill(game, functions.HARVEST_GATHER_SCREEN), {'screen': some_pixel(3)})
    game.act(fill(game, functions.SELECT_POINT), {'screen': some_pixel(1)})


class Trace:
    """Some games, seen after every one of many loops, at the beginning and well into an episode.

    rules: of the map. stats: its UnitTypes as arrays. phases: lists of states, dicts of arrays.
    """

    NUM_GAMES = 8
    PHASES = ((0, 400), (100, 250))
    """Steps of fifty loops that are played before, and how many loops are recorded."""

    def __init__(self, map_name):
        self.rules = GAMES[map_name]
        self.stats = unit_types.tabulate(self.rules.unit_types)
        self.phases = []
        for index, (steps, loops) in enumerate(self.PHASES):
            game = a_game(map_name, range(self.NUM_GAMES), **CuriousPlayer.layers)
            player = CuriousPlayer(index)
            for step in range(steps):
                if step % 4 == 0:
                    send_to_work(game)
                game.act(*player(game))
                game.advance(fill(game, 50))
                if game.ended.any():
                    game.reset(game.ended)
            if map_name == 'BuildMarines':
                self._train_marines(game)
            self.phases.append(self._record(game, player, loops))

    def _train_marines(self, game):
        """Lets a barracks in every other game train: chance alone has hardly any marines."""
        world, units = game.world, game.world.units
        ids = [kind.unit_type for kind in units.types]
        barracks, marine = (
            ids.index(kind.unit_type) for kind in (unit_types.BARRACKS, unit_types.MARINE)
        )
        for index in range(0, game.num_games, 2):
            slot = np.flatnonzero(~units.alive[index])[-1]
            centre = next(
                np.array([[x], [y]])
                for x in np.arange(25.5, 43)
                for y in np.arange(22.5, 35)
                if not world.mechanics['ground'].can_build(world, index, barracks, np.array([x, y]))
            )
            world.put(
                np.array([index]), np.array([slot]), units.types[barracks], unit_types.SELF, centre
            )
            world.mechanics['ground'].survey(world)
            world.minerals[index] += units.types[marine].minerals
            world.mechanics['production'].order(world, index, np.array([slot]), marine)
        game.advance(fill(game, int(self.stats.build_loops[marine]) - 50))

    def _record(self, game, player, loops):
        states = [self._look(game)]
        for loop in range(loops):
            if loop % 60 == 0:
                send_to_work(game)
            if loop % 8 == 0:
                game.act(*player(game))
            game.advance(fill(game, 1))
            states.append(self._look(game))
        return states

    def _look(self, game):
        seen = game.observe()
        state = game.get_state()
        state['player'] = seen['player']
        state['unit_ids'] = self.stats.unit_type[state['units/type']]
        return {
            name: array
            for name, array in state.items()
            if 'order_' not in name and 'control_groups' not in name
        }

    def pairs(self):
        """States before and after each loop."""
        for states in self.phases:
            yield from zip(states, states[1:])


@functools.lru_cache(maxsize=None)
def trace_of(map_name):
    return Trace(map_name)


def count(state, owner):
    """How many living units an owner has: [K]."""
    return (state['units/alive'] & (state['units/owner'] == owner)).sum(1)


def harvestable(state):
    """What the fields contain and workers carry, minerals and gas alike: [K]."""
    carried = state['harvesting/cargo'].astype(int).sum(1)
    return state['harvesting/contents'].sum(1) + carried


def points_of_a_beacon(before, after):
    beacon = before['units/owner'] == unit_types.NEUTRAL
    jumped = (before['units/position'] != after['units/position']).any(0) & beacon
    return jumped.any(1)


def points_of_shards(before, after):
    left, now = (count(state, unit_types.NEUTRAL) for state in (before, after))
    return np.where(now > left, left, left - now)


def points_of_deaths(reward, new_marines):
    """Of enemies, and of marines less one; when the enemies are dead new ones come."""

    def points(before, after):
        enemies, enemies_now = (count(state, unit_types.ENEMY) for state in (before, after))
        marines, marines_now = (count(state, unit_types.SELF) for state in (before, after))
        new_wave = enemies_now > enemies
        killed = np.where(new_wave, enemies, enemies - enemies_now)
        lost = marines + new_marines * new_wave - marines_now
        assert (killed >= 0).all() and (lost >= 0).all()
        return reward * killed - lost

    return points


def points_of_harvest(before, after):
    """What left the fields and is carried no more."""
    return harvestable(before) - harvestable(after)


def points_of_new_marines(before, after):
    def marines(state):
        return state['units/alive'] & (state['unit_ids'] == unit_types.MARINE.unit_type)

    return (marines(after) & ~marines(before)).sum(1)


POINTS = {
    'MoveToBeacon': points_of_a_beacon,
    'CollectMineralShards': points_of_shards,
    'FindAndDefeatZerglings': points_of_deaths(1, 0),
    'DefeatRoaches': points_of_deaths(10, 5),
    'DefeatZerglingsAndBanelings': points_of_deaths(5, 4),
    'CollectMineralsAndGas': points_of_harvest,
    'BuildMarines': points_of_new_marines,
}


@every_map
def test_rewards_come_from_the_stated_events_only(map_name):
    changes = 0
    for before, after in trace_of(map_name).pairs():
        points = POINTS[map_name](before, after)
        change = after['score'] - before['score']
        np.testing.assert_array_equal(change, points)
        changes += (change != 0).sum()
    assert changes


@every_map
def test_nothing_leaves_the_playable_region(map_name):
    trace = trace_of(map_name)
    left, right, bottom, top = trace.rules.arena.playable
    for _, state in trace.pairs():
        x, y = state['units/position'][:, state['units/alive']]
        assert x.min() >= left and x.max() <= right and y.min() >= bottom and y.max() <= top


DEPTH = 0.2
"""Cells by which units may be inside each other for long; most have a diameter of 0.75."""
MOMENT = 16
"""Loops for which they may be so by more."""


@every_map
def test_no_unit_is_inside_another_for_more_than_a_moment(map_name):
    trace = trace_of(map_name)
    mobile = slice(0, trace.rules.num_mobile)
    for states in trace.phases:
        used = np.flatnonzero(np.any([s['units/alive'][:, mobile] for s in states], axis=(0, 1)))
        since = np.zeros([Trace.NUM_GAMES, len(used), len(used)], int)
        for state in states:
            solid = state['units/alive'][:, used] & state['units/solid'][:, used]
            radius = trace.stats.radius[state['units/type'][:, used]]
            position = state['units/position'][:, :, used]
            apart = np.sqrt(np.square(position[..., None] - position[:, :, None]).sum(0))
            deep = radius[..., None] + radius[:, None] - apart > DEPTH
            deep &= solid[..., None] & solid[:, None] & ~np.eye(len(used), dtype=bool)
            since = np.where(deep, since + 1, 0)
            assert since.max() <= MOMENT


@every_map
def test_no_unit_is_inside_a_building_for_more_than_a_moment(map_name):
    trace = trace_of(map_name)
    first = trace.rules.num_mobile
    if not trace.stats.footprint.any():
        pytest.skip('nothing there covers the ground')
    for states in trace.phases:
        since = np.zeros([Trace.NUM_GAMES, first, trace.rules.num_units - first], int)
        for state in states:
            alive, position = state['units/alive'], state['units/position']
            solid = alive[:, :first] & state['units/solid']
            half = np.moveaxis(trace.stats.footprint[state['units/type'][:, first:]], -1, 0) / 2
            away = np.abs(position[:, :, :first, None] - position[:, :, None, first:])
            inside = (away < half[:, :, None] - DEPTH).all(0)
            inside &= solid[:, :, None] & alive[:, None, first:]
            since = np.where(inside, since + 1, 0)
            assert since.max() <= MOMENT


@every_map
def test_units_hold_no_more_health_than_they_can_and_the_dead_are_not_selected(map_name):
    trace = trace_of(map_name)
    for _, state in trace.pairs():
        alive = state['units/alive']
        limit = trace.stats.health[state['units/type']]
        assert (state['units/health'][alive] > 0).all()
        assert (state['units/health'] <= limit)[alive].all()
        own = alive & (state['units/owner'] == unit_types.SELF)
        assert not (state['units/selected'] & ~own).any()


def trace_of_economy(map_name):
    trace = trace_of(map_name)
    if not trace.stats.contents.any():
        pytest.skip('nothing is harvested there')
    return trace


@every_map
def test_what_is_harvested_is_conserved(map_name):
    """It is in the fields, carried, in stock, or spent on what can be seen."""
    trace = trace_of_economy(map_name)
    first, stats = trace.rules.num_mobile, trace.stats
    harvested = ordered = 0
    for before, after in trace.pairs():
        queued = queued_units(after, stats) - queued_units(before, stats)
        queued += after['production/trained'] - before['production/trained']
        was, now = before['units/alive'][:, first:], after['units/alive'][:, first:]
        begun = stock = 0
        for cost, name in ((stats.minerals, 'minerals'), (stats.vespene, 'vespene')):
            begun = (now & ~was) * cost[after['units/type'][:, first:]]
            own = before['units/owner'][:, first:] == unit_types.SELF
            # Three quarters of a building that is cancelled come back.
            back = (was & ~now & own) * (3 * cost[before['units/type'][:, first:]] // 4)
            spent = (queued * cost).sum(1) + begun.sum(1) - back.sum(1)
            stock = stock + after[name] - before[name] + spent
            ordered += (spent > 0).sum()
        np.testing.assert_array_equal(stock, harvestable(before) - harvestable(after))
        harvested += stock.sum()
        assert (after['minerals'] >= 0).all() and (after['vespene'] >= 0).all()
        assert (after['harvesting/contents'] >= 0).all()
    assert harvested and ordered


def queued_units(state, stats):
    """How many units of each type are in queues of player 1's buildings: [K, T]."""
    types = np.arange(len(stats.unit_type))
    return (state['production/queue'][..., None] == types).sum((1, 2))


@every_map
def test_supply_is_that_of_the_units_and_never_exceeds_what_buildings_provide(map_name):
    trace = trace_of_economy(map_name)
    stats = trace.stats
    trained = 0
    for before, after in trace.pairs():
        own = after['units/alive'] & (after['units/owner'] == unit_types.SELF)
        food = stats.food[after['units/type']] * own
        in_training = after['production/ready_at'] > 0
        training = in_training * stats.food[after['production/queue'][:, :, 0]]
        finished = own & (after['units/unfinished'] == 0)
        provided = (stats.food_provided[after['units/type']] * finished).sum(1)
        used, limit = after['player'][:, 3], after['player'][:, 4]
        np.testing.assert_array_equal(used, food.sum(1) + training.sum(1))
        np.testing.assert_array_equal(limit, np.minimum(provided, 200))
        assert (used <= limit).all()
        new = after['production/trained'] - before['production/trained']
        of_type = [(own & (after['units/type'] == t)).sum(1) for t in range(len(stats.food))]
        had = before['units/alive'] & (before['units/owner'] == unit_types.SELF)
        had = [(had & (before['units/type'] == t)).sum(1) for t in range(len(stats.food))]
        mobile = ~stats.is_structure
        np.testing.assert_array_equal(
            (np.transpose(of_type) - np.transpose(had))[:, mobile], new[:, mobile]
        )
        trained += new.sum()
    assert trained
