"""Settings of a cluster."""

import dataclasses
from typing import ClassVar

from sc2impala.settings import fields
from sc2impala.settings.fields import MANY, setting
from sc2impala.settings.learning import PolicyLagSettings


@dataclasses.dataclass(frozen=True)
class ClusterSettings(PolicyLagSettings):
    """Settings of learner and actors in separate processes, see docs/guides/cluster.md."""

    TITLE: ClassVar[str] = 'cluster'

    job_name: str = setting(
        '',
        'learner or actor, which opens a port or connects to one; empty for all in one process',
        choices=('learner', 'actor', ''),
        free_on_resume=True,
        own_in_evaluation=True,
        scope=fields.PROCESS,
    )
    learner_address: str = setting(
        '',
        'host:port of the learner; it listens on that port of all its interfaces, and port 0 is '
        'any that is free',
        free_on_resume=True,
        own_in_evaluation=True,
        scope=fields.PROCESS,
    )
    task: int = setting(
        -1,
        'number of an actor in summaries; -1 for the first free one',
        between=(-1, MANY),
        free_on_resume=True,
        own_in_evaluation=True,
        scope=fields.PROCESS,
    )
    inference: str = setting(
        'local',
        'location of the agent of cluster actors: local, in the actor, with a copy of the '
        'weights; or central, in the learner, which batches the requests of all actors',
        choices=('local', 'central'),
        free_on_resume=True,
    )
    weights_secs: float = setting(
        0.2,
        'minimum seconds between two requests of an actor for new weights',
        between=(0.0, 3600.0),
        free_on_resume=True,
    )
    sequence_compression: str = setting(
        'auto',
        'compression of sequences that actors send: none, zstd, or auto for the faster of the two',
        choices=('auto', 'none', 'zstd'),
        free_on_resume=True,
    )
    rpc_timeout_secs: float = setting(
        30.0,
        'seconds without an answer of the learner after which an actor reconnects',
        between=(0.1, 3600.0),
        free_on_resume=True,
    )
