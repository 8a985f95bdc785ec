"""What of a training is saved and restored beside its variables and its replay buffer."""

from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.learner.phases import policy_version
from sc2impala.runtime import resume_groups
from sc2impala.runtime.account import AccountPart
from sc2impala.runtime.actor_threads import ActorThreads
from sc2impala.runtime.checkpoint_parts import Part, ReplayPart
from sc2impala.runtime.queue_contents import QueueContents, Sequences
from sc2impala.runtime.resume import ResumePart
from sc2impala.runtime.training_graph import Training
from sc2impala.settings.settings import Settings


class Resume(NamedTuple):
    """How a training goes on exactly.

    part: of its checkpoints.
    parts: all of them.
    threads: those of the actors of this process; None if there are none.
    """

    part: ResumePart
    parts: Sequence[Part]
    threads: Optional[ActorThreads]


def build(
    settings: Settings,
    training: Training,
    remote: Optional[Any] = None,
    before: Optional[Mapping[str, Any]] = None,
) -> Resume:
    """Builds the operations that read and restore the state; all other variables exist.

    Actors in other processes keep their games themselves, and what they have sent is not saved.

    Args:
      settings: all of them.
      training: what has been built.
      remote: `remote_actors.RemoteActors`; None for actors in this process.
      before: the settings of the previous start; None in a new run.
    """
    table = training.table
    more: List[Part] = [] if table is None else [ReplayPart(table)]
    of_streams = [v for v in tf.local_variables() if v.op.name.startswith('stream_state')]
    recordings = resume_groups.Recordings(training.recorded.made)
    if remote is not None:
        # Updates are counted in each start: remote actors rely on that.
        part = ResumePart([resume_groups.Learner(of_streams), recordings])
        return Resume(part, [part, *more], None)
    account = training.experience.queue.account
    account_part = AccountPart(account)
    threads, actors, queue = _playing(settings, training)
    groups = [
        resume_groups.Learner([*of_streams, policy_version()[1]]),
        recordings,
        resume_groups.Staged(training.batches, lambda: account.keep(0, [account_part.staged])),
    ]
    numbers = settings.actors.num_actors, settings.actors.num_envs
    has_new_games = before is not None and numbers != (before['num_actors'], before['num_envs'])
    part = ResumePart(groups, actors, queue, account_part.hold, has_new_games)
    # The account has to be restored before what it keeps, and saved after it was held.
    return Resume(part, [part, account_part, *more], threads)


def _playing(
    settings: Settings, training: Training
) -> Tuple[Optional[ActorThreads], resume_groups.Actors, resume_groups.Queue]:
    """The threads of the actors, None in a deterministic training; their state, and the queue."""
    played, threads = training.experience, None
    contents = QueueContents(played.queue)
    if not settings.run.deterministic:
        num_envs = settings.actors.num_envs
        threads = ActorThreads(played.enqueue_ops, num_envs, played.queue, contents)
    variables = [v for v in tf.local_variables() if v.op.name.startswith('actor_')]

    def keep(sequences: Sequences) -> None:
        unrolls = tf.nest.pack_sequence_as(played.queue.spec, sequences)
        count = played.queue.num_frames(unrolls.env_outputs, unrolls.agent_outputs.step_mul)
        played.queue.account.keep(count)

    actors = resume_groups.Actors(played.envs, variables)
    return threads, actors, resume_groups.Queue(contents, threads, keep)
