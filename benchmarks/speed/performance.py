"""Runs all benchmarks of speed and writes docs/performance.md from their results.

    python -m benchmarks.speed.performance
    python -m benchmarks.speed.performance --only=learner scaling
    python -m benchmarks.speed.performance --render

Each benchmark runs in a process of its own. Its result is saved in docs/performance.json when it
ends, with its command, the date and the machine. The document is written at the end from that file
and benchmarks/report/template.md, with plots in docs/performance. --only repeats some of the
benchmarks, by name or by the part of the name before the slash, and keeps the results of the
others.

--peer='COMMAND' runs another trainer between two runs of this one on the same workload, and reads
its agent steps per second from its output: the last number of lines as 'Fps is (10 sec: 140.2', or,
without such lines, of lines with agent_steps_per_s.

The last line of the output is JSON, {name: whether it was measured}.
"""

import argparse
import collections
import functools
import json
import math
import os
import platform
import re
import shlex
import subprocess
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from benchmarks import subprocesses
from benchmarks.report import tables
from sc2impala import envs

DOCS = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..', 'docs'))
TEMPLATE = os.path.join(os.path.dirname(tables.__file__), 'template.md')
RESULTS, DOCUMENT, PLOTS = 'performance.json', 'performance.md', 'performance'
LEAGUE = 'league.json'
"""Results of `benchmarks.league`, next to those of the other benchmarks."""

Job = collections.namedtuple('Job', ['name', 'module', 'arguments', 'quick'])
"""name: of the result: the benchmark, and after a slash its workload; module: to be run; arguments:
its command-line arguments; quick: arguments appended in a run that only tests the benchmark."""

Results = Dict[str, Dict[str, Any]]
"""See `tables.Results`."""

PEER = 'peer'
PEER_WORKLOAD = '--workload=resnet'

_TINY_NETWORK = ['--agent=atari_net', '--num_envs=2', '--unroll_length=3', '--batch_size=2']
_TINY_GAME = ['--screen_size=4', '--minimap_size=4'] + _TINY_NETWORK
_QUICK_TRAINING = ['--seconds=2', '--warm_up=0', '--num_actors=1']
_QUICK_PART = ['--seconds=0.05', '--rounds=1']


