"""The rules of where to attack, and that a game is played by them."""

import json

import numpy as np
import pytest

from benchmarks.learning import where_to_attack
from sc2impala.envs.players import sight

RELATIONS = np.array(
    [
        [[0, 4, 0, 0], [1, 0, 0, 4], [1, 0, 0, 4]],
        [[0, 0, 0, 0], [0, 0, 4, 0], [0, 0, 0, 1]],
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    ]
)


@pytest.mark.parametrize(
    'rule, expected',
    [
        ('topmost_enemy', [1, 6, 0]),
        ('nearest_enemy', [1, 6, 0]),
        ('middle_of_enemies', [6, 6, 0]),
    ],
)
def test_rules_without_chance(rule, expected):
    found = where_to_attack.RULES[rule](RELATIONS, np.random.default_rng(0))
    assert found.tolist() == expected


def test_rules_that_draw():
    rng = np.random.default_rng(0)
    enemies = [where_to_attack.any_enemy(RELATIONS, rng) for _ in range(100)]
    assert {pixels[0] for pixels in enemies} == {1, 7, 11}
    assert {pixels[1] for pixels in enemies} == {6}
    pixels = [where_to_attack.any_pixel(RELATIONS, rng) for _ in range(200)]
    assert {each[2] for each in pixels} == set(range(12))


def test_the_nearest_is_nearest_to_the_own_units():
    relations = np.zeros([1, 4, 4], np.int64)
    relations[0, 0, 0] = relations[0, 3, 2] = sight.ENEMY
    relations[0, 2, 3] = sight.SELF
    assert where_to_attack.nearest_enemy(relations, np.random.default_rng(0)).tolist() == [14]


@pytest.mark.parametrize(
    'map_name, units',
    [('DefeatRoaches', 'all'), ('DefeatRoaches', 'one'), ('DefeatZerglingsAndBanelings', 'one')],
)
def test_a_game_is_played(map_name, units, capsys):
    flags = ['--episodes=2', '--step_mul=48', '--shares', '1', '0.5', f'--map_name={map_name}']
    flags += ['--units', units]
    found = where_to_attack.main(flags)
    assert len(found) == 9 and 'topmost_enemy, 50% of the steps' in found
    assert json.loads(capsys.readouterr().out.splitlines()[-1])['rules'] == found


@pytest.mark.parametrize(
    'units, expected',
    [
        ('all', ['select_army'] + ['Attack_screen'] * 3),
        ('one', ['select_point', 'Attack_screen'] * 2),
    ],
)
def test_orders_are_for_all_units_or_for_one(units, expected, monkeypatch):
    called = []

    def make(*args, **options):
        env = made(*args, **options)
        step = env.step

        def look(action, step_mul):
            called.append(env.action_spec.function_names[action['function'][0]])
            return step(action, step_mul)

        env.step = look
        return env

    made = where_to_attack.envs.make_environment
    monkeypatch.setattr(where_to_attack.envs, 'make_environment', make)
    rule = where_to_attack.RULES['topmost_enemy']
    where_to_attack.play('DefeatRoaches', rule, 1.0, 48, 1, units)
    assert called[:4] == expected
