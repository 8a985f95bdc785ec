"""Growth of a run: its memory, threads, open files, and files on the disk.

    python -m benchmarks.faults.growth --minutes 60

Trains each map in a separate process, all of them side by side, and looks at each process every
few seconds. Slopes are those of Theil and Sen (the median over all pairs of samples) after
`--settle_minutes`, when the replay buffer is full and TensorFlow's allocator has what it needs.
What is written to the disk after that moment is extrapolated to 30 days. The last line of the
output is JSON; the exit code is 1 if a training ended by itself.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from benchmarks.faults import runs

_DAYS = 30
_DAY_SECS = 86400.0
_HOUR_SECS = 3600.0
_FLAGS = (
    '--from_scratch',
    '--replay_proportion=0.5',
    '--replay_buffer_size=500',
    '--total_environment_frames=1e11',
    '--progress_secs=10',
)
_MOST_PAIRS_OF = 400
"""Samples of which the slope takes all pairs."""


class Sample(NamedTuple):
    """What a process has, and what is in the folder of its run.

    secs: since the start.
    memory: resident set, MB.
    threads: number of threads.
    open_files: number of descriptors.
    frames: environment frames, as printed last.
    files: number of files in the folder.
    sizes: bytes of the folder by kind of file: 'checkpoints', 'events', 'episodes', 'log', 'other'.
    """

    secs: float
    memory: float
    threads: int
    open_files: int
    frames: int
    files: int
    sizes: Dict[str, int]


def main(arguments: Sequence[str]) -> int:
    """Trains, and prints what has grown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--maps', nargs='+', default=['MoveToBeacon', 'DefeatRoaches'])
    parser.add_argument('--minutes', type=float, default=60.0, help='how long')
    parser.add_argument('--settle_minutes', type=float, default=15.0, help='not part of the slopes')
    parser.add_argument('--every_secs', type=float, default=10.0, help='between two samples')
    parser.add_argument('--json', type=os.path.expanduser, help='file for all samples')
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        commands = {name: _command(folder, name) for name in options.maps}
        samples, codes = watch(folder, commands, options.minutes * 60, options.every_secs)
    settle = options.settle_minutes * 60
    result = {name: dict(growth(samples[name], settle), exit_code=codes[name]) for name in samples}
    if options.json:
        with open(options.json, 'w') as file:
            json.dump({n: [s._asdict() for s in of] for n, of in samples.items()}, file)
    print(json.dumps(result))
    stopped = 128 + signal.SIGTERM
    return 0 if all(code == stopped for code in codes.values()) else 1


def watch(
    folder: str, commands: Dict[str, List[str]], secs: float, every_secs: float
) -> Tuple[Dict[str, List[Sample]], Dict[str, int]]:
    """Runs the commands side by side for a while, and then ends them with SIGTERM.

    Args:
      folder: `<name>/` in it is that of the run, `<name>.log` is for what it prints.
      commands: by name.
      secs: how long.
      every_secs: between two samples.

    Returns:
      Samples and exit codes, by name.
    """
    processes = {}
    samples: Dict[str, List[Sample]] = {name: [] for name in commands}
    try:
        for name, command in commands.items():
            with open(os.path.join(folder, name + '.log'), 'wb') as log:
                processes[name] = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        started = time.monotonic()
        while time.monotonic() - started < secs:
            time.sleep(every_secs)
            for name, process in processes.items():
                if process.poll() is None:
                    found = sample(process.pid, folder, name, time.monotonic() - started)
                    samples[name].append(found)
                    print(name, json.dumps(found._asdict()), flush=True)
        for process in processes.values():
            process.terminate()
        codes = {name: process.wait(300) for name, process in processes.items()}
    finally:
        for process in processes.values():
            process.kill()
            process.wait()
    return samples, codes


def sample(pid: int, folder: str, name: str, secs: float) -> Sample:
    """Looks at a process and at the folder of its run."""
    with open(f'/proc/{pid}/status') as file:
        status = dict(line.split(':', 1) for line in file if ':' in line)
    sizes = {'checkpoints': 0, 'events': 0, 'episodes': 0, 'log': 0, 'other': 0}
    files = 0
    for parent, _, names in os.walk(os.path.join(folder, name)):
        for file_name in names:
            try:
                size = os.path.getsize(os.path.join(parent, file_name))
            except FileNotFoundError:
                continue  # A checkpoint that was replaced in this moment.
            files += 1
            sizes[kind_of_file(file_name)] += size
    return Sample(
        secs=round(secs, 1),
        memory=int(status['VmRSS'].split()[0]) / 1024,
        threads=int(status['Threads']),
        open_files=len(os.listdir(f'/proc/{pid}/fd')),
        frames=runs.printed_frames(runs.read(os.path.join(folder, name + '.log'))),
        files=files,
        sizes=sizes,
    )


def kind_of_file(name: str) -> str:
    """The kind, as in `Sample.sizes`."""
    if 'tfevents' in name:
        return 'events'
    if name.startswith(('variables.', 'replay.', 'state.', 'checkpoint.')):
        return 'checkpoints'
    return {'episodes.csv': 'episodes', 'train.log': 'log'}.get(name, 'other')


def growth(samples: Sequence[Sample], settle_secs: float) -> Dict[str, Any]:
    """What has grown in one training.

    Args:
      samples: in order.
      settle_secs: samples before that are not part of it.

    Returns:
      Slopes per hour, extremes, and the sizes of the files in 30 days.
    """
    settled = [s for s in samples if s.secs >= settle_secs]
    if len(settled) < 2:
        return {'samples': len(settled)}
    first, last = settled[0], settled[-1]
    times = [s.secs / _HOUR_SECS for s in settled]
    days = (last.secs - first.secs) / _DAY_SECS
    grown = {kind: last.sizes[kind] - first.sizes[kind] for kind in last.sizes}
    in_future = {
        kind: last.sizes[kind] + (0 if kind == 'checkpoints' else grown[kind] / days * _DAYS)
        for kind in grown
    }
    return {
        'samples': len(settled),
        'minutes': round((last.secs - first.secs) / 60, 1),
        'frames': last.frames - first.frames,
        'memory_mb': [round(min(s.memory for s in settled), 1), round(last.memory, 1)],
        'memory_mb_per_hour': round(slope(times, [s.memory for s in settled]), 2),
        'threads': sorted({s.threads for s in settled}),
        'open_files': sorted({s.open_files for s in settled}),
        'files': [first.files, last.files],
        'bytes_per_day': {kind: round(grown[kind] / days) for kind in grown},
        'megabytes_in_30_days': {kind: round(n / 1e6, 1) for kind, n in in_future.items()},
    }


def slope(times: Sequence[float], values: Sequence[float]) -> float:
    """The median slope over all pairs, of every n-th sample if there are many."""
    step = -(-len(times) // _MOST_PAIRS_OF)
    pairs = list(zip(times, values))[::step]
    return statistics.median(
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for index, earlier in enumerate(pairs)
        for later in pairs[index + 1 :]
    )


def _command(folder: str, map_name: str) -> List[str]:
    module = [sys.executable, '-m', 'sc2impala.experiment']
    logdir = os.path.join(folder, map_name)
    return [*module, f'--map_name={map_name}', f'--logdir={logdir}', *_FLAGS]


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
