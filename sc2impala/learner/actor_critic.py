"""What IMPALA and APPO have in common."""

from typing import Any, Optional

from sc2impala.learner.algorithm import Algorithm


class ActorCritic(Algorithm):
    """An algorithm with settings of type `ActorCriticSettings`."""

    def teacher_cost(self, schedule: Any) -> Optional[Any]:
        """Falls linearly to 0; None if it is 0 from the start. See `Algorithm.teacher_cost`."""
        if not self.settings.teacher_cost:
            return None
        return schedule.linear(self.settings.teacher_cost, 0.0, part=self.settings.teacher_decay)

    def demonstrator_share(self, frames: int) -> Optional[float]:
        """The agent plays all episodes; see `Algorithm.demonstrator_share`."""
        return 0.0 if self.settings.demonstration_cost else None
