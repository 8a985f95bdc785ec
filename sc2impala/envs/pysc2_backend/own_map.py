"""Map files of the user: `--map_file=My.SC2Map` selects a map that PySC2 does not list."""

import os
import re
from types import ModuleType
from typing import Any, Optional

from sc2impala.envs.maps import MapDefaults
from sc2impala.envs.pysc2_backend.ladder import LADDER_DEFAULTS

SUFFIX = '.SC2Map'
MAX_SCORE_INDEX = 12
"""The last index of PySC2's `score_cumulative`."""

DEFAULTS = MapDefaults(
    # The map, or --max_episode_frames, ends an episode.
    episode_frames=LADDER_DEFAULTS.episode_frames,
    functions='all',
    fixed_arguments={'queued': 0},
    screen_layers=LADDER_DEFAULTS.screen_layers,
    minimap_layers=LADDER_DEFAULTS.minimap_layers,
    screen_size=(64, 64),
    minimap_size=(64, 64),
    imitates_by_default=False,
)
"""The defaults of map files without the name of a known map."""


def path_of(map_file: str) -> str:
    """Returns the absolute path of a map file, with '~' expanded."""
    return os.path.abspath(os.path.expanduser(map_file))


def name_of(map_file: str) -> str:
    """Returns the name of a map: the file's name, in characters that tags and folders may have."""
    stem = os.path.splitext(os.path.basename(path_of(map_file)))[0]
    return re.sub(r'[^A-Za-z0-9_.-]+', '_', stem)


def fault_of(map_file: str) -> Optional[str]:
    """Returns the reason why a map file cannot be used, or None."""
    path = path_of(map_file)
    if os.path.splitext(path)[1].lower() != SUFFIX.lower():
        return f'does not end with {SUFFIX}'
    if not os.path.exists(path):
        return 'does not exist' if path == map_file else f'does not exist ({path})'
    if not os.path.isfile(path):
        return 'is not a file'
    return None if os.access(path, os.R_OK) else 'cannot be read by this user'


def make_map(
    maps: ModuleType,
    map_file: str,
    num_players: int = 1,
    score_index: int = 0,
    score_multiplier: float = 1.0,
) -> Any:
    """Makes an object of PySC2's `Map` for a file.

    Args:
      maps: PySC2's module `maps`.
      map_file: file of the map.
      num_players: the agent, and the game's built-in AI, if any.
      score_index: index of the reward in `score_cumulative`; -1 for win or loss.
      score_multiplier: factor on the reward.
    """
    map_path = path_of(map_file)

    def data(self: Any, run_config: Any) -> bytes:
        with open(map_path, 'rb') as file:
            return file.read()

    members = dict(
        name=name_of(map_file),
        # PySC2 would append the suffix to a lower-case one.
        path=map_path,
        directory=os.path.dirname(map_path),
        filename=os.path.basename(map_path),
        players=num_players,
        score_index=score_index,
        score_multiplier=score_multiplier,
        data=data,
    )
    return type('OwnMap', (maps.lib.Map,), members)()
