"""Constants of the rules that are set by name."""

import numpy as np
import pytest

from sc2impala import sim
from sc2impala.sim import unit_types, variants
from tests.sim import players


def the_rules(map_name, **variant):
    return players.make(map_name, [0], rules=variant).rules


def test_every_constant_and_column_can_be_set():
    game = players.make('DefeatRoaches', [0])
    for name in variants.names(game.unit_types):
        unit, _, column = name.rpartition('.')
        constant = variants.COLUMNS[column] if unit else variants.CONSTANTS[name]
        for value in (constant.low, constant.high):
            rules = the_rules('DefeatRoaches', **{name: value})
            found = rules[column][['marine', 'roach'].index(unit)] if unit else rules[name]
            assert found == value, name


def test_what_is_not_set_has_its_default():
    rules = the_rules('DefeatRoaches', **{'marine.damage_point': 2.0, 'facing': 1})
    assert (rules.damage_point[0], rules.facing) == (2.0, 1)
    assert rules.damage_point[1] == unit_types.ROACH.damage_point
    assert rules.weapon_period[0] == unit_types.MARINE.weapon_period
    for name, constant in variants.CONSTANTS.items():
        if name != 'facing':
            assert rules[name] == constant.default, name
    assert the_rules('DefeatRoaches').damage_point[0] == unit_types.MARINE.damage_point


def test_defaults_are_in_range():
    for constant in variants.CONSTANTS.values():
        assert constant.low <= constant.default <= constant.high
    types = [value for value in vars(unit_types).values() if isinstance(value, unit_types.UnitType)]
    for unit_type in types:
        for column, constant in variants.COLUMNS.items():
            value = getattr(unit_type, column)
            assert value <= constant.high
            assert value == 0 or value >= constant.low


def test_the_unit_types_of_a_batch_are_those_of_its_variant():
    game = players.make('DefeatRoaches', [0], rules={'marine.health': 55})
    assert game.unit_types[0].health == 55
    game.reset()
    assert (game.games.health[game.games.type == 0].max(), game.rules.health[1]) == (55, 145)


def test_what_cannot_be_set_is_refused():
    for variant, message in [
        (
            {'faceing': 1},
            r"rules has 'faceing', expected a known name, such as the nearest ones: "
            r'facing, [^,]+, [^,]+\.$',
        ),
        ({'marine.unit_type': 1}, "'marine.unit_type', expected .* marine.[a-z_]+, "),
        ({'zergling.speed': 0.1}, "'zergling.speed', expected .* roach.speed"),
        ({'facing': 2}, r"rules\['facing'\] is 2, expected an integer from 0 to 1\."),
        ({'facing': 'yes'}, "is 'yes', expected an integer"),
        ({'reaction_loops': 1.5}, 'is 1.5, expected an integer from 1 to 1000'),
        ({'marine.damage_point': -1}, 'is -1, expected a number from 0 to 1000'),
        ({'marine.damage_point': np.nan}, 'is nan, expected a number'),
        ({'roach.missile_speed': 1e-9}, 'is 1e-09, expected a number from 0 to 100'),
    ]:
        with pytest.raises(ValueError, match=message):
            sim.make('DefeatRoaches', [0], (16, 16), (16, 16), rules=variant)


@pytest.mark.parametrize('map_name', ['DefeatRoaches', 'DefeatZerglingsAndBanelings'])
def test_a_variant_with_facing_continues_exactly_from_its_state(map_name):
    variant = {'facing': 1, 'marine.damage_point': 2.0}
    game, script = players.make(map_name, range(3), rules=variant), players.Script(map_name, 'LH')
    game.reset()
    calls = []
    for step in range(60):
        calls.append(script(game))
        game.act(*calls[-1])
        game.advance(np.full([3], 8))
        if step == 30:
            middle = game.get_state()
    restored = players.make(map_name, [0] * 3, rules=variant)
    restored.set_state(middle)
    for call in calls[31:]:
        restored.act(*call)
        restored.advance(np.full([3], 8))
    for name, array in game.get_state().items():
        np.testing.assert_array_equal(array, restored.get_state()[name], err_msg=name)
