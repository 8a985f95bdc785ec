"""The runs of a comparison: their folders, maps, seeds and settings."""

import glob
import json
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence

from sc2impala.envs import tasks
from sc2impala.errors import UserError
from sc2impala.runtime import manifest
from sc2impala.settings import resolve
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.groups import OutputSettings

_COMPARED = ('backend', 'r2d2_evaluation_epsilon')
"""Settings of evaluations that matter for the scores of trainings."""


class Run(NamedTuple):
    """A run.

    folder: its path.
    map_name: name of its map, without the extension of a map file.
    config: settings in its manifest, as JSON values.
    """

    folder: str
    map_name: str
    config: Dict[str, Any]

    @property
    def seed(self) -> Any:
        """The random seed."""
        return self.config.get('seed')


def find_runs(paths: Sequence[str]) -> List[Run]:
    """Finds the runs in some folders.

    Args:
      paths: folders of runs, folders that contain runs, or patterns of their names.

    Returns:
      Each run once, ordered by path; a run on several maps once for each of them.

    Raises:
      UserError: if a path is not a folder, contains no run, or a manifest cannot be read.
    """
    found: Dict[str, str] = {}
    for path in paths:
        folders = [path] if os.path.isdir(path) else sorted(filter(os.path.isdir, glob.glob(path)))
        if not folders:
            raise UserError(f'{path} is not a folder, expected the folder of a run or of several.')
        runs = [run for folder in folders for run in _runs_below(folder)]
        if not runs:
            raise UserError(
                f'{path} contains no run, expected a folder with {manifest.MANIFEST} in it or '
                'below.'
            )
        found.update((os.path.realpath(run), run) for run in runs)
    return [run for folder in sorted(found.values()) for run in _read_run(folder)]


def differing_settings(runs_a: Sequence[Run], runs_b: Sequence[Run]) -> Dict[str, Any]:
    """Finds the settings in which A and B differ on the maps that they share.

    One that a manifest lacks, since an older version wrote it, has the value that preserves the old
    behaviour; one that this version does not know is left out unless all manifests have it.

    Returns:
      {name: ([values of A], [values of B])}.
    """
    sides = [_values_of(runs) for runs in (runs_a, runs_b)]
    names = sorted(set(sides[0]) & set(sides[1]))
    return {n: (sides[0][n], sides[1][n]) for n in names if sides[0][n] != sides[1][n]}


def varying_settings(runs: Sequence[Run]) -> Dict[str, List[Any]]:
    """Finds the settings in which runs on the same map differ, {name: values}."""
    result: Dict[str, List[Any]] = {}
    for map_name in sorted({run.map_name for run in runs}):
        of_map = _values_of([run for run in runs if run.map_name == map_name])
        result.update((name, values) for name, values in of_map.items() if len(values) > 1)
    return result


def _values_of(runs: Sequence[Run]) -> Dict[str, List[Any]]:
    """The distinct values of each setting that all runs have, in a fixed order."""
    configs = [{**_of_older_versions(), **run.config} for run in runs]
    names = set.intersection(*map(set, configs))
    result = {}
    for name in sorted(filter(_matters, names)):
        texts = {json.dumps(config[name], sort_keys=True) for config in configs}
        result[name] = [json.loads(text) for text in sorted(texts)]
    return result


def _of_older_versions() -> Dict[str, Any]:
    """Values of settings for manifests that lack them, but of those that depend on the map."""
    values = resolve.to_manifest(resolve.of_older_versions())
    return {name: value for name, value in values.items() if value is not None}


def _matters(name: str) -> bool:
    """Returns whether a setting affects the training; unknown ones, of other algorithms, do."""
    known = settings_lib.all_settings().get(name)
    if known is None or name in _COMPARED:
        return True
    return not known.own_in_evaluation and known.title != OutputSettings.TITLE


def _runs_below(folder: str) -> List[str]:
    """The folders of runs at or below a folder, without what is inside of runs."""
    found = []
    for path, names, files in os.walk(folder, followlinks=True):
        if {manifest.MANIFEST, manifest.COPY}.intersection(files):
            found.append(path)
            names.clear()
        names.sort()
    return found


def _read_run(folder: str) -> List[Run]:
    config: Mapping[str, Any] = manifest.peek(folder)
    map_name, map_file = config.get('map_name'), config.get('map_file')
    if isinstance(map_file, str) and map_file:
        map_name = os.path.splitext(os.path.basename(map_file))[0]
    if not isinstance(map_name, str) or not map_name:
        raise UserError(
            f'{os.path.join(folder, manifest.MANIFEST)} names no map, expected the manifest of a '
            'run.'
        )
    return [Run(folder, name, dict(config)) for name in tasks.split(map_name)]
