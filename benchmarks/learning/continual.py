"""Continual learning: arms x seeds on maps that are learned in turn, see docs/guides/continual.md.

    python -m benchmarks.learning.continual --list
    python -m benchmarks.learning.continual --preset=fights --folder=runs/fights
    python -m benchmarks.learning.continual --preset=fights --folder=runs/fights \
        --arms fine_tuning clear experts --seeds 0 1 2 3 4
    python -m benchmarks.learning.continual --preset=all_maps --folder=runs/all_maps \
        --arms fine_tuning clear simultaneous experts --seeds 0 1

Each run is a command `python -m sc2impala.experiment`, one after the other, all arms of a seed
before the next seed. The same command resumes an experiment that was stopped: a finished run is not
repeated, an unfinished one continues. Arms and seeds may be added later; everything else must be
equal, and is saved in the folder.

At the end, and with --report at any time, the finished runs are summarised in <folder>/report: a
table of all arms, curves, the tables and matrices of each arm, and the probe: frames until the mean
return of the last episodes on a map reaches a return, after the maps before it, compared with an
expert's from scratch.

Runs learn from scratch, unless --flags has another start, as those of --preset=imitation. The last
line of the output is JSON.
"""

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from typing import Any, Dict, Optional, Sequence

from benchmarks.learning import continual_arms, continual_report
from benchmarks.learning.continual_arms import ARMS, FINISHED, Experiment
from sc2impala.envs.scores import SCORES
from sc2impala.errors import UserError
from sc2impala.runtime import console, logdir
from sc2impala.settings import settings as settings_lib

EXPERIMENT_JSON = 'experiment.json'

_OUTPUT = 'output.txt'

_OTHER_STARTS = ('init_checkpoint', 'demonstrator', 'demonstrations', 'nofrom_scratch')

_CONSTANT = '--learning_rate={0} --final_learning_rate={0} --final_entropy_cost=-1 '
"""Rates that do not fall, also when all maps are learned at once: the arms have the same."""

_IN_TURN = _CONSTANT.format('7e-4') + (
    '--demonstrator=of_each_map --demonstration_cost=1 --num_cloning_frames=0 '
    '--num_critic_pretrain_frames=0 --teacher_cost=0 --demonstrator_share=0.5 --temperature=0.4 '
)
"""Imitation in the main phase: labels of the demonstrator of the map are learned from along with
rewards, also those in replayed sequences. Settings that are equal to defaults are named as well:
defaults of runs on several maps change, the benchmark does not."""

_UNITS = (
    '--agent=units_lstm --vectors=player,feature_units --related_points --screen_size=16 '
    '--num_envs=8 --batch_size=8'
)
"""Agents that imitate within minutes on a core."""

PRESETS: Dict[str, Dict[str, Any]] = {
    'small': {
        'maps': ('DefeatRoaches', 'CollectMineralShards'),
        'cycles': 2,
        'frames_per_task': 120000,
        'num_episodes': 24,
        'flags': _IN_TURN + _UNITS,
    },
    'fights': {
        'maps': ('FindAndDefeatZerglings', 'DefeatRoaches', 'DefeatZerglingsAndBanelings'),
        'cycles': 2,
        'frames_per_task': 1500000,
        'flags': _CONSTANT.format('1e-3'),
    },
    'imitation': {
        'maps': ('FindAndDefeatZerglings', 'DefeatRoaches', 'DefeatZerglingsAndBanelings'),
        'cycles': 2,
        'frames_per_task': 500000,
        'flags': _IN_TURN + '--batch_size=16',
    },
    'all_maps': {
        'maps': tuple(SCORES),
        'cycles': 1,
        'frames_per_task': 3000000,
        'flags': _CONSTANT.format('1e-3'),
    },
}
"""Options by name of the preset."""


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Runs what is missing, writes the report, and prints the tables and the JSON.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    options = _parser().parse_args(argv)
    try:
        if options.list:
            print(list_text(), end='')
            return
        _run(options)
    except UserError as error:
        console.flush()
        sys.exit(f'error: {error}')


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks.learning.continual',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--list', action='store_true', help='list the arms and presets, and end')
    parser.add_argument('--preset', default='fights', choices=list(PRESETS))
    parser.add_argument('--maps', nargs='+', metavar='MAP', help='in the order of learning')
    parser.add_argument('--cycles', type=int)
    parser.add_argument('--frames_per_task', type=int, help='environment frames of a block')
    parser.add_argument('--arms', nargs='+', default=list(ARMS), metavar='ARM')
    parser.add_argument('--seeds', type=int, nargs='+', default=[0, 1, 2])
    parser.add_argument('--folder', type=os.path.expanduser, default='runs/continual')
    parser.add_argument('--flags', help="flags of all runs: --flags='--a=1 --b=2'")
    parser.add_argument('--evaluations_per_task', type=int, default=3)
    parser.add_argument(
        '--num_episodes', type=int, help='per map in an evaluation; 20 if the preset has no number'
    )
    parser.add_argument(
        '--unroll_length', type=int, default=settings_lib.general_defaults()['unroll_length']
    )
    parser.add_argument(
        '--frames_per_step',
        type=float,
        default=8.0,
        help='environment frames of an agent step, assumed for the size of replay buffers; the '
        'report has the measured one',
    )
    parser.add_argument('--report', action='store_true', help='summarise finished runs only')
    parser.add_argument('--probe_map', help='map of the probe; the last one of a cycle by default')
    parser.add_argument(
        '--probe_return',
        type=float,
        help='return of the probe; by default half-way from a random policy to the experts',
    )
    parser.add_argument('--probe_episodes', type=int, default=50, help='of the running mean')
    return parser


