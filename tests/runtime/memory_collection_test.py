"""The garbage collector is disabled within the context only, also after an error."""

import gc

import pytest

from sc2impala.runtime import memory


def test_paused_and_resumed():
    assert gc.isenabled()
    with memory.collection_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_resumed_after_an_error():
    with pytest.raises(KeyError), memory.collection_paused():
        raise KeyError
    assert gc.isenabled()


def test_remains_disabled_if_it_was_disabled_before():
    gc.disable()
    try:
        with memory.collection_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
