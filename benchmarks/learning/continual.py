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
import csv
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence

import numpy as np

from benchmarks.learning import continual_arms
from benchmarks.learning.continual_arms import ARMS, EXPERTS, SEQUENTIAL, Arm, Experiment
from sc2impala.continual import __main__ as command
from sc2impala.continual import metrics, picture, runs, summary, tables
from sc2impala.envs.scores import SCORES
from sc2impala.errors import UserError
from sc2impala.runtime import console, logdir
from sc2impala.settings import settings as settings_lib

EXPERIMENT_JSON = 'experiment.json'
REPORT = 'report'

_FINISHED = 'finished'
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


class Probe(NamedTuple):
    """The return until which frames are counted, on a map that is learned after others.

    map_name: the map; the last one of a cycle is learned after all others.
    threshold: the return to reach.
    num_episodes: number of episodes of the running mean.
    """

    map_name: str
    threshold: float
    num_episodes: int


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
                    train(os.path.join(_folder(options.folder, name), run), own, flags)
    found = report(options.folder, experiment, arms, options.seeds, flags, options)
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
    finished = os.path.join(folder, _FINISHED)
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


def report(
    folder: str,
    experiment: Experiment,
    arms: Dict[str, Arm],
    seeds: Sequence[int],
    flags: Sequence[str],
    options: argparse.Namespace,
) -> Dict[str, Any]:
    """Writes tables and pictures of the finished runs, and prints the tables.

    Args:
      folder: of the experiment.
      experiment: its task.
      arms: the arms by name.
      seeds: the seeds.
      flags: flags of all runs.
      options: options of the probe.

    Returns:
      The numbers in the last line of the output.
    """
    done = {
        name: _finished(_folder(folder, name), arm, experiment, seeds) for name, arm in arms.items()
    }
    of_experts: List[runs.Run] = []
    for name, arm in arms.items():
        if arm.schedule == EXPERTS:
            of_experts += [runs.read_expert(each) for each in done[name]]
    if {run.maps[0] for run in of_experts} != set(experiment.maps):
        of_experts = []  # Some are unfinished.
    of_arms: Dict[str, List[runs.Run]] = {}
    for name, arm in arms.items():
        if arm.schedule != EXPERTS and done[name]:
            read = runs.read_sequential if arm.schedule == SEQUENTIAL else runs.read_evaluated
            of_arms[name] = [read(each) for each in done[name]]
    untrained = None if _starts_elsewhere(flags) else _untrained(of_arms.values())
    summaries = {
        name: summary.summarize(of_arm, of_experts, untrained) for name, of_arm in of_arms.items()
    }
    unfinished = [name for name in arms if not done[name]]
    if unfinished:
        console.say(f'No finished run: {", ".join(unfinished)}')
    if not summaries:
        return {'arms': {}, 'untrained': None, 'experts': {}, 'probe': None, 'buffers': {}}
    bootstrap = summary.Bootstrap()
    probe = _probe(experiment, of_experts, options)
    probed = measure_probe(probe, summaries, of_experts) if probe else {}
    parts = [tables.arms(summaries, bootstrap)]
    if probe and probed:
        parts.append(probe_table(probe, probed, bootstrap))
    text = '\n'.join(parts)
    console.say(text, end='')
    out = os.path.join(folder, REPORT)
    for name, found in summaries.items():
        command.write(_folder(out, name), found, bootstrap, name)
    logdir.replace_text(os.path.join(out, 'arms.md'), f'{text}\n![curves](arms.png)\n')
    picture.save_curves(
        os.path.join(out, 'arms.png'), {name: found.runs for name, found in summaries.items()}
    )
    numbers = {
        'arms': {
            name: {
                'seeds': [run.seed for run in found.runs],
                'overall': {key: summary.plain(each) for key, each in found.overall.items()},
            }
            for name, found in summaries.items()
        },
        'untrained': None if untrained is None else dict(zip(experiment.maps, untrained.tolist())),
        'experts': {
            name: [float(run.returns[-1, 0]) for run in of_experts if run.maps == (name,)]
            for name in experiment.maps
        },
        'probe': {**probe._asdict(), 'frames': {n: summary.plain(f) for n, f in probed.items()}}
        if probe
        else None,
        'buffers': {
            name: _buffer(arms[name], experiment, found.runs)
            for name, found in summaries.items()
            if arms[name].buffer_percent
        },
    }
    logdir.replace_json(os.path.join(out, 'arms.json'), numbers)
    return numbers


