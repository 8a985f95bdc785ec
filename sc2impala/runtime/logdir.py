"""The folder of a run: who may write to it, and the manifest that says what was run.

Nothing in it is deleted or overwritten but what README.md says is rotated.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, Optional, Tuple

import numpy as np
import sonnet as snt
import tensorflow.compat.v1 as tf

import sc2impala
from sc2impala.envs import pysc2_api
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import defaults
from sc2impala.runtime.errors import UserError

try:
    from importlib import metadata
except ImportError:  # Python 3.7
    import importlib_metadata as metadata
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

MANIFEST = 'manifest.json'
_LOCK = '.lock'


def prepare(logdir: str) -> None:
    """Makes the folder and tries to write to it.

    Raises:
      UserError: if that does not work.
    """
    try:
        os.makedirs(logdir, exist_ok=True)
        with tempfile.TemporaryFile(dir=logdir):
            pass
    except OSError as error:
        raise UserError(
            f'--logdir={logdir} cannot be written to ({error.strerror}), expected a folder that '
            'this user may create files in.'
        ) from error


class Lock:
    """Keeps a second run out of a folder while the first one writes to it."""

    def __init__(self, logdir: str):
        self._logdir = logdir
        self._file = None

    def __enter__(self) -> 'Lock':
        """Raises: UserError: if another process holds the folder, or it cannot be locked."""
        if fcntl is None:
            return self
        path = os.path.join(self._logdir, _LOCK)
        try:
            self._file = open(path, 'w')  # noqa: SIM115
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            raise UserError(
                f'--logdir={self._logdir} is being written to by another run, expected a folder of '
                'its own for each run.'
            ) from error
        except OSError as error:
            raise UserError(
                f'{path} cannot be locked ({error.strerror}), expected a --logdir that this user '
                'may write to, on a file system with locks.'
            ) from error
        return self

    def __exit__(self, *exc_info: Any) -> None:
        if self._file is not None:
            self._file.close()


def read_manifest(logdir: str) -> Optional[Dict[str, Any]]:
    """The manifest of a folder, or None if there is none.

    Its settings are complete, also if an older version wrote it: see `defaults.of_older_run`.

    Raises:
      UserError: if there is one that cannot be read, or that a newer version wrote.
    """
    path = os.path.join(logdir, MANIFEST)
    if not os.path.exists(path):
        return None
    try:
        with open(path) as file:
            manifest = json.load(file)
        _check_manifest(path, manifest)
        return dict(manifest, config=defaults.of_older_run(manifest))
    except (OSError, ValueError) as error:
        raise UserError(
            f'{path} cannot be read ({error}), expected the manifest of a run: mend the file or '
            'choose another --logdir.'
        ) from error


def _check_manifest(path, manifest):
    """Raises: ValueError: if a part is missing or of another type; UserError: if one is unknown."""
    if not isinstance(manifest, dict):
        raise ValueError('it is no object')
    for name, kind in (('config', dict), ('starts', list)):
        if not isinstance(manifest.get(name), kind):
            raise ValueError(f'{name} is missing or no {kind.__name__}')
    general = config_lib.Config()._asdict()
    unknown = sorted(set(manifest['config']) - set(general))
    if unknown:
        raise UserError(
            '{} has settings that sc2impala {} does not know ({}), expected none but its own: a '
            'newer version wrote it, so use that one, or choose another --logdir.'.format(
                path, sc2impala.__version__, ', '.join(unknown)
            )
        )
    for name, value in manifest['config'].items():
        kinds = (int, float) if isinstance(general[name], float) else (type(general[name]),)
        if type(value) not in kinds:
            raise ValueError(f'config has {value!r} for {name}')


def check_same_settings(config: config_lib.Config, manifest: Dict[str, Any]) -> None:
    """Refuses to continue a run with other settings.

    Raises:
      UserError: naming every flag that differs.
    """
    different = config_lib.differences(config, manifest['config'])
    if different:
        raise UserError(
            '--logdir={} was written with other settings: {}. Leave these flags out, or '
            'choose another folder.'.format(
                config.logdir,
                ', '.join(
                    f'--{name}={there} (now {here})'
                    for name, (here, there) in sorted(different.items())
                ),
            )
        )


def write_manifest(
    config: config_lib.Config, manifest: Optional[Dict[str, Any]], specs: Tuple[Any, Any]
) -> None:
    """Writes the settings of this start, keeping the list of the earlier ones.

    Args:
      config: the settings.
      manifest: what was there before, or None.
      specs: observation and action spec, what the defaults of the map came to.
    """
    observation_spec, action_spec = specs
    starts = [] if manifest is None else list(manifest['starts'])  # type: List[Dict[str, Any]]
    starts.append(
        {
            'time': time.strftime('%Y-%m-%dT%H:%M:%S%z'),
            'command': sys.argv,
            'versions': _versions(),
            'git_revision': _git_revision(),
            'settings_changed': _changed(config, manifest),
        }
    )
    content = {
        'config': config._asdict(),
        'functions': action_spec.function_names,
        'heads': action_spec.heads,
        'screen_layers': [layer.name for layer in observation_spec.screen_layers],
        'minimap_layers': [layer.name for layer in observation_spec.minimap_layers],
        'starts': starts,
    }
    write_json(os.path.join(config.logdir, MANIFEST), content)


def write_json(path: str, content: Any) -> None:
    """Writes a file whole or not at all.

    Raises:
      UserError: if that does not work.
    """
    temporary = path + '.tmp'
    try:
        with open(temporary, 'w') as file:
            json.dump(content, file, indent=2, sort_keys=True)
            file.write('\n')
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(
            f'{path} cannot be written ({error.strerror}), expected a --logdir with free space '
            'that this user may write to.'
        ) from error


def _changed(config, manifest):
    if manifest is None:
        return {}
    before = manifest['config']
    return {k: v for k, v in config._asdict().items() if before.get(k) != v}


def _versions():
    client = pysc2_api.find_client_package()
    return {
        'sc2impala': sc2impala.__version__,
        'python': platform.python_version(),
        'platform': platform.platform(),
        'tensorflow': tf.__version__,
        'sonnet': snt.__version__,
        'numpy': np.__version__,
        client: metadata.version(client),
    }


def _git_revision():
    """Revision of the checkout that the package runs from, '+' if it was changed; None outside."""
    folder = os.path.dirname(os.path.abspath(sc2impala.__file__))
    try:

        def git(*arguments):
            return subprocess.check_output(
                ('git', '-C', folder) + arguments,
                stderr=subprocess.DEVNULL,
                universal_newlines=True,
            ).strip()

        if not git('ls-files', '__init__.py'):
            return None
        return git('rev-parse', 'HEAD') + ('+' if git('status', '--porcelain', '-uno') else '')
    except (OSError, subprocess.CalledProcessError):
        return None
