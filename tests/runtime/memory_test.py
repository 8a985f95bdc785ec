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


GROUPS = {
    'version 2': ('/sys/fs/cgroup', 'memory.max', 'memory.current'),
    'version 1': (
        '/sys/fs/cgroup/memory',
        'memory.limit_in_bytes',
        'memory.usage_in_bytes',
    ),
}


@pytest.fixture(params=GROUPS)
def group(request):
    """Paths of the limit, the usage and the statistics of the outermost control group."""
    folder, *names = GROUPS[request.param]
    return [os.path.join(folder, name) for name in [*names, 'memory.stat']]


def test_limit_of_a_container(group, system):
    path, _, _ = group
    system['/proc/meminfo'] = 'MemAvailable: 2048 kB\n'
    system[path] = '1048576\n'
    assert memory.available_bytes() == memory.MIB
    system[path] = 'max\n'
    assert memory.available_bytes() == 2 * memory.MIB


def test_usage_of_a_container_except_its_file_cache_is_subtracted(group, system):
    path, used, statistics = group
    system['/proc/meminfo'] = 'MemAvailable: 20480 kB\n'
    system[path] = '10000000\n'
    system[used] = '7000000\n'
    assert memory.available_bytes() == 3000000
    system[statistics] = 'active_file 5\ninactive_file 1000000\nunevictable 0\n'
    assert memory.available_bytes() == 4000000
    system[statistics] = 'inactive_file 1000000\ntotal_inactive_file 2000000\n'
    assert memory.available_bytes() == 5000000
    system[statistics] = 'inactive_file 9000000\n'
    assert memory.available_bytes() == 10000000
    system[used] = '20000000\n'
    assert memory.available_bytes() == 0


NESTED = {
    'version 2': '0::/user.slice/job.scope/step\n',
    'version 1': '4:cpu,cpuacct:/other\n3:memory:/user.slice/job.scope/step\n',
}


@pytest.mark.parametrize('version', NESTED)
@pytest.mark.parametrize(
    'inside', ['', 'user.slice', 'user.slice/job.scope', 'user.slice/job.scope/step']
)
def test_the_smallest_limit_of_nested_groups_counts(version, inside, system):
    folder, limit, used = GROUPS[version]
    system['/proc/self/cgroup'] = NESTED[version]
    system['/proc/meminfo'] = 'MemAvailable: 9000000 kB\n'
    for path in ('', 'user.slice', 'user.slice/job.scope', 'user.slice/job.scope/step'):
        system[os.path.join(folder, path, limit)] = '5000000'
    system[os.path.join(folder, inside, limit)] = '1400000'
    system[os.path.join(folder, inside, used)] = '400000'
    system[os.path.join(folder, 'other', limit)] = '7'
    assert memory.available_bytes() == 1000000


def test_total_memory_if_the_available_amount_is_unknown(system):
    expected = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')
    assert memory.available_bytes() == expected


def test_this_machine():
    total = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')
    assert 0 < memory.available_bytes() <= total
