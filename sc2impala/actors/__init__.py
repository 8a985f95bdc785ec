"""Actors: step environments and fill the queue with sequences."""

from sc2impala.actors.actor import Actor, build_actor, choose
from sc2impala.actors.sequence_queue import (
    SequenceQueue,
    component_specs,
    env_output_spec,
    sequence_spec,
)

__all__ = [
    'SequenceQueue',
    'Actor',
    'build_actor',
    'choose',
    'component_specs',
    'env_output_spec',
    'sequence_spec',
]