def list_text() -> str:
    """Returns the list of arms and presets."""
    width = max(map(len, ARMS))
    lines = [f'{name:{width}}  {arm.help}' for name, arm in ARMS.items()]
    lines.append('')
    for name, preset in PRESETS.items():
        frames = f'{preset["frames_per_task"]:,} frames per map'
        cycles = console.count_text(preset['cycles'], 'cycle')
        lines.append(f'--preset={name}: {", ".join(preset["maps"])}; {cycles}, {frames}')
        if 'flags' in preset:
            lines.append(f'    {preset["flags"]}')
    return '\n'.join(lines) + '\n'


def _run(options: argparse.Namespace) -> None:
    preset = {'flags': '', 'num_episodes': 20, **PRESETS[options.preset]}
    given = {name: getattr(options, name) for name in preset}
    chosen = {name: preset[name] if given[name] is None else given[name] for name in preset}
    experiment = Experiment(
        maps=tuple(chosen['maps']),
        cycles=chosen['cycles'],
        frames_per_task=chosen['frames_per_task'],
        evaluations_per_task=options.evaluations_per_task,
        num_episodes=chosen['num_episodes'],
        unroll_length=options.unroll_length,
        frames_per_step=options.frames_per_step,
    )
    _check(experiment, options)
    arms = {name: continual_arms.find(name) for name in options.arms}
    flags = shlex.split(chosen['flags'])
    _check_same(options.folder, experiment, flags)
    if not options.report:
        for seed in options.seeds:
            for name, arm in arms.items():
                for run, own in continual_arms.commands(arm, experiment, seed).items():
                    train(
                        os.path.join(continual_arms.folder(options.folder, name), run), own, flags
                    )
    found = continual_report.report(
        options.folder,
        experiment,
        arms,
        options.seeds,
        not _starts_elsewhere(flags),
        (options.probe_map, options.probe_return, options.probe_episodes),
    )
    print(json.dumps({'experiment': experiment._asdict(), 'flags': flags, **found}))


def train(folder: str, own: Sequence[str], flags: Sequence[str]) -> None:
    """Runs or resumes a training, unless it is finished.

    Its output is appended to `output.txt` in the folder. If this process gets SIGTERM or Ctrl-C, it
    waits until the training has saved its state.

    Args:
      folder: of the run.
      own: flags of the run.
      flags: flags of all runs, which have precedence.

    Raises:
      UserError: if the training fails.
    """
    finished = os.path.join(folder, FINISHED)
    if os.path.exists(finished):
        return
    os.makedirs(folder, exist_ok=True)
    start = [] if _starts_elsewhere(flags) else ['--from_scratch']
    line = [sys.executable, '-m', 'sc2impala.experiment', f'--logdir={folder}']
    started = time.time()
    path = os.path.join(folder, _OUTPUT)
    with open(path, 'a', encoding='utf-8') as output:
        code = _call([*line, *start, *own, *flags], output)
    if code:
        with open(path, encoding='utf-8', errors='replace') as output:
            last = (output.read().splitlines() or [''])[-1]
        raise UserError(f'{folder} ended with exit code {code}, expected 0: {last}')
    with open(finished, 'w', encoding='utf-8'):
        pass
    console.say(f'{folder}: {console.duration_text(time.time() - started)}')


def _starts_elsewhere(flags: Sequence[str]) -> bool:
    """Tells whether flags of all runs say that they do not learn from scratch."""
    return bool(set(_OTHER_STARTS) & {flag.lstrip('-').split('=')[0] for flag in flags})


def _check(experiment: Experiment, options: argparse.Namespace) -> None:
    """Raises: UserError: if an option is out of range."""
    for name, value in experiment._asdict().items():
        if name != 'maps' and value <= 0:
            raise UserError(f'--{name}={value}, expected a positive number.')
    names = experiment.maps
    if len(names) < 2 or len(set(names)) < len(names):
        raise UserError(f'--maps={" ".join(names)}, expected at least two different maps.')
    if options.probe_map and options.probe_map not in names:
        raise UserError(f'--probe_map={options.probe_map}, expected one of {", ".join(names)}.')


def _check_same(folder: str, experiment: Experiment, flags: Sequence[str]) -> None:
    """Saves the task and the flags; compares them with those of earlier starts.

    Raises:
      UserError: if they differ.
    """
    path = os.path.join(folder, EXPERIMENT_JSON)
    wanted = json.loads(json.dumps({**experiment._asdict(), 'flags': list(flags)}))
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        logdir.write_json(path, wanted)
        return
    with open(path, encoding='utf-8') as file:
        found = json.load(file)
    for name, value in wanted.items():
        if found.get(name) != value:
            raise UserError(
                f'--{name} is {value}, and {found.get(name)} in {path}, expected equal values, or '
                'another --folder.'
            )


def _call(line: Sequence[str], output: Any) -> int:
    """Runs a command; if this process is stopped, first waits for the end of the command."""
    process = subprocess.Popen(line, stdout=output, stderr=subprocess.STDOUT)

    def stop(number: int, unused_frame: Any) -> None:
        process.send_signal(number)
        process.wait()
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait()  # It has got the same Ctrl-C.
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


if __name__ == '__main__':
    main()
