"""Scripted and random play of K bare games at once."""

import numpy as np

from sc2impala import envs, sim
from sc2impala.envs import players

SCREEN, MINIMAP = 84, 64


def make(map_name, seeds, screen=SCREEN, minimap=MINIMAP, **layers):
    return sim.make(map_name, seeds, (screen, screen), (minimap, minimap), **layers)


def play(game, choose, step_mul=8):
    """Plays one episode of every game and returns the scores."""
    game.reset()
    while not game.ended.all():
        game.act(*choose(game))
        game.advance(np.full([game.num_games], step_mul))
    return game.score


class Script:
    """A scripted player of the package, on bare games; `layers` are those that it needs."""

    def __init__(self, map_name, rule):
        script = players.RULES[map_name][rule]
        self.layers = {
            'screen_layers': script.screen_layers,
            'minimap_layers': script.minimap_layers,
        }
        specs = envs.make_specs(
            map_name,
            functions=script.functions,
            screen_size=(SCREEN, SCREEN),
            minimap_size=(MINIMAP, MINIMAP),
            vectors=script.vectors,
            fixed_arguments={},
            **self.layers,
        )
        self._player = script(*specs)

    def __call__(self, game):
        spec = self._player.action_spec
        observation = dict(game.observe(), feature_units=game.feature_units())
        observation['available_actions'] = spec.available(observation['available_actions'])
        return spec.decode(self._player.act(observation))


class RandomPlayer:
    """Draws uniformly from the available functions and from the values of their arguments."""

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

    def __init__(self, seed, screen=SCREEN, minimap=MINIMAP):
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
