"""Functions of feature layers and unit tables that scripted players decide by."""

import numpy as np

from sc2impala.envs import pysc2_api

SELF = 1
NEUTRAL = 3
ENEMY = 4
"""Values of the layer player_relative and of the column alliance."""

_FAR = np.iinfo(np.int64).max


class Units:
    """The vector feature_units of K games: N rows each, one per unit or empty.

    mine, neutral, enemy: bool [K, N], the units of each alliance.
    pixel: int32 [K, N, 2], their positions on the screen as (x, y).
    """

    def __init__(self, rows: np.ndarray):
        """Args: rows: int32 [K, N, 46]."""
        self._rows = rows
        alliance = self.column('alliance')
        self.mine, self.neutral, self.enemy = (alliance == a for a in (SELF, NEUTRAL, ENEMY))
        columns = pysc2_api.features.FeatureUnit
        self.pixel = rows[:, :, columns.x : columns.y + 1]

    def column(self, name: str) -> np.ndarray:
        """Returns a column by PySC2's name for it: int32 [K, N]."""
        return self._rows[:, :, pysc2_api.features.FeatureUnit[name]]

    def select_type(self, unit_type: int) -> np.ndarray:
        """Returns which rows are units of a type: bool [K, N]."""
        return self.column('unit_type') == unit_type

    def pixel_of(self, index: np.ndarray) -> np.ndarray:
        """Returns the position of one unit of each game: index int [K] -> int32 [K, 2]."""
        return self.pixel[np.arange(len(index)), index]


def least(among: np.ndarray, *keys: np.ndarray) -> np.ndarray:
    """Returns the index with the smallest key among those where `among` is true; 0 if none is.

    Args:
      among: bool [K, N].
      *keys: integers [K, N] each; ties of one key are broken by the next one, and ties of all keys
        by the smallest index.

    Returns:
      int [K].
    """
    for key in keys:
        smallest = np.where(among, key.astype(np.int64), _FAR).min(axis=1)
        among = among & (key == smallest[:, np.newaxis])
    return among.argmax(axis=1)


def centre(mask: np.ndarray) -> np.ndarray:
    """Returns the mean pixel (x, y) of masks bool [K, H, W]: int32 [K, 2], (0, 0) where empty."""
    num_pixels = np.maximum(mask.sum(axis=(1, 2)), 1)
    x = mask.sum(axis=1).dot(np.arange(mask.shape[2])) / num_pixels
    y = mask.sum(axis=2).dot(np.arange(mask.shape[1])) / num_pixels
    return np.stack([x, y], axis=1).round().astype(np.int32)


def mean_pixel(units: Units, among: np.ndarray) -> np.ndarray:
    """Returns the mean (x, y) of the units `among`, bool [K, N]: float64 [K, 2], (0, 0) if none."""
    number = np.maximum(among.sum(axis=1), 1)
    return (units.pixel * among[:, :, np.newaxis]).sum(axis=1) / number[:, np.newaxis]


def squared_distance(pixels: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Returns squared distances of N pixels [K, N, 2] to one point [K, 2] per game: [K, N]."""
    offset = pixels - point[:, np.newaxis]
    return np.square(offset[..., 0]) + np.square(offset[..., 1])


def length(offset: np.ndarray) -> np.ndarray:
    """Returns the lengths of vectors float64 [..., 2]: [...]; `np.linalg.norm` is slow for two."""
    return np.sqrt(np.square(offset[..., 0]) + np.square(offset[..., 1]))


def nearest_pixel(mask: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Returns the pixel (x, y) of a mask bool [K, H, W] nearest to a point [K, 2]: int64 [K, 2].

    Ties are broken by the order of rows, then columns; (0, 0) where the mask is empty.
    """
    rows, columns = np.indices(mask.shape[1:])
    pixels = np.stack([columns.ravel(), rows.ravel()], axis=1)[np.newaxis]
    index = least(mask.reshape(len(mask), -1), squared_distance(pixels, point))
    return pixels[0, index]
