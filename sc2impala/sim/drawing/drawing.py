"""Drawing of all layers of a game."""

from typing import Any, NamedTuple, Sequence

import numpy as np

from sc2impala.sim import layers, visibility
from sc2impala.sim.compiler import compiled
from sc2impala.sim.drawing import canvas, discs, terrain, unit_layers
from sc2impala.sim.drawing.canvas import NUM_KEPT, Canvas


class Buffers(NamedTuple):
    """The images of K games.

    screen, minimap: Canvas.
    """

    screen: Canvas
    minimap: Canvas


class Drawing:
    """The layers of K games.

    Attributes:
      arrays: tuple of the arrays of a Buffers that are kept; passing a named tuple of arrays to a
        compiled function would take longer than drawing a game.
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
            layers.SCREEN_SCALES,
            screen_layers,
            discs.discs(r.disc_width, r.disc_height),
        )
        minimap, self.minimap = canvas.make(
            (num_games, int(r.minimap_height), int(r.minimap_width)),
            layers.MINIMAP_SCALES,
            minimap_layers,
            discs.squares(r.square_width, r.square_height),
        )
        self.arrays = screen + minimap


@compiled
def buffers_of(arrays: Any, rules: Any, num_units: int) -> Any:
    """Returns the Buffers that consist of the arrays of a Drawing, for games of U units."""
    return Buffers(
        canvas.complete(arrays[:NUM_KEPT], num_units, rules.screen_width, rules.screen_height),
        canvas.complete(arrays[NUM_KEPT:], num_units, rules.minimap_width, rules.minimap_height),
    )


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
        visibility.refresh(g, rules)
    if has_changed(g):
        draw_terrain(g, rules, k, buffers, rules.pathable_cell, rules.buildable_cell)
    draw_units(g, rules, k, buffers)


@compiled
def has_changed(g: Any) -> bool:
    """Returns whether layers of the terrain must be drawn again."""
    return g._camera_changed != 0 or g._visibility_changed != 0 or g._ground_changed != 0


@compiled
def draw_terrain(g: Any, rules: Any, k: int, buffers: Any, pathable: Any, buildable: Any) -> None:
    """Draws the layers that do not show units.

    Args:
      g, rules, k, buffers: as for `draw`.
      pathable, buildable: uint8 [64, 64] by y and x, the cells that are so. [U]
    """
    terrain.draw_on_screen(g, rules, k, buffers.screen, pathable, buildable)
    terrain.draw_on_minimap(g, rules, k, buffers.minimap, pathable, buildable)
    g._camera_changed = False
    g._visibility_changed = False
    g._ground_changed = False


@compiled
def draw_units(g: Any, rules: Any, k: int, buffers: Any) -> None:
    """Draws the layers that show units; arguments as for `draw`."""
    screen, minimap = buffers.screen, buffers.minimap
    if len(screen.small_layers) + len(screen.large_layers) > 0:
        unit_layers.draw_on_screen(g, rules, k, screen)
    if len(minimap.small_layers) > 0:
        unit_layers.draw_on_minimap(g, rules, k, minimap)
