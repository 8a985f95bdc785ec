"""The demonstrator (`--demonstrator`): switched on and off by phase."""

from typing import Any, Callable, List, Mapping, Optional, Sequence

import tensorflow.compat.v1 as tf

from sc2impala import learner
from sc2impala.checkpoints import variables
from sc2impala.learner.phases import Phase
from sc2impala.training.component import Component
from sc2impala.training.run import Run

Share = Callable[[int], Optional[float]]
"""Environment frames of a phase -> share, see `learner.algorithm.Algorithm.demonstrator_share`."""


def make(run: Run) -> List[Component]:
    """Returns the component, if there are labels."""
    settings, graph = run.settings, run.graph
    if not graph.has_labels:
        return []
    shares = {}
    for name, algorithm_settings in settings.algorithms.items():
        is_main = name in learner.ALGORITHMS
        if not is_main or name == settings.training.algorithm:
            load: Callable[[str], Any] = learner.load if is_main else learner.load_pretraining
            algorithm = load(name)(algorithm_settings)
            shares[algorithm.title] = algorithm.demonstrator_share
    phases = graph.phases
    frames = [0] * len(phases)
    if run.start.checkpoint is not None:
        frames = variables.counters_of(run.start.checkpoint, [phase.frames for phase in phases])
    first = first_share(
        frames, [phase.num_frames for phase in phases], [shares[p.title] for p in phases]
    )
    return [DemonstratorHook(graph.actors.envs, shares, first)]


class DemonstratorHook(Component):
    """Switches the demonstrator on or off in each phase, and sets its share of episodes."""

    def __init__(
        self,
        envs: Sequence[Any],
        shares: Mapping[str, Share],
        first: Optional[float],
    ):
        """Args:
        envs: environments with the methods `enable(bool)` and `set_share(float)`.
        shares: by title of the phase.
        first: share when the session starts: actors act before the first phase begins.
        """
        self._envs = envs
        self._shares = shares
        self._first = first

    def begin(self) -> None:
        """Prepares the environments for the reset with which the session starts."""
        self._switch(self._first)

    def begin_phase(self, phase: Phase, frames: int) -> None:
        """Switches the demonstrator on if the phase uses it, else off."""
        super().begin_phase(phase, frames)
        self._switch(self._shares[phase.title](frames))

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs:
        """Requests the frames after the update."""
        return tf.train.SessionRunArgs(self.phase.train)

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        """Follows the schedule of the phase."""
        share = self._shares[self.phase.title](int(run_values.results))
        if share is not None:
            for env in self._envs:
                env.set_share(share)

    def _switch(self, share: Optional[float]) -> None:
        for env in self._envs:
            if share is not None:
                env.set_share(share)
            env.enable(share is not None)


def first_share(
    frames: Sequence[int], num_frames: Sequence[int], shares: Sequence[Share]
) -> Optional[float]:
    """Share of the first unfinished phase; None if all are finished."""
    for done, wanted, share in zip(frames, num_frames, shares):
        if done < wanted:
            return share(done)
    return None
