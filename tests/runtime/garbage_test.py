"""The pause of the search for garbage ends with its block, whatever happens in it."""

import gc

import pytest

from sc2impala.runtime import garbage


def test_paused_and_resumed():
    assert gc.isenabled()
    with garbage.search_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_resumed_after_an_error():
    with pytest.raises(KeyError), garbage.search_paused():
        raise KeyError
    assert gc.isenabled()


def test_who_turned_it_off_keeps_it_off():
    gc.disable()
    try:
        with garbage.search_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
