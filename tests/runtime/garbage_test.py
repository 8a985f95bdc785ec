"""The garbage collector is disabled within the context only, also after an error."""

import gc

import pytest

from sc2impala.runtime import garbage


def test_paused_and_resumed():
    assert gc.isenabled()
    with garbage.collection_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_resumed_after_an_error():
    with pytest.raises(KeyError), garbage.collection_paused():
        raise KeyError
    assert gc.isenabled()


def test_remains_disabled_if_it_was_disabled_before():
    gc.disable()
    try:
        with garbage.collection_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
