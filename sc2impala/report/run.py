"""Everything that a report shows of one run, read from its folder."""

import json
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from sc2impala import learner
from sc2impala.checkpoints import directory
from sc2impala.envs import tasks
from sc2impala.errors import UserError
from sc2impala.evaluation.log import EVALUATIONS_CSV
from sc2impala.report import events, launches, tables, train_log
from sc2impala.runtime import console, logdir, manifest
from sc2impala.settings import fields

FINISHED, RUNNING, STOPPED = 'finished', 'running', 'stopped'

_TRACES = (
    manifest.MANIFEST,
    manifest.COPY,
    console.NAME,
    logdir.EPISODES_CSV,
    EVALUATIONS_CSV,
    '.lock',
)
"""Files that show that a folder is one of a run."""

_MAX_BYTES = 2**26


class Phase(NamedTuple):
    """A phase of a run.

    title: name of the phase.
    num_frames: its length in environment frames.
    """

    title: str
    num_frames: int


class Run(NamedTuple):
    """One run.

    folder: its folder, as given.
    label: a short name that differs from those of other runs of the report.
    config: all settings by name, typed; empty if the manifest cannot be read.
    identity: map_name, agent, algorithm, backend and seed as text; missing if unknown.
    manifest_fault: a sentence about the manifest, or empty.
    state: FINISHED, RUNNING or STOPPED.
    frames: environment frames of all phases so far; None if unknown.
    phases: its phases in order; empty if unknown.
    launches: every start of the command.
    episodes, evaluations, events, log: its files.
    """

    folder: str
    label: str
    config: Mapping[str, Any]
    identity: Mapping[str, str]
    manifest_fault: str
    state: str
    frames: Optional[int]
    phases: List[Phase]
    launches: List[launches.Launch]
    episodes: tables.Episodes
    evaluations: tables.Evaluations
    events: events.Events
    log: train_log.Log

    @property
    def map_name(self) -> str:
        """The map; empty if unknown."""
        return self.identity.get('map_name', '')

    @property
    def total_frames(self) -> Optional[int]:
        """Frames of all phases at the end of the run; None if unknown."""
        return sum(phase.num_frames for phase in self.phases) if self.phases else None


def read(folder: str, label: str) -> Run:
    """Reads a run. Missing or damaged files are described in the parts that need them.

    Args:
      folder: its folder.
      label: see `Run`.

    Raises:
      UserError: if there is no such folder, or it has no file of a run.
    """
    check_is_run(folder)
    content, config, fault = _read_manifest(folder)
    log, found_events = train_log.read(folder), events.read(folder)
    phases = phases_of(config)
    frames = _frames(folder, found_events)
    starts = content.get('starts')
    return Run(
        folder=folder,
        label=label,
        config=config,
        identity=_identity(content, config),
        manifest_fault=fault,
        state=_state(folder, sum(phase.num_frames for phase in phases)),
        frames=frames,
        phases=phases,
        launches=launches.of_run(
            starts if isinstance(starts, list) else [], log.times, found_events
        ),
        episodes=tables.read_episodes(folder),
        evaluations=tables.read_evaluations(folder),
        events=found_events,
        log=log,
    )


def by_map(runs: Sequence[Run]) -> Dict[str, List[Run]]:
    """Groups runs by map; one on several maps is in all of their groups, with its rows of the map.

    Args:
      runs: at least one. They are a single group unless one is on several maps.

    Returns:
      {map_name: runs}.
    """
    maps = [tasks.split(run.map_name) for run in runs]
    if all(len(names) == 1 for names in maps):
        return {runs[0].map_name: list(runs)}
    groups: Dict[str, List[Run]] = {}
    for run, names in zip(runs, maps):
        for name in names:
            of_map = run._replace(
                identity=dict(run.identity, map_name=name),
                episodes=tables.read_episodes(run.folder, name),
                evaluations=tables.read_evaluations(run.folder, name),
            )
            groups.setdefault(name, []).append(of_map if len(names) > 1 else run)
    return groups


def check_is_run(folder: str) -> None:
    """Checks that a folder has a file of a run.

    Raises:
      UserError: if there is no such folder, or it has none.
    """
    if not os.path.isdir(folder):
        raise UserError(f'RUN={folder} is not a folder, expected the --logdir of a run.')
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise UserError(
            f'RUN={folder} cannot be read ({error.strerror}), expected the --logdir of a run.'
        ) from error
    is_run = any(name in _TRACES or name.startswith('events.out.tfevents.') for name in names)
    if not is_run and directory.FOLDER not in names:
        raise UserError(f'RUN={folder} has no file of a run, expected the --logdir of a run.')


def labels(folders: Sequence[str]) -> List[str]:
    """Returns the shortest ends of the paths that differ, such as 'a/seed1' and 'b/seed1'."""
    parts = [os.path.abspath(folder).split(os.sep) for folder in folders]
    for length in range(1, max(map(len, parts)) + 1):
        found = ['/'.join(path[-length:]) for path in parts]
        if len(set(found)) == len(set(map(tuple, parts))):
            break
    return found


def phases_of(config: Mapping[str, Any]) -> List[Phase]:
    """Returns the phases of a run with some settings; empty without settings."""
    if not config:
        return []
    groups = learner.settings_groups()
    phases = []
    for name in learner.PRETRAINING:
        num_frames = fields.build(groups[name], config).num_frames
        if num_frames:
            phases.append(Phase(groups[name].TITLE, num_frames))
    return phases + [Phase('training', config['total_environment_frames'])]


def _read_manifest(folder: str) -> Tuple[Mapping[str, Any], Mapping[str, Any], str]:
    """Returns the manifest, the typed settings in it, and a sentence about a fault."""
    try:
        content = manifest.read(folder)
    except UserError as error:
        return _unchecked(folder), {}, str(error)
    if content is None:
        return {}, {}, f'There is no {manifest.MANIFEST}.'
    return content, content['config'], ''


def _unchecked(folder: str) -> Mapping[str, Any]:
    """Returns the parts of a manifest that this version cannot use; empty if there are none."""
    for name in (manifest.MANIFEST, manifest.COPY):
        try:
            with open(os.path.join(folder, name), 'rb') as file:
                content = json.loads(file.read(_MAX_BYTES).decode())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(content, dict):
            return content
    return {}


def _identity(content: Mapping[str, Any], config: Mapping[str, Any]) -> Dict[str, str]:
    raw = content.get('config')
    known = config or (raw if isinstance(raw, dict) else {})
    names = ('map_name', 'agent', 'algorithm', 'backend', 'seed')
    return {name: str(known[name]) for name in names if name in known}


def _frames(folder: str, found: events.Events) -> Optional[int]:
    """Returns the largest number of frames that checkpoints and events show."""
    candidates = directory.saved(folder) + [
        int(series.steps[-1]) for series in found.series.values()
    ]
    return max(candidates, default=None)


def _state(folder: str, total_frames: int) -> str:
    if logdir.is_locked(folder):
        return RUNNING
    newest = max(directory.saved(folder), default=-1)
    return FINISHED if total_frames and newest >= total_frames else STOPPED
