"""Settings of StarCraft II that are not part of the observation and action specs."""

import dataclasses
from typing import Optional

RACES = ('random', 'protoss', 'terran', 'zerg')
"""Names of PySC2's `Race`."""

DIFFICULTIES = (
    'very_easy',
    'easy',
    'medium',
    'medium_hard',
    'hard',
    'harder',
    'very_hard',
    'cheat_vision',
    'cheat_money',
    'cheat_insane',
)
"""Names of PySC2's `Difficulty`, the levels of the game's built-in AI."""

CAMERA_WIDTH = 24
"""Width of the screen in world units: PySC2's default, and the value in the simulator."""

MAX_EPISODE_FRAMES = 524000
"""The largest number of frames per episode: PySC2 stops there, because the game soon fails."""

RELAUNCH_EPISODES = {'BuildMarines': 1}
"""Map -> number of episodes per game process, for maps where it must be limited.

When BuildMarines restarts, mineral fields that were exhausted in an earlier episode are missing,
and a good player exhausts some in every episode.
"""


@dataclasses.dataclass(frozen=True)
class GameSettings:
    """Settings of all games of an environment.

    version: version of the game, such as '4.10'; None selects the newest that is installed.
    replay_dir: folder for StarCraft II replays, or None.
    save_replay_episodes: saves the replay of every N-th episode of a game; 0 for none.
    realtime: run at 22.4 frames per second, for a game that is watched.
    visualize: show PySC2's rendering of the game, which needs a display.
    disable_fog: observe the whole map.
    camera_width: width of the screen in world units.
    relaunch_episodes: number of episodes after which the game process is replaced; 0 for never.
    deadline_secs: seconds that a game may take for a step before it is considered hung.
    launch_deadline_secs: seconds that a game may take to start.
    race: the agent's race, one of RACES; without effect in a mini-game.
    opponent: one of DIFFICULTIES on a ladder map, None in a mini-game.
    opponent_race: one of RACES.
    map_file: the map, which may be any file; None for PySC2's map of the name.
    score_index: with `map_file`, index of the reward in `score_cumulative`; -1 for win or loss.
    score_multiplier: with `map_file`, factor on the reward.
    max_episode_frames: number of frames after which an episode is truncated; None keeps the limit
        of the map. PySC2 then ends it with a discount of 1.
    """

    version: Optional[str] = None
    replay_dir: Optional[str] = None
    save_replay_episodes: int = 0
    realtime: bool = False
    visualize: bool = False
    disable_fog: bool = False
    camera_width: int = CAMERA_WIDTH
    relaunch_episodes: int = 0
    deadline_secs: float = 60.0
    launch_deadline_secs: float = 120.0
    race: str = 'terran'
    opponent: Optional[str] = None
    opponent_race: str = 'random'
    max_episode_frames: Optional[int] = None
    map_file: Optional[str] = None
    score_index: int = 0
    score_multiplier: float = 1.0
