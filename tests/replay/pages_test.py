"""Tests that byte strings are stored correctly, in a known and bounded amount of memory."""

import numpy as np
import pytest

from sc2impala.replay import pages as pages_lib
from sc2impala.replay.pages import PAGE_BYTES, Pages, num_pages, read_pages


@pytest.fixture(autouse=True)
def small_slabs(monkeypatch):
    """Makes strings span several slabs."""
    monkeypatch.setattr(pages_lib, 'SLAB_PAGES', 8)


def text(rng, num_bytes):
    return rng.bytes(num_bytes)


@pytest.mark.parametrize('num_bytes, expected', [(0, 0), (1, 1), (PAGE_BYTES, 1)])
def test_num_pages(num_bytes, expected):
    assert num_pages(num_bytes) == expected
    assert num_pages(num_bytes + PAGE_BYTES) == expected + 1


def test_strings_of_all_sizes_are_stored_and_freed():
    rng = np.random.RandomState(0)
    pages, kept = Pages(), []
    most_pages = 0
    for _ in range(500):
        if kept and rng.uniform() < 0.5:
            numbers, _ = kept.pop(rng.randint(len(kept)))
            pages.free(numbers)
        content = text(rng, rng.randint(20 * PAGE_BYTES))
        kept.append((pages.put(content), content))
        most_pages = max(most_pages, sum(len(numbers) for numbers, _ in kept))
        every = np.concatenate([numbers for numbers, _ in kept])
        assert len(set(every.tolist())) == len(every)
    for numbers, content in kept:
        assert pages.get(numbers, len(content)).tobytes() == content
        assert read_pages(pages.slabs(), numbers, len(content)).tobytes() == content
    # No page is allocated while another one is free.
    assert sum(map(len, pages.slabs())) == most_pages
    assert most_pages * PAGE_BYTES <= pages.num_bytes < 1.01 * most_pages * PAGE_BYTES


def test_nothing_is_allocated_at_first():
    pages = Pages()
    assert pages.num_bytes == 0 and pages.slabs() == []
    assert pages.get(pages.put(b''), 0).size == 0
    assert pages.num_bytes == 0


def test_get_returns_a_copy():
    pages = Pages()
    numbers = pages.put(b'first')
    got = pages.get(numbers, 5)
    pages.free(numbers)
    pages.put(b'other')
    assert got.tobytes() == b'first'


def test_continues_from_slabs():
    rng = np.random.RandomState(1)
    pages = Pages()
    contents = [text(rng, 3 * PAGE_BYTES + 5) for _ in range(6)]
    numbers = [pages.put(content) for content in contents]
    pages.free(numbers.pop(2))
    del contents[2]
    copy = Pages(pages.slabs(), np.concatenate(numbers))
    assert copy.num_bytes == pages.num_bytes
    numbers.append(copy.put(b'x' * 4 * PAGE_BYTES))
    contents.append(b'x' * 4 * PAGE_BYTES)
    assert copy.num_bytes == pages.num_bytes
    for its_numbers, content in zip(numbers, contents):
        assert copy.get(its_numbers, len(content)).tobytes() == content
    # It does not share memory with the original.
    before = copy.get(numbers[0], len(contents[0])).tobytes()
    for slab in pages.slabs():
        slab[:] = 0
    assert copy.get(numbers[0], len(contents[0])).tobytes() == before
