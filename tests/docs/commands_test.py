"""The commands in documents run.

The blocks of a document are one script: its commands run one after another in an empty folder, with
flags that make them small. Comments before a block change that: see docs/guides/development.md.
"""

import importlib
import re
import shlex
import sys

import pytest
from absl import flags as absl_flags

from sc2impala import experiment, learner
from sc2impala.population import settings as population_settings
from sc2impala.settings import setting_flags
from sc2impala.zoo import cards
from tests.docs import documents

EXPERIMENT = ['python', '-m', 'sc2impala.experiment']
POPULATION = ['python', '-m', 'sc2impala.population']

FAST = ('docs/getting_started.md',)
"""Documents whose commands do not take minutes."""

SIZES = ['--screen_size=8', '--minimap_size=8']
EPISODES = ['--num_episodes=2', '--num_eval_envs=2', '--seed=1']
TINY = {
    'train': SIZES
    + EPISODES[:2]
    + [
        '--num_actors=1',
        '--num_envs=2',
        '--unroll_length=5',
        '--batch_size=4',
        '--total_environment_frames=400',
        '--save_checkpoint_secs=1000',
    ],
    'record': SIZES + EPISODES,
    'evaluate': EPISODES,
    'export': [],
}
"""Flags that make a command small, by its mode."""


def commands_of(name):
    """Yields (command line as a list, block) for all commands of a document."""
    for block in documents.blocks(name):
        for command in block.commands:
            try:
                yield shlex.split(command), block
            except ValueError:
                yield command.split(), block  # A line of a longer string.


WITH_COMMANDS = [
    name
    for name in documents.names()
    if any(words[:3] in (EXPERIMENT, POPULATION) for words, _ in commands_of(name))
]
TESTED = [
    name
    for name in WITH_COMMANDS
    if not name.startswith(('docs/concepts', 'docs/reference', 'docs/results'))
    and any(not block.skipped for block in documents.blocks(name))
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory from which modules can be imported."""
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], '__file__', '')).startswith(str(tmp_path)):
            del sys.modules[name]
    for name in [name for name in learner.ALGORITHMS if ':' in name]:
        del learner.ALGORITHMS[name]


def write_modules(name, folder):
    """Writes the files that a document shows."""
    pattern = r'^`(\w+\.py)`:\n\n```python\n(.*?)```'
    for file, text in re.findall(pattern, documents.read(name), re.MULTILINE | re.DOTALL):
        (folder / file).write_text(text)
    importlib.invalidate_caches()


def mode_of(arguments):
    modes = [a.partition('=')[2] for a in arguments if a.startswith('--mode=')]
    return modes[-1] if modes else 'train'


def parameters():
    return [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in TESTED]


@pytest.mark.long
@pytest.mark.parametrize('name', parameters())
def test_commands_run(name, folder, capsys):
    write_modules(name, folder)
    for words, block in commands_of(name):
        if block.skipped:
            continue
        assert words[:3] == EXPERIMENT, f'{words} is no command that a test can run'
        arguments = words[3:]
        if '--help' in arguments:
            with pytest.raises(SystemExit):
                experiment.main(arguments)
            assert '--learning_rate=X' in capsys.readouterr().out
            continue
        exit_code = experiment.main(arguments + TINY[mode_of(arguments)] + block.tiny)
        assert exit_code == 0, (words, capsys.readouterr().err)


@pytest.mark.parametrize('name', WITH_COMMANDS)
def test_flags_are_understood(name, folder):
    """Also of commands that cannot run here: each flag exists, and its value has the right type."""
    write_modules(name, folder)
    count = 0
    for words, _ in commands_of(name):
        if words[:3] not in (EXPERIMENT, POPULATION):
            continue
        arguments = [word for word in words[3:] if word != '--help']
        if words[:3] == POPULATION:
            known = population_settings.all_settings()
            given, arguments = setting_flags.split(known, arguments)
            count += len(given)
        flag_values = absl_flags.FlagValues()
        experiment.define_flags(flag_values, arguments)
        setting_flags.parse(flag_values, arguments)
        count += len(setting_flags.read(flag_values))
    assert count


def test_guides_have_commands_that_run():
    assert len(TESTED) >= 6 and set(FAST) <= set(TESTED)


@pytest.mark.parametrize('name', documents.names())
def test_comments_before_blocks_are_understood(name):
    """A comment with a slip would silently test something else."""
    lines = documents.read(name).splitlines()
    comments = [line for line in lines if line.startswith('<!--') and line not in cards.MARKS]
    for comment in comments:
        assert re.match(r'<!-- (tiny: --|skip: \w).* -->$', comment), comment
    assert len(comments) == sum(bool(b.tiny or b.skipped) for b in documents.blocks(name))
