"""Agents, scripts and algorithms outside of the package, named by 'module:attribute'.

    python -m sc2impala.experiment --agent=my_module:make_parts
    python -m sc2impala.experiment --demonstrator=my_module:MyScript
    python -m sc2impala.experiment --algorithm=my_module:MyAlgorithm

Python imports the module from PYTHONPATH or the working directory. Processes that
the package starts, such as members of a population, also find it.
"""

import importlib
import inspect
import os
import re
import sys
from types import ModuleType
from typing import Any, Callable, Iterator, Mapping, Type

from sc2impala.envs.players.scripted_player import ScriptedPlayer
from sc2impala.errors import UserError

_SPEC = re.compile(r'[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*', re.ASCII)


def is_spec(text: object) -> bool:
    """Returns whether a text has the form 'module:attribute'."""
    return isinstance(text, str) and _SPEC.fullmatch(text) is not None


class NamesOrSpecs:
    """Names in a registry, and every text of the form 'module:attribute'."""

    def __init__(self, registry: Mapping[str, object], attribute: str):
        """Args:
        registry: its keys are the names.
        attribute: stands for the attribute in messages.
        """
        self._registry = registry
        self._attribute = attribute

    def __contains__(self, text: object) -> bool:
        return text in self._registry or is_spec(text)

    def __iter__(self) -> Iterator[str]:
        return iter((*self._registry, f'module:{self._attribute} for your own'))


def load(flag: str, spec: str, expected: str, is_kind: Callable[[object], bool]) -> Any:
    """Imports the attribute named by a flag.

    Args:
      flag: name of the flag with the value `spec`, for errors.
      spec: 'module:attribute'.
      expected: description of valid attributes, for errors.
      is_kind: returns whether the attribute is valid.

    Raises:
      UserError: if the module cannot be imported, lacks the attribute, or has an invalid one.
    """
    name, _, attribute = spec.partition(':')
    try:
        module = _import(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        reason = ' '.join(str(error).split())
        raise UserError(
            f'--{flag}={spec}: module {name} cannot be imported ({type(error).__name__}: '
            f'{reason}), expected a module on PYTHONPATH or in the working directory.'
        ) from error
    if not hasattr(module, attribute):
        raise UserError(
            f'--{flag}={spec}: module {name} ({getattr(module, "__file__", "built in")}) has no '
            f'{attribute}, expected {expected} of that name.'
        )
    found = getattr(module, attribute)
    if not is_kind(found):
        kind = f'the {"abstract " if inspect.isabstract(found) else ""}class {attribute}'
        described = kind if isinstance(found, type) else f'of type {type(found).__name__}'
        raise UserError(f'--{flag}={spec} is {described}, expected {expected}.')
    return found


def load_script(flag: str, spec: str) -> Type[ScriptedPlayer]:
    """Imports the scripted player named by a flag.

    Raises:
      UserError: see `load`.
    """
    return load(
        flag,
        spec,
        'a subclass of sc2impala.envs.players.ScriptedPlayer with the method decide',
        lambda found: is_concrete(found, ScriptedPlayer),
    )


def is_concrete(found: object, base: type) -> bool:
    """Returns whether an object is a concrete subclass of a class."""
    is_subclass = isinstance(found, type) and issubclass(found, base)
    return is_subclass and not inspect.isabstract(found)


def _import(name: str) -> ModuleType:
    """Imports a module; the working directory comes last if `sys.path` lacks it."""
    folder = os.getcwd()
    if folder not in sys.path and '' not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)
