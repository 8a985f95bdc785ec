"""The benchmarks are a package: modules run with `python -m`, and no changes of sys.path."""

import os
import re
import runpy
import subprocess
import sys

import pytest

import benchmarks
from tests.benchmarks import scripts

_FOLDER = os.path.dirname(os.path.abspath(benchmarks.__file__))

MODULES = sorted(
    os.path.relpath(os.path.join(parent, name), scripts.ROOT)[: -len('.py')].replace(os.sep, '.')
    for parent, _, names in os.walk(_FOLDER)
    for name in names
    if name.endswith('.py')
)
COMMANDS = [
    name
    for name in MODULES
    if name.startswith(
        (
            'benchmarks.speed.',
            'benchmarks.checks.',
            'benchmarks.learning.mini_games',
            'benchmarks.learning.where_to_attack',
            'benchmarks.learning.recorded_play',
        )
    )
    and '__init__' not in name
    and not name.startswith('benchmarks.checks.facts')  # A part of validate_simulator.
]


def _source(module):
    with open(os.path.join(scripts.ROOT, *module.split('.')) + '.py', encoding='utf-8') as file:
        return file.read()


def test_no_module_changes_the_search_path():
    for module in MODULES:
        assert not re.search(r'sys\.path|importlib\.util|__path__', _source(module)), module


def test_speed_is_measured_and_checked_without_the_trainer():
    """They get it from `benchmarks.workload`."""
    trainer = re.compile(
        r'sc2impala\.(runtime|learner|actors|agents|settings|experiment)\b(?! --help)'
        r'|from sc2impala import .*\b(runtime|learner|actors|agents|settings|experiment)\b'
    )
    imports = re.compile(r'^\s*(?:import|from) .*', re.MULTILINE)
    for name in MODULES:
        if name.startswith(('benchmarks.speed.', 'benchmarks.checks.')):
            for statement in imports.findall(_source(name)):
                assert not trainer.search(statement), name


def test_every_benchmark_names_its_command_and_has_a_main():
    for module in COMMANDS:
        source = _source(module)
        assert f'python -m {module}' in source, module
        assert "if __name__ == '__main__':" in source, module


@pytest.mark.filterwarnings('ignore:.*found in sys.modules')
def test_help(monkeypatch, capsys):
    """As `python -m` runs it, but in this process: most of them import TensorFlow."""
    for module in COMMANDS:
        monkeypatch.setattr(sys, 'argv', [module, '--help'])
        with pytest.raises(SystemExit) as caught:
            runpy.run_module(module, run_name='__main__')
        assert not caught.value.code, module
        assert capsys.readouterr().out.startswith('usage: '), module


@pytest.mark.parametrize(
    'module', ['benchmarks.speed.time_to_return', 'benchmarks.checks.pysc2_agents']
)
def test_help_from_the_root_of_the_clone(module):
    environment = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
    command = [sys.executable, '-m', module, '--help']
    output = subprocess.check_output(command, cwd=scripts.ROOT, env=environment)
    assert output.startswith(b'usage: ')
