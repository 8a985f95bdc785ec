"""The manifest of a run: its settings, the versions, and every start."""

import json
import os
import platform
import sys
import time
import zlib
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

import sc2impala
from sc2impala.envs import pysc2_api
from sc2impala.envs.vector import Specs
from sc2impala.errors import UserError
from sc2impala.runtime import console, versions
from sc2impala.runtime.logdir import write_json
from sc2impala.settings import own_algorithms, resolve
from sc2impala.settings import settings as settings_lib

MANIFEST = 'manifest.json'
COPY = 'manifest.copy.json'
"""A copy, used if the first file is damaged."""

_MAX_BYTES = 2**26
_CHECKSUM = 'checksum'
_OWN_ENTRIES = ('functions', 'heads', 'minimap_layers', 'screen_layers', _CHECKSUM)
_reported: Set[str] = set()


def read(logdir: str) -> Optional[Dict[str, Any]]:
    """Returns the manifest of a folder, or None.

    `config` has typed values of all settings, also for files of older versions: see
    `resolve.from_manifest`.

    Raises:
      UserError: if it cannot be read, or a newer version wrote it.
    """
    path, copy = (os.path.join(logdir, name) for name in (MANIFEST, COPY))
    error: Exception = ValueError('there is no such file')
    for each in (path, copy):
        if not os.path.lexists(each):
            continue
        try:
            manifest = _read_file(each)
        except (OSError, ValueError, RecursionError) as fault:
            error = fault if each == path else error
            continue
        if each == copy:
            _say_once(f'{path} cannot be read ({error}): its copy {copy} is used')
        return manifest
    if not os.path.lexists(path):
        return None
    raise UserError(
        f'{path} cannot be read ({error}), expected the manifest of a run: repair the file or '
        'choose another --logdir.'
    ) from error


def peek_algorithm(folder: str) -> str:
    """Returns the algorithm of a run without any check of its manifest; empty without one."""
    return str(peek(folder).get('algorithm', ''))


def peek(folder: str) -> Dict[str, Any]:
    """Returns the settings of a run as JSON values, without any check of its manifest.

    Algorithms outside of the package are not imported. Empty if the manifest cannot be read.
    """
    for name in (MANIFEST, COPY):
        try:
            with open(os.path.join(folder, name), 'rb') as file:
                return dict(json.loads(file.read(_MAX_BYTES).decode())['config'])
        except (OSError, ValueError, RecursionError, LookupError, TypeError):
            continue
    return {}


def check_same_settings(
    logdir: str, values: Mapping[str, Any], manifest: Mapping[str, Any]
) -> None:
    """Refuses to continue a run with other settings, or from other initial weights.

    Raises:
      UserError: naming every flag that differs.
    """
    _check_same_origin(logdir, values['init_checkpoint'], manifest['config']['init_checkpoint'])
    names = resolve.differences_on_resume(values, manifest['config'])
    _refuse(logdir, names, values, manifest)


def check_evaluation(logdir: str, values: Mapping[str, Any], manifest: Mapping[str, Any]) -> None:
    """Refuses to evaluate a run with other settings than its own.

    Raises:
      UserError: naming every flag that differs.
    """
    names = resolve.differences_in_evaluation(values, manifest['config'])
    _refuse(logdir, names, values, manifest)


def write(
    logdir: str,
    values: Mapping[str, Any],
    manifest: Optional[Mapping[str, Any]],
    specs: Specs,
    skipped: Sequence[Tuple[int, str]] = (),
) -> None:
    """Writes the settings of this start, and keeps the list of earlier ones.

    Args:
      logdir: the folder of the run.
      values: all settings.
      manifest: the previous manifest, or None.
      specs: observation and action spec.
      skipped: frames of skipped checkpoints, and the reasons.
    """
    observation_spec, action_spec = specs
    starts: List[Dict[str, Any]] = [] if manifest is None else list(manifest['starts'])
    config = resolve.to_manifest(values)
    starts.append(
        {
            'time': time.strftime('%Y-%m-%dT%H:%M:%S%z'),
            'command': sys.argv,
            'versions': _versions(),
            'git_revision': versions.git_revision(),
            'settings_changed': _changed(config, manifest),
            'checkpoints_skipped': {str(frames): reason for frames, reason in skipped},
        }
    )
    content: Dict[str, Any] = {
        'config': config,
        'functions': action_spec.function_names,
        'heads': action_spec.heads,
        'screen_layers': [layer.name for layer in observation_spec.screen_layers],
        'minimap_layers': [layer.name for layer in observation_spec.minimap_layers],
        'starts': starts,
    }
    content[_CHECKSUM] = _checksum(content)
    # In sequence: a kill leaves one of them intact.
    write_json(os.path.join(logdir, MANIFEST), content)
    write_json(os.path.join(logdir, COPY), content)


