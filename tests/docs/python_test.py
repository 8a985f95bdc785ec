"""The Python code in documents runs, and diffs apply."""

import importlib
import shutil
import subprocess

import numpy as np
import pytest

from sc2impala.envs import maps
from tests.docs import documents
from tests.house import sources

TUTORIAL = 'docs/tutorial.md'
SIMULATOR = 'docs/concepts/simulator.md'
GYMNASIUM = 'docs/guides/gymnasium.md'


def complete(name):
    """The blocks of a document that are no outline."""
    return [text for text in documents.code(name, 'python') if '...' not in text]


@pytest.mark.long
def test_of_the_simulator():
    texts = (text for text in complete(SIMULATOR) if 'sim.make(' in text)
    first, rollouts, variant, kernel = texts
    values = {}
    exec(rollouts, values)
    assert values['copies'].games.score.shape == (6,)
    exec(first, values)
    layer = values['game'].observe()['screen']['player_relative']
    assert layer.shape == (64, 32, 32) and layer.dtype == np.uint8
    exec(variant, values)
    assert values['game'].rules['facing'] == 1
    exec(kernel, values)
    assert values['g'].x[:3].shape == (3,)


def test_of_a_new_game(tmp_path, monkeypatch):
    (text,) = [text for text in complete(SIMULATOR) if 'GAME = Game(' in text]
    (tmp_path / 'stay_in_the_middle.py').write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module('stay_in_the_middle').GAME
    g = made.family.blank()[0]
    rules = made.rules((16, 16), (16, 16), made.unit_types, constants={})[0]
    made.start(g, rules)
    g.x[0], g.y[0] = 33.0, 28.0
    made.play_frame(g, rules)
    assert g.alive[0] and g.score == 1
    (defaults,) = [text for text in complete(SIMULATOR) if 'MapDefaults(' in text]
    names = {'MapDefaults': maps.MapDefaults, '_AT_ONCE': maps._AT_ONCE}
    (name,) = eval('{' + defaults + '}', names)
    assert name == made.name


def test_of_the_gymnasium_environments():
    pytest.importorskip('gymnasium')
    (text,) = complete(GYMNASIUM)
    values = {}
    exec(text, values)
    _, info = values['env'].reset(seed=0)
    assert info['available_actions'].any()
    assert values['games'].num_envs == 32


@pytest.mark.skipif(shutil.which('git') is None, reason='needs git')
def test_the_diff_of_the_tutorial_applies():
    (diff,) = documents.code(TUTORIAL, 'diff')
    assert diff.count('+++ b/sc2impala/') == 3
    command = ['git', 'apply', '--check', '-']
    subprocess.run(command, input=diff.encode(), cwd=sources.ROOT, check=True)
