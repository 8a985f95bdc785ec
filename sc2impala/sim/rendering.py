"""Renders the feature layers of K games: those of `appearance`, the densities and the camera."""

from typing import Callable, Iterable, List, Mapping, Sequence

import numpy as np

from sc2impala.sim import appearance, discs, geometry, layers
from sc2impala.sim.canvas import Canvas
from sc2impala.sim.geometry import View
from sc2impala.sim.stamps import Stamps
from sc2impala.sim.units import Units
from sc2impala.sim.world import World

SUBSAMPLES = 4  # unit_density_aa counts 4 x 4 sample points per pixel. [S] OBS
SUBPIXELS = 8
"""unit_density_aa rounds the centre of a unit to the centre of one of 8 x 8 subpixels, so that all
images can be computed in advance."""


class Renderer:
    """Renders the feature layers of a world into reused buffers.

    Units are drawn in the order of their slots, so that on a shared pixel the last one is visible.
    [U]

    Attributes:
      screen, minimap: Canvas.
    """

    def __init__(self, world: World, screen_layers: Sequence[str], minimap_layers: Sequence[str]):
        """Args:
          world: the games, with the sizes of screen and minimap.
          screen_layers, minimap_layers: names of the layers to render.

        Raises:
          ValueError: if a layer is unknown.
        """
        num_games, stats = world.num_games, world.units.stats
        self.screen = Canvas(num_games, world.screen.size, layers.SCREEN_SCALES, screen_layers)
        self.minimap = Canvas(num_games, world.minimap.size, layers.MINIMAP_SCALES, minimap_layers)
        self._discs = Stamps(_disc_pictures(world.screen, stats.radius), world.screen.size)
        self._squares = Stamps(
            _square_pictures(world.minimap, stats.minimap_radius), world.minimap.size
        )
        if 'unit_density_aa' in screen_layers:
            self._smooth_discs = Stamps(
                _smooth_pictures(world.screen, stats.radius), world.screen.size
            )
        self._sample_for_minimap = _sampler(world.minimap, geometry.minimap_corner()[:, None])
        self._unit_dtypes = {
            name: canvas.pictures[name].dtype
            for canvas in (self.screen, self.minimap)
            for name in appearance.UNIT_LAYERS
            if name in canvas.pictures
        }

    def draw(self, world: World) -> None:
        """Updates all layers to the current state of the world."""
        appearance.refresh(world)
        self._draw_terrain(world)
        self._draw_units(world)

    def _draw_terrain(self, world: World) -> None:
        games = np.flatnonzero(world.terrain_changed)
        if not games.size:
            return
        screen_corner = geometry.screen_corner(world.camera.take(games, axis=1))
        samplers = [
            (self.screen.pictures, _sampler(world.screen, screen_corner)),
            (self.minimap.pictures, self._sample_for_minimap),
        ]
        for name, cells_of in appearance.TERRAIN_LAYERS.items():
            cells = cells_of(world)[games]
            for pictures, sample in samplers:
                if name in pictures:
                    pictures[name][games] = sample(cells)
        if 'camera' in self.minimap.pictures:
            self.minimap.pictures['camera'][games] = _camera_frames(world.minimap, screen_corner)
        world.terrain_changed[:] = False

    def _draw_units(self, world: World) -> None:
        units = world.units
        shown = appearance.shown(world).reshape(-1).nonzero()[0]
        game = shown // units.alive.shape[1]
        visible = _Chosen(units, shown)
        unit_type = visible.type.astype(np.int64)
        position = units.position.reshape(2, -1).take(shown, axis=1)
        values = {
            name: appearance.UNIT_LAYERS[name](visible).astype(dtype)
            for name, dtype in self._unit_dtypes.items()
        }
        if self.screen.pictures:
            corner = geometry.screen_corner(world.camera).take(game, axis=1)
            centre = world.screen.to_pixels(position, corner)
            self._draw_on_screen(unit_type, centre, game, values)
        if self.minimap.pictures:
            centre = world.minimap.to_pixels(position, geometry.minimap_corner()[:, None])
            self._draw_on_minimap(unit_type, centre, game, values)

    def _draw_on_screen(
        self,
        unit_type: np.ndarray,
        centre: np.ndarray,
        game: np.ndarray,
        values: Mapping[str, np.ndarray],
    ) -> None:
        canvas = self.screen
        corner = discs.corners(centre, self._discs.size.take(unit_type, axis=1))
        placed, pixels, weight = self._discs.place(unit_type, corner, game)
        _paint(canvas, appearance.UNIT_LAYERS, pixels, placed, values)
        if 'unit_density' in canvas.pictures:
            canvas.paint_sum('unit_density', pixels, weight)
        if 'unit_density_aa' in canvas.pictures:
            pixel = np.floor(centre)
            part = ((centre - pixel) * SUBPIXELS).astype(np.int64)
            stamp = (unit_type * SUBPIXELS + part[1]) * SUBPIXELS + part[0]
            corner = pixel.astype(np.int64) - self._smooth_discs.size.take(stamp, axis=1) // 2
            _, pixels, weight = self._smooth_discs.place(stamp, corner, game)
            canvas.paint_sum('unit_density_aa', pixels, weight)

    def _draw_on_minimap(
        self,
        unit_type: np.ndarray,
        centre: np.ndarray,
        game: np.ndarray,
        values: Mapping[str, np.ndarray],
    ) -> None:
        canvas = self.minimap
        corner = discs.corners(centre, self._squares.size.take(unit_type, axis=1))
        placed, pixels, _ = self._squares.place(unit_type, corner, game)
        _paint(canvas, appearance.MINIMAP_UNIT_LAYERS, pixels, placed, values)


