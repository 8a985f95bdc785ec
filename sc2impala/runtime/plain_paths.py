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

    Where a folder has such characters in its name, the result goes through a symbolic link in a
    temporary folder, which is removed when the process ends.
    """
    if os.sep == '\\':  # On Windows it separates folders, as '/' does.
        path = path.replace(os.sep, '/')
    folder, rest = os.path.split(os.path.normpath(path))
    if not _PATTERN_CHARACTERS.intersection(folder if os.sep == '/' else folder.replace('\\', '/')):
        return path
    folder = os.path.abspath(folder)
    # The longest part that needs a link: the same one for all checkpoints of a run.
    while not _PATTERN_CHARACTERS.intersection(os.path.basename(folder)):
        folder, name = os.path.split(folder)
        rest = os.path.join(name, rest)
    if folder not in _links:
        temporary = tempfile.mkdtemp(prefix='sc2impala-')
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        _links[folder] = os.path.join(temporary, 'run')
        os.symlink(folder, _links[folder])
    return os.path.join(_links[folder], rest)
