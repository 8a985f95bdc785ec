"""Drawing of all layers of a game."""

from typing import Any, NamedTuple, Sequence

import numpy as np

from sc2impala.sim import fog, layers
from sc2impala.sim.compiler import compiled
from sc2impala.sim.drawing import canvas, outlines, smooth_discs, terrain, unit_layers
from sc2impala.sim.drawing.canvas import Canvas

_NO_RADIUS = np.zeros([1])


class Buffers(NamedTuple):
    """The images of K games.

    screen, minimap: Canvas.
    circles: uint8 [T, 8, 8, h, w], see `smooth_discs.make`.
    """

    screen: Canvas
    minimap: Canvas
    circles: np.ndarray


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
        screen, self.screen = canvas.make(
            (num_games, int(r.screen_height), int(r.screen_width)),
            int(r.num_units),
            layers.SCREEN_SCALES,
            screen_layers,
            outlines.discs(r.disc_width, r.disc_height),
        )
        minimap, self.minimap = canvas.make(
            (num_games, int(r.minimap_height), int(r.minimap_width)),
            int(r.num_units),
            layers.MINIMAP_SCALES,
            minimap_layers,
            outlines.squares(r.square_width, r.square_height),
        )
        radius = r.radius if 'unit_density_aa' in screen_layers else _NO_RADIUS
        circles = smooth_discs.make(radius, float(r.screen_across), float(r.screen_down))
        self.buffers = Buffers(screen, minimap, circles)


@compiled
def draw(g: Any, rules: Any, k: int, buffers: Any) -> None:
    """Updates all layers of a game on a map without buildings.

    Args:
      g: the game, whose marks of what must be drawn again are cleared.
      rules: the record of its map.
      k: index of its images.
      buffers: Buffers.
    """
    draw_on(g, rules, k, buffers, rules.pathable_cell, rules.playable_cell)


@compiled
def draw_on(g: Any, rules: Any, k: int, buffers: Any, pathable: Any, buildable: Any) -> None:
    """Like `draw`, with the cells that are pathable and buildable: uint8 [64, 64] by y and x."""
    if rules.has_fog:
        fog.refresh(g, rules)
    if len(buffers.screen.small) + len(buffers.screen.large):
        terrain.draw_on_screen(g, rules, k, buffers.screen, pathable, buildable)
        unit_layers.draw_on_screen(g, rules, k, buffers.screen, buffers.circles)
    if len(buffers.minimap.small) + len(buffers.minimap.large):
        terrain.draw_on_minimap(g, rules, k, buffers.minimap, pathable, buildable)
        unit_layers.draw_on_minimap(g, rules, k, buffers.minimap)
    g._camera_changed = False
    g._visibility_changed = False
    g._ground_changed = False
