"""How much memory there is."""

import os

_CGROUP_LIMITS = ('/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes')
MIB = 2.0**20


def available_bytes() -> float:
    """Memory that this process may still take; infinity where the system does not tell."""
    limits = [float('inf')]
    for path in _CGROUP_LIMITS:
        text = _read(path).strip()
        if text.isdigit():
            limits.append(float(text))
    for line in _read('/proc/meminfo').splitlines():
        if line.startswith('MemAvailable:'):
            limits.append(float(line.split()[1]) * 1024)
    if len(limits) == 1 and hasattr(os, 'sysconf') and 'SC_PHYS_PAGES' in os.sysconf_names:
        limits.append(float(os.sysconf('SC_PHYS_PAGES')) * os.sysconf('SC_PAGE_SIZE'))
    return min(limits)


def _read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ''
