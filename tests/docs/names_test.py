"""Names in documents exist: files, modules, attributes, constants, flags."""

import ast
import functools
import glob
import os
import re

import pytest

from sc2impala.population import settings as population_settings
from sc2impala.settings import settings as settings_lib
from sc2impala.settings import value_types
from tests.docs import documents
from tests.house import sources

DOCUMENTS = documents.names()

GENERATED = ('__pycache__',)
"""Parts of paths that are not in the repository."""

OTHER_PROGRAMS = {
    # pip, mkdocs, apt, Docker, iptables and Slurm.
    'strict', 'no-install-recommends', 'init', 'shm-size', 'ntasks', 'cpus-per-task', 'dport',
    'network', 'tag', 'rm', 'volume',
    # absl.
    'help', 'helpfull', 'flagfile', 'version',
    # PySC2's own programs.
    'map', 'norender', 'nosave_replay', 'no_render', 'no_save_replay', 'max_episodes',
    # `benchmarks.checks.validate_simulator`, which composes their names.
    'maps', 'players', 'kinds',
}  # fmt: skip
"""Flags of other programs that documents name, or that cannot be found in the sources."""

ENVIRONMENT = {
    'SC2PATH', 'TF_CONFIG', 'NUMBA_CACHE_DIR', 'NUMBA_DISABLE_JIT', 'NUMBA_BOUNDSCHECK',
    'TF_ENABLE_ONEDNN_OPTS',
    'SDL_VIDEODRIVER', 'PYTHON', 'PYTHON37', 'PYTHONPATH', 'NO_MKDOCS_2_WARNING',
    'XDG_CACHE_HOME', 'PYTHONDONTWRITEBYTECODE',
    # Gymnasium's.
    'NEXT_STEP',
}  # fmt: skip
"""Names in capitals that are no constants of the package."""


@functools.lru_cache(maxsize=None)
def module_names(path):
    """The names that a module or a package defines or imports."""
    with open(path, encoding='utf-8') as file:
        tree = ast.parse(file.read())
    result = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            result.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            result.add(node.id)
        elif isinstance(node, ast.alias):
            result.add((node.asname or node.name).split('.')[0])
    return result


def exists(dotted):
    """Returns whether a dotted name is a module, or the name of something in one."""
    parts = dotted.split('.')
    folder = sources.ROOT
    for i, part in enumerate(parts):
        module = os.path.join(folder, part + '.py')
        if os.path.isfile(module):
            return i == len(parts) - 1 or parts[i + 1] in module_names(module)
        if not os.path.isdir(os.path.join(folder, part)):
            package = os.path.join(folder, '__init__.py')
            return os.path.isfile(package) and part in module_names(package)
        folder = os.path.join(folder, part)
    return True


@functools.lru_cache(maxsize=None)
def constants():
    """All names in capitals that the package defines."""
    pattern = os.path.join(sources.ROOT, sources.PACKAGE, '**', '*.py')
    found = set().union(*map(module_names, glob.glob(pattern, recursive=True)))
    return {name for name in found if name.isupper()}


@functools.lru_cache(maxsize=None)
def flags():
    """The flags of runs and populations, and of other commands of this repository."""
    result = set(OTHER_PROGRAMS)
    for settings in (settings_lib.all_settings(), population_settings.all_settings()):
        for name, setting in settings.items():
            result.add(name)
            if setting.type is value_types.BOOLEAN:
                result.add('no' + name)
    for folder in ('benchmarks', 'examples', sources.PACKAGE):
        pattern = os.path.join(sources.ROOT, folder, '**', '*.py')
        for path in glob.glob(pattern, recursive=True):
            with open(path, encoding='utf-8') as file:
                result.update(re.findall(r"'--(\w+)'", file.read()))
    # Of algorithms that the documents define.
    for name in DOCUMENTS:
        for text in documents.code(name, 'python') + documents.code(name, 'diff'):
            result.update(re.findall(r'^[+]?    (\w+): \w+ = setting\(', text, re.MULTILINE))
    with open(os.path.join(sources.ROOT, 'examples', 'auxiliary_loss.py')) as file:
        result.update(re.findall(r'^    (\w+): \w+ = setting\(', file.read(), re.MULTILINE))
    return result


@pytest.mark.parametrize('name', DOCUMENTS)
def test_files_exist(name):
    folders = r'(?:sc2impala|benchmarks|tests|scripts|examples|docs)/'
    for path in re.findall(rf'(?<![\w/.-]){folders}[\w./-]*(?![\w<*])', documents.read(name)):
        if re.search(rf'{re.escape(path)}[<*]', documents.read(name)):
            continue  # A placeholder follows, or a pattern.
        if any(part in path for part in GENERATED) or re.match(r'sc2impala/\w+-v0', path):
            continue
        assert os.path.exists(os.path.join(sources.ROOT, path.rstrip('.'))), path


@pytest.mark.parametrize('name', DOCUMENTS)
def test_modules_without_their_folder_exist(name):
    """Such as `combat/` or `fog.py` in a table about a folder."""
    own = set(re.findall(r'^`(\w+\.py)`:$', documents.read(name), re.MULTILINE))
    for text in documents.inline_code(name):
        if re.match(r'[\w/]+\.py$', text) and text not in own:
            pattern = os.path.join(sources.ROOT, '**', text)
            assert glob.glob(pattern, recursive=True), text


@pytest.mark.parametrize('name', DOCUMENTS)
def test_modules_and_attributes_exist(name):
    pattern = r'(?<![\w/.-])(?:sc2impala|benchmarks|examples|tests)(?:\.[A-Za-z_]\w*)+(?!\w)'
    for dotted in re.findall(pattern, documents.read(name)):
        if not dotted.endswith(('.ipynb', '.py')):
            assert exists(dotted), dotted


@pytest.mark.parametrize('name', DOCUMENTS)
def test_constants_exist(name):
    for text in documents.inline_code(name):
        if re.match(r'[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$|[A-Z]{5,}$', text):
            assert text in constants() | ENVIRONMENT, text


@pytest.mark.parametrize('name', DOCUMENTS)
def test_flags_exist(name):
    text = documents.read(name).replace('<!--', '').replace('-->', '')
    for flag in re.findall(r'(?<![\w-])--([a-z][\w-]*)', text):
        assert flag in flags(), flag


@pytest.mark.parametrize('name', DOCUMENTS)
def test_lines_of_prose_fit_in_100_columns(name):
    too_long = [line for line in documents.prose(name) if len(line) > 100]
    assert not too_long


def test_what_does_not_exist_is_found():
    assert exists('sc2impala.sim.combat.attacks.MIN_DAMAGE') and exists('sc2impala.load')
    assert not exists('sc2impala.sim.damage.MIN_DAMAGE')
    assert not exists('sc2impala.sim.combat.attacks.EVICTION_SPEED')
    assert not exists('sc2impala.unknown')
    assert 'EVICTION_SPEED' in constants() and 'EVICTION_SPED' not in constants()
    assert {'from_scratch', 'nofrom_scratch', 'ranges'} <= flags() and 'num_seeds' not in flags()
