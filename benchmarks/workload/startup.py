"""Where the parts of the start-up of a training are."""

from sc2impala import agents, experiment
from sc2impala.checkpoints.writer import CheckpointWriter
from sc2impala.factories import environments
from sc2impala.training import loop as trainer

STARTUP_MODULES = tuple(agents.AGENTS.values()) + (
    'sc2impala.learner.targets',
    'sc2impala.training.train',
)
"""Modules that functions of a training import when they are called. Imported before, they count as
imports and not as the part of the start-up in which the function runs."""


STARTUP_FUNCTIONS = (
    (experiment, 'train', 'graph'),
    (environments, 'make_specs', 'specs and environments'),
    (environments, 'make_environment', 'specs and environments'),
    (trainer, 'open_session', 'session and initialisation'),
    (CheckpointWriter, 'save', 'first checkpoint'),
    (trainer, 'update', 'first update'),
)
"""Module or class, name of its function, and the part of the start-up in which it runs; see
`benchmarks.instrumented.training_start`. What `train` does besides the others builds the graph."""


UPDATE_FUNCTION = (trainer, 'update')
"""The module and the name of the function that runs one update."""
