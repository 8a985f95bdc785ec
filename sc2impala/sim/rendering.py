"""Draws the feature layers of K games: what `appearance` lists, densities and the camera."""

from typing import Sequence

import numpy as np

from sc2impala.sim import appearance, discs, geometry, layers
from sc2impala.sim.canvas import Canvas
from sc2impala.sim.stamps import Stamps
from sc2impala.sim.world import World

SUBSAMPLES = 4  # A pixel of unit_density_aa counts 4 x 4 points. [S] OBS
SUBPIXELS = 8
"""unit_density_aa shows a unit as if its centre were in the middle of one of 8 x 8 parts of its
pixel, so that all its pictures can be made in advance."""


class Renderer:
    """Keeps the pictures of a world up to date.

    Units are drawn in the order of their slots, so that the last one is seen on a shared pixel. [U]

    Attributes:
      screen, minimap: Canvas.
    """

    def __init__(self, world: World, screen_layers: Sequence[str], minimap_layers: Sequence[str]):
        """Args:
          world: the games, and the sizes of their pictures.
          screen_layers, minimap_layers: names of the layers to draw.

        Raises:
          ValueError: if a layer is unknown.
        """
        num_games, stats = world.num_games, world.units.stats
        self.screen = Canvas(num_games, world.screen.size, layers.SCREEN_SCALES, screen_layers)
        self.minimap = Canvas(num_games, world.minimap.size, layers.MINIMAP_SCALES, minimap_layers)
        self._discs = Stamps(_disc_pictures(world.screen, stats.radius))
        self._squares = Stamps(_square_pictures(world.minimap, stats.minimap_radius))
        if 'unit_density_aa' in screen_layers:
            self._smooth_discs = Stamps(_smooth_pictures(world.screen, stats.radius))

    def draw(self, world: World) -> None:
        """Brings all layers up to date with the world."""
        self._draw_terrain(world)
        self._draw_units(world)

    def _draw_terrain(self, world):
        games = np.flatnonzero(world.terrain_changed)
        if not games.size:
            return
        screen_corner = geometry.screen_corner(world.camera[:, games])
        minimap_corner = np.broadcast_to(geometry.minimap_corner()[:, None], screen_corner.shape)
        for name, cells_of in appearance.TERRAIN_LAYERS.items():
            cells = cells_of(world)[games]
            if name in self.screen.pictures:
                self.screen.pictures[name][games] = _sample(cells, world.screen, screen_corner)
            if name in self.minimap.pictures:
                self.minimap.pictures[name][games] = _sample(cells, world.minimap, minimap_corner)
        if 'camera' in self.minimap.pictures:
            self.minimap.pictures['camera'][games] = _camera_frames(world.minimap, screen_corner)
        world.terrain_changed[:] = False

    def _draw_units(self, world):
        units = world.units
        shown = np.flatnonzero(appearance.shown(world))
        game = shown // units.alive.shape[1]
        kind = units.type.reshape(-1)[shown].astype(np.int64)
        position = units.position.reshape(2, -1)[:, shown]
        values = {
            name: values_of(units).reshape(-1)[shown]
            for name, values_of in appearance.UNIT_LAYERS.items()
            if name in self.screen.pictures or name in self.minimap.pictures
        }
        if self.screen.pictures:
            corner = geometry.screen_corner(world.camera)[:, game]
            centre = world.screen.to_pixels(position, corner)
            self._draw_on_screen(kind, centre, game, values)
        if self.minimap.pictures:
            centre = world.minimap.to_pixels(position, geometry.minimap_corner()[:, None])
            self._draw_on_minimap(kind, centre, game, values)

    def _draw_on_screen(self, kind, centre, game, values):
        canvas = self.screen
        corner = discs.corners(centre, self._discs.size[:, kind])
        placed, pixels, weight = self._discs.place(kind, corner, game, canvas.size)
        for name in appearance.UNIT_LAYERS:
            if name in canvas.pictures:
                canvas.paint(name, pixels, values[name][placed])
        if 'unit_density' in canvas.pictures:
            canvas.paint_sum('unit_density', pixels, weight)
        if 'unit_density_aa' in canvas.pictures:
            pixel = np.floor(centre).astype(np.int64)
            part = ((centre - pixel) * SUBPIXELS).astype(np.int64)
            stamp = (kind * SUBPIXELS + part[1]) * SUBPIXELS + part[0]
            corner = pixel - self._smooth_discs.size[:, stamp] // 2
            _, pixels, weight = self._smooth_discs.place(stamp, corner, game, canvas.size)
            canvas.paint_sum('unit_density_aa', pixels, weight)

    def _draw_on_minimap(self, kind, centre, game, values):
        canvas = self.minimap
        corner = discs.corners(centre, self._squares.size[:, kind])
        placed, pixels, _ = self._squares.place(kind, corner, game, canvas.size)
        for name in appearance.MINIMAP_UNIT_LAYERS:
            if name in canvas.pictures:
                canvas.paint(name, pixels, values[name][placed])


