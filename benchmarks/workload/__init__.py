"""Builds trainings and parts of them from command-line flags, for all benchmarks.

This is the only package of the benchmarks that uses the parts of the trainer (`runtime`, `learner`,
`actors`, `settings`, `experiment`): the benchmarks pass `Settings` on to the functions here without
looking into them, and read the numbers they need from `sizes`.

K is the number of environments of an actor, T the unroll length, B the batch size, replayed
sequences included.
"""

from benchmarks.workload.flags import (
    WORKLOADS,
    Sizes,
    make_settings,
    parse,
    sizes,
    train,
)
from benchmarks.workload.graphs import build_update, build_weights, make_environment, session
from benchmarks.workload.parts import (
    COMPUTATIONS,
    PARTS,
    flops,
    matrix_product,
    network_bound,
    part,
    rate_alone,
)
from benchmarks.workload.startup import STARTUP_FUNCTIONS, STARTUP_MODULES, UPDATE_FUNCTION
from benchmarks.workload.trainings import played_sequences, synchronous_training
from sc2impala import tf_setup
from sc2impala.settings.settings import Settings

tf_setup.enable()

__all__ = [
    'COMPUTATIONS',
    'PARTS',
    'STARTUP_FUNCTIONS',
    'STARTUP_MODULES',
    'UPDATE_FUNCTION',
    'WORKLOADS',
    'Settings',
    'Sizes',
    'build_update',
    'build_weights',
    'flops',
    'make_environment',
    'make_settings',
    'matrix_product',
    'network_bound',
    'parse',
    'part',
    'played_sequences',
    'rate_alone',
    'session',
    'sizes',
    'synchronous_training',
    'train',
]
