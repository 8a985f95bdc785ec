"""Learners: algorithms, sources of batches, losses and optimization.

An algorithm is one file with a class `Algorithm`, and a line in `ALGORITHMS` or `PRETRAINING`.
Importing this package does not load TensorFlow; building an update does.
"""

import importlib
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Type

if TYPE_CHECKING:
    from sc2impala.learner.algorithm import Algorithm, PretrainingAlgorithm

ALGORITHMS = {
    'impala': 'sc2impala.learner.impala:Impala',
    'appo': 'sc2impala.learner.appo:Appo',
    'r2d2': 'sc2impala.learner.r2d2:R2D2',
}
"""What `--algorithm` can name."""

PRETRAINING = {
    'cloning': 'sc2impala.learner.cloning:Cloning',
    'critic_pretraining': 'sc2impala.learner.critic_pretraining:CriticPretraining',
}
"""Phases before the training, in this order; each says in its settings how long it is, 0 by
default."""


def load(name: str) -> 'Type[Algorithm]':
    """The class of an algorithm in `ALGORITHMS`.

    Raises:
      KeyError: if there is no such algorithm.
    """
    return _load(ALGORITHMS, name)


def load_pretraining(name: str) -> 'Type[PretrainingAlgorithm]':
    """The class of an algorithm in `PRETRAINING`.

    Raises:
      KeyError: if there is no such algorithm.
    """
    return _load(PRETRAINING, name)


def settings_groups() -> Dict[str, Any]:
    """The settings class of every algorithm, by the name of the algorithm."""
    return {
        name: _load(registry, name).settings_class
        for registry in (PRETRAINING, ALGORITHMS)
        for name in registry
    }


def _load(registry: Mapping[str, str], name: str) -> Any:
    module, _, class_name = registry[name].partition(':')
    return getattr(importlib.import_module(module), class_name)


_PUBLIC = {
    'Batch': 'sc2impala.learner.batch',
    'LearnerOutput': 'sc2impala.learner.build',
    'build_critic_learner': 'sc2impala.learner.build',
    'build_learner': 'sc2impala.learner.build',
    'make_batch': 'sc2impala.learner.batch',
}
"""Names of this package whose modules load TensorFlow, imported when they are first used."""


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> List[str]:
    return sorted(list(globals()) + list(_PUBLIC))
