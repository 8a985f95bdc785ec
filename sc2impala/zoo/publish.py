"""Adds the agent of a run to the zoo: its weights in float16, its settings, and a card.

    python -m sc2impala.zoo.publish runs/roaches --name=DefeatRoaches --selection='seed 1 of 1'
    python -m sc2impala.zoo.publish --name=DefeatRoaches --evaluate --seed=1

The card covers the run and those that it began with by --init_checkpoint. The agent of the zoo is
evaluated with the settings of its run, and for every --max_step_mul with steps of at most this many
frames. With --evaluate an agent of the zoo is evaluated again: the results are printed, and its
card stays.
"""

import argparse
import datetime
import json
import os
import platform
import re
import shlex
import shutil
import sys
import tempfile
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

import numpy as np

import sc2impala
from sc2impala import experiment, tf_setup
from sc2impala.checkpoints import zoo_names
from sc2impala.errors import FINISHED, UserError
from sc2impala.runtime import console, logdir, manifest
from sc2impala.zoo import cards
from sc2impala.zoo.cards import Card, Score

MAX_BYTES = 3 * 2**20
"""Maximum size of an agent."""

_MAX_GAP = datetime.timedelta(minutes=10)
"""Longer pauses in a log are not part of the training."""
_TIME = re.compile(r'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\+\d\d:\d\d')


class _Training(NamedTuple):
    """One of the runs in which an agent was trained.

    command: without the place of the run. frames: environment frames up to the agent, or up to the
    run after it. hours: its duration. imitates: whether it learned from labels.
    """

    command: str
    frames: int
    hours: float
    imitates: bool


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Publishes or evaluates an agent, and returns the exit code.

    Args:
      argv: command-line arguments; None for those of the process.
    """
    arguments = parse(argv)
    try:
        if arguments.evaluate:
            found = [score for limit in _limits(arguments) for score in evaluate(arguments, limit)]
            print(cards.table([cards.read(arguments.name)._replace(scores=found)]))
        else:
            publish(arguments)
    except UserError as error:
        print(f'error: {error}', file=sys.stderr)
        return error.exit_code
    return FINISHED


def parse(argv: Optional[Sequence[str]]) -> argparse.Namespace:
    """Returns the command's arguments; exits with a message if one is invalid."""
    parser = argparse.ArgumentParser(
        prog='python -m sc2impala.zoo.publish', description=(__doc__ or '').split('\n')[0]
    )
    parser.add_argument('run', nargs='?', help='folder of the run')
    parser.add_argument('--name', required=True, help='of the agent, without zoo:')
    parser.add_argument('--checkpoint', default='latest', help='see sc2impala.experiment --help')
    parser.add_argument('--selection', default='the only run', help='how the agent was chosen')
    parser.add_argument('--hours', type=float, help='of the training, if its log is incomplete')
    parser.add_argument('--episodes', type=int, default=400)
    parser.add_argument('--seed', type=int, default=10**6, help='of the evaluations')
    parser.add_argument('--max_step_mul', type=int, nargs='*', default=[], help='frames')
    parser.add_argument('--evaluate', action='store_true', help='evaluate an agent of the zoo')
    arguments = parser.parse_args(argv)
    if not re.match(r'[A-Za-z0-9][\w.-]*$', arguments.name):
        parser.error(f'--name={arguments.name} is no name, expected letters, digits, - and _.')
    if arguments.episodes < 2:
        parser.error(f'--episodes={arguments.episodes} has no standard error, expected at least 2.')
    if not arguments.evaluate and arguments.run is None:
        parser.error('the folder of a run is missing.')
    return arguments


