"""Episodes that start in states of the agent's own best episodes, for learning from scratch.

Later parts of a game, such as a second wave, are only seen by agents that master the first. Here a
share of the episodes starts in states that good episodes have visited, as in Go-Explore (Ecoffet et
al. 2021, arXiv 2004.12919). The share falls to 0 while the games play. StarCraft II cannot load
states.

K is the number of games.
"""

from typing import Dict, Mapping, NamedTuple

import numpy as np

from sc2impala import saved_arrays, sim
from sc2impala.envs import checks

BEST = 0.2
"""Fraction of the episodes whose states are kept."""

CAPACITY = 64
"""Number of kept states; the oldest are replaced."""

NUM_RETURNS = 100
"""Number of episodes that an episode is compared with."""

_FEWEST = 20
_MOMENTS = 32
"""Moments of an episode of which one is chosen."""


class StartShare(NamedTuple):
    """The episodes that start in a visited state.

    share: fraction of the episodes, 0..1, at first.
    num_frames: environment frames of the K games in which it falls to 0; positive.
    """

    share: float
    num_frames: int


class StartStates:
    """Chooses the first states of K games.

    is_whole: bool [K], whether the current episodes began at the start of the map.
    """

    def __init__(self, game: 'sim.GameBatch', seed: int, share: StartShare):
        """Args:
        game: the games.
        seed: determines which episodes start where.
        share: of the episodes.

        Raises:
          ValueError: if the share or the number of frames is out of range.
        """
        self._share = share
        checks.check_fraction('share', share.share)
        checks.check_positive('num_frames', share.num_frames)
        self._rng = np.random.RandomState(seed)
        self._frames = 0
        # The next record of each game is at the start of this moment of its episode.
        self._moment_frames = max(1, game.episode_loops // _MOMENTS)
        self._moments = np.zeros([game.num_games], np.int64)
        self._kept = game.records()
        self._archive = np.repeat(self._kept[:1], CAPACITY)
        self._num_archived = 0
        self._returns = np.zeros([NUM_RETURNS], np.int64)
        self._num_returns = 0
        self.is_whole = np.ones([game.num_games], bool)

    def after_step(self, game: 'sim.GameBatch', frames: int, ended: np.ndarray) -> None:
        """Keeps states, before ended games begin their next episode.

        Args:
          game: the games.
          frames: environment frames of the step, of all games.
          ended: bool [K], games whose episode is over.
        """
        self._frames += frames
        running = (game.game_loop // self._moment_frames > self._moments) & ~ended
        for k in np.flatnonzero(running).tolist():
            self._moments[k] += 1
            # All moments so far are equally probable.
            if self._rng.randint(self._moments[k]) == 0:
                self._kept[k] = game.record(k)
        scores, known = game.score, self._returns[: self._num_returns]
        best = np.quantile(known, 1 - BEST) if len(known) >= _FEWEST else np.inf
        for k in np.flatnonzero(ended).tolist():
            if self._moments[k] > 0 and scores[k] >= best:
                self._archive[self._num_archived % CAPACITY] = self._kept[k]
                self._num_archived += 1
            if self.is_whole[k]:
                self._returns[self._num_returns % NUM_RETURNS] = scores[k]
                self._num_returns += 1

    def start(self, game: 'sim.GameBatch', begun: np.ndarray) -> None:
        """Changes the first states of some of the episodes that have just begun.

        Args:
          game: the games.
          begun: bool [K].
        """
        left = max(0.0, 1.0 - self._frames / self._share.num_frames)
        for k in np.flatnonzero(begun).tolist():
            self._moments[k] = 0
            self.is_whole[k] = True
            if self._rng.uniform() < left * self._share.share and self._num_archived:
                chosen = self._rng.randint(min(self._num_archived, CAPACITY))
                game.continue_from(k, self._archive[chosen])
                self._moments[k] = game.game_loop[k] // self._moment_frames
                self._kept[k] = self._archive[chosen]
                self.is_whole[k] = False

    def get_state(self) -> Dict[str, np.ndarray]:
        """Returns all that is needed to continue exactly, by name."""
        names = self._archive.dtype.names or ()
        parts: Dict[str, Mapping[str, np.ndarray]] = {
            'numbers': {
                'frames': np.array(self._frames, np.int64),
                'moments': self._moments.copy(),
                'returns': self._returns.copy(),
                'num_returns': np.array(self._num_returns, np.int64),
                'num_archived': np.array(self._num_archived, np.int64),
                'is_whole': self.is_whole.copy(),
            },
            'random': saved_arrays.get_random(self._rng),
            'kept': {name: self._kept[name].copy() for name in names},
            'archive': {name: self._archive[name].copy() for name in names},
        }
        return saved_arrays.join(parts)

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a state of `get_state`.

        Raises:
          ValueError: if names, shapes or dtypes differ.
        """
        saved_arrays.check(state, self.get_state())
        saved_arrays.set_random(self._rng, saved_arrays.part(state, 'random'))
        self._frames = int(state['numbers/frames'])
        self._num_returns = int(state['numbers/num_returns'])
        self._num_archived = int(state['numbers/num_archived'])
        self._moments[:] = state['numbers/moments']
        self._returns[:] = state['numbers/returns']
        self.is_whole[:] = state['numbers/is_whole']
        for name in self._archive.dtype.names or ():
            self._kept[name] = state[f'kept/{name}']
            self._archive[name] = state[f'archive/{name}']