def _disc_pictures(view, radius):
    """One picture of a disc, after the drawing rule, per radius."""
    pictures = []
    for width, height in discs.sizes(view, radius).T:
        pixels = np.indices([height, width])[::-1]
        size = np.array([width, height])[:, None, None]
        pictures.append(discs.covers(pixels, np.zeros_like(size), size).astype(np.uint16))
    return pictures


def _square_pictures(view, radius):
    """One filled rectangle per radius, as large as the box of a disc of that radius. [S] OBS"""
    return [np.ones([height, width], np.uint16) for width, height in discs.sizes(view, radius).T]


def _smooth_pictures(view, radius):
    """Pictures of the exact circle, by radius and by the part of the pixel that the centre is in.

    They have an odd size, and the pixel that holds the centre is the one in the middle.
    """
    pictures = []
    for semi_axes in radius[:, None] * view.scale:
        margins = np.ceil(semi_axes).astype(np.int64)
        covered = []
        for semi_axis, margin in zip(semi_axes, margins):
            points = (np.arange((2 * margin + 1) * SUBSAMPLES) + 0.5) / SUBSAMPLES - margin
            centres = (np.arange(SUBPIXELS) + 0.5) / SUBPIXELS
            covered.append(np.square((points - centres[:, None]) / semi_axis))
        across, down = covered
        inside = down[:, None, :, None] + across[None, :, None, :] <= 1
        height, width = 2 * margins[::-1] + 1
        counts = inside.reshape([-1, height, SUBSAMPLES, width, SUBSAMPLES]).sum((2, 4))
        pictures.extend(counts.astype(np.uint16))
    return pictures


def _sample(cells, view, corner):
    """Values of cells [n, y, x] under the middles of the pixels: [n, height, width], 0 outside."""
    (width, height), (across, down) = view.size, view.scale
    x = np.floor(corner[0][:, None] + (np.arange(width) + 0.5) / across).astype(np.int64)
    y = np.floor(corner[1][:, None] - (np.arange(height) + 0.5) / down).astype(np.int64)
    x_on_map = (x >= 0) & (x < geometry.MAP_EXTENT)
    y_on_map = (y >= 0) & (y < geometry.MAP_EXTENT)
    rows = np.where(y_on_map, y, 0)[:, :, None]
    columns = np.where(x_on_map, x, 0)[:, None, :]
    values = cells[np.arange(len(cells))[:, None, None], rows, columns]
    return values * (y_on_map[:, :, None] & x_on_map[:, None, :])


def _camera_frames(view, corner):
    """What the screens with top left points [2, n] show of the map: bool [n, height, width]."""
    left, top = np.floor(view.to_pixels(corner, geometry.minimap_corner()[:, None]))[:, :, None]
    wide, high = np.floor(geometry.CAMERA_EXTENT * view.scale + 0.5)
    columns, rows = map(np.arange, view.size)
    across = (columns >= left) & (columns < left + wide)
    down = (rows >= top) & (rows < top + high)
    return down[:, :, None] & across[:, None, :]
