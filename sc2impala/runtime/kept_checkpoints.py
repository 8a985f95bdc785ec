"""Which checkpoints of a run are kept: the latest ones, and milestones."""

from typing import List, Optional

from sc2impala.runtime import checkpoint_units as units


class KeptCheckpoints:
    """The checkpoints of a folder by their frames, oldest first.

    A milestone is the first checkpoint at or after a multiple of `every` frames. It stays one when
    the run goes on with another `every`, as the index of its unit says so.

    frames: of all of them.
    """

    def __init__(self, logdir: str, keep: int, every: int = 0):
        """Args:
        logdir: the folder.
        keep: how many of the latest to keep, beside milestones; 0 keeps all.
        every: environment frames from one milestone to the next; 0 for none.
        """
        self.frames: List[int] = []
        self._logdir = logdir
        self._keep = keep
        self._every = every
        self._milestones: List[int] = []

    @property
    def newest(self) -> Optional[int]:
        """The last one; None if there is none."""
        return self.frames[-1] if self.frames else None

    def start_from(self, frames: int) -> None:
        """Goes on after the checkpoint of `frames` with all that are in the folder before it."""
        self.frames = [n for n in units.with_variables(self._logdir) if n < frames] + [frames]
        self._milestones = [n for n in self.frames if units.is_milestone(self._logdir, n)]

    def is_milestone(self, frames: int) -> bool:
        """Whether a checkpoint of `frames`, if it were saved now, would be a milestone."""
        if not self._every or self.newest is None:
            return False
        return frames // self._every > self.newest // self._every

    def add(self, frames: int) -> None:
        """A checkpoint was saved."""
        if self.is_milestone(frames):
            self._milestones.append(frames)
        self.frames.append(frames)

    def rotate(self) -> List[int]:
        """Takes those out that are not kept any more; they are returned."""
        rotating = [n for n in self.frames if n not in self._milestones]
        excess = rotating[: -self._keep] if self._keep else []
        self.frames = [n for n in self.frames if n not in excess]
        return excess

    def give_up_one(self) -> Optional[int]:
        """Takes out what is missed least: the oldest, and milestones after all others.

        Never the newest one.

        Returns:
          Its frames; None if there is only the newest one.
        """
        older = self.frames[:-1]
        if not older:
            return None
        frames = next((n for n in older if n not in self._milestones), older[0])
        self.frames.remove(frames)
        return frames
