"""Measures the seconds from the start of the command to the first gradient step, and their parts.

Every start is a fresh process in a folder of its own, which is thrown away. Medians over all starts
count; of the whole, too, so that it need not be the sum of its parts.

* interpreter: until Python runs the first line;
* imports: TensorFlow and all the rest;
* settings: flags and folder;
* specs and environments: what is observed, and the games;
* graph: agent, actors, queue, learner and summaries;
* session and initialisation: variables, and the first observations of all games;
* first checkpoint: every training saves one before its first update;
* first update: until the actors have played a batch and the learner has learned from it.

    python benchmarks/startup.py --workload=beacon16

The last line of the output is JSON.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import timed_start
import workload


def main(argv=None):
    """Measures, and prints a table and the JSON.

    Args:
      argv: the arguments of the command line; None stands for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--starts', type=int, default=5, help='how often to start')
    arguments, flags = workload.parse(parser, argv)
    workload.make_config(flags)
    result = dict({'flags': flags}, **summary([start(flags) for _ in range(arguments.starts)]))
    print('flags: {}'.format(' '.join(flags)))
    for part, seconds in result['seconds'].items():
        print(f'{part:28}{seconds:8.2f} s')
    print(json.dumps(result))


def start(flags):
    """Starts a training once; returns {part: seconds} up to the end of its first update."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'timed_start.py')
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, script, repr(time.time())] + list(flags)
        command += [f'--logdir={folder}/run', '--total_environment_frames=1']
        process = subprocess.run(command, capture_output=True)
    if process.returncode:
        sys.exit(process.stderr.decode())
    return json.loads(process.stdout.decode().splitlines()[-1])


def summary(starts):
    """Medians of several starts: of each part, and of the whole."""
    seconds = {part: statistics.median(each[part] for each in starts) for part in timed_start.PARTS}
    seconds['whole'] = statistics.median(sum(each.values()) for each in starts)
    return {'starts': len(starts), 'seconds': seconds}


if __name__ == '__main__':
    main()
