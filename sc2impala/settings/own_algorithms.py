"""Algorithms outside of the package, whose settings become flags before flags are parsed."""

import dataclasses
from typing import Any, List

from sc2impala import extensions, learner
from sc2impala.errors import UserError
from sc2impala.learner.algorithm import Algorithm
from sc2impala.settings import fields
from sc2impala.settings import settings as settings_lib


def register(name: str) -> None:
    """Adds an algorithm to `learner.ALGORITHMS` if its name is 'module:attribute'.

    Other algorithms outside of the package are removed if settings of them have the same names.

    Raises:
      UserError: if it cannot be imported, or its settings cannot be flags.
    """
    if not extensions.is_spec(name) or name in learner.ALGORITHMS:
        return
    found = extensions.load(
        'algorithm',
        name,
        'a subclass of sc2impala.learner.algorithm.Algorithm with build_update and settings_class',
        _is_algorithm,
    )
    learner.ALGORITHMS[name] = name
    try:
        fields.settings_of([found.settings_class])
        for other in [each for each in _registered() if each != name]:
            if set(_fields(learner.load(other))) & set(_fields(found)):
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


def _fields(algorithm: Any) -> List[str]:
    """Names of the settings that a class of settings declares itself, outside of the package."""
    own = [c for c in algorithm.settings_class.__mro__ if not c.__module__.startswith('sc2impala.')]
    return [name for c in own for name in c.__dict__.get('__annotations__', {})]


def _is_algorithm(found: Any) -> bool:
    return extensions.is_concrete(found, Algorithm) and dataclasses.is_dataclass(
        getattr(found, 'settings_class', None)
    )
