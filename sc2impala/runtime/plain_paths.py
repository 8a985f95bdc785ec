"""Paths for TensorFlow, which takes checkpoint paths with the characters *?[]\\ for patterns."""

import atexit
import os
import shutil
import tempfile
from typing import Dict

_PATTERN_CHARACTERS = frozenset('*?[]\\')

_links: Dict[str, str] = {}


def plain_path(path: str) -> str:
    """A path of the same file that contains no characters of patterns.

    Where the folder has such characters in its name, the result goes through a symbolic link in a
    temporary folder, which is removed when the process ends.
    """
    if os.sep == '\\':  # On Windows it separates folders, as '/' does.
        path = path.replace(os.sep, '/')
    if not _PATTERN_CHARACTERS.intersection(path):
        return path
    folder, name = os.path.split(path)
    folder = os.path.abspath(folder)
    if folder not in _links:
        temporary = tempfile.mkdtemp(prefix='sc2impala-')
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        _links[folder] = os.path.join(temporary, 'run')
        os.symlink(folder, _links[folder])
    return os.path.join(_links[folder], name)
