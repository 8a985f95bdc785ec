"""The code in docs/guides/agents_in_python.md runs as it is written there."""

import os
import re
import shlex

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import sc2impala
from sc2impala import experiment
from tests.runtime import tiny

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(sc2impala.__file__)))


def blocks(path, language):
    """The blocks of code of a document."""
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return re.findall(rf'^```{language}\n(.*?)^```', file.read(), re.DOTALL | re.MULTILINE)


@pytest.fixture
def in_folder_of_runs(with_best, tmp_path, monkeypatch):
    """The working directory is one in which `runs/quickstart` is a run with a best model."""
    os.mkdir(str(tmp_path / 'runs'))
    os.symlink(with_best, str(tmp_path / 'runs' / 'quickstart'))
    monkeypatch.chdir(tmp_path)


def test_the_documents_have_the_same_example():
    (in_readme,) = [text for text in blocks('README.md', 'python') if 'sc2impala.load' in text]
    assert re.sub(' +#.*', '', in_readme) == blocks('docs/guides/agents_in_python.md', 'python')[0]


def test_the_documented_code(in_folder_of_runs):
    pytest.importorskip('gymnasium')
    (command,) = blocks('docs/guides/agents_in_python.md', 'bash')
    python, option, module, *flags = shlex.split(command)
    assert (python, option, module) == ('python', '-m', 'sc2impala.experiment')
    assert experiment.main(flags) == 0
    example, _, as_functions, in_session = blocks('docs/guides/agents_in_python.md', 'python')
    values = {}
    exec(example, values)
    assert values['action'].shape == (16, 2) and values['reward'].shape == (16,)
    exec(as_functions, values)
    from_functions = values['action'].numpy()
    exec(in_session, values)
    assert np.array_equal(from_functions, values['action'])
    values['agent'].close()


def test_the_documented_code_without_gymnasium(in_folder_of_runs):
    values = {}
    exec(blocks('docs/guides/agents_in_python.md', 'python')[1], values)
    assert values['env_output'].reward.shape == (16,)
    assert (values['outputs']['step_mul'] >= 1).all()
    values['agent'].close()


def test_the_documented_code_of_tensorflow_1(in_folder_of_runs):
    """It needs no gymnasium."""
    with sc2impala.load('runs/quickstart') as agent:
        agent.export('exported/beacon')
        observation = {
            name: np.ones([16, *shape], dtype)
            for name, (shape, dtype) in agent.describe()['observation'].items()
        }
        values = {'agent': agent, 'observation': observation, 'tf': tf}
        exec(blocks('docs/guides/agents_in_python.md', 'python')[-1], values)
    assert values['action'].shape == (16, 2)
    assert tiny.read_json('exported', 'beacon', 'agent.json')['action'] == ['function', 'screen']
