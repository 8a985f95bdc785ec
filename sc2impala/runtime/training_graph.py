"""The graph of a training, built in the order in which data moves."""

import contextlib
from typing import Any, NamedTuple, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.learner import labels
from sc2impala.learner.phases import Phase, policy_version
from sc2impala.replay import ReplayTable
from sc2impala.runtime import acting, graph, seeds, training_experience, training_phases
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
    batches: of all sources, on the devices of the learner.
    phases: in the order in which they run.
    observation_spec: of the agent.
    """

    agent: Agent
    start_policy: Optional[StartPolicy]
    experience: Experience
    table: Optional[ReplayTable]
    recorded: Recorded
    batches: Batches
    phases: Sequence[Phase]
    observation_spec: Any

    @property
    def has_labels(self) -> bool:
        """Whether observations have labels."""
        return labels.KEY in self.experience.queue.spec.env_outputs.observation


def build(
    settings: Settings,
    specs: Tuple[Any, Any],
    start: int,
    stack: contextlib.ExitStack,
    remote: Optional[Any] = None,
) -> Training:
    """Builds everything in the default graph.

    Args:
      settings: all of them.
      specs: observation and action spec.
      start: how many starts of the run there were before.
      stack: closes the environments.
      remote: `remote_actors.RemoteActors`; None for actors in this process.

    Raises:
      UserError: for anything wrong with the settings or the recordings.
    """
    devices = graph.learner_devices(settings.training.num_learner_devices)
    tf.set_random_seed(seeds.streams(settings.run.seed, 'graph', 1, start)[0])
    agent = acting.make_agent(settings, specs)
    # Actors in other processes have to know where variables are.
    with tf.device(None if remote is None else '/cpu'):
        if remote is not None:
            policy_version()
        start_policy = make_start_policy(settings, agent, specs)
    teacher = start_policy.teacher if start_policy and start_policy.teacher.acts else None
    played, table = training_experience.make_experience(
        settings, agent, specs, start, stack, teacher, remote
    )
    batches = Batches(devices)
    recorded = training_experience.open_recordings(settings, specs, start)
    phases = training_phases.make_phases(settings, agent, played, table, batches, recorded)
    return Training(agent, start_policy, played, table, recorded, batches, phases, specs[0])