def measure_probe(
    probe: Probe, summaries: Dict[str, summary.Summary], experts: Sequence[runs.Run]
) -> Dict[str, np.ndarray]:
    """Measures the frames in which a map is learned, for the first time in a run.

    Args:
      probe: the map and the return.
      summaries: by arm; those without blocks are left out.
      experts: runs on one map each.

    Returns:
      float64 [n] frames of the runs of each arm, and of the experts on the map, which learn it from
      scratch, as EXPERTS; NaN if the return is not reached.
    """
    found = {
        name: np.array([_frames_of_block(run, probe) for run in each.runs])
        for name, each in summaries.items()
        if len(each.runs[0].blocks)
    }
    scratch = []
    for run in experts:
        if run.maps == (probe.map_name,):
            episodes = runs.read_episodes(run)
            scratch.append(_frames(episodes.steps, episodes.returns, probe, 0))
    return {**found, EXPERTS: np.array(scratch)} if scratch else found


def probe_table(probe: Probe, frames: Dict[str, np.ndarray], bootstrap: summary.Bootstrap) -> str:
    """Formats the frames of the probe, one arm per row."""
    lines = [
        f'| arm | frames until a mean return of {probe.threshold:.1f} on {probe.map_name} '
        '| relative to scratch | runs that reach it |',
        '| --- | ---: | ---: | ---: |',
    ]
    scratch = bootstrap.estimate(frames.get(EXPERTS, np.zeros([0])))
    for name, of_runs in frames.items():
        estimate = bootstrap.estimate(of_runs)
        text = relative = tables.NONE
        if estimate is not None:
            text = f'{estimate.value:,.0f} [{estimate.low:,.0f}, {estimate.high:,.0f}]'
            if scratch is not None:
                relative = f'{estimate.value / scratch.value:.2f}'
        reached = int((~np.isnan(of_runs)).sum())
        name = 'from scratch' if name == EXPERTS else name
        lines.append(f'| {name} | {text} | {relative} | {reached} of {len(of_runs)} |')
    return '\n'.join(lines) + '\n'


def _starts_elsewhere(flags: Sequence[str]) -> bool:
    """Tells whether flags of all runs say that they do not learn from scratch."""
    return bool(set(_OTHER_STARTS) & {flag.lstrip('-').split('=')[0] for flag in flags})


def _untrained(of_arms: Iterable[Sequence[runs.Run]]) -> Optional[np.ndarray]:
    """The mean return on each map, float64 [M], before the first update of all runs with blocks."""
    first = [run.returns[run.before[0]] for of_arm in of_arms for run in of_arm if len(run.blocks)]
    return np.mean(first, axis=0) if first else None


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


def _folder(folder: str, arm: str) -> str:
    """The folder of an arm; one of another file has the name of its module and itself."""
    return os.path.join(folder, arm.replace(':', '.'))


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


def _finished(folder: str, arm: Arm, experiment: Experiment, seeds: Sequence[int]) -> List[str]:
    """The folders of the finished runs of an arm."""
    names = [name for seed in seeds for name in continual_arms.commands(arm, experiment, seed)]
    folders = [os.path.join(folder, name) for name in names]
    return [each for each in folders if os.path.exists(os.path.join(each, _FINISHED))]


def _probe(
    experiment: Experiment, experts: Sequence[runs.Run], options: argparse.Namespace
) -> Optional[Probe]:
    """The probe; None if no return is given and there is no expert to derive it from."""
    name = options.probe_map or experiment.maps[-1]
    threshold = options.probe_return
    if threshold is None:
        finals = [float(run.returns[-1, 0]) for run in experts if run.maps == (name,)]
        if not finals:
            return None
        random = SCORES[name].random if name in SCORES else 0.0
        threshold = (random + float(np.mean(finals))) / 2
    return Probe(name, threshold, options.probe_episodes)


def _frames_of_block(run: runs.Run, probe: Probe) -> float:
    block = run.maps.index(probe.map_name)  # In the first cycle.
    episodes = runs.read_episodes(run)
    own = episodes.blocks == block
    start = int(run.starts[block])
    return _frames(episodes.steps[own], episodes.returns[own], probe, start)


def _frames(steps: np.ndarray, returns: np.ndarray, probe: Probe, start: int) -> float:
    return metrics.frames_to_return(steps, returns, probe.threshold, probe.num_episodes, start)


def _buffer(arm: Arm, experiment: Experiment, of_arm: Sequence[runs.Run]) -> Dict[str, float]:
    """The size of a replay buffer, and the part of the frames that it was."""
    totals = np.zeros([2])
    for run in of_arm:
        with open(os.path.join(run.folder, logdir.EPISODES_CSV), encoding='utf-8') as file:
            for row in csv.DictReader(file):
                if row['episode_steps']:
                    totals += (float(row['episode_frames']), float(row['episode_steps']))
    sequences = experiment.sequences(arm.buffer_percent)
    frames_per_step = totals[0] / totals[1]
    frames = sequences * experiment.unroll_length * frames_per_step
    return {
        'sequences': sequences,
        'frames_per_step': round(frames_per_step, 3),
        'percent': round(100 * frames / experiment.total_frames, 3),
    }


if __name__ == '__main__':
    main()
