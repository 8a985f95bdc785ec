"""Recordings of games of a map, frame by frame."""

import numpy as np

from sc2impala.sim import functions, unit_types
from sc2impala.sim.games import GAMES
from tests.sim.curious import CuriousPlayer, a_game, fill
from tests.sim.economy import helpers

FLAGS = ('alive', 'solid', 'selected')
FIELDS = ('x', 'y', 'type', 'owner', 'health', 'unfinished', 'score', 'minerals', 'vespene')
ECONOMY_FIELDS = ('cargo', 'contents', 'queue', 'training_until', 'trained')
"""Fields of the records of games that are recorded."""


def send_to_work(game):
    """Orders all units on the screen to harvest, and selects something else, mostly a building."""
    relative = game.observe()['screen']['player_relative']

    def some_pixel(value):
        pixels = [np.argwhere(picture == value)[:, ::-1] for picture in relative]
        return np.array([p[len(p) // 2] if len(p) else [0, 0] for p in pixels])

    game.act(fill(game, functions.SELECT_RECT), {'screen2': np.full([game.num_games, 2], 99)})
    game.act(fill(game, functions.HARVEST_GATHER_SCREEN), {'screen': some_pixel(3)})
    game.act(fill(game, functions.SELECT_POINT), {'screen': some_pixel(1)})


class Trace:
    """Games recorded after every frame, at the start of an episode and later.

    rules: the record of the map called map_name. num_mobile: M. phases: lists of states, dicts of
        arrays.
    """

    NUM_GAMES = 8
    PHASES = ((0, 400), (60, 250))
    """Steps of fifty frames to play first, and number of frames to record."""

    def __init__(self, map_name):
        self.map_name = map_name
        self.playable = GAMES[map_name].arena.playable
        self.num_mobile = GAMES[map_name].family.num_mobile
        self.has_economy = GAMES[map_name].family.has_economy
        self.phases = []
        for index, (steps, loops) in enumerate(self.PHASES):
            game = a_game(map_name, range(self.NUM_GAMES), **CuriousPlayer.layers)
            self.rules = game.rules
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
        """Trains marines in every second game, because random play hardly trains any."""
        buildings = np.zeros(game.games.alive.shape, bool)
        for index in range(0, game.num_games, 2):
            slot = helpers.build(game, index, unit_types.BARRACKS)
            buildings[index, slot] = True
            game.games.minerals[index] += unit_types.MARINE.minerals
        game.select(buildings)
        train = np.where(buildings.any(1), functions.TRAIN_MARINE_QUICK, functions.NO_OP)
        game.act(train, {})
        game.advance(fill(game, unit_types.MARINE.build_loops - 50))

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
        names = FIELDS + ECONOMY_FIELDS if self.has_economy else FIELDS
        state = {name: game.games[name].copy() for name in names}
        state.update({name: game.games[name] != 0 for name in FLAGS})
        state['player'] = game.observe()['player']
        state['unit_ids'] = game.rules.unit_type[state['type']]
        return state

    def pairs(self):
        """States before and after each frame."""
        for states in self.phases:
            yield from zip(states, states[1:])
