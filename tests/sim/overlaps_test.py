import numpy as np

from sc2impala.sim import overlaps, rules, unit_types, units
from sc2impala.sim.games.game import BATTLE
from sc2impala.sim.geometry import SINGLE_SCREEN

TYPES = unit_types.MARINE, unit_types.ROACH
RULES = rules.make(TYPES, SINGLE_SCREEN, (16, 16), (16, 16))[0]


def make(num_units):
    g = BATTLE.blank()[0]
    for i in range(num_units):
        units.put(g, RULES, i, i % 2, 1, 30.0, 30.0)
    return g


def found(g):
    count = overlaps.find(g, RULES)
    return [overlaps.slot(g, place) for place in range(count)]


def expected(g):
    """Slots of the living, solid units that overlap another one."""
    listed = [i for i in range(g.mobile_end) if g.alive[i] and g.solid[i]]

    def overlap(i, j):
        reach = RULES.radius[g.type[i]] + RULES.radius[g.type[j]] - overlaps.TOUCH
        return (g.x[i] - g.x[j]) ** 2 + (g.y[i] - g.y[j]) ** 2 < reach**2

    return [i for i in listed if any(overlap(i, j) for j in listed if j != i)]


def test_the_units_found_are_those_that_overlap_in_every_frame():
    random = np.random.RandomState(0)
    g = make(21)
    g.x[:21], g.y[:21] = 26 + 6 * random.rand(2, 21)
    sizes = []
    for frame in range(60):
        # Some frames without a move, and some where units die, come back or lose their collisions.
        if frame % 3:
            moved = random.rand(21) < 0.2
            g.x[:21] += moved * random.uniform(-1, 1, 21)
        slot = random.randint(21)
        if frame % 10 == 4:
            g.alive[slot] = not g.alive[slot]
            g._living_changed = True
        if frame % 10 == 8:
            g.solid[slot] = not g.solid[slot]
        assert found(g) == expected(g), frame
        sizes.append(len(found(g)))
    assert len(set(sizes)) > 5


def test_pairs_of_units_found_are_told_apart():
    g = make(3)
    g.x[:3] = 30, 30.5, 31
    assert found(g) == [0, 1, 2]
    pairs = [(first, second) for first in range(3) for second in range(first + 1, 3)]
    assert [overlaps.do_overlap(g, *pair) for pair in pairs] == [True, False, True]


def test_units_that_touch_do_not_overlap():
    g = make(2)
    g.x[1] = 30 + RULES.radius[0] + RULES.radius[1]
    assert found(g) == []
    g.x[1] -= 2 * overlaps.TOUCH
    assert found(g) == [0, 1]
    assert found(g) == [0, 1]  # Units that overlap and stay are found again.
