"""Runs all benchmarks of speed and writes docs/performance.md from what they found.

    python benchmarks/performance.py
    python benchmarks/performance.py --only=learner scaling
    python benchmarks/performance.py --render

Each benchmark runs in a process of its own. What it found is kept in docs/performance.json as soon
as it has ended, with its command, the date and the machine; the document is written at the end from
that file and benchmarks/performance_template.md, its plots in docs/performance. --only measures
some again, by name or by the part of it before the slash, and keeps what was found of the others.

--peer='COMMAND' runs another trainer between two of ours on the same work, and reads its agent
steps per second from what it prints: the last number of lines as 'Fps is (10 sec: 140.2', or, if
there are none, of lines with agent_steps_per_s.

The last line of the output is JSON, {name: whether it was measured}.
"""

import argparse
import collections
import json
import math
import os
import platform
import re
import shlex
import subprocess
import sys
import time

import numpy as np
import performance_tables
import tensorflow.compat.v1 as tf
import workload

from sc2impala import envs

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.join(os.path.dirname(HERE), 'docs')
TEMPLATE = os.path.join(HERE, 'performance_template.md')
RESULTS, DOCUMENT, PLOTS = 'performance.json', 'performance.md', 'performance'

Job = collections.namedtuple('Job', ['name', 'script', 'arguments', 'quick'])
"""name: of the result, after a slash what is measured; arguments: of the script; quick: arguments
that follow them in a run that only shows that everything works."""

PEER = 'peer'
PEER_WORK = '--workload=resnet'

_TINY_NETWORK = ['--agent=atari_net', '--num_envs=2', '--unroll_length=3', '--batch_size=2']
_TINY_GAME = ['--screen_size=4', '--minimap_size=4'] + _TINY_NETWORK
_QUICK_TRAINING = ['--seconds=2', '--warm_up=0', '--num_actors=1']
_QUICK_PART = ['--seconds=0.05', '--rounds=1']


def jobs():
    """All benchmarks but that of a peer, in the order in which they run."""
    result = []
    for name in ('resnet', 'beacon32', 'beacon16'):
        quick = _QUICK_TRAINING + _TINY_GAME
        result.append(
            Job(
                f'end_to_end/{name}', 'end_to_end.py', [f'--workload={name}', '--seconds=30'], quick
            )
        )
    for name in envs.MAP_NAMES:
        quick = _QUICK_TRAINING + _TINY_GAME
        result.append(
            Job(
                f'end_to_end/{name}', 'end_to_end.py', [f'--map_name={name}', '--seconds=30'], quick
            )
        )
    result.append(
        Job(
            'against_network/beacon32',
            'end_to_end.py',
            ['--workload=beacon32', '--against_network', '--seconds=20', '--rounds=3'],
            _QUICK_TRAINING + ['--rounds=1'] + _TINY_GAME,
        )
    )
    for name in ('resnet', 'beacon32', 'beacon16'):
        flags = [f'--workload={name}']
        quick = _QUICK_PART + _TINY_GAME
        result.append(Job(f'learner/{name}', 'learner.py', flags, quick + ['--traces=1']))
        result.append(Job(f'actor/{name}', 'actor.py', flags, quick))
    result += [
        Job(
            'replay',
            'replay.py',
            ['--training'],
            ['--maps', 'MoveToBeacon', '--games=2', '--unrolls=2', '--every=1', '--rounds=1']
            + ['--updates=1']
            + _TINY_GAME,
        ),
        Job(
            'startup',
            'startup.py',
            ['--workload=beacon16'],
            ['--starts=1', '--num_actors=1'] + _TINY_GAME,
        ),
        Job(
            'scaling',
            'scaling.py',
            ['--workload=beacon16', '--rounds=2', '--alone_seconds=1'],
            ['--axes', 'num_envs', '--factors', '1', '--seconds=2', '--warm_up=0', '--rounds=1']
            + ['--alone_seconds=0.01', '--num_actors=1']
            + _TINY_GAME,
        ),
        Job(
            'simulator',
            'simulator.py',
            [],
            ['--games=2', '--screen=16', '--minimap=16', '--rounds=1', '--seconds=0.01']
            + ['--maps', 'MoveToBeacon'],
        ),
        Job('pysc2_backend', 'pysc2_backend.py', [], ['--steps=5', '--screen=16', '--games=1']),
        Job('vtrace', 'vtrace.py', [], []),
    ]
    return result


