"""A fake of `sim.make` with scores and observations that a test can predict."""

import numpy as np

from sc2impala import sim
from sc2impala.envs import specs
from sc2impala.envs.pysc2_api import features


class FakeGame:
    """Game i scores function id + seed per action; its episode k lasts 20 + 10 * (k mod 3) frames.

    Every layer shows the game loop, modulo the scale of the layer. Functions 0..4 are available,
    and the others in odd game loops. All observations are drawn into the same buffers. Every call
    is written to `tape`.
    """

    def __init__(
        self, map_name, seeds, screen_size, minimap_size, screen_layers, minimap_layers, rules
    ):
        self.tape = [('make', map_name, tuple(seeds))]
        self.rules = rules
        self.num_games = len(seeds)
        self._seeds = np.array(seeds, np.int64)
        self.score = np.zeros([self.num_games], np.int64)
        self.episode = np.full([self.num_games], -1, np.int64)
        self.game_loop = np.zeros([self.num_games], np.int32)
        self._buffers = {
            'screen': self._layers(features.SCREEN_FEATURES, screen_layers, screen_size),
            'minimap': self._layers(features.MINIMAP_FEATURES, minimap_layers, minimap_size),
            'available_actions': np.zeros([self.num_games, 573], np.bool_),
        }
        for name, shape in specs.VECTOR_SHAPES.items():
            self._buffers[name] = np.zeros((self.num_games,) + shape, np.int32)
        self.reset()

    @property
    def ended(self):
        return self.game_loop >= 20 + 10 * (self.episode % 3)

    def reset(self, games=None):
        games = np.ones([self.num_games], np.bool_) if games is None else games
        self.tape.append(('reset', games.tolist()))
        self.episode[games] += 1
        self.score[games] = 0
        self.game_loop[games] = 0

    def act(self, function_id, arguments):
        self.tape.append(('act', function_id.copy(), {k: v.copy() for k, v in arguments.items()}))
        self.score += function_id + self._seeds

    def advance(self, loops):
        self.tape.append(('advance', loops.tolist()))
        self.game_loop[:] = np.minimum(self.game_loop + loops, 20 + 10 * (self.episode % 3))

    def observe(self):
        for group in ('screen', 'minimap'):
            for layer, scale in self._buffers[group].values():
                layer[:] = (self.game_loop % scale)[:, np.newaxis, np.newaxis]
        for name in specs.VECTOR_SHAPES:
            flat = self._buffers[name].reshape(self.num_games, -1)
            flat[:] = self.game_loop[:, np.newaxis]
        self._buffers['available_actions'][:] = (self.game_loop % 2 == 1)[:, np.newaxis]
        self._buffers['available_actions'][:, :5] = True
        layers = {
            group: {name: layer for name, (layer, _) in self._buffers[group].items()}
            for group in ('screen', 'minimap')
        }
        return dict(self._buffers, **layers)

    def feature_units(self, screen_size=None):
        return self._buffers['feature_units'].copy()

    def _layers(self, table, names, size):
        width, height = size
        scales = {name: getattr(table, name).scale for name in names}
        return {
            name: (np.zeros([self.num_games, height, width], np.min_scalar_type(scale - 1)), scale)
            for name, scale in scales.items()
        }


def install(monkeypatch):
    """Replaces the simulator by the fake; returns the list of the games made from then on."""
    games = []

    def make(*args, **kwargs):
        games.append(FakeGame(*args, **kwargs))
        return games[-1]

    monkeypatch.setattr(sim, 'make', make)
    return games
