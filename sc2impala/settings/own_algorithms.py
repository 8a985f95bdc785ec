"""Algorithms outside of the package; their settings become flags before parsing."""

from typing import List, Type

from sc2impala import extensions, learner, tf_setup
from sc2impala.errors import UserError
from sc2impala.learner.registry import OneFile
from sc2impala.settings import fields
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.learning import AlgorithmSettings

_MOVED = {'replay': 'REPLAY', 'learns_values': 'LEARNS_VALUES', 'defaults': 'DEFAULTS'}
"""Attributes of the settings class by their old names as attributes of an algorithm."""


def register(name: str) -> None:
    """Adds an algorithm to `learner.ALGORITHMS` if its name is 'module:attribute'.

    Other algorithms outside of the package are removed if their settings have the same names.

    Raises:
      UserError: if it cannot be imported, or its settings cannot be flags.
    """
    if not extensions.is_spec(name) or name in learner.ALGORITHMS:
        return
    tf_setup.enable()  # The module imports TensorFlow.
    found = extensions.load(
        'algorithm',
        name,
        'a subclass of sc2impala.learner.algorithm.Algorithm with build_update and settings_class, '
        'a dataclass that inherits sc2impala.settings.learning.AlgorithmSettings',
        _is_algorithm,
    )
    for old in [old for old in _MOVED if hasattr(found, old)]:
        raise UserError(
            f'--algorithm={name}: {found.__name__} has the attribute {old}, expected '
            f'{_MOVED[old]} of its settings_class instead.'
        )
    learner.ALGORITHMS[name] = OneFile(*name.split(':'))
    try:
        fields.settings_of([found.settings_class])
        for other in [each for each in _registered() if each != name]:
            if set(_fields(learner.load_settings(other))) & set(_fields(found.settings_class)):
                del learner.ALGORITHMS[other]
        settings_lib.all_settings()
    except (ValueError, KeyError, AttributeError) as error:
        del learner.ALGORITHMS[name]
        raise UserError(
            f'--algorithm={name}: {found.settings_class.__name__} cannot become flags '
            f'({type(error).__name__}: {error}), expected a class with TITLE whose fields are '
            'declared with settings.fields.setting, with names that no other setting has.'
        ) from error


def foreign_settings(algorithm: str) -> List[str]:
    """Names of the settings of registered algorithms outside of the package but a chosen one."""
    others = [name for name in _registered() if name != algorithm]
    groups = [group for name, group in learner.settings_groups().items() if name not in others]
    known = fields.settings_of([*settings_lib.GROUPS.values(), *groups])
    return [name for name in settings_lib.all_settings() if name not in known]


def _registered() -> List[str]:
    return [name for name in learner.ALGORITHMS if extensions.is_spec(name)]


def _fields(group: Type[AlgorithmSettings]) -> List[str]:
    """Names of the settings that a class of settings declares itself, outside of the package."""
    own = [base for base in group.__mro__ if not base.__module__.startswith('sc2impala.')]
    return [name for base in own for name in base.__dict__.get('__annotations__', {})]


def _is_algorithm(found: object) -> bool:
    from sc2impala.learner.algorithm import Algorithm

    group = getattr(found, 'settings_class', None)
    has_settings = isinstance(group, type) and issubclass(group, AlgorithmSettings)
    return extensions.is_concrete(found, Algorithm) and has_settings