def publish(arguments: argparse.Namespace) -> Card:
    """Writes the folder of an agent, replacing one of the same name, and evaluates it.

    Raises:
      UserError: if the run cannot be read, the agent is too large, or an evaluation fails.
    """
    tf_setup.enable()
    os.makedirs(zoo_names.FOLDER, exist_ok=True)
    target = os.path.join(zoo_names.FOLDER, arguments.name)
    with tempfile.TemporaryDirectory(prefix='.new-', dir=zoo_names.FOLDER) as aside:
        made, replaced = os.path.join(aside, 'made'), os.path.join(aside, 'replaced')
        os.mkdir(made)
        card = _fill(made, arguments)
        if os.path.lexists(target):
            os.rename(target, replaced)
        try:
            os.rename(made, target)
            scores: List[Score] = []
            for limit in _limits(arguments):
                # The first one may have that limit as a default of the map.
                if limit is None or limit not in [score.max_step_mul for score in scores]:
                    scores += evaluate(arguments, limit)
            card = card._replace(scores=scores)
            logdir.write_json(os.path.join(target, zoo_names.CARD), cards.to_json(card))
        except BaseException:  # Also when it is interrupted: the earlier agent returns.
            shutil.rmtree(target, ignore_errors=True)
            if os.path.lexists(replaced):
                os.rename(replaced, target)
            raise
    print(cards.describe(card))
    return card


def _limits(arguments: argparse.Namespace) -> List[Optional[int]]:
    return [None, *arguments.max_step_mul]


def _fill(folder: str, arguments: argparse.Namespace) -> Card:
    """Writes all files of an agent; the card has no scores yet."""
    from sc2impala.checkpoints import zoo  # It imports TensorFlow.

    run = os.path.expanduser(arguments.run)
    with sc2impala.load(run, arguments.checkpoint) as agent:
        checkpoint = agent.identity.checkpoint
        weights = zoo.Weights(agent.identity.frames, agent.weights())
    before = manifest.read(run)
    assert before is not None
    path = os.path.join(folder, zoo.WEIGHTS)
    try:
        zoo.write_weights(path, weights)
    except ValueError as error:
        raise UserError(f'{checkpoint} cannot be published: {error}.') from error
    if os.path.getsize(path) > MAX_BYTES:
        raise UserError(
            f'{checkpoint} cannot be published: its weights have {os.path.getsize(path):,} bytes, '
            f'expected at most {MAX_BYTES:,}.'
        )
    logdir.write_json(os.path.join(folder, manifest.MANIFEST), _settings(run))
    card = _describe(arguments, before, run, weights)
    logdir.write_json(os.path.join(folder, zoo_names.CARD), cards.to_json(card))
    return card


def _settings(run: str) -> Dict[str, Any]:
    """The manifest of a run without its starts and its paths."""
    with open(os.path.join(run, manifest.MANIFEST), encoding='utf-8') as file:
        content = json.load(file)
    config = dict(content['config'], logdir='', init_checkpoint='', demonstrations='')
    return {'config': config, 'starts': []}


def _describe(
    arguments: argparse.Namespace, before: Dict[str, Any], run: str, weights: Any
) -> Card:
    config, starts = before['config'], before['starts']
    first = starts[0]
    trainings = _trainings(run, weights.frames, arguments.hours)
    return Card(
        name=arguments.name,
        map_name=config['map_name'],
        agent=config['agent'],
        algorithm=config['algorithm'],
        origin='imitation' if any(each.imitates for each in trainings) else 'scratch',
        command=cards.AND_THEN.join(each.command for each in trainings),
        commit=first.get('git_revision'),
        version=first['versions']['sc2impala'],
        date=starts[-1]['time'][:10],
        seed=config['seed'],
        selection=arguments.selection,
        frames=sum(each.frames for each in trainings),
        hours=round(sum(each.hours for each in trainings), 2),
        processor=f'{os.cpu_count()} cores of {_processor()}',
        num_weights=sum(int(np.size(value)) for value in weights.values.values()),
        scores=[],
    )


