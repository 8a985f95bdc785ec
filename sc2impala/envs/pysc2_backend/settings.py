"""How StarCraft II is run: everything that is no part of what an agent observes and does."""

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
"""Names of PySC2's `Difficulty`: the opponents that are part of the game."""

CAMERA_WIDTH = 24
"""World units across the screen: PySC2's default, and what the simulator shows."""

MAX_EPISODE_FRAMES = 524000
"""PySC2 ends every episode there, because the game fails soon after."""

RELAUNCH_EPISODES = {'BuildMarines': 1}
"""Episodes of a game process by map, where they must be few; elsewhere any number will do.

The restart of BuildMarines leaves out the mineral fields that were exhausted before, and a good
player exhausts some in every episode.
"""


@dataclasses.dataclass(frozen=True)
class GameSettings:
    """Settings of all games of an environment.

    version: of the game, as '4.10'; None takes the latest that is installed.
    replay_dir: folder for replays, or None. save_replay_episodes: save the replay of every so
        manyth episode of a game; 0 for none.
    realtime: 22.4 game loops in a second, for one game that somebody watches.
    visualize: show PySC2's picture of the game, which needs a display.
    disable_fog: see the whole map.
    camera_width: world units across the screen.
    relaunch_episodes: end the game process after so many episodes and start another; 0 for never.
    deadline_secs: how long a game may take for a step before it counts as hung.
    launch_deadline_secs: how long it may take to start.
    race: of the agent, one of RACES; of no effect in a mini-game.
    opponent: one of DIFFICULTIES on a ladder map, None in a mini-game.
    opponent_race: one of RACES.
    max_episode_frames: game loops after which an episode is cut off; None leaves it to the map.
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
