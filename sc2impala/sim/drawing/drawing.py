"""Drawing of all layers of a game."""

from typing import Any, Sequence, Tuple

import numpy as np

from sc2impala.sim import fog, layers
from sc2impala.sim.compiler import compiled
from sc2impala.sim.drawing import canvas, outlines, smooth_discs, terrain, unit_layers
from sc2impala.sim.drawing.canvas import Canvas
from sc2impala.sim.drawing.smooth_discs import SmoothDiscs

_NO_RADIUS = np.zeros([1])


def make_screen(
    rules: Any, num_games: int, names: Sequence[str]
) -> Tuple[Canvas, SmoothDiscs]:
    """Creates the images of the screens of K games.

    Args:
      rules: the record of the map.
      num_games: K.
      names: the layers to draw.

    Raises:
      ValueError: if a layer is unknown.
    """
    screen = canvas.make(
        num_games,
        (int(rules.screen_width), int(rules.screen_height)),
        layers.SCREEN_SCALES,
        names,
        outlines.discs(rules.disc_width, rules.disc_height),
    )
    radius = rules.radius if 'unit_density_aa' in names else _NO_RADIUS
    return screen, smooth_discs.make(radius, rules.screen_across, rules.screen_down)


def make_minimap(rules: Any, num_games: int, names: Sequence[str]) -> Canvas:
    """Creates the images of the minimaps of K games, as `make_screen` does."""
    return canvas.make(
        num_games,
        (int(rules.minimap_width), int(rules.minimap_height)),
        layers.MINIMAP_SCALES,
        names,
        outlines.squares(rules.square_width, rules.square_height),
    )


@compiled
def draw(g: Any, rules: Any, k: int, screen: Any, minimap: Any, discs: Any) -> None:
    """Updates all layers of a game on a map without buildings.

    Args:
      g: the game, whose marks of what must be drawn again are cleared.
      rules: the record of its map.
      k: index of its images.
      screen, minimap: Canvas.
      discs: SmoothDiscs.
    """
    if rules.has_fog:
        fog.refresh(g, rules)
    if g._camera_changed or g._ground_changed:
        terrain.draw_cells(
            g, rules, k, screen, minimap, rules.pathable_cell, rules.playable_cell
        )
    finish(g, rules, k, screen, minimap, discs)


@compiled
def finish(g: Any, rules: Any, k: int, screen: Any, minimap: Any, discs: Any) -> None:
    """Updates all layers that do not depend on buildings' cells; see `draw`."""
    terrain.draw_visibility(g, rules, k, screen, minimap)
    terrain.draw_camera(g, rules, k, minimap)
    unit_layers.draw_units(g, rules, k, screen, minimap, discs)
    g._camera_changed = False
    g._visibility_changed = False
    g._ground_changed = False
