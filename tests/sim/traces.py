"""Recordings of games of a map, frame by frame."""

import numpy as np

from sc2impala.sim import functions, observation, unit_types
from sc2impala.sim.games import GAMES
from tests.sim.curious import CuriousPlayer, a_game, fill


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

    rules: of the map called map_name. stats: its UnitTypes as arrays. phases: lists of states,
        dicts of arrays.
    """

    NUM_GAMES = 8
    PHASES = ((0, 400), (60, 250))
    """Steps of fifty frames to play first, and number of frames to record."""

    def __init__(self, map_name):
        self.map_name = map_name
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
        """Trains marines in every second game, because random play hardly trains any."""
        world, units = game.world, game.world.units
        ids = [unit_type.unit_type for unit_type in units.types]
        barracks, marine = (
            ids.index(unit_type.unit_type) for unit_type in (unit_types.BARRACKS, unit_types.MARINE)
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
        state = game.get_state()
        state['player'] = observation.player(game.world)
        state['unit_ids'] = self.stats.unit_type[state['units/type']]
        return {
            name: array
            for name, array in state.items()
            if 'order_' not in name and 'control_groups' not in name
        }

    def pairs(self):
        """States before and after each frame."""
        for states in self.phases:
            yield from zip(states, states[1:])
