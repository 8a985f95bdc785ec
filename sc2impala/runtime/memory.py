"""The amount of main memory (RAM) that is available."""

import os
import re

_CGROUPS = {
    '/sys/fs/cgroup/memory.max': '/sys/fs/cgroup/memory.current',
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '/sys/fs/cgroup/memory/memory.usage_in_bytes',
}
"""The files with the memory limit of a container, and for each the file with its current usage."""

_FILE_CACHE = re.compile(r'^(?:total_)?inactive_file (\d+)$', re.MULTILINE)
"""The part of the usage that the kernel can reclaim, in `memory.stat` beside these files."""

MIB = 2.0**20


def available_bytes() -> float:
    """Returns the bytes that this process can still allocate; infinity if that is unknown."""
    limits = [float('inf')]
    for limit_path, used_path in _CGROUPS.items():
        limit, used = _read(limit_path).strip(), _read(used_path).strip()
        if limit.isdigit():
            statistics = _read(os.path.join(os.path.dirname(limit_path), 'memory.stat'))
            cached = max(map(float, _FILE_CACHE.findall(statistics)), default=0.0)
            in_use = float(used) if used.isdigit() else 0.0
            limits.append(float(limit) - max(in_use - cached, 0.0))
    for line in _read('/proc/meminfo').splitlines():
        if line.startswith('MemAvailable:'):
            limits.append(float(line.split()[1]) * 1024)
    if len(limits) == 1 and hasattr(os, 'sysconf') and 'SC_PHYS_PAGES' in os.sysconf_names:
        limits.append(float(os.sysconf('SC_PHYS_PAGES')) * os.sysconf('SC_PAGE_SIZE'))
    return max(min(limits), 0.0)


def _read(path: str) -> str:
    """Returns the text of a file, or an empty string if it cannot be read."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ''
