"""Imports point one way, and the command does not wait for TensorFlow."""

import os
import subprocess
import sys

from tests.house.imports import PACKAGE, PARTS, files, imported, own_parts, typed_only

ALLOWED = {
    'activity': (),
    'errors': (),
    'extensions': ('envs', 'errors'),
    'frames': ('structs',),
    'game_folder': (),
    'hashing': (),
    'saved_arrays': (),
    'structs': (),
    'tf_setup': (),
    'vtrace': (),
    'replay': (),
    'sim': (),
    'checkpoints': ('errors', 'replay', 'runtime'),
    'demonstrations': ('replay', 'saved_arrays'),
    'envs': ('game_folder', 'saved_arrays', 'sim', 'structs'),
    'agents': ('envs', 'extensions', 'hashing', 'structs', 'tf_setup'),
    'actors': ('activity', 'structs'),
    'cluster': ('actors', 'errors', 'frames', 'structs'),
    'settings': ('agents', 'envs', 'errors', 'extensions', 'learner', 'replay', 'tf_setup'),
    'learner': (
        'activity',
        'agents',
        'errors',
        'frames',
        'hashing',
        'replay',
        'settings',
        'sim',
        'structs',
        'vtrace',
    ),
    'commands': ('errors',),
    'compare': ('envs', 'errors', 'evaluation', 'runtime', 'settings'),
    'continual': ('compare', 'envs', 'errors', 'evaluation', 'runtime'),
    'doctor': ('envs', 'game_folder', 'sim'),
    'runtime': ('envs', 'errors', 'replay', 'settings'),
    'factories': ('agents', 'envs', 'errors', 'extensions', 'learner', 'runtime', 'settings'),
    'evaluation': (
        'activity',
        'agents',
        'checkpoints',
        'demonstrations',
        'envs',
        'errors',
        'factories',
        'runtime',
        'settings',
        'structs',
    ),
    'cluster_actors': (
        'actors',
        'cluster',
        'errors',
        'factories',
        'learner',
        'runtime',
        'settings',
        'structs',
    ),
    'training': (
        'activity',
        'actors',
        'agents',
        'checkpoints',
        'cluster',
        'demonstrations',
        'envs',
        'errors',
        'evaluation',
        'factories',
        'frames',
        'learner',
        'replay',
        'runtime',
        'saved_arrays',
        'settings',
        'structs',
    ),
    'experiment': (
        'checkpoints',
        'cluster_actors',
        'envs',
        'errors',
        'evaluation',
        'runtime',
        'settings',
        'tf_setup',
        'training',
    ),
    'watch': (
        'checkpoints',
        'envs',
        'errors',
        'evaluation',
        'factories',
        'learner',
        'runtime',
        'settings',
        'sim',
        'structs',
        'tf_setup',
    ),
    'zoo': ('checkpoints', 'errors', 'experiment', 'runtime', 'tf_setup'),
    'report': (
        'checkpoints',
        'envs',
        'errors',
        'evaluation',
        'learner',
        'runtime',
        'settings',
        'tf_setup',
        'watch',
    ),
    'population': ('checkpoints', 'errors', 'experiment', 'learner', 'runtime', 'settings'),
}
"""The other parts that each part of the package may import."""

ABOVE_COMMAND = [('population', '__main__.py'), ('zoo', 'publish.py')]
"""Files that may import the command."""

ALLOWED_TYPES = {
    'actors': ('agents', 'envs'),
    'cluster': ('agents', 'envs'),
    'cluster_actors': ('envs',),
    'learner': ('actors', 'demonstrations'),
}
"""Further parts that a part may import for its annotations alone, under `TYPE_CHECKING`.

It gets their objects as arguments.
"""


def test_every_part_is_listed():
    assert sorted(ALLOWED) == PARTS


def test_parts_import_only_what_they_may():
    faults = [
        f'{path} imports {name}'
        for part, allowed in ALLOWED.items()
        for path in files(part)
        for name in sorted(own_parts(imported(path) - typed_only(path)) - {part, *allowed})
    ]
    faults += [
        f'{path} imports {name} for annotations'
        for part, allowed in ALLOWED.items()
        for path in files(part)
        for name in sorted(
            own_parts(typed_only(path)) - {part, *allowed, *ALLOWED_TYPES.get(part, ())}
        )
    ]
    assert not faults, '\n'.join(faults)


def test_checkpoints_use_only_basic_tools_of_the_runtime():
    """These do not use checkpoints, so the arrows between the two point one way."""
    basics = {'console', 'disk', 'logdir', 'plain_paths'}
    for path in files('checkpoints'):
        names = [name for name in imported(path) if name.startswith('sc2impala.runtime.')]
        assert {name.split('.')[2] for name in names} <= basics, path
    for name in basics:
        used = imported(os.path.join(PACKAGE, 'runtime', name + '.py'))
        own = {item for item in used if item.startswith('sc2impala.')}
        assert own <= {
            'sc2impala.errors.UserError',
            'sc2impala.runtime.console',
        }, name


def test_losses_are_pure_functions_of_tensors():
    for name in ('losses', 'appo/ppo', 'r2d2/q_learning'):
        path = os.path.join(PACKAGE, 'learner', name + '.py')
        assert not own_parts(imported(path)), name


def test_the_command_is_imported_by_no_other_module():
    """But by commands that read the flags of runs, or evaluate, as it does."""
    above = {os.path.join(PACKAGE, *names) for names in ABOVE_COMMAND}
    for path in files():
        assert path in above or 'experiment' not in own_parts(imported(path)), path


