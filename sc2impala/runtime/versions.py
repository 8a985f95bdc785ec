"""Versions of the package, TensorFlow and Python, without loading TensorFlow."""

import importlib
import os
import platform
import subprocess
import sys
from typing import Optional

import sc2impala

_METADATA_MODULE = 'importlib_metadata' if sys.version_info < (3, 8) else 'importlib.metadata'


def text() -> str:
    """Returns one line for each of package, TensorFlow and Python."""
    revision = git_revision()
    own = f'sc2impala {sc2impala.__version__}'
    if revision is not None:
        own += f' (git revision {revision})'
    return f'{own}\nTensorFlow {tensorflow()}\nPython {platform.python_version()}'


def tensorflow() -> str:
    """Returns the version of TensorFlow, from its package alone."""
    try:
        return of_package('tensorflow')
    except ImportError:
        return 'not installed as a package'


def of_package(name: str) -> str:
    """Returns the version of an installed package.

    Raises:
      ImportError: if it is not installed.
    """
    return importlib.import_module(_METADATA_MODULE).version(name)


def git_revision() -> Optional[str]:
    """Revision of the package's checkout, with '+' if modified; None without one."""
    folder = os.path.dirname(os.path.abspath(sc2impala.__file__))

    def git(*arguments: str) -> str:
        return subprocess.check_output(
            ('git', '-C', folder) + arguments,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        ).strip()

    try:
        if not git('ls-files', '__init__.py'):
            return None
        return git('rev-parse', 'HEAD') + ('+' if git('status', '--porcelain', '-uno') else '')
    except (OSError, subprocess.CalledProcessError):
        return None
