"""Locations of algorithms; settings load without TensorFlow."""

import importlib
from typing import TYPE_CHECKING, Any, NamedTuple, Type

from sc2impala.settings.learning import AlgorithmSettings

if TYPE_CHECKING:
    from sc2impala.learner.algorithm import Algorithm


class Folder(NamedTuple):
    """An algorithm in two files of a package: `settings`, without TensorFlow, and `update`.

    package: name of the package.
    settings: class in its module `settings`, a frozen dataclass.
    algorithm: subclass of `Algorithm` in its module `update`.
    """

    package: str
    settings: str
    algorithm: str

    def load_settings(self) -> Type[AlgorithmSettings]:
        """Imports the settings; does not load TensorFlow."""
        return _attribute(self.package + '.settings', self.settings)

    def load(self) -> 'Type[Algorithm]':
        """Imports the algorithm, and TensorFlow with it."""
        return _attribute(self.package + '.update', self.algorithm)


class OneFile(NamedTuple):
    """An algorithm in one module; its attribute `settings_class` names the settings.

    module: name of the module.
    algorithm: subclass of `Algorithm` in it.
    """

    module: str
    algorithm: str

    def load_settings(self) -> Type[AlgorithmSettings]:
        """Imports the module with the settings."""
        return self.load().settings_class

    def load(self) -> 'Type[Algorithm]':
        """Imports the module."""
        return _attribute(self.module, self.algorithm)


def _attribute(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)
