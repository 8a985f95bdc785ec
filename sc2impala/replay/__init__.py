"""A replay buffer: a table of sequences, a sampler, a remover, and how the table is saved.

As in Reverb, a table takes two independent choices: the sampler selects the sequences to replay,
and the remover selects the sequence that a new one overwrites once the table is full.
"""

from sc2impala.replay.removers import REMOVERS, Fifo, Remover, Reservoir
from sc2impala.replay.samplers import SAMPLERS, Prioritised, Sampler, Uniform
from sc2impala.replay.storage import load, save
from sc2impala.replay.stores import STORES
from sc2impala.replay.table import ReplayTable, Sample, min_compressed_bytes, uncompressed_bytes

COMPRESSIONS = tuple(STORES)

__all__ = [
    'COMPRESSIONS',
    'REMOVERS',
    'SAMPLERS',
    'Fifo',
    'Prioritised',
    'Remover',
    'ReplayTable',
    'Reservoir',
    'Sample',
    'Sampler',
    'Uniform',
    'load',
    'min_compressed_bytes',
    'save',
    'uncompressed_bytes',
]
