"""Actors: what plays the game and fills the queue."""

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
