"""Rules of play for K games at once, after PySC2's scripted and random agents."""

import numpy as np

from sc2impala import sim
from sc2impala.sim import functions, geometry, unit_types

SCREEN = 84
_AWAY = np.iinfo(np.int64).max


def make(map_name, seeds, screen=SCREEN, minimap=64, **layers):
    return sim.make(map_name, seeds, (screen, screen), (minimap, minimap), **layers)


def play(game, choose, step_mul=8):
    """Plays one episode of every game and returns the scores."""
    game.reset()
    while not game.ended.all():
        game.act(*choose(game))
        game.advance(np.full([game.num_games], step_mul))
    return game.score


class MoveToBeaconScript:
    """Selects the army, then moves to the mean of the beacon's pixels at every step."""

    layers = {'screen_layers': ('player_relative',)}

    def __call__(self, game):
        observation = game.observe()
        selected = observation['available_actions'][:, functions.MOVE_SCREEN]
        beacon = observation['screen']['player_relative'] == 3
        count = beacon.sum((1, 2))
        rows, columns = np.indices(beacon.shape[1:])
        centre = [(beacon * columns).sum((1, 2)) / count, (beacon * rows).sum((1, 2)) / count]
        function = np.where(selected, functions.MOVE_SCREEN, functions.SELECT_ARMY)
        return function, {'screen': np.round(centre).astype(np.int64).T}


class FeatureUnitsScript:
    """Selects one marine, sends it to the nearest shard that the other does not go to, and so on
    with the other: PySC2's CollectMineralShardsFeatureUnits."""

    layers = {}

    def __init__(self, num_games):
        self._wants_selected = np.zeros([num_games], bool)
        self._previous = np.full([num_games, 2], -1)

    def __call__(self, game):
        state = game.get_state()
        selected, owner = state['units/selected'], state['units/owner']
        corner = geometry.screen_corner(np.array([33.0, 25.0]))[:, None, None]
        view = geometry.View((SCREEN, SCREEN), geometry.CAMERA_EXTENT)
        pixels = np.floor(view.to_pixels(state['units/position'], corner)).astype(np.int64)
        everyone = np.arange(game.num_games)
        mine = state['units/alive'] & (owner == unit_types.SELF)
        marine = (mine & (selected == self._wants_selected[:, None])).argmax(1)
        marine_pixel = pixels[:, everyone, marine].T
        selecting = ~selected[everyone, marine]

        shard = state['units/alive'] & (owner == unit_types.NEUTRAL)
        free = shard & (pixels != self._previous.T[:, :, None]).any(0)
        distance = np.square(pixels - marine_pixel.T[:, :, None]).sum(0)
        nearest = np.where(free, distance, _AWAY).argmin(1)
        target = pixels[:, everyone, nearest].T
        moving = ~selecting & free.any(1)
        self._wants_selected = selecting | (self._wants_selected & ~moving)
        self._previous[moving] = target[moving]
        function = np.where(selecting, functions.SELECT_POINT, functions.NO_OP)
        function[moving] = functions.MOVE_SCREEN
        return function, {'screen': np.where(selecting[:, None], marine_pixel, target)}


class RandomPlayer:
    """Chooses among the available functions and the values of their arguments alike."""

    layers = {}
    _SIZES = {
        'queued': 2,
        'control_group_act': 5,
        'control_group_id': 10,
        'select_point_act': 4,
        'select_add': 2,
        'select_unit_act': 4,
        'select_unit_id': 500,
    }

    def __init__(self, seed, screen=SCREEN, minimap=64):
        self._random = np.random.RandomState(seed)
        self._sides = {'screen': screen, 'screen2': screen, 'minimap': minimap}

    def __call__(self, game):
        available = game.observe()['available_actions']
        function = np.where(available, self._random.rand(*available.shape), -1).argmax(1)
        arguments = {
            name: self._random.randint(size, size=game.num_games)
            for name, size in self._SIZES.items()
        }
        for name, side in self._sides.items():
            arguments[name] = self._random.randint(side, size=[game.num_games, 2])
        return function, arguments
