"""Agents, scripts and algorithms outside the package: examples of docs/guides/extending.md."""

import importlib
import os
import re
import sys

import numpy as np
import pytest

from sc2impala import experiment, extensions, learner
from sc2impala.errors import UserError
from sc2impala.runtime import manifest
from sc2impala.settings import own_algorithms, resolve
from tests.runtime import tiny

DOCUMENT = os.path.join(os.path.dirname(__file__), '..', 'docs', 'guides', 'extending.md')
AGENT = '--agent=my_agent:make_parts'
SCRIPT = 'my_script:ToTheBeacon'
ALGORITHM = '--algorithm=my_algorithm:DecayingImpala'
UPDATE = tiny.FRAMES_PER_UPDATE


def examples():
    """The files in the document: name -> content."""
    with open(DOCUMENT) as file:
        return dict(re.findall(r'^`(\w+\.py)`:\n\n```python\n(.*?)```', file.read(), re.M | re.S))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder on the path of Python; what is imported from there is forgotten afterwards."""
    before = set(sys.modules)
    made = tmp_path / 'modules'
    made.mkdir()
    monkeypatch.syspath_prepend(str(made))
    yield made
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], '__file__', '')).startswith(str(made)):
            del sys.modules[name]
    for name in [name for name in learner.ALGORITHMS if ':' in name]:
        del learner.ALGORITHMS[name]


@pytest.fixture
def modules(folder):
    """The folder with the modules of the document."""
    found = examples()
    assert sorted(found) == ['my_agent.py', 'my_algorithm.py', 'my_script.py']
    for name, text in found.items():
        (folder / name).write_text(text)
    importlib.invalidate_caches()
    return folder


class TestNames:
    @pytest.mark.parametrize('text', ['a:b', 'a.b_c:D', '_a:_b'])
    def test_of_the_form_module_attribute(self, text):
        assert extensions.is_spec(text)

    def test_of_another_form(self):
        for text in ['', 'a', 'a:', ':b', 'a:b:c', 'a b:c', 'a..b:c', '1:2', None]:
            assert not extensions.is_spec(text), text


class TestErrors:
    """Each is one sentence with the flag, its value, and what was expected."""

    @pytest.mark.parametrize(
        'flag, expected',
        [
            (
                '--agent=missing:make_parts',
                "cannot be imported (ModuleNotFoundError: No module named 'missing'), expected a",
            ),
            (
                '--agent=broken:make_parts',
                'cannot be imported (ZeroDivisionError: division by zero)',
            ),
            ('--agent=ends:make_parts', 'module ends cannot be imported (SystemExit: 3), expected'),
            ('--agent=my_agent:other', 'has no other, expected a function make_parts('),
            ('--agent=my_agent:__doc__', '__doc__ is of type str, expected a function make_parts('),
            ('--policy=my_script:Other', 'has no Other, expected a subclass of'),
            ('--policy=my_agent:make_parts', 'is of type function, expected a subclass of'),
            ('--demonstrator=my_script:ScriptedPlayer', 'is the abstract class ScriptedPlayer'),
            ('--algorithm=my_agent:make_parts', 'is of type function, expected a subclass of'),
            ('--algorithm=my_algorithm:DecaySettings', 'is the class DecaySettings, expected a'),
            (
                '--algorithm=collides:Own',
                'OwnSettings cannot become flags (ValueError: learning_rate is',
            ),
            ('--algorithm=bare:Own', 'OwnSettings cannot become flags (KeyError: '),
            ('--algorithm=a:b:c', '--algorithm=a:b:c is unknown, expected one of: impala'),
            ('--agent=a:b:c', 'module:make_parts for your own'),
        ],
    )
    def test_one_sentence(self, modules, tmp_path, capsys, flag, expected):
        (modules / 'broken.py').write_text('1 / 0\n')
        (modules / 'ends.py').write_text('import sys\nsys.exit(3)\n')
        text = examples()['my_algorithm.py']
        text = text.replace('DecayingImpala', 'Own').replace('DecaySettings', 'OwnSettings')
        (modules / 'collides.py').write_text(text.replace('weight_decay:', 'learning_rate:'))
        (modules / 'bare.py').write_text(re.sub(r'setting\(\n.*?\n    \)', '0.5', text, flags=re.S))
        assert tiny.main(tmp_path / 'run', flag) == 1
        line = tiny.error_line(capsys)
        assert expected in line and flag in line
        assert not (tmp_path / 'run').exists()


class TestRuns:
    @pytest.mark.long
    def test_of_an_agent_and_an_algorithm(self, modules, tmp_path, capsys):
        run = tmp_path / 'run'
        tiny.train(run, 2, AGENT, ALGORITHM, '--weight_decay=0.25', '--learning_rate=0')
        config = tiny.read_json(run, 'manifest.json')['config']
        assert config['agent'] == 'my_agent:make_parts'
        assert config['algorithm'] == 'my_algorithm:DecayingImpala'
        assert config['weight_decay'] == 0.25
        first, last = (tiny.variables(run, frames) for frames in (0, 2 * UPDATE))
        for name in [name for name in first if tiny.is_weight(name)]:
            np.testing.assert_allclose(last[name], first[name] * 0.75**2, 1e-5, err_msg=name)

        # It resumes and is evaluated without the flags, and with those of its settings.
        flags = [flag for flag in tiny.FLAGS if not flag.startswith('--agent')]
        more = [f'--logdir={run}', f'--total_environment_frames={3 * UPDATE}']
        decay = ['--weight_decay=0.5', '--may_change=weight_decay', '--learning_rate=0']
        assert experiment.main([*flags, *more, *decay]) == 0
        resumed = tiny.variables(run, 3 * UPDATE)
        name = next(name for name in resumed if tiny.is_weight(name) and last[name].any())
        np.testing.assert_allclose(resumed[name], last[name] * 0.5, 1e-5)
        assert tiny.evaluate(run, '--num_episodes=2') == 0
        capsys.readouterr()

        # Without the module it does neither, and says why; nothing changes.
        (modules / 'my_algorithm.py').unlink()
        del sys.modules['my_algorithm'], learner.ALGORITHMS['my_algorithm:DecayingImpala']
        importlib.invalidate_caches()
        before = tiny.snapshot(run)
        for arguments in ([*flags, *more], ['--mode=evaluate', f'--logdir={run}']):
            assert experiment.main(arguments) == 1
            line = tiny.error_line(capsys)
            assert '--algorithm=my_algorithm:DecayingImpala: module my_algorithm cannot be' in line
            assert "No module named 'my_algorithm'" in line
        assert tiny.snapshot(run) == before

    def test_of_a_script_that_is_imitated(self, modules, tmp_path):
        run = tmp_path / 'run'
        own = [f'--demonstrator={SCRIPT}', f'--num_cloning_frames={UPDATE}']
        tiny.train(run, 1, *own, '--phase_evaluations=0')
        assert tiny.read_json(run, 'manifest.json')['config']['demonstrator'] == SCRIPT
        assert 'cloning/loss' in tiny.summaries(run)

    def test_of_a_script_that_is_evaluated_and_recorded(self, modules, tmp_path):
        """It plays as the script of the package with the same rules."""
        returns = []
        for policy in (SCRIPT, 'PySC2'):
            folder = tmp_path / policy.replace(':', '_')
            flags = ['--num_episodes=2', '--step_mul=24', f'--policy={policy}']
            assert tiny.evaluate(folder, *flags) == 0
            returns.append(tiny.read_json(folder, 'evaluation.json')['mean_return'])
        assert returns[0] == returns[1] > 5
        record = ['--mode=record', f'--logdir={tmp_path}', f'--policy={SCRIPT}', '--num_episodes=1']
        assert experiment.main(record) == 0
        recording = tiny.read_json(tmp_path, 'my_script.ToTheBeacon-0', 'recording.json')
        assert recording['player'] == SCRIPT


class TestAlgorithms:
    def test_help_lists_the_settings(self, modules, capsys):
        with pytest.raises(SystemExit):
            experiment.main([ALGORITHM, '--help'])
        text = capsys.readouterr().out
        assert '\nweight decay:\n  --weight_decay=X\n' in text and text.count('--upgo_cost=') == 1

    def test_the_name_may_be_in_a_flag_file(self, modules, tmp_path):
        (tmp_path / 'flags').write_text(ALGORITHM + '\n--weight_decay=0.5\n')
        settings = experiment.read_settings([f'--flagfile={tmp_path}/flags'])
        assert settings.algorithms['my_algorithm:DecayingImpala'].weight_decay == 0.5

    def test_other_manifests_do_not_have_its_settings(self, modules):
        """A run of the package in the same process can be read without the module."""
        own = experiment.read_settings([ALGORITHM]).values()
        other = experiment.read_settings([]).values()
        assert 'weight_decay' in resolve.to_manifest(own)
        assert 'weight_decay' in other and 'weight_decay' not in resolve.to_manifest(other)
        assert 'upgo_cost' in resolve.to_manifest(other)

    def test_its_flags_are_refused_with_another_algorithm(self, modules, tmp_path, capsys):
        experiment.read_settings([ALGORITHM])
        assert tiny.main(tmp_path, '--weight_decay=0.5') == 1
        assert ALGORITHM + ', expected no such flag' in tiny.error_line(capsys)

    def test_two_with_settings_of_the_same_name(self, modules):
        """The one that is named last counts."""
        text = examples()['my_algorithm.py']
        (modules / 'second.py').write_text(text.replace('1e-4', '0.125'))
        experiment.read_settings([ALGORITHM])
        second = experiment.read_settings(['--algorithm=second:DecayingImpala'])
        assert second.algorithms['second:DecayingImpala'].weight_decay == 0.125
        first = experiment.read_settings([ALGORITHM])
        assert first.algorithms['my_algorithm:DecayingImpala'].weight_decay == 1e-4

    def test_actors_learn_the_name_from_their_learner(self, modules):
        config = resolve.to_manifest(experiment.read_settings([ALGORITHM]).values())
        del learner.ALGORITHMS['my_algorithm:DecayingImpala']
        values = resolve.from_manifest({'config': config})
        assert values['algorithm'] in learner.ALGORITHMS and values['weight_decay'] == 1e-4

    def test_names_of_the_package_are_no_modules(self):
        own_algorithms.register('impala')
        own_algorithms.register('unknown')
        assert not [name for name in learner.ALGORITHMS if ':' in name]


def test_a_module_in_the_working_directory(modules, tmp_path, monkeypatch):
    """The command `sc2impala` does not have it on its path."""
    folder = tmp_path / 'here'
    folder.mkdir()
    (folder / 'only_here.py').write_text('def make_parts():\n    pass\n')
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, 'path', [path for path in sys.path if path])
    found = extensions.load('agent', 'only_here:make_parts', 'a function', callable)
    assert found.__module__ == 'only_here'
    del sys.modules['only_here']


def test_the_algorithm_of_a_folder_without_a_manifest(tmp_path):
    assert manifest.peek_algorithm(str(tmp_path)) == ''
    (tmp_path / 'manifest.json').write_text('{"config": []}')
    assert manifest.peek_algorithm(str(tmp_path)) == ''


def test_a_script_of_another_map_says_what_it_needs(modules, tmp_path, capsys):
    flags = ['--map_name=CollectMineralsAndGas', '--functions=no_op', f'--policy={SCRIPT}']
    with pytest.raises(UserError, match=f'--policy={SCRIPT} cannot act .*: --functions is'):
        experiment.evaluate(
            experiment.read_settings(['--mode=evaluate', f'--logdir={tmp_path}', *flags])
        )
