"""Settings of runs on several maps."""

import dataclasses
from typing import ClassVar, Tuple

from sc2impala.settings import value_types
from sc2impala.settings.fields import MAX_FRAMES, setting

SIMULTANEOUS, SEQUENTIAL = SCHEDULES = ('simultaneous', 'sequential')


@dataclasses.dataclass(frozen=True)
class TaskSettings:
    """Settings of runs on several maps, see `envs.tasks`."""

    TITLE: ClassVar[str] = 'several maps'

    task_schedule: str = setting(
        SIMULTANEOUS,
        'simultaneous: games of all maps at once; sequential: one map after the other in the main '
        'phase, each for --frames_per_task, in --cycles rounds. Replay buffer, optimizer and '
        'teacher continue when the map changes',
        choices=SCHEDULES,
    )
    task_shares: Tuple[Tuple[str, float], ...] = setting(
        (),
        'simultaneous: shares of the games by map, as DefeatRoaches=2; 1 for other maps',
        type=value_types.WEIGHTS,
    )
    frames_per_task: int = setting(
        1000000,
        'sequential: environment frames on a map before the next one',
        between=(1, MAX_FRAMES),
    )
    cycles: int = setting(
        1, 'sequential: how many times the maps are learned in turn', between=(1, 10000)
    )
    evaluations_per_task: int = setting(
        1,
        'sequential: evaluations of all maps in the frames of each, the last one at their end. '
        'There is one more before the first update; --num_episodes on each map. 0 disables them',
        between=(0, 10000),
    )

    @property
    def is_sequential(self) -> bool:
        """True if maps are learned one after the other."""
        return self.task_schedule == SEQUENTIAL

    @property
    def evaluation_frames(self) -> int:
        """Frames from one evaluation to the next of a sequential schedule; 0 for none."""
        if not self.evaluations_per_task:
            return 0
        return max(1, self.frames_per_task // self.evaluations_per_task)
