"""Requirements of the package and pins of the scripts."""

import fnmatch
import importlib
import inspect
import os
import re
import runpy

import pytest
import setuptools
from packaging.requirements import Requirement

from tests.house import sources

PINS = {
    '3.7': 'requirements-tf115.txt',
    '3.11': 'requirements.txt',
    '3.12': 'requirements.txt',
    '3.13': 'requirements.txt',
}
"""By version of Python."""


@pytest.fixture
def arguments(monkeypatch):
    """The arguments of `setuptools.setup`."""
    found = {}
    monkeypatch.setattr(setuptools, 'setup', lambda **kwargs: found.update(kwargs))
    runpy.run_path(os.path.join(sources.ROOT, 'setup.py'))
    return found


def requirements(lines, version):
    """The requirements that apply to a version of Python, by name."""
    found = [Requirement(line) for line in lines]
    environment = {'python_version': version, 'extra': ''}
    return {normal(r.name): r for r in found if r.marker is None or r.marker.evaluate(environment)}


def normal(name):
    return name.lower().replace('_', '-')


def pins(name):
    with open(os.path.join(sources.ROOT, name)) as file:
        lines = [line.split('#')[0].strip() for line in file]
    return {normal(n): v for n, _, v in (line.partition('==') for line in lines if line)}


@pytest.mark.parametrize('version', list(PINS))
def test_pins_are_in_the_range_of_the_package(arguments, version):
    pinned = pins(PINS[version])
    groups = [arguments['install_requires'], arguments['extras_require']['dev']]
    for name, requirement in requirements(sum(groups, []), version).items():
        assert pinned[name] in requirement.specifier, name


def test_the_command_exists_and_needs_no_arguments(arguments):
    (script,) = arguments['entry_points']['console_scripts']
    name, module, function = re.match(r'(\w+) = ([\w.]+):(\w+)$', script).groups()
    assert name == 'sc2impala'
    assert not inspect.signature(getattr(importlib.import_module(module), function)).parameters


def test_all_files_of_the_package_are_installed(arguments):
    """Python files are in `packages`, others in `package_data`."""
    packages, data = arguments['packages'], arguments['package_data']
    patterns = [
        os.path.join(package.replace('.', os.sep), pattern)
        for package, of_package in data.items()
        for pattern in of_package
    ]
    assert set(data) <= set(packages)
    for path, folders, names in os.walk(os.path.join(sources.ROOT, sources.PACKAGE)):
        folders[:] = [name for name in folders if name != '__pycache__']
        folder = os.path.relpath(path, sources.ROOT)
        for name in names:
            is_module = name.endswith('.py') and folder.replace(os.sep, '.') in packages
            file = os.path.join(folder, name)
            assert is_module or any(fnmatch.fnmatch(file, each) for each in patterns), file


@pytest.mark.parametrize('version', list(PINS))
def test_the_programs_of_the_readme_are_installed(arguments, version):
    """TensorFlow 2.21 no longer requires tensorboard."""
    with open(os.path.join(sources.ROOT, 'README.md'), encoding='utf-8') as file:
        assert '\ntensorboard --logdir' in file.read()
    installed = requirements(arguments['install_requires'], version)
    assert {'tensorboard', 'tensorflow'} <= set(installed)
    assert any(version in text for text in arguments['classifiers'])
