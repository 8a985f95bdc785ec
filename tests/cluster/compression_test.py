"""The faster way is found, and used."""

import collections

import pytest

from sc2impala.cluster.messages import NONE, ZSTD, Choice


def used(secs, count=1000, setting='auto'):
    """How often each way was used, if messages take so many seconds."""
    choice, found = Choice(setting), collections.Counter()
    for index in range(count):
        kind = choice.next()
        found[kind] += 1
        # Every fourth message waits for room in the queue.
        choice.observe(kind, secs[kind](index) + (index % 4 == 0), sequences=4)
    return found


def always(secs):
    return lambda index: secs


def test_what_is_faster_is_used():
    found = used({NONE: always(0.2), ZSTD: always(0.1)})
    assert 0 < found[NONE] < 20
    found = used({NONE: always(0.1), ZSTD: always(0.2)})
    assert 0 < found[ZSTD] < 20


def test_a_small_gain_is_not_worth_a_processor():
    found = used({NONE: always(0.1), ZSTD: always(0.09)})
    assert 0 < found[ZSTD] < 20


def test_a_network_that_becomes_slow_is_noticed():
    becomes_slow = {NONE: lambda index: 0.1 if index < 500 else 0.5, ZSTD: always(0.2)}
    found = used(becomes_slow, 10000)
    assert found[ZSTD] > 5000


@pytest.mark.parametrize('kind', [NONE, ZSTD])
def test_there_is_no_choice_if_it_is_set(kind):
    assert used({NONE: always(0.1), ZSTD: always(0.1)}, 10, kind) == {kind: 10}
