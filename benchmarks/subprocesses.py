"""Command lines of trainings and of other benchmarks, to be run in separate processes."""

import json
import signal
import subprocess
import sys
from typing import Any, Dict, List, Sequence

STOPPED = (0, 128 + signal.SIGTERM)
"""Exit codes of a training that is finished, or that SIGTERM has stopped."""


def training_command(logdir: str, flags: Sequence[str], progress_secs: float) -> List[str]:
    """Returns the command line of a training.

    Args:
      logdir: folder of the run.
      flags: flags of `sc2impala.experiment`.
      progress_secs: seconds between two lines of progress and two events of the summaries.
    """
    command = [sys.executable, '-m', 'sc2impala.experiment', f'--logdir={logdir}']
    return command + list(flags) + [f'--progress_secs={progress_secs:g}']


def run_benchmark(module: str, arguments: Sequence[str], show: bool = False) -> Dict[str, Any]:
    """Runs a benchmark in a new process, since what one graph leaves behind may slow down the next.

    Args:
      module: full name, such as 'benchmarks.speed.actor'.
      arguments: its command-line arguments.
      show: whether to print its output, except for the last line.

    Returns:
      The JSON in the last line of its output.

    Raises:
      subprocess.CalledProcessError: if it fails.
    """
    command = [sys.executable, '-m', module] + list(arguments)
    with subprocess.Popen(command, stdout=subprocess.PIPE, universal_newlines=True) as process:
        last = ''
        for line in process.stdout or ():
            if show and last:
                print(last, flush=True)
            last = line.rstrip('\n')
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return json.loads(last)