def main(argv=None):
    """Measures and writes.

    Args:
      argv: the arguments of the command line; None stands for those of the process.

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
            measured[job.name] = _keep(results, path, job.name, lambda job=job: run(job, arguments))
        if arguments.peer and (not arguments.only or PEER in arguments.only):
            measured[PEER] = _keep(results, path, PEER, lambda: run_peer(arguments))
    write_document(results, arguments.folder)
    print(json.dumps(measured))
    return 0 if all(measured.values()) else 1


def _parse_arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument(
        '--only', nargs='+', metavar='NAME', help='measure these, keep what was found of the others'
    )
    parser.add_argument('--render', action='store_true', help='write the document, measure nothing')
    parser.add_argument(
        '--quick', action='store_true', help='show that everything works; the figures mean nothing'
    )
    parser.add_argument('--peer', metavar='COMMAND', help='another trainer, to be compared with')
    parser.add_argument('--folder', help='where to write, docs by default')
    arguments = parser.parse_args(argv)
    if arguments.quick and not arguments.folder:
        parser.error('--quick measures nothing of use, expected a --folder for its figures.')
    arguments.folder = arguments.folder or DOCS
    known = _names() | {PEER}
    for name in arguments.only or ():
        if name not in known:
            parser.error(f'--only={name} is unknown, expected some of: {", ".join(sorted(known))}.')
    if PEER in (arguments.only or ()) and not arguments.peer:
        parser.error('--only=peer has nothing to run, expected --peer=COMMAND with it.')
    return arguments


def _names():
    names = {job.name for job in jobs()}
    return names | {name.partition('/')[0] for name in names}


def _chosen(only):
    if not only:
        return jobs()
    return [job for job in jobs() if {job.name, job.name.partition('/')[0]} & set(only)]


def _keep(results, path, name, measure):
    """Measures and writes the results; returns whether it worked."""
    print(f'\n== {name}', flush=True)
    try:
        command, result = measure()
    except (subprocess.CalledProcessError, ValueError) as error:
        print(f'{name} FAILED, what was found before stays: {error}', flush=True)
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


def run(job, arguments):
    """Runs a benchmark; returns its command and its JSON."""
    options = job.arguments + (job.quick if arguments.quick else [])
    command = ' '.join(shlex.quote(word) for word in ['benchmarks/' + job.script] + options)
    return 'python ' + command, workload.in_process_of_its_own(job.script, options, show=True)


def run_peer(arguments):
    """Runs the peer between two trainings of ours; returns its command and what was found.

    Raises:
      ValueError: if the peer printed no speed.
    """
    options = [PEER_WORK, '--seconds=30']
    if arguments.quick:
        options += _QUICK_TRAINING + _TINY_GAME
    ours = []
    for turn in range(2):
        found = workload.in_process_of_its_own('end_to_end.py', options, show=True)
        ours.append(found['agent_steps_per_second'])
        if turn == 0:
            output = subprocess.run(
                arguments.peer, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            ).stdout.decode(errors='replace')
    theirs = peer_rate(output)
    if theirs is None:
        raise ValueError(f'no speed in what it printed: {output[-2000:]}')
    print(f'ours {ours[0]:,.1f}, peer {theirs:,.1f}, ours {ours[1]:,.1f} agent steps/s')
    return arguments.peer, {
        'ours': ours,
        'peer': theirs,
        'ratio': sum(ours) / len(ours) / theirs,
    }


def peer_rate(output):
    """The last speed in what a trainer printed, in agent steps per second, or None.

    Sample Factory's lines are of the last ten seconds and come first; otherwise the number that
    follows agent_steps_per_s, or, if something else does, the last one of the line.
    """
    for pattern in (r'Fps is \(10 sec: ([\d.]+)', r'agent_steps_per_s(?:econd)?\b(.*)'):
        found = [_number(text) for text in re.findall(pattern, output)]
        found = [number for number in found if number is not None]
        if found:
            return found[-1]
    return None


def _number(text):
    at_once = re.match(r'[\s"\':=]*(\d[\d.]*)', text)
    numbers = [at_once.group(1)] if at_once else re.findall(r'\d[\d.]*', text)
    number = float(numbers[-1].rstrip('.')) if numbers else math.nan
    return number if number > 0 else None


def machine():
    """What the figures depend on besides the code."""
    return {
        'processor': _first_match('/proc/cpuinfo', r'model name\s*:\s*(.+)') or platform.machine(),
        'cores': _num_cores(),
        'memory_gib': _memory_gib(),
        'gpus': len(tf.config.experimental.list_physical_devices('GPU')),
        'python': platform.python_version(),
        'tensorflow': tf.__version__,
        'numpy': np.__version__,
    }


def _num_cores():
    """Those that this process may use, where the system tells."""
    if hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _memory_gib():
    kib = _first_match('/proc/meminfo', r'MemTotal:\s*(\d+) kB')
    return None if kib is None else round(int(kib) / 2**20, 1)


def _first_match(path, pattern):
    try:
        with open(path) as file:
            match = re.search(pattern, file.read())
    except OSError:
        return None
    return match.group(1).strip() if match else None


def read_results(path):
    """The content of the results file, {name: entry}; nothing if there is none."""
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def write_document(results, folder):
    """Writes the document and its plots from the results."""
    os.makedirs(folder, exist_ok=True)
    with open(TEMPLATE, encoding='utf-8') as file:
        template = file.read()
    text = performance_tables.render(template, results, os.path.join(folder, PLOTS), PLOTS)
    with open(os.path.join(folder, DOCUMENT), 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    sys.exit(main())
