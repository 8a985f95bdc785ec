"""The graph of a training, built in the order in which data moves."""

import contextlib
from typing import Any, NamedTuple, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.learner import labels
from sc2impala.learner.phases import Phase
from sc2impala.replay import ReplayTable
from sc2impala.runtime import graph, seeds, training_experience, training_phases
from sc2impala.runtime.batches import Batches
from sc2impala.runtime.demonstrations import Recorded
from sc2impala.runtime.experience import Experience
from sc2impala.runtime.start_policy import StartPolicy
from sc2impala.runtime.training_start_policy import make_start_policy
from sc2impala.settings.settings import Settings


class Training(NamedTuple):
    """What a training is made of.

    agent: what is trained.
    start_policy: the policy with which it starts; None if there is no use for it.
    experience: environments, actors and their queue.
    table: the replay table, or None.
    recorded: the recordings that it learns from, possibly none.
    device: of the learner, or None for the CPU.
    phases: in the order in which they run.
    """

    agent: Agent
    start_policy: Optional[StartPolicy]
    experience: Experience
    table: Optional[ReplayTable]
    recorded: Recorded
    device: Optional[str]
    phases: Sequence[Phase]

    @property
    def has_labels(self) -> bool:
        """Whether observations have labels."""
        return labels.KEY in self.experience.queue.spec.env_outputs.observation


def build(
    settings: Settings, specs: Tuple[Any, Any], start: int, stack: contextlib.ExitStack
) -> Training:
    """Builds everything in the default graph.

    Args:
      settings: all of them.
      specs: observation and action spec.
      start: how many starts of the run there were before.
      stack: closes the environments.

    Raises:
      UserError: for anything wrong with the settings or the recordings.
    """
    tf.set_random_seed(seeds.streams(settings.run.seed, 'graph', 1, start)[0])
    environment = settings.environment
    agent = graph.make_agent(
        settings.agent, specs, environment.max_step_mul, environment.agent_step_mul
    )
    start_policy = make_start_policy(settings, agent, specs)
    teacher = start_policy.teacher if start_policy and start_policy.teacher.acts else None
    played, table = training_experience.make_experience(
        settings, agent, specs, start, stack, teacher
    )
    batches = Batches(graph.gpu_device())
    recorded = training_experience.open_recordings(settings, specs, start)
    phases = training_phases.make_phases(settings, agent, played, table, batches, recorded)
    return Training(agent, start_policy, played, table, recorded, batches.device, phases)