def _trainings(run: str, frames: int, hours: Optional[float] = None) -> List[_Training]:
    """Returns the trainings of an agent: those that its run began with, and its own.

    Args:
      run: the folder.
      frames: of the checkpoint.
      hours: of all of them; None to read their logs.

    Raises:
      UserError: if a run that it began with, or a log, cannot be read.
    """
    from sc2impala.checkpoints import choice, directory  # They import TensorFlow.

    before = manifest.read(run)
    assert before is not None
    config, first = before['config'], before['starts'][0]
    flags = [
        flag
        for flag in _joined(first['command'][1:])
        if not re.match(r'--?(logdir|progress_secs|init_checkpoint)\b', flag)
    ]
    trainings: List[_Training] = []
    origin = config['init_checkpoint']
    if zoo_names.is_zoo(origin):
        flags.append(f'--init_checkpoint={origin}')
    elif origin:
        checkpoint = choice.find_initial(origin)
        earlier = directory.run_of(checkpoint)
        logdir = 'runs/' + os.path.basename(os.path.abspath(earlier))
        trainings = _trainings(
            earlier, directory.frames_of(checkpoint), None if hours is None else 0.0
        )
        last = trainings[-1]
        trainings[-1] = last._replace(command=f'{last.command} --logdir={logdir}')
        flags.append(f'--init_checkpoint={logdir}')
    command = ' '.join(['python', '-m', 'sc2impala.experiment', *map(shlex.quote, flags)])
    own_hours = _hours(run) if hours is None else hours
    return [*trainings, _Training(command, frames, own_hours, imitates(config))]


def imitates(config: Mapping[str, Any]) -> bool:
    """Returns whether a run with these settings learns from labels, in a phase or in the main one.

    Args:
      config: of its manifest.
    """
    return bool(config['num_cloning_frames'] or config.get('demonstration_cost'))


def _joined(words: Sequence[str]) -> List[str]:
    """Returns a command line in which a value that follows its flag is part of it, after `=`."""
    flags: List[str] = []
    for word in words:
        if flags and not word.startswith('-') and '=' not in flags[-1]:
            flags[-1] += f'={word}'
        else:
            flags.append(word)
    return flags


def _hours(run: str) -> float:
    """The duration of a run, without pauses between its launches."""
    try:
        with open(os.path.join(run, console.NAME), encoding='utf-8', errors='replace') as file:
            found = [match.group() for match in map(_TIME.match, file) if match]
    except OSError as error:
        raise UserError(
            f'{run} has no log ({error.strerror}): give --hours of its training.'
        ) from error
    times = [datetime.datetime.strptime(text, '%Y-%m-%d %H:%M:%S.%f%z') for text in found]
    gaps = [after - before for before, after in zip(times, times[1:])]
    return (
        sum((gap for gap in gaps if gap <= _MAX_GAP), datetime.timedelta()).total_seconds() / 3600
    )


def _processor() -> str:
    try:
        with open('/proc/cpuinfo') as file:
            found = re.search(r'^model name\s*: (.*)$', file.read(), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1) if found else platform.processor() or platform.machine()


def evaluate(arguments: argparse.Namespace, max_step_mul: Optional[int]) -> List[Score]:
    """Evaluates an agent of the zoo.

    Returns:
      A score for each of its maps.

    Raises:
      UserError: if the evaluation fails; its reason has been printed.
    """
    maps = cards.read(arguments.name).map_name.split(',')
    with tempfile.TemporaryDirectory() as folder:
        flags = ['--mode=evaluate', f'--policy={zoo_names.PREFIX}{arguments.name}']
        flags += [f'--num_episodes={arguments.episodes}', f'--seed={arguments.seed}']
        flags += [] if max_step_mul is None else [f'--eval_max_step_mul={max_step_mul}']
        if experiment.main([*flags, f'--logdir={folder}']):
            raise UserError(f'the evaluation with {" ".join(flags)} failed.')
        results = []
        for map_name in maps:
            label = f'{map_name}-zoo' if maps[1:] else 'zoo'
            path = os.path.join(folder, f'evaluation-{label}-{arguments.name}.json')
            with open(path, encoding='utf-8') as file:
                results.append(json.load(file))
    return [_score(result, result['map_name'] if maps[1:] else None) for result in results]


def _score(result: Dict[str, Any], map_name: Optional[str]) -> Score:
    returns = [episode['return'] for episode in result['episodes']]
    return Score(
        step_mul=result['step_mul'],
        max_step_mul=result['eval_max_step_mul'],
        temperature=result['temperature'],
        mean=round(float(np.mean(returns)), 3),
        standard_error=round(float(np.std(returns, ddof=1) / len(returns) ** 0.5), 3),
        episodes=len(returns),
        seed=result['seed'],
        map_name=map_name,
    )


if __name__ == '__main__':
    sys.exit(main())
