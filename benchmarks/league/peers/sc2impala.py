"""This trainer: its command, with the workload `resnet`, or on MoveToBeacon.

--variant=bfloat16 adds `--bfloat16`; --variant=quickstart has the flags of scripts/quickstart.sh.
"""

import os
import re
import subprocess
import sys
import tempfile
from typing import Iterable, List, Optional, Sequence

from benchmarks.league import work
from benchmarks.league.peers import reporting
from benchmarks.speed import time_to_return

SPEED_FLAGS = (
    '--backend=synthetic',
    '--map_name=Frames',
    f'--num_envs={work.NUM_ENVS // 2}',
    '--num_actors=2',
    f'--unroll_length={work.UNROLL_LENGTH}',
    f'--batch_size={work.BATCH_SEQUENCES}',
)
RETURN_FLAGS = (
    '--map_name=MoveToBeacon',
    '--agent=fully_conv_lstm',
    '--fixed_step_mul',
    '--step_mul=6',
    '--discounting_per_frame',
    '--unit_mask=all',
    '--point_logit_scale=8',
    '--argument_conditioning',
    '--no_op_as_last_resort',
    '--value_normalisation=popart',
    '--reward_scaling=1',
    '--learning_rate=1e-3',
    '--entropy_cost=0.001',
    '--total_environment_frames=2400000',
)
"""The fastest known to a return of 25: with the mask only units can be pointed at."""
FRAMES_PER_STEP = {'speed': 8, 'return': 6}

_PARAMETERS = re.compile(r'.* on .*, ([\d,]+) parameters')
_PROGRESS = re.compile(r'training: ([\d,]+) of ')
_MEAN_RETURN = re.compile(r'mean return (-?[\d.]+) \(last (\d+)\)')


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Trains until the process is stopped; returns the exit code of the training.

    Args:
      argv: command-line arguments; None for those of the process. Unknown ones are passed on as
        flags of the training.
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    own = [word for word in argv if re.match(r'--(task|cores|seed|variant)=', word)]
    arguments = reporting.parse(__doc__, own)
    flags: List[str] = list(SPEED_FLAGS if arguments.task == 'speed' else RETURN_FLAGS)
    if arguments.variant == 'quickstart':
        flags = list(time_to_return.QUICKSTART)
    flags += ['--bfloat16'] if arguments.variant == 'bfloat16' else []
    flags += [f'--seed={arguments.seed}'] + [word for word in argv if word not in own]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, '-m', 'sc2impala.experiment', '--progress_secs=1']
        command.append('--logdir=' + os.path.join(folder, 'run'))
        with subprocess.Popen(
            command + flags, stdout=subprocess.PIPE, universal_newlines=True
        ) as process:
            report(process.stdout or (), FRAMES_PER_STEP[arguments.task], reporting.Reporter())
    return process.returncode


def report(lines: Iterable[str], frames_per_step: int, reporter: reporting.Reporter) -> None:
    """Turns the output of a training into reports.

    Args:
      lines: the output.
      frames_per_step: environment frames of an agent step.
      reporter: writes them.
    """
    for line in lines:
        parameters, progress = _PARAMETERS.match(line), _PROGRESS.match(line)
        if parameters:
            reporter.parameters(int(parameters.group(1).replace(',', '')))
        if progress:
            reporter.steps(int(progress.group(1).replace(',', '')) // frames_per_step)
            found = _MEAN_RETURN.search(line)
            if found:
                reporter.write(mean_return=float(found.group(1)), episodes=int(found.group(2)))


if __name__ == '__main__':
    sys.exit(main())
