"""Derived seeds are all different, and reproducible."""

from sc2impala.runtime import seeds


def test_all_seeds_differ():
    found = []
    for seed in (0, 1):
        for purpose in seeds._PURPOSES:
            for more in ((), (0, 1), (1, 0), (1, 1)):
                found += seeds.streams(seed, purpose, 5, *more)
    assert len(set(found)) == len(found) == 2 * len(seeds._PURPOSES) * 4 * 5
    assert all(type(s) is int and 0 <= s < 2**32 for s in found)


def test_seeds_are_reproducible():
    assert seeds.streams(3, 'training', 4, 1) == seeds.streams(3, 'training', 4, 1)
    assert seeds.streams(2**63 - 1, 'graph', 1) == seeds.streams(2**63 - 1, 'graph', 1)


def test_a_smaller_count_returns_a_prefix():
    assert seeds.streams(3, 'evaluation', 9)[:4] == seeds.streams(3, 'evaluation', 4)
