"""Games with a player that explores all functions."""

import numpy as np

from sc2impala.sim import functions, layers
from tests.sim import players

ALL_LAYERS = {
    'screen_layers': tuple(layers.SCREEN_SCALES),
    'minimap_layers': tuple(layers.MINIMAP_SCALES),
}

UNDO = [functions.BUILD_QUEUE, functions.CANCEL_QUICK, functions.CANCEL_LAST_QUICK]
UNDO += [functions.HALT_QUICK, functions.STOP_QUICK]


class CuriousPlayer:
    """Mostly calls the least called available functions, avoids functions that undo others, targets
    units more often than the ground, and rarely queues."""

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
