"""The cells of the notebook run, with a small run."""

import json
import os
import sys
import types

import pytest

from tests.house import sources
from tests.runtime import tiny

NOTEBOOK = os.path.join(sources.ROOT, 'examples', 'beacon.ipynb')


def cells():
    """The code of the notebook."""
    with open(NOTEBOOK, encoding='utf-8') as file:
        found = json.load(file)['cells']
    return [''.join(cell['source']) for cell in found if cell['cell_type'] == 'code']


def test_the_notebook_has_no_outputs():
    with open(NOTEBOOK, encoding='utf-8') as file:
        found = json.load(file)['cells']
    assert not [cell for cell in found if cell.get('outputs') or cell.get('execution_count')]


@pytest.mark.slow
def test_the_notebook_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('MPLBACKEND', 'agg')
    values = {}
    settings, *rest = cells()
    exec(settings, values)
    # A step of as many frames as a small run has, so that episodes end.
    frames = 4 * tiny.FRAMES_PER_UPDATE * tiny.EPISODE_STEPS
    values['TRAINING'] += [*tiny.FLAGS, f'--total_environment_frames={frames}']
    values['EVALUATION'] = ['--num_episodes=1', '--num_eval_envs=1']
    shown = []
    for text in rest:
        with monkeypatch.context() as patch:
            if 'IPython' in text:
                # Not for the other cells, as matplotlib looks for it.
                display = types.ModuleType('IPython.display')
                display.Image = lambda filename: shown.append(filename)
                patch.setitem(sys.modules, 'IPython', types.ModuleType('IPython'))
                patch.setitem(sys.modules, 'IPython.display', display)
            exec(text, values)
    assert values['means'].size and values['evaluation']['num_episodes'] == 1
    assert shown == ['runs/notebook/episode.gif'] and os.path.isfile(shown[0])
    assert values['action'].ndim == 1