def test_only_commands_read_flags():
    """All else gets settings."""
    commands = {'experiment.py', os.path.join('population', '__main__.py')}
    readers = {
        os.path.relpath(path, PACKAGE)
        for path in files()
        if any(name.startswith('absl') for name in imported(path))
    }
    assert readers == commands | {os.path.join('settings', 'setting_flags.py')}


def test_parts_without_tensorflow():
    parts = (
        'settings',
        'envs',
        'sim',
        'replay',
        'demonstrations',
        'structs',
        'errors',
        'population',
        'report',
        'continual',
    )
    faults = [
        path
        for part in parts
        for path in files(part)
        if {name.split('.')[0] for name in imported(path)} & {'tensorflow', 'sonnet'}
    ]
    assert not faults, '\n'.join(faults)


def algorithm_settings():
    """Paths of the settings of algorithms, one in the folder of each."""
    return [path for path in files('learner') if os.path.basename(path) == 'settings.py']


def modules_of_settings(names):
    """Modules of `settings` among imported names."""
    return {n.split('.')[2] for n in names if n.startswith('sc2impala.settings.')}


def test_settings_of_algorithms_are_leaves():
    leaves = {'fields', 'learning', 'value_types'}
    assert len(algorithm_settings()) == 5
    for path in algorithm_settings():
        names = {name for name in imported(path) if name.startswith('sc2impala')}
        assert {name.split('.')[1] for name in names} <= {'errors', 'settings'}, path
        assert modules_of_settings(names) <= leaves, path
    for leaf in leaves:
        path = os.path.join(PACKAGE, 'settings', leaf + '.py')
        names = {name for name in imported(path) if name.startswith('sc2impala')}
        assert modules_of_settings(names) <= leaves, path


def test_settings_of_algorithms_load_without_tensorflow():
    """Nor do the packages that Python imports before them."""
    folders = [os.path.dirname(path) for path in algorithm_settings()]
    packages = [os.path.join(PACKAGE, 'learner'), *folders]
    for path in algorithm_settings() + [os.path.join(each, '__init__.py') for each in packages]:
        found = imported(path, at_start_only=True)
        assert not {module.split('.')[0] for module in found} & {'tensorflow', 'sonnet'}, path


def test_learner_and_agents_import_at_their_top():
    registries = {os.path.join(part, '__init__.py') for part in ('learner', 'agents')}
    for path in files('learner') + files('agents'):
        if os.path.relpath(path, PACKAGE) not in registries:
            assert imported(path) == imported(path, at_start_only=True) | typed_only(path), path


def test_no_modules_of_the_learner_import_each_other():
    root = os.path.dirname(PACKAGE)
    modules = {
        os.path.relpath(path, root)[: -len('.py')].replace(os.sep, '.'): imported(path, True)
        for path in files('learner')
        if not path.endswith('__init__.py')
    }
    arrows = {
        name: {n for n in modules for found in names if found == n or found.startswith(n + '.')}
        for name, names in modules.items()
    }
    while arrows:
        ends = [name for name, targets in arrows.items() if not targets & set(arrows)]
        assert ends, sorted(arrows)
        arrows = {name: targets for name, targets in arrows.items() if name not in ends}


def test_one_process_knows_nothing_of_clusters():
    own = ('cluster', 'remote_')
    for part in (
        'runtime',
        'factories',
        'evaluation',
        'training',
        'learner',
        'actors',
        'experiment',
    ):
        for path in files(part):
            check_without_clusters(path, own)


def check_without_clusters(path, own):
    if not os.path.basename(path).startswith(own):
        for name in imported(path, at_start_only=True):
            assert not name.startswith('sc2impala.cluster'), path
            assert not name.rsplit('.', 1)[-1].startswith(own), path


def test_only_commands_and_what_puts_a_run_together_see_all_settings():
    """Everything else gets a group, or a few numbers."""
    assembly = {
        'cluster_actors',
        'evaluation',
        'experiment',
        'factories',
        'population',
        'settings',
        'training',
        'watch',
    }
    for part in sorted(set(PARTS) - assembly):
        for path in files(part):
            assert 'sc2impala.settings.settings.Settings' not in imported(path), path
            with open(path, encoding='utf-8') as file:
                assert 'settings_lib.Settings' not in file.read(), path


def test_tensorflow_is_loaded_when_it_is_needed():
    code = (
        'import sys\n'
        'import sc2impala.settings.settings as settings, sc2impala.settings.validation\n'
        'import sc2impala.learner, sc2impala.agents, sc2impala.replay, sc2impala.envs\n'
        'import sc2impala.experiment, sc2impala.population.__main__\n'
        'settings.all_settings()\n'
        'try: sc2impala.experiment.main(["--help"])\n'
        'except SystemExit: pass\n'
        'assert not {"tensorflow", "sonnet"} & set(sys.modules)\n'
        'assert sc2impala.learner.load("impala").__name__ == "Impala"\n'
        'assert "tensorflow" in sys.modules\n'
    )
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(PACKAGE))
    subprocess.run([sys.executable, '-c', code], check=True, env=environment)


def test_a_worker_of_the_real_game_needs_no_compiler():
    code = (
        'import sys, sc2impala.envs.pysc2_backend.worker\n'
        'assert not {"numba", "tensorflow"} & set(sys.modules)\n'
    )
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(PACKAGE))
    subprocess.run([sys.executable, '-c', code], check=True, env=environment)
