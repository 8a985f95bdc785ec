"""A run with evaluations and a resume."""

import json
import shutil

import pytest

from sc2impala.evaluation.log import COLUMNS, EvaluationLog
from sc2impala.runtime import logdir
from tests.report import folders
from tests.runtime import tiny


@pytest.fixture(scope='session')
def resumed_run(finished_run, tmp_path_factory):
    """The finished run with a second launch and evaluations; tests must not change it."""
    folder = tmp_path_factory.mktemp('report') / 'resumed run'
    shutil.copytree(str(finished_run), str(folder))
    frames = tiny.newest_frames(folder)
    content = tiny.read_json(folder, 'manifest.json')
    content['starts'].append(dict(content['starts'][0], time='2037-01-01T00:00:00+0000'))
    tiny.edit_manifest(folder, json.dumps(content))
    shutil.copy(str(folder / 'manifest.json'), str(folder / 'manifest.copy.json'))
    time = 2114380800.0  # That of the second launch.
    folders.write_events(
        folder,
        int(time),
        folders.start(frames, time),
        folders.scalars(frames + 600, time + 60, grad_norm=1.0),
    )
    log = EvaluationLog(str(folder / 'evaluations.csv'), 'MoveToBeacon')
    result = dict.fromkeys(COLUMNS, 0.0)
    result.update(policy='sampled', temperature=1.0, eval_max_step_mul=0, seed=0)
    result.update(num_episodes=4, mean_return=2.0, std_return=1.0)
    for step in (0, frames):
        log.add(dict(result, global_step=step, environment_frames=7680))
    content = dict(result, checkpoint_frames=frames)
    logdir.write_json(str(folder / 'evaluation.json'), content)
    return folder
