"""What scripted players make of pictures and lists of units."""

import numpy as np

from sc2impala.envs.pysc2_api import features

SELF = 1
NEUTRAL = 3
ENEMY = 4
"""Values of player_relative, and of the alliance of units."""

_FAR = np.iinfo(np.int64).max


class Units:
    """The vector feature_units of K games: N rows each, some of them without a unit.

    mine, neutral, enemy: bool [K, N], whose units they are.
    pixel: int32 [K, N, 2], where they are, (x, y).
    """

    def __init__(self, rows: np.ndarray):
        """Args: rows: int32 [K, N, 46]."""
        self._rows = rows
        alliance = self.column('alliance')
        self.mine, self.neutral, self.enemy = (alliance == a for a in (SELF, NEUTRAL, ENEMY))
        self.pixel = rows[:, :, features.FeatureUnit.x : features.FeatureUnit.y + 1]

    def column(self, name: str) -> np.ndarray:
        """A column by PySC2's name: int32 [K, N]."""
        return self._rows[:, :, features.FeatureUnit[name]]

    def of_type(self, unit_type: int) -> np.ndarray:
        """bool [K, N]."""
        return self.column('unit_type') == unit_type

    def pixel_of(self, index: np.ndarray) -> np.ndarray:
        """Where one unit of each game is: int [K] -> int32 [K, 2]."""
        return self.pixel[np.arange(len(index)), index]


def least(among: np.ndarray, *keys: np.ndarray) -> np.ndarray:
    """The index with the least key among those where `among` is true; 0 where none is.

    Args:
      among: bool [K, N].
      *keys: integers [K, N] each; where the first ones are equal the next one decides, and the
        smallest index at last.

    Returns:
      int [K].
    """
    for key in keys:
        smallest = np.where(among, key.astype(np.int64), _FAR).min(axis=1)
        among = among & (key == smallest[:, np.newaxis])
    return among.argmax(axis=1)


def centre(mask: np.ndarray) -> np.ndarray:
    """The mean pixel (x, y) of each mask: bool [K, H, W] -> int32 [K, 2], (0, 0) where empty."""
    num_pixels = np.maximum(mask.sum(axis=(1, 2)), 1)
    x = mask.sum(axis=1).dot(np.arange(mask.shape[2])) / num_pixels
    y = mask.sum(axis=2).dot(np.arange(mask.shape[1])) / num_pixels
    return np.stack([x, y], axis=1).round().astype(np.int32)


def mean_pixel(units: Units, among: np.ndarray) -> np.ndarray:
    """The mean (x, y) of some units bool [K, N]: float64 [K, 2], (0, 0) where there is none."""
    number = np.maximum(among.sum(axis=1), 1)
    return (units.pixel * among[:, :, np.newaxis]).sum(axis=1) / number[:, np.newaxis]


def squared_distance(pixels: np.ndarray, point: np.ndarray) -> np.ndarray:
    """From N pixels [K, N, 2] to one point [K, 2] of each game: [K, N]."""
    return np.square(pixels - point[:, np.newaxis]).sum(axis=2)


def nearest_pixel(mask: np.ndarray, point: np.ndarray) -> np.ndarray:
    """The pixel (x, y) of a mask bool [K, H, W] that is nearest to a point [K, 2]: int64 [K, 2].

    The first one by rows where several are; (0, 0) where the mask is empty.
    """
    rows, columns = np.indices(mask.shape[1:])
    pixels = np.stack([columns.ravel(), rows.ravel()], axis=1)[np.newaxis]
    index = least(mask.reshape(len(mask), -1), squared_distance(pixels, point))
    return pixels[0, index]
