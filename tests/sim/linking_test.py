"""How compiled functions call each other."""

import numpy as np

from sc2impala.sim import compiler, units
from sc2impala.sim.compiler import compiled, kernel
from tests.sim import players


@compiled
def square(x):
    return x * x


@compiled
def hypotenuse(x, y):
    return np.sqrt(square(x) + square(y))


@compiled
def scaled(x, y, factor):
    return factor * hypotenuse(x, y)


@compiled
def factorial(n):
    total = 1
    for factor in range(2, n + 1):
        total *= factor
    return total


def many_kernels():
    """Kernels that share parts, made as those of the maps: as closures."""

    def of(function, name):
        @kernel(name)
        def loop(x, y, found):
            for index in range(len(x)):
                found[index] = function(x[index], y[index], 2.0)

        return loop

    return of(scaled, 'linking_test.scaled'), of(shifted, 'linking_test.shifted')


@compiled
def shifted(x, y, by):
    return scaled(x, y, 1.0) + square(by)


def test_a_part_called_from_python_gives_the_same_as_python():
    for x, y in [(3.0, 4.0), (0.1, 0.7), (-1e200, 1.0)]:
        assert hypotenuse(x, y) == compiler.uncompiled(hypotenuse)(x, y)
    assert factorial(10) == 3628800
    assert scaled(3.0, 4.0, 10.0) == 50


def test_kernels_link_parts_of_parts_and_share_them():
    x, y = np.random.RandomState(0).rand(2, 50)
    found = np.zeros([50])
    for loop, function in zip(many_kernels(), (scaled, shifted)):
        loop(x, y, found)
        np.testing.assert_array_equal(found, [function(*point, 2.0) for point in zip(x, y)])


def test_parts_accept_arguments_of_several_types():
    assert square(3) == 9 and isinstance(square(3), int)
    assert square(0.5) == 0.25
    np.testing.assert_array_equal(square(np.arange(4)), [0, 1, 4, 9])


@kernel('linking_test.ratios')
def ratios(x, y, found):
    for index in range(len(x)):
        found[index] = x[index] / y[index]


def test_divisions_follow_ieee_754():
    found = np.zeros([3])
    ratios(np.array([1.0, -1.0, 0.0]), np.zeros([3]), found)
    np.testing.assert_array_equal(found, [np.inf, -np.inf, np.nan])


def test_a_part_called_from_python_changes_records_as_a_kernel_does():
    game = players.make('MoveToBeacon', [3])
    game.reset()
    units.remove(game.games[0], 0)
    assert not game.games.alive[0, 0] and game.games.alive[0, 2]
    game.reset()
    assert game.games.alive[0, 0]


def test_python_functions_are_those_that_were_compiled():
    assert compiler.uncompiled(square)(1.5) == 2.25
    assert compiler.uncompiled(many_kernels) is many_kernels