def jobs() -> List[Job]:
    """Returns all benchmarks except that of a peer, in the order in which they run."""
    result: List[Job] = []
    for name in ('resnet', 'beacon32', 'beacon16'):
        quick = _QUICK_TRAINING + _TINY_GAME
        result.append(
            Job(
                f'end_to_end/{name}',
                'benchmarks.speed.end_to_end',
                [f'--workload={name}', '--seconds=30'],
                quick,
            )
        )
    for name in envs.MAP_NAMES:
        quick = _QUICK_TRAINING + _TINY_GAME
        result.append(
            Job(
                f'end_to_end/{name}',
                'benchmarks.speed.end_to_end',
                [f'--map_name={name}', '--from_scratch=False', '--seconds=30'],
                quick + ['--from_scratch'],
            )
        )
    result.append(
        Job(
            'against_network/beacon32',
            'benchmarks.speed.end_to_end',
            ['--workload=beacon32', '--against_network', '--seconds=20', '--rounds=3'],
            _QUICK_TRAINING + ['--rounds=1'] + _TINY_GAME,
        )
    )
    for name in ('resnet', 'beacon32', 'beacon16'):
        flags = [f'--workload={name}']
        quick = _QUICK_PART + _TINY_GAME
        result.append(
            Job(f'learner/{name}', 'benchmarks.speed.learner', flags, quick + ['--traces=1'])
        )
        result.append(Job(f'actor/{name}', 'benchmarks.speed.actor', flags, quick))
    result += [
        Job(
            'replay',
            'benchmarks.speed.replay',
            ['--training'],
            ['--maps', 'MoveToBeacon', '--games=2', '--unrolls=2', '--every=1', '--rounds=1']
            + ['--updates=1']
            + _TINY_GAME,
        ),
        Job(
            'startup',
            'benchmarks.speed.startup',
            ['--workload=beacon16'],
            ['--starts=1', '--num_actors=1'] + _TINY_GAME,
        ),
        Job(
            'scaling',
            'benchmarks.speed.scaling',
            ['--workload=beacon16', '--rounds=2', '--alone_seconds=1'],
            ['--axes', 'num_envs', '--factors', '1', '--seconds=2', '--warm_up=0', '--rounds=1']
            + ['--alone_seconds=0.01', '--num_actors=1']
            + _TINY_GAME,
        ),
        Job(
            'simulator',
            'benchmarks.speed.simulator',
            [],
            ['--games=2', '--screen=16', '--minimap=16', '--rounds=1', '--seconds=0.01']
            + ['--maps', 'MoveToBeacon'],
        ),
        Job(
            'pysc2_backend',
            'benchmarks.speed.pysc2_backend',
            [],
            ['--steps=5', '--screen=16', '--games=1'],
        ),
        Job('vtrace', 'benchmarks.speed.vtrace', [], []),
    ]
    return result


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Measures, and writes results and document.

    Args:
      argv: command-line arguments; None for those of the process.

    Returns:
      The exit code: 1 if a benchmark failed.
    """
    arguments = _parse_arguments(argv)
    path = os.path.join(arguments.folder, RESULTS)
    results = read_results(path)
    measured = {}
    if not arguments.render:
        for job in _chosen(arguments.only):
            if job.name == 'pysc2_backend' and not os.environ.get('SC2PATH'):
                print('\n== pysc2_backend: left out, SC2PATH is not set', flush=True)
                continue
            measured[job.name] = _measure_and_save(
                results, path, job.name, functools.partial(run, job, arguments)
            )
        if arguments.peer and (not arguments.only or PEER in arguments.only):
            measured[PEER] = _measure_and_save(
                results, path, PEER, functools.partial(run_peer, arguments)
            )
    write_document(results, arguments.folder)
    print(json.dumps(measured))
    return 0 if all(measured.values()) else 1


def _parse_arguments(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument(
        '--only', nargs='+', metavar='NAME', help='measure these, keep the results of the others'
    )
    parser.add_argument('--render', action='store_true', help='write the document, measure nothing')
    parser.add_argument(
        '--quick', action='store_true', help='test the benchmarks; the results are meaningless'
    )
    parser.add_argument('--peer', metavar='COMMAND', help='another trainer to compare with')
    parser.add_argument('--folder', type=os.path.expanduser, help='where to write, docs by default')
    arguments = parser.parse_args(argv)
    if arguments.quick and not arguments.folder:
        parser.error('--quick has meaningless results, expected a --folder for them.')
    arguments.folder = arguments.folder or DOCS
    known = _names() | {PEER}
    for name in arguments.only or ():
        if name not in known:
            parser.error(f'--only={name} is unknown, expected some of: {", ".join(sorted(known))}.')
    if PEER in (arguments.only or ()) and not arguments.peer:
        parser.error('--only=peer has no command to run, expected --peer=COMMAND with it.')
    return arguments


def _names() -> Set[str]:
    names = {job.name for job in jobs()}
    return names | {name.partition('/')[0] for name in names}


def _chosen(only: Optional[Sequence[str]]) -> List[Job]:
    if not only:
        return jobs()
    return [job for job in jobs() if {job.name, job.name.partition('/')[0]} & set(only)]


def _measure_and_save(
    results: Results, path: str, name: str, measure: Callable[[], Tuple[str, Dict[str, Any]]]
) -> bool:
    """Adds a measurement to the results and saves them; returns whether it succeeded."""
    print(f'\n== {name}', flush=True)
    try:
        command, result = measure()
    except (subprocess.CalledProcessError, ValueError) as error:
        print(f'{name} FAILED, the previous result is kept: {error}', flush=True)
        return False
    results[name] = {
        'command': command,
        'date': time.strftime('%Y-%m-%d', time.gmtime()),
        'machine': machine(),
        'result': result,
    }
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + '.new', 'w') as file:
        json.dump(results, file, indent=1, sort_keys=True)
        file.write('\n')
    os.replace(path + '.new', path)
    return True


def run(job: Job, arguments: argparse.Namespace) -> Tuple[str, Dict[str, Any]]:
    """Runs a benchmark; returns its command and its JSON.

    Raises:
      subprocess.CalledProcessError: if it fails.
    """
    options = job.arguments + (job.quick if arguments.quick else [])
    command = ' '.join(shlex.quote(word) for word in ['python', '-m', job.module] + options)
    return command, subprocesses.run_benchmark(job.module, options, show=True)


def run_peer(arguments: argparse.Namespace) -> Tuple[str, Dict[str, Any]]:
    """Runs the peer between two runs of this trainer; returns the peer's command and the result.

    Raises:
      ValueError: if the peer's output has no speed.
      subprocess.CalledProcessError: if this trainer fails.
    """
    options = [PEER_WORKLOAD, '--seconds=30']
    if arguments.quick:
        options += _QUICK_TRAINING + _TINY_GAME
    ours = []
    for turn in range(2):
        found = subprocesses.run_benchmark('benchmarks.speed.end_to_end', options, show=True)
        ours.append(found['agent_steps_per_second'])
        if turn == 0:
            output = subprocess.run(
                arguments.peer, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            ).stdout.decode(errors='replace')
    theirs = peer_rate(output)
    if theirs is None:
        raise ValueError(f'its output has no speed: {output[-2000:]}')
    print(f'sc2impala {ours[0]:,.1f} and {ours[1]:,.1f}, peer {theirs:,.1f} agent steps/s')
    return arguments.peer, {
        'ours': ours,
        'peer': theirs,
        'ratio': sum(ours) / len(ours) / theirs,
    }


def peer_rate(output: str) -> Optional[float]:
    """Returns the last speed in the output of a trainer, in agent steps per second, or None.

    Sample Factory's lines, the mean over ten seconds, have priority. Otherwise the number that
    follows agent_steps_per_s counts, or, if other text follows, the last number of the line.
    """
    for pattern in (r'Fps is \(10 sec: ([\d.]+)', r'agent_steps_per_s(?:econd)?\b(.*)'):
        found = [_number(text) for text in re.findall(pattern, output)]
        numbers = [number for number in found if number is not None]
        if numbers:
            return numbers[-1]
    return None


def _number(text: str) -> Optional[float]:
    at_once = re.match(r'[\s"\':=]*(\d[\d.]*)', text)
    numbers = [at_once.group(1)] if at_once else re.findall(r'\d[\d.]*', text)
    number = float(numbers[-1].rstrip('.')) if numbers else math.nan
    return number if number > 0 else None


def machine() -> Dict[str, Any]:
    """Returns the hardware and the versions of Python and libraries that results depend on."""
    return {
        'processor': _first_match('/proc/cpuinfo', r'model name\s*:\s*(.+)') or platform.machine(),
        'cores': _num_cores(),
        'memory_gib': _memory_gib(),
        'gpus': len(tf.config.experimental.list_physical_devices('GPU')),
        'python': platform.python_version(),
        'tensorflow': tf.__version__,
        'numpy': np.__version__,
    }


def _num_cores() -> Optional[int]:
    """Returns the number of cores available to this process, if known, else of the machine."""
    if hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _memory_gib() -> Optional[float]:
    kib = _first_match('/proc/meminfo', r'MemTotal:\s*(\d+) kB')
    return None if kib is None else round(int(kib) / 2**20, 1)


def _first_match(path: str, pattern: str) -> Optional[str]:
    try:
        with open(path) as file:
            match = re.search(pattern, file.read())
    except OSError:
        return None
    return match.group(1).strip() if match else None


def read_results(path: str) -> Results:
    """Reads a results file; returns an empty dict if it does not exist."""
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def write_document(results: Results, folder: str) -> None:
    """Writes the document and its plots into a folder."""
    os.makedirs(folder, exist_ok=True)
    with open(TEMPLATE, encoding='utf-8') as file:
        template = file.read()
    league = {
        f'league/{task}': dict(found, result=found)
        for task, found in read_results(os.path.join(folder, LEAGUE)).items()
    }
    shown = dict(results, **league)
    text = tables.render(template, shown, os.path.join(folder, PLOTS), PLOTS)
    with open(os.path.join(folder, DOCUMENT), 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    sys.exit(main())
