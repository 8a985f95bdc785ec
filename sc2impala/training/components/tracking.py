"""Experiment trackers, W&B and MLflow: settings and everything that TensorBoard gets as scalars.

They run in a thread: a slow network does not slow the training down, and a tracker that fails ends
its own reports only.
"""

import importlib.util
import json
import logging
import os
import queue
import threading
import time
from typing import Any, Dict, List, Mapping

from sc2impala.errors import UserError
from sc2impala.runtime import console, logdir
from sc2impala.settings import resolve
from sc2impala.settings.groups import OutputSettings
from sc2impala.training.component import Component
from sc2impala.training.run import Run

RUNS_JSON = 'trackers.json'
"""Ids of the run at the trackers, {tracker: id}, by which a resumed run continues."""

STEP = 'environment_frames'

_IDS_LOCK = threading.Lock()
"""Held while a tracker adds its id: each has a thread."""

_MAX_PENDING = 10000
_CLOSE_SECS = 30.0
_MAX_PARAMETER = 500
_MAX_BATCH = 500


def make(run: Run) -> List[Component]:
    """Returns a component for each tracker in the settings.

    Raises:
      UserError: if the package of a tracker is not installed.
    """
    output, folder = run.settings.output, run.settings.run.logdir
    config = resolve.to_manifest(run.settings.values())
    hooks: List[Component] = []
    for tracker in make_trackers(output, folder):
        hook = TrackingHook(tracker, config)
        run.summaries.listeners.append(hook.log)
        run.stack.callback(hook.close)
        hooks.append(hook)
    return hooks


def make_trackers(output: OutputSettings, folder: str) -> List['Tracker']:
    """Returns the trackers of the settings.

    Args:
      output: settings of the output.
      folder: folder of the run.

    Raises:
      UserError: if the package of a tracker is not installed.
    """
    trackers: List[Tracker] = []
    if output.wandb_project:
        _require('wandb', f'--wandb_project={output.wandb_project}')
        trackers.append(WandbTracker(output.wandb_project, output.wandb_mode, folder))
    if output.mlflow_uri:
        _require('mlflow', f'--mlflow_uri={output.mlflow_uri}')
        trackers.append(MlflowTracker(output.mlflow_uri, output.mlflow_experiment, folder))
    return trackers


class Tracker:
    """Sends a run to a tracker; all methods are called in the same thread, in this order.

    name: of the tracker.
    """

    name: str

    def open(self, config: Mapping[str, Any]) -> None:
        """Begins the run, or continues it if the run resumes.

        Args:
          config: all settings as JSON values.
        """
        raise NotImplementedError

    def log(self, values: Mapping[str, float], step: int) -> None:
        """Sends scalars, {tag: value}, at a number of environment frames."""
        raise NotImplementedError

    def close(self, failed: bool) -> None:
        """Ends the run; `failed` is True after an error."""
        raise NotImplementedError


class WandbTracker(Tracker):
    """Weights & Biases; its files are in the folder of the run."""

    name = 'W&B'

    def __init__(self, project: str, mode: str, folder: str):
        self._project = project
        self._mode = mode
        self._folder = folder
        self._run: Any = None

    def open(self, config: Mapping[str, Any]) -> None:
        """See `Tracker`."""
        import wandb

        if self._mode == 'online' and not wandb.api.api_key:
            # It would ask on the terminal of the training.
            raise ValueError('there is no API key: wandb login, or --wandb_mode=offline')
        self._run = wandb.init(
            project=self._project,
            mode=self._mode,
            dir=self._folder,
            id=_read_ids(self._folder).get(self.name),
            name=os.path.basename(os.path.abspath(self._folder)),
            resume='allow',
            config=dict(config),
            settings=wandb.Settings(console='off', silent=True),
        )
        # Steps of a run that resumes from a checkpoint may be smaller than those before.
        self._run.define_metric('*', step_metric=STEP)
        _write_id(self._folder, self.name, self._run.id)

    def log(self, values: Mapping[str, float], step: int) -> None:
        """See `Tracker`."""
        self._run.log({STEP: step, **values})

    def close(self, failed: bool) -> None:
        """See `Tracker`."""
        self._run.finish(exit_code=int(failed))