class _Chosen:
    """A flat selection of Units: attributes that are [K, U] of Units are [n] here."""

    def __init__(self, units: Units, chosen: np.ndarray) -> None:
        self.stats = units.stats
        self._units = units
        self._chosen = chosen

    def __getattr__(self, name: str) -> np.ndarray:
        # Called once per name, because the attribute is set afterwards.
        values = getattr(self._units, name).reshape(-1).take(self._chosen)
        setattr(self, name, values)
        return values


def _paint(
    canvas: Canvas,
    names: Iterable[str],
    pixels: np.ndarray,
    placed: np.ndarray,
    values: Mapping[str, np.ndarray],
) -> None:
    """Paints layers.

    Args:
      canvas: changed in place.
      names: the layers.
      pixels: int [p], flat indices.
      placed: int [p], the unit that each pixel shows.
      values: dict from layer to values of the units, [n].
    """
    for name in names:
        if name in canvas.pictures:
            if values[name].any():
                canvas.paint(name, pixels, values[name].take(placed))
            else:
                canvas.clear(name)


def _disc_pictures(view: View, radius: np.ndarray) -> List[np.ndarray]:
    """Returns one image of a disc per radius, following the drawing rule of `discs`."""
    pictures = []
    for width, height in discs.sizes(view, radius).T:
        pixels = np.indices([height, width])[::-1]
        size = np.array([width, height])[:, None, None]
        pictures.append(discs.covers(pixels, np.zeros_like(size), size).astype(np.uint16))
    return pictures


def _square_pictures(view: View, radius: np.ndarray) -> List[np.ndarray]:
    """Returns one filled rectangle per radius, of the size of the box of its disc. [S] OBS"""
    return [np.ones([height, width], np.uint16) for width, height in discs.sizes(view, radius).T]


def _smooth_pictures(view: View, radius: np.ndarray) -> List[np.ndarray]:
    """Returns images of the exact circle, by radius and by the subpixel of its centre.

    Their sizes are odd, and the centre lies in the middle pixel.
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


def _sampler(view: View, corner: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Returns a function that samples cells [n, y, x] at the pixel centres of views.

    The views have top left points [2, n], or [2, 1] for all. The samples are [n, height, width] and
    0 outside of the map.
    """
    (width, height), (across, down) = view.size, view.scale
    x = np.floor(corner[0][:, None] + (np.arange(width) + 0.5) / across).astype(np.int64)
    y = np.floor(corner[1][:, None] - (np.arange(height) + 0.5) / down).astype(np.int64)
    column = np.minimum(np.maximum(x, 0), geometry.MAP_EXTENT - 1)
    row = np.minimum(np.maximum(y, 0), geometry.MAP_EXTENT - 1)
    on_map = (row == y)[:, :, None] & (column == x)[:, None, :]
    whole = on_map.all()
    view_of_game = np.arange(len(y))[:, None] * geometry.MAP_EXTENT
    cell = ((view_of_game + row) * geometry.MAP_EXTENT)[:, :, None] + column[:, None, :]

    def sample(cells: np.ndarray) -> np.ndarray:
        if len(cell) == 1:
            values = cells.reshape(len(cells), -1).take(cell[0], axis=1)
        else:
            values = cells.reshape(-1).take(cell)
        return values if whole else values * on_map

    return sample


def _camera_frames(view: View, corner: np.ndarray) -> np.ndarray:
    """Returns the minimap pixels inside the screens with top left points [2, n]: bool [n, h, w]."""
    left, top = np.floor(view.to_pixels(corner, geometry.minimap_corner()[:, None]))[:, :, None]
    wide, high = np.floor(geometry.CAMERA_EXTENT * view.scale + 0.5)
    columns, rows = map(np.arange, view.size)
    across = (columns >= left) & (columns < left + wide)
    down = (rows >= top) & (rows < top + high)
    return down[:, :, None] & across[:, None, :]
