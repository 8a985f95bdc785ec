"""The amount of available memory, from the files of the system."""

import os

import pytest

from sc2impala.runtime import memory


@pytest.fixture
def system(monkeypatch):
    """Replaces the files of the system by a dict {path: text}."""
    files = {}
    monkeypatch.setattr(memory, '_read', lambda path: files.get(path, ''))
    return files


def test_available_memory_of_the_machine(system):
    system['/proc/meminfo'] = 'MemTotal: 9000 kB\nMemAvailable:   2048 kB\nBuffers: 1 kB\n'
    assert memory.available_bytes() == 2 * memory.MIB


@pytest.mark.parametrize('path', memory._CGROUPS)
def test_limit_of_a_container(path, system):
    system['/proc/meminfo'] = 'MemAvailable: 2048 kB\n'
    system[path] = '1048576\n'
    assert memory.available_bytes() == memory.MIB
    system[path] = 'max\n'
    assert memory.available_bytes() == 2 * memory.MIB


@pytest.mark.parametrize('path', memory._CGROUPS)
def test_usage_of_a_container_except_its_file_cache_is_subtracted(path, system):
    system['/proc/meminfo'] = 'MemAvailable: 20480 kB\n'
    system[path] = '10000000\n'
    system[memory._CGROUPS[path]] = '7000000\n'
    assert memory.available_bytes() == 3000000
    statistics = os.path.join(os.path.dirname(path), 'memory.stat')
    system[statistics] = 'active_file 5\ninactive_file 1000000\nunevictable 0\n'
    assert memory.available_bytes() == 4000000
    system[statistics] = 'inactive_file 1000000\ntotal_inactive_file 2000000\n'
    assert memory.available_bytes() == 5000000
    system[statistics] = 'inactive_file 9000000\n'
    assert memory.available_bytes() == 10000000
    system[memory._CGROUPS[path]] = '20000000\n'
    assert memory.available_bytes() == 0


def test_total_memory_if_the_available_amount_is_unknown(system):
    expected = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')
    assert memory.available_bytes() == expected


def test_this_machine():
    total = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')
    assert 0 < memory.available_bytes() <= total