class MlflowTracker(Tracker):
    """MLflow, on a server or in a local folder or database."""

    name = 'MLflow'

    def __init__(self, uri: str, experiment: str, folder: str):
        self._uri = uri
        self._experiment = experiment
        self._folder = folder
        self._client: Any = None
        self._run_id = ''

    def open(self, config: Mapping[str, Any]) -> None:
        """See `Tracker`."""
        from mlflow.entities import Param
        from mlflow.tracking import MlflowClient

        # Every retry would be a warning on the terminal.
        logging.getLogger('urllib3.connectionpool').setLevel(logging.ERROR)
        self._client = MlflowClient(tracking_uri=self._uri)
        earlier = _read_ids(self._folder).get(self.name)
        if earlier is None:
            self._run_id = self._create()
            parameters = [Param(n, str(v)[:_MAX_PARAMETER]) for n, v in config.items()]
            for start in range(0, len(parameters), 100):
                self._client.log_batch(self._run_id, params=parameters[start : start + 100])
            _write_id(self._folder, self.name, self._run_id)
        else:
            # Parameters of a run cannot change.
            self._run_id = earlier
            self._client.update_run(earlier, status='RUNNING')

    def log(self, values: Mapping[str, float], step: int) -> None:
        """See `Tracker`."""
        from mlflow.entities import Metric

        now = int(1000 * time.time())
        metrics = [Metric(tag, value, now, step) for tag, value in values.items()]
        for start in range(0, len(metrics), _MAX_BATCH):
            self._client.log_batch(self._run_id, metrics=metrics[start : start + _MAX_BATCH])

    def close(self, failed: bool) -> None:
        """See `Tracker`."""
        self._client.set_terminated(self._run_id, 'FAILED' if failed else 'FINISHED')

    def _create(self) -> str:
        found = self._client.get_experiment_by_name(self._experiment)
        if found is None:
            experiment = self._client.create_experiment(self._experiment)
        else:
            experiment = found.experiment_id
        name = os.path.basename(os.path.abspath(self._folder))
        return self._client.create_run(experiment, run_name=name).info.run_id


class TrackingHook(Component):
    """Passes scalars to a tracker in a thread, until its first failure, which it reports."""

    def __init__(self, tracker: Tracker, config: Mapping[str, Any]):
        """Args:
        tracker: the tracker; it is opened.
        config: all settings as JSON values.
        """
        self._tracker = tracker
        self._failed = False
        # Of scalars and their step; None is the end.
        self._queue: Any = queue.Queue()
        self._thread = threading.Thread(
            target=self._run, args=(config,), name=tracker.name, daemon=True
        )
        self._thread.start()

    def log(self, values: Mapping[str, float], step: int) -> None:
        """Hands scalars over; drops them if too many wait or the tracker has failed."""
        if self._thread.is_alive() and self._queue.qsize() < _MAX_PENDING:
            self._queue.put((dict(values), step))

    def fail(self, error: Exception) -> None:
        """Remembers how the run ends."""
        self._failed = True

    def close(self) -> None:
        """Waits for pending scalars and the end of the run at the tracker, for a while."""
        self._queue.put(None)
        self._thread.join(_CLOSE_SECS)
        if self._thread.is_alive():
            console.say(
                f'{self._tracker.name} has not received everything within {_CLOSE_SECS:.0f} s: the '
                'rest is dropped'
            )

    def _run(self, config: Mapping[str, Any]) -> None:
        try:
            self._tracker.open(config)
            for values, step in iter(self._queue.get, None):
                self._tracker.log(values, step)
            self._tracker.close(self._failed)
        except Exception as error:  # Of any library that a tracker uses.
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            console.say(
                f'{self._tracker.name} fails ({reason}): nothing more is sent to it, and the '
                'training continues'
            )


def _require(package: str, flag: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise UserError(
            f'{flag} needs the package {package}, which is not installed, expected: pip install '
            f"'sc2impala[{package}]'."
        )


def _read_ids(folder: str) -> Dict[str, str]:
    """The ids of the run at the trackers; none if the file is damaged."""
    try:
        with open(os.path.join(folder, RUNS_JSON), 'rb') as file:
            content = json.loads(file.read(2**20).decode())
        return {str(name): str(value) for name, value in dict(content).items()}
    except (OSError, ValueError, TypeError, RecursionError):
        return {}


def _write_id(folder: str, name: str, value: str) -> None:
    with _IDS_LOCK:
        path = os.path.join(folder, RUNS_JSON)
        logdir.replace_json(path, {**_read_ids(folder), name: value})
