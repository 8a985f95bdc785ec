"""Games that are compared with a recording: what is played, and digests of what happened.

    python -m tests.sim.recorded_games

records all games anew, after a change of the rules that is meant.
"""

import hashlib
import itertools
import json
import pathlib

import numpy as np

from sc2impala import sim
from tests.sim import players
from tests.sim.curious import ALL_LAYERS, CuriousPlayer

PATH = pathlib.Path(__file__).parent / 'recorded_games.json'
SEEDS = 0, 1, 2
NUM_GAMES = 4
STEPS = 60
SIDE = 32


class Mover:
    """Selects the army, or everything on the screen, and moves or attacks, sometimes queued."""

    def __init__(self, seed):
        self._random = np.random.RandomState(seed)

    def __call__(self, game):
        seen = game.observe()
        random, num_games = self._random, game.num_games
        selected = seen['single_select_count'] + seen['multi_select_count'] > 0
        available = seen['available_actions']
        attacks = available[:, 12] & (random.rand(num_games) < 0.5)
        moves = np.where(attacks, 12, np.where(available[:, 331], 331, 0))
        selects = np.where(available[:, 7], 7, 3)
        again = random.rand(num_games) < 0.05
        arguments = {
            'screen': random.randint(SIDE, size=[num_games, 2]),
            'screen2': random.randint(SIDE, size=[num_games, 2]),
            'queued': random.randint(2, size=num_games),
        }
        return np.where(selected & ~again, moves, selects), arguments


PLAYERS = {
    'random': lambda seed: players.RandomPlayer(seed, SIDE, SIDE),
    'curious': lambda seed: CuriousPlayer(seed, SIDE, SIDE),
    'mover': Mover,
}

GAMES = list(itertools.product(sim.MAP_NAMES, PLAYERS, SEEDS))


def play(make, digest, map_name, player, seed):
    """Plays games and returns one digest per step.

    Args:
      make: as `sim.make`.
      digest: function of the batch that returns a str.
      map_name, player, seed: one of GAMES.
    """
    first = 100 * seed
    game = make(map_name, range(first, first + NUM_GAMES), (SIDE, SIDE), (SIDE, SIDE), **ALL_LAYERS)
    game.reset()
    choose, random = PLAYERS[player](seed), np.random.RandomState(seed)
    digests = []
    for _ in range(STEPS):
        game.act(*choose(game))
        game.advance(random.choice([1, 2, 8, 16, 64], size=NUM_GAMES))
        digests.append(digest(game))
        if game.ended.any():
            game.reset(game.ended)
    return digests


def digest_of(game):
    """Returns a digest of everything that a player sees, and of units and random numbers."""
    games = game.games
    alive = games.alive != 0
    return digest(
        game.observe(),
        game.feature_units(),
        [games.counter, games.key, alive.sum(1), games.x[alive], games.y[alive]]
        + [games.health[alive], games.type[alive], games.owner[alive]],
    )


def digest(seen, feature_units, arrays):
    """Returns the digest of an observation, feature units and further arrays."""
    total = hashlib.blake2b(digest_size=5)
    for name, value in sorted(seen.items()):
        pictures = sorted(value.items()) if isinstance(value, dict) else [(name, value)]
        arrays = [array for _, array in pictures] + arrays
    for array in [feature_units] + arrays:
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


def main():
    recorded = {
        '/'.join(map(str, which)): ' '.join(play(sim.make, digest_of, *which)) for which in GAMES
    }
    PATH.write_text(json.dumps(recorded, indent=1, sort_keys=True) + '\n')
    print(f'{PATH}: {len(recorded)} games of {STEPS} steps')


if __name__ == '__main__':
    main()
