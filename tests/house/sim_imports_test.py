"""Imports within the simulator point one way: rules, games, batches, the served API."""

import os

from tests.house.imports import PACKAGE, files, imported

SIM = os.path.join(PACKAGE, 'sim')
FOUNDATIONS = {
    'state.py': set(),
    'limits.py': set(),
    'file_lock.py': set(),
    'linking.py': set(),
    'compiler.py': {'file_lock', 'linking'},
}
"""Modules of the simulator that know nothing of the game, and what of the simulator they import."""

BATCH = {'api', 'game_batch', 'games', 'kernels'}
"""Parts of the simulator above the rules: they put functions of one game together."""

ABOVE_RULES = {
    '__init__.py': {'compile_ahead', 'game_batch'},
    'game_batch.py': {'games', 'kernels'},
    'kernels.py': {'games'},
    'rollouts.py': {'game_batch', 'games', 'kernels'},
    'search/planner.py': {'game_batch', 'games', 'kernels'},
    'search/pairs.py': {'game_batch', 'games', 'kernels'},
    'compile_ahead.py': {'game_batch'},
}
"""Imports between the modules above the rules, besides those in `games` and `api`."""


def sim_parts(path):
    """Modules and packages of the simulator that a file imports."""
    names = {name for name in imported(path) if name.startswith('sc2impala.sim.')}
    return {name.split('.')[2] for name in names}


def sim_files():
    """(path relative to the simulator, path) of its files without those of the API."""
    for path in files('sim'):
        name = os.path.relpath(path, SIM).replace(os.sep, '/')
        if not name.startswith('api/'):
            yield name, path


def test_only_the_compiler_of_the_simulator_uses_numba():
    users = {
        os.path.relpath(path, SIM)
        for path in files()
        if 'numba' in {name.split('.')[0] for name in imported(path)}
    }
    assert users == {'compiler.py', 'linking.py'}


def test_the_foundations_of_the_simulator_know_no_rules():
    for name, allowed in FOUNDATIONS.items():
        assert sim_parts(os.path.join(SIM, name)) <= allowed, name


def test_rules_of_one_game_do_not_know_the_batch():
    checked = 0
    for name, path in sim_files():
        if not name.startswith('games/'):
            assert sim_parts(path) & BATCH <= ABOVE_RULES.get(name, set()), name
            checked += 1
    assert checked > 50


def test_the_served_api_is_used_by_nothing_of_the_simulator():
    for name, path in sim_files():
        assert 'api' not in sim_parts(path), name


def test_maps_are_put_together_without_kernels_and_batches():
    for path in files('sim/games'):
        assert not sim_parts(path) & {'api', 'game_batch', 'kernels'}, path


def test_maps_without_an_economy_use_no_rules_of_it():
    """Their records lack its fields; a constant and the roles of unit types are shared."""
    for name, path in sim_files():
        economic = name.startswith('economy/') or name in ECONOMY_MODULES
        if not economic:
            found = {item for item in imported(path) if item.startswith('sc2impala.sim.economy')}
            assert found <= SHARED_OF_ECONOMY, name


ECONOMY_MODULES = {
    'kernels.py',
    'games/bases.py',
    'games/build_marines.py',
    'games/collect_minerals_and_gas.py',
    'search/build_marines.py',
    'search/collect_minerals_and_gas.py',
    'search/economies.py',
}
SHARED_OF_ECONOMY = {
    'sc2impala.sim.economy.unit_roles',
}