def _read_file(path: str) -> Dict[str, Any]:
    """Reads and checks a manifest.

    Raises:
      UserError: if a newer version wrote it.
      OSError, ValueError, RecursionError: if it cannot be read.
    """
    with open(path, 'rb') as file:
        text = file.read(_MAX_BYTES + 1)
    if len(text) > _MAX_BYTES:
        raise ValueError(f'it has more than {_MAX_BYTES:,} bytes')
    manifest = json.loads(text.decode())
    _check_parts(manifest)
    own_algorithms.register(manifest['config'].get('algorithm', ''))
    _check_known(path, manifest)
    return dict(manifest, config=resolve.from_manifest(manifest))


def _checksum(content: Mapping[str, object]) -> int:
    """CRC-32 of all other entries."""
    rest = {name: value for name, value in content.items() if name != _CHECKSUM}
    return zlib.crc32(json.dumps(rest, sort_keys=True).encode())


def _say_once(text: str) -> None:
    if text not in _reported:
        _reported.add(text)
        console.say(text)


def _check_parts(manifest: Any) -> None:
    """Raises: ValueError: if a part is missing or of another type."""
    if not isinstance(manifest, dict):
        raise ValueError('it is not an object')
    for name, part_type in (('config', dict), ('starts', list)):
        if not isinstance(manifest.get(name), part_type):
            raise ValueError(f'{name} is missing or not a {part_type.__name__}')
    unknown = set(manifest) - {'config', 'starts', *_OWN_ENTRIES}
    if unknown:
        raise ValueError(f'it has unknown entries: {", ".join(sorted(unknown))}')
    # Earlier versions wrote none. Remove the checksum to edit an entry by hand.
    if manifest.get(_CHECKSUM, _checksum(manifest)) != _checksum(manifest):
        raise ValueError(f'its {_CHECKSUM} is another one')


def _check_known(path: str, manifest: Mapping[str, Any]) -> None:
    """Raises: UserError: if this version does not know a setting."""
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
    names: List[str],
    values: Mapping[str, Any],
    manifest: Mapping[str, Any],
) -> None:
    if not names:
        return
    settings = settings_lib.all_settings()

    def text(name: str, config: Mapping[str, object]) -> str:
        return settings[name].type.to_text(config[name])

    different = ', '.join(
        f'--{name}={text(name, manifest["config"])} (now {text(name, values)})' for name in names
    )
    raise UserError(
        f'--logdir={logdir} contains a run with other settings: {different}; omit these flags, or '
        'choose another folder.'
    )


def _check_same_origin(logdir: str, given: str, before: str) -> None:
    """Raises: UserError: if `--init_checkpoint` differs from the run's."""
    if bool(given) != bool(before) or os.path.abspath(given) != os.path.abspath(before):
        origin = f'from the weights of {before}' if before else 'without one'
        raise UserError(
            f'--init_checkpoint={given} has no effect on the run in --logdir={logdir}, which '
            f'started {origin}: omit this flag to continue it, or choose another folder.'
        )


def _changed(config: Mapping[str, Any], manifest: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    if manifest is None:
        return {}
    before = resolve.to_manifest(manifest['config'])
    return {name: value for name, value in config.items() if before.get(name) != value}


def _versions() -> Dict[str, str]:
    import sonnet as snt
    import tensorflow.compat.v1 as tf

    client = pysc2_api.find_client_package()
    return {
        'sc2impala': sc2impala.__version__,
        'python': platform.python_version(),
        'platform': platform.platform(),
        'tensorflow': tf.__version__,
        'sonnet': snt.__version__,
        'numpy': np.__version__,
        client: versions.of_package(client),
    }
