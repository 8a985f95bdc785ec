"""Drawing of all layers of a game."""

from typing import Any, NamedTuple, Sequence

import numpy as np

from sc2impala.sim import fog, layers
from sc2impala.sim.compiler import compiled
from sc2impala.sim.drawing import canvas, outlines, smooth_discs, terrain, unit_layers
from sc2impala.sim.drawing.canvas import Canvas
from sc2impala.sim.drawing.smooth_discs import SmoothDiscs

_NO_RADIUS = np.zeros([1])


class Buffers(NamedTuple):
    """The images of K games, and what units look like."""

    screen: Canvas
    minimap: Canvas
    discs: SmoothDiscs


class Drawing:
    """The layers of K games.

    Attributes:
      buffers: Buffers, for `draw`.
      screen, minimap: dicts from layer to its images, unsigned [K, height, width] of the smallest
        sufficient dtype: views of the buffers.
    """

    def __init__(
        self,
        rules: np.ndarray,
        num_games: int,
        screen_layers: Sequence[str],
        minimap_layers: Sequence[str],
    ):
        """Creates images of zeros.

        Args:
          rules: the record of the map, as an array of one record.
          num_games: K.
          screen_layers, minimap_layers: names of the layers to draw.

        Raises:
          ValueError: if a layer is unknown.
        """
        r = rules.view(np.recarray)[0]
        screen = canvas.make(
            num_games,
            (int(r.screen_width), int(r.screen_height)),
            layers.SCREEN_SCALES,
            screen_layers,
            outlines.discs(r.disc_width, r.disc_height),
        )
        minimap = canvas.make(
            num_games,
            (int(r.minimap_width), int(r.minimap_height)),
            layers.MINIMAP_SCALES,
            minimap_layers,
            outlines.squares(r.square_width, r.square_height),
        )
        radius = r.radius if 'unit_density_aa' in screen_layers else _NO_RADIUS
        discs = smooth_discs.make(radius, float(r.screen_across), float(r.screen_down))
        self.buffers = Buffers(screen, minimap, discs)
        self.screen = canvas.pictures(screen, layers.SCREEN_SCALES, screen_layers)
        self.minimap = canvas.pictures(minimap, layers.MINIMAP_SCALES, minimap_layers)


@compiled
def draw(g: Any, rules: Any, k: int, buffers: Any) -> None:
    """Updates all layers of a game on a map without buildings.

    Args:
      g: the game, whose marks of what must be drawn again are cleared.
      rules: the record of its map.
      k: index of its images.
      buffers: Buffers.
    """
    if rules.has_fog:
        fog.refresh(g, rules)
    if g._camera_changed or g._ground_changed:
        pathable, buildable = rules.pathable_cell, rules.playable_cell
        terrain.draw_cells(g, rules, k, buffers.screen, buffers.minimap, pathable, buildable)
    finish(g, rules, k, buffers)


@compiled
def finish(g: Any, rules: Any, k: int, buffers: Any) -> None:
    """Updates all layers but those of `terrain.draw_cells`; see `draw`."""
    terrain.draw_visibility(g, rules, k, buffers.screen, buffers.minimap)
    terrain.draw_camera(g, rules, k, buffers.minimap)
    unit_layers.draw_units(g, rules, k, buffers.screen, buffers.minimap, buffers.discs)
    g._camera_changed = False
    g._visibility_changed = False
    g._ground_changed = False
