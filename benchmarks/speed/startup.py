"""Measures the seconds from the start of the training command to its first gradient step.

Every start is a new process with a temporary folder. Medians over all starts are taken of each part
and of the whole, so that the whole need not be the sum of its parts.

* interpreter: until Python runs the first line;
* imports: of TensorFlow and all other modules;
* settings: flags and folder;
* specs and environments: observation and action spec, and the games;
* graph: agent, actors, queue, learner and summaries;
* session and initialisation: variables, and the first observations of all games;
* first checkpoint: every training saves one before its first update;
* first update: until the actors have generated a batch and the learner has trained on it.

    python -m benchmarks.speed.startup --workload=beacon16

The last line of the output is JSON.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, Mapping, Optional, Sequence

from benchmarks import subprocesses, workload
from benchmarks.instrumented import training_start


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Measures, and prints a table and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--starts', type=int, default=5, help='number of starts')
    arguments, flags = workload.parse(parser, argv)
    workload.make_settings(flags)
    result = dict({'flags': flags}, **summary([start(flags) for _ in range(arguments.starts)]))
    print('flags: {}'.format(' '.join(flags)))
    for part, seconds in result['seconds'].items():
        print(f'{part:28}{seconds:8.2f} s')
    print(json.dumps(result))


def start(flags: Sequence[str]) -> Dict[str, float]:
    """Starts a training once.

    Returns:
      {part: seconds} up to the end of its first update.

    Raises:
      SystemExit: if the training fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, '-m', training_start.__name__, repr(time.time())] + list(flags)
        command.append(f'--logdir={folder}/run')
        process = subprocess.run(command, capture_output=True)
    if process.returncode not in subprocesses.STOPPED:
        sys.exit(process.stderr.decode())
    return json.loads(process.stdout.decode().splitlines()[-1])


def summary(starts: Sequence[Mapping[str, float]]) -> Dict[str, Any]:
    """Returns the number of starts, and the medians of each part and of the whole in seconds."""
    seconds = {
        part: statistics.median(each[part] for each in starts) for part in training_start.PARTS
    }
    seconds['whole'] = statistics.median(sum(each.values()) for each in starts)
    return {'starts': len(starts), 'seconds': seconds}


if __name__ == '__main__':
    main()
