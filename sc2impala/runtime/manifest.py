"""The manifest of a run: its settings, the versions, and every start."""

import importlib
import json
import os
import platform
import subprocess
import sys
import time
from typing import Any, Dict, List, Mapping, Optional, Tuple

import sc2impala
from sc2impala.envs import pysc2_api
from sc2impala.errors import UserError
from sc2impala.runtime.logdir import write_json
from sc2impala.settings import resolve
from sc2impala.settings import settings as settings_lib

_METADATA_MODULE = 'importlib_metadata' if sys.version_info < (3, 8) else 'importlib.metadata'

MANIFEST = 'manifest.json'


def read(logdir: str) -> Optional[Dict[str, Any]]:
    """The manifest of a folder, or None if there is none.

    `config` holds typed values of all settings, also if an older version wrote the file: see
    `resolve.from_manifest`.

    Raises:
      UserError: if there is one that cannot be read, or that a newer version wrote.
    """
    path = os.path.join(logdir, MANIFEST)
    if not os.path.exists(path):
        return None
    try:
        with open(path) as file:
            manifest = json.load(file)
        _check_parts(manifest)
        _check_known(path, manifest)
        return dict(manifest, config=resolve.from_manifest(manifest))
    except (OSError, ValueError) as error:
        raise UserError(
            f'{path} cannot be read ({error}), expected the manifest of a run: repair the file or '
            'choose another --logdir.'
        ) from error


def check_same_settings(
    logdir: str, values: Mapping[str, Any], manifest: Mapping[str, Any]
) -> None:
    """Refuses to continue a run with other settings.

    Raises:
      UserError: naming every flag that differs.
    """
    names = resolve.differences_on_resume(values, manifest['config'])
    _refuse(logdir, 'written', names, values, manifest)


def check_evaluation(logdir: str, values: Mapping[str, Any], manifest: Mapping[str, Any]) -> None:
    """Refuses to evaluate a run with other settings than its own.

    Raises:
      UserError: naming every flag that differs.
    """
    names = resolve.differences_in_evaluation(values, manifest['config'])
    _refuse(logdir, 'trained', names, values, manifest)


def write(
    logdir: str,
    values: Mapping[str, Any],
    manifest: Optional[Mapping[str, Any]],
    specs: Tuple[Any, Any],
) -> None:
    """Writes the settings of this start, keeping the list of the earlier ones.

    Args:
      logdir: the folder of the run.
      values: all settings.
      manifest: what was there before, or None.
      specs: observation and action spec.
    """
    observation_spec, action_spec = specs
    starts: List[Dict[str, Any]] = [] if manifest is None else list(manifest['starts'])
    config = resolve.to_manifest(values)
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
        'config': config,
        'functions': action_spec.function_names,
        'heads': action_spec.heads,
        'screen_layers': [layer.name for layer in observation_spec.screen_layers],
        'minimap_layers': [layer.name for layer in observation_spec.minimap_layers],
        'starts': starts,
    }
    write_json(os.path.join(logdir, MANIFEST), content)


def _check_parts(manifest: Any) -> None:
    """Raises: ValueError: if a part is missing or of another type."""
    if not isinstance(manifest, dict):
        raise ValueError('it is not an object')
    for name, part_type in (('config', dict), ('starts', list)):
        if not isinstance(manifest.get(name), part_type):
            raise ValueError(f'{name} is missing or not a {part_type.__name__}')


def _check_known(path: str, manifest: Mapping[str, Any]) -> None:
    """Raises: UserError: if there is a setting that this version does not know."""
    unknown = sorted(set(manifest['config']) - set(settings_lib.all_settings()))
    if unknown:
        raise UserError(
            '{} has settings that sc2impala {} does not know ({}), expected none but its own: a '
            'newer version wrote it, so use that one, or choose another --logdir.'.format(
                path, sc2impala.__version__, ', '.join(unknown)
            )
        )


def _refuse(
    logdir: str,
    verb: str,
    names: List[str],
    values: Mapping[str, Any],
    manifest: Mapping[str, Any],
) -> None:
    if not names:
        return
    settings = settings_lib.all_settings()

    def text(name: str, config: Mapping[str, Any]) -> str:
        return settings[name].type.to_text(config[name])

    different = ', '.join(
        f'--{name}={text(name, manifest["config"])} (now {text(name, values)})' for name in names
    )
    raise UserError(
        f'--logdir={logdir} was {verb} with other settings: {different}. Leave these flags out, or '
        'choose another folder.'
    )


def _changed(config: Mapping[str, Any], manifest: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    if manifest is None:
        return {}
    before = resolve.to_manifest(manifest['config'])
    return {name: value for name, value in config.items() if before.get(name) != value}


def _versions() -> Dict[str, str]:
    import numpy as np
    import sonnet as snt
    import tensorflow.compat.v1 as tf

    metadata = importlib.import_module(_METADATA_MODULE)
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


def _git_revision() -> Optional[str]:
    """Revision of the checkout that the package runs from, '+' if it was changed; None outside."""
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
