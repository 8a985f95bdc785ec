"""Streams of one seed differ from each other and stay the same."""

from sc2impala.runtime import seeds


def test_all_streams_differ():
    found = []
    for seed in (0, 1):
        for purpose in seeds._PURPOSES:
            for more in ((), (0, 1), (1, 0), (1, 1)):
                found += seeds.streams(seed, purpose, 5, *more)
    assert len(set(found)) == len(found) == 2 * len(seeds._PURPOSES) * 4 * 5
    assert all(type(s) is int and 0 <= s < 2**32 for s in found)


def test_the_same_again():
    assert seeds.streams(3, 'training', 4, 1) == seeds.streams(3, 'training', 4, 1)
    assert seeds.streams(2**63 - 1, 'graph', 1) == seeds.streams(2**63 - 1, 'graph', 1)


def test_more_streams_begin_with_the_same_ones():
    assert seeds.streams(3, 'evaluation', 9)[:4] == seeds.streams(3, 'evaluation', 4)
