"""Paths for TensorFlow, which interprets *?[]\\ in checkpoint paths as patterns."""

import atexit
import os
import shutil
import tempfile
from typing import Dict

_PATTERN_CHARACTERS = frozenset('*?[]\\')

_links: Dict[str, str] = {}


def plain_path(path: str) -> str:
    """Returns a path to the same file without pattern characters.

    If the name of a folder has such characters, the result goes through a symbolic link in a
    temporary folder that is removed when the process ends.
    """
    if os.sep == '\\':  # On Windows it separates folders, as '/' does.
        path = path.replace(os.sep, '/')
    folder, rest = os.path.split(os.path.normpath(path))
    if not _PATTERN_CHARACTERS.intersection(folder if os.sep == '/' else folder.replace('\\', '/')):
        return path
    folder = os.path.abspath(folder)
    # The longest part that needs a link: the same for all checkpoints of a run.
    while not _PATTERN_CHARACTERS.intersection(os.path.basename(folder)):
        folder, name = os.path.split(folder)
        rest = os.path.join(name, rest)
    if folder not in _links:
        temporary = tempfile.mkdtemp(prefix='sc2impala-')
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        _links[folder] = os.path.join(temporary, 'run')
        os.symlink(folder, _links[folder])
    return os.path.join(_links[folder], rest)
