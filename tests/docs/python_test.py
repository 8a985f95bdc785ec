"""The Python code in documents runs, and diffs apply."""

import shutil
import subprocess

import numpy as np
import pytest

from tests.docs import documents
from tests.house import sources

TUTORIAL = 'docs/tutorial.md'
SIMULATOR = 'docs/concepts/simulator.md'
GYMNASIUM = 'docs/guides/gymnasium.md'


def complete(name):
    """The blocks of a document that are no outline."""
    return [text for text in documents.code(name, 'python') if '...' not in text]


def test_of_the_simulator():
    first, variant, kernel = complete(SIMULATOR)
    values = {}
    exec(first, values)
    layer = values['game'].observe()['screen']['player_relative']
    assert layer.shape == (64, 32, 32) and layer.dtype == np.uint8
    exec(variant, values)
    assert values['game'].rules['facing'] == 1
    exec(kernel, values)
    assert values['g'].x[:3].shape == (3,)


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
