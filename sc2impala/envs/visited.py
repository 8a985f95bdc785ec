"""A minimap layer that remembers where the own units were: `visited`.

The game's layer visibility_map remembers explored pixels. On FindAndDefeatZerglings all is seen
after a minute, and nothing in the observation says any more where zerglings can be; and a marine
sees 9 cells far, but attacks by itself at 5.5, so that it passes zerglings that it has seen. The
layer `visited` has a pixel's label out of

    5        an own unit is within REACH of it, or it is outside of the area that units can walk on,
    4 to 1   one was within the last MEMORY_FRAMES environment frames of the episode, by their
             quarters: 4 in the last one,
    0        none was.

It is computed from the layer player_relative and that area, which is known for each map. If pixels
outside of the area counted as visited, a walk along the border would visit as much as one inside,
and agents that are paid for visits left out the middle.
"""

from typing import Callable, List, Mapping, Tuple

import numpy as np

from sc2impala.envs import own_layer, specs, vector

NOW = specs.OWN_LAYERS[specs.VISITED].num_labels - 1
NUM_AGES = NOW - 1
"""The labels between 0 and NOW, of older and newer visits: once nearly all of the map has been
visited, only the age tells where to go next."""

REACH = 6 / 64
"""Fraction of the side of the minimap: 6 cells on the mini-games, just over a marine's range."""

MEMORY_FRAMES = 2200
"""Two ways of three marines around FindAndDefeatZerglings: what the first one left out is known
during the second. With 1,000 frames the agent went around for ever, and left out the middle."""

_NEEDED, _SELF = 'player_relative', 1

MakeEnvironment = Callable[[specs.ObservationSpec], vector.VectorEnvironment]


def make(
    make_environment: MakeEnvironment, map_name: str, observation_spec: specs.ObservationSpec
) -> vector.VectorEnvironment:
    """Makes an environment whose observations may have the layer.

    Args:
      make_environment: makes one without it.
      map_name: of its games.
      observation_spec: of the observations, with the layer or without it.

    Returns:
      The result of `make_environment`, wrapped if the spec has the layer.
    """
    names = [layer.name for layer in observation_spec.minimap_layers]
    if specs.VISITED not in names:
        return make_environment(observation_spec)
    played = [name for name in names if name != specs.VISITED]
    played += [_NEEDED] * (_NEEDED not in played)
    return VisitedEnvironment(
        make_environment(specs.with_layers(observation_spec, 'minimap', played)),
        names,
        playable(map_name, observation_spec.minimap_size),
    )


def playable(map_name: str, minimap_size: Tuple[int, int]) -> np.ndarray:
    """The pixels of the minimap whose centres are where units can walk: bool [height, width].

    Args:
      map_name: any text; all pixels are playable on a map that is none of the mini-games.
      minimap_size: (width, height) in pixels.
    """
    from sc2impala.sim import games, geometry  # They import numba.

    if map_name not in games.GAMES:
        return np.ones(minimap_size[::-1], bool)
    columns, rows = geometry.cells_within(games.GAMES[map_name].arena.playable, minimap_size)
    return rows[::-1, np.newaxis] & columns


class VisitedEnvironment(own_layer.OwnLayerEnvironment):
    """K games of another environment, with the layer in their observations."""

    def __init__(self, env: vector.VectorEnvironment, minimap_layers: List[str], area: np.ndarray):
        """Wraps an environment, which is closed with this one.

        Args:
          env: environment of K games; observes the minimap layer player_relative, not `visited`.
          minimap_layers: names of the observed layers, including `visited`.
          area: bool [height, width], the pixels of the minimap that can be visited.
        """
        spec = specs.with_layers(env.observation_spec, 'minimap', minimap_layers)
        super().__init__(env, spec, specs.VISITED)
        self._outside = ~area
        width, height = spec.minimap_size
        self._shifts = _shifts_within_reach(width, height)

    def _labels(self, layers: Mapping[str, np.ndarray], ages: np.ndarray) -> np.ndarray:
        near = self._near(layers[_NEEDED] == _SELF)
        frames = self._frames[:, np.newaxis, np.newaxis]
        self._last[:] = np.where(near, frames, self._last)
        ages = np.minimum(ages, MEMORY_FRAMES + 1)
        label = NUM_AGES - NUM_AGES * ages // (MEMORY_FRAMES + 1)
        return np.where(near | self._outside, NOW, label)

    def _near(self, own: np.ndarray) -> np.ndarray:
        """Pixels within reach of others: bool [K, H, W] to the same shape."""
        near = own.copy()
        for to, at in self._shifts:
            near[to] |= own[at]
        return near


def _shifts_within_reach(
    width: int, height: int
) -> List[Tuple[Tuple[slice, slice, slice], Tuple[slice, slice, slice]]]:
    """Pairs of indices of [K, H, W]: pixels, and those that lie one same step before them."""
    rows, columns = int(REACH * height), int(REACH * width)

    def shifted(dy: int, dx: int) -> Tuple[slice, slice, slice]:
        vertical = slice(max(0, dy), height + min(0, dy))
        return slice(None), vertical, slice(max(0, dx), width + min(0, dx))

    return [
        (shifted(dy, dx), shifted(-dy, -dx))
        for dy in range(-rows, rows + 1)
        for dx in range(-columns, columns + 1)
        if (dy / height) ** 2 + (dx / width) ** 2 <= REACH**2
    ]
