"""Damages the files of a run in many ways, and resumes or evaluates it.

Every file of a small run with replay is truncated, zeroed, changed in one bit, deleted, replaced by
a folder, by a broken link, by the file of another run and by that of another checkpoint; then two
at once. After each damage the run resumes, or is evaluated. Every `--whole`-th case calls the real
`main`, and trains a few updates at most. The others only call the functions that `main` calls
before it builds the graph, and read all files of the checkpoint. A case is right if

* there is no traceback;
* the run resumes from the newest intact checkpoint, or ends with an error of one sentence where
  there is none, or where a file that is no checkpoint cannot be opened;
* every file of an intact checkpoint still exists, in the folder or in `damaged`.

    python -m benchmarks.faults.damage --json damage.json

The last line of the output is JSON. The exit code is 0 if all cases were right.
"""

import argparse
import contextlib
import functools
import hashlib
import io
import json
import os
import re
import shutil
import sys
import tempfile
import time
import traceback
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set

import numpy as np

from sc2impala import experiment, replay
from sc2impala.checkpoints import directory, variables
from sc2impala.errors import UserError
from sc2impala.evaluation import players
from sc2impala.factories import environments
from sc2impala.runtime import logdir, manifest, sessions
from sc2impala.training import saved_files
from sc2impala.training import start as start_lib
from sc2impala.training.components.episodes import EpisodeLog

_UPDATE_FRAMES = 2 * 4 * 120
_NUM_UPDATES = 4
_FLAGS = (
    '--from_scratch',
    '--screen_size=4',
    '--minimap_size=4',
    '--agent=fully_conv',
    '--num_actors=1',
    '--num_envs=2',
    '--unroll_length=4',
    '--batch_size=2',
    '--fixed_step_mul',
    '--step_mul=120',
    '--replay_proportion=0.5',
    '--replay_buffer_size=4',
    '--save_checkpoint_secs=0',
    '--keep_checkpoints=0',
    f'--total_environment_frames={_NUM_UPDATES * _UPDATE_FRAMES}',
)
_OF_CHECKPOINT = re.compile(r'checkpoints/(\d+)/')
_IGNORED = ('.lock', 'train.log')


class Case(NamedTuple):
    """One way to damage a folder.

    name: what is done.
    damage: does it to a folder.
    evaluates: whether an evaluation follows, instead of the training.
    """

    name: str
    damage: Callable[[str], None]
    evaluates: bool = False


def main(arguments: Sequence[str]) -> int:
    """Runs all cases; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--json', type=os.path.expanduser, help='file for the results')
    parser.add_argument('--seed', type=int, default=0, help='of the places of damage')
    parser.add_argument(
        '--whole', type=int, default=20, help='every n-th case that runs calls `main`'
    )
    parser.add_argument('--part', default='0/1', help='i/n: every n-th case from the i-th on')
    options = parser.parse_args(arguments)
    _without_rewriting()
    with tempfile.TemporaryDirectory() as folder:
        runs = [os.path.join(folder, name) for name in ('run', 'other')]
        for seed, run in enumerate(runs):
            _call(['--logdir=' + run, f'--seed={seed}', *_FLAGS])
        cases = list(_cases(runs[0], runs[1], np.random.RandomState(options.seed)))
        first, step = map(int, options.part.split('/'))
        results = [
            _try(
                case,
                runs[0],
                os.path.join(folder, 'case'),
                index,
                experiment.main if number % options.whole == 0 else _start,
            )
            for number, (index, case) in enumerate(list(enumerate(cases))[first::step])
        ]
    summary = _summary(results)
    if options.json:
        with open(options.json, 'w') as file:
            json.dump(dict(summary, cases=results), file, indent=1)
    print(json.dumps(summary))
    return 0 if summary['right'] == summary['num_cases'] else 1


def _without_rewriting() -> None:
    """TensorFlow's rewriting of graphs takes most of the time of a start, and changes no file."""
    original = sessions.session_config

    def session_config(deterministic: bool, in_bfloat16: bool = False) -> Any:
        config = original(deterministic, in_bfloat16)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        return config

    setattr(sessions, 'session_config', session_config)  # noqa: B010


def _cases(run: str, other: str, rng: np.random.RandomState) -> Iterator[Case]:
    """All cases; `other` is the folder of another run of the same settings but the seed."""
    single = [
        Case(f'{kind} {name}', _on_file(name, damage))
        for name in sorted(_contents(run))
        for kind, damage in _ways(name, run, other, rng)
    ]
    yield from single
    newest = max(directory.saved(run))
    for case in single:
        if f'checkpoints/{newest}/' in case.name:
            yield case._replace(name=f'{case.name}, evaluated', evaluates=True)
    for first, second in zip(single, rng.permutation(len(single))[:40].tolist()):
        yield Case(
            f'{first.name}; {single[second].name}', _both(first.damage, single[second].damage)
        )
    for name in ('variables.index', 'replay.npz', 'state.npz', 'checkpoint.json'):
        yield Case(f'all {name} deleted', _each(name, os.remove))
        yield Case(f'all {name} cut', _each(name, _cut))
    yield Case('all checkpoints deleted but for their names', _each('', os.remove))
    yield Case('leftovers', _leave_something)


def _ways(name: str, run: str, other: str, rng: np.random.RandomState) -> List[Any]:
    """(kind, function of a path) for one file."""
    size = os.path.getsize(os.path.join(run, name))
    ways: List[Any] = [
        ('delete', os.remove),
        ('folder', _make_folder),
        ('broken link', _break_link),
        ('empty', lambda path: _rewrite(path, lambda content: b'')),
        ('grow', lambda path: _rewrite(path, lambda content: content + b'\0' * 99)),
    ]
    if size:
        ways += [
            ('cut', _cut),
            ('zero', lambda path: _rewrite(path, lambda content: bytes(len(content)))),
            *[('flip', _flipper(int(rng.randint(size * 8)))) for _ in range(2)],
        ]
    if os.path.exists(os.path.join(other, name)):
        ways.append(('of another run', _replacer(os.path.join(other, name))))
    folder, base = os.path.split(os.path.join(run, name))
    if _OF_CHECKPOINT.match(name):
        paths = [os.path.join(directory.path(run, n), base) for n in directory.saved(run)]
        others = [p for p in paths if os.path.exists(p) and os.path.dirname(p) != folder]
        ways += [('of another checkpoint', _replacer(p)) for p in others[:1]]
    return ways


def _start(arguments: Sequence[str]) -> int:
    """Does the same as `experiment.main` without the graph: finds a checkpoint, and reads it."""
    try:
        settings = experiment.read_settings(arguments)
        folder = settings.run.logdir
        if settings.run.mode == 'evaluate':
            find = functools.partial(players.find_checkpoint, folder)
            variables.while_it_lasts(find, variables.check)
            print('mean')
            return 0
        logdir.prepare(folder)
        with logdir.Lock(folder):
            start = start_lib.find(settings)
            EpisodeLog(os.path.join(folder, logdir.EPISODES_CSV), start.number).close()
            start_lib.clean_up(folder, start)
            specs = environments.make_specs(settings.environment)
            manifest.write(folder, settings.values(), start.before, specs, start.skipped)
            if start.checkpoint is not None:
                variables.check(start.checkpoint)
                for name in (saved_files.REPLAY, saved_files.STATE):
                    path = os.path.join(start.checkpoint, name)
                    if os.path.exists(path):
                        replay.load(path)
            print(f'resumed from {start.checkpoint}')
    except UserError as error:
        print(f'error: {error}')
        return 1
    return 0


def _try(
    case: Case, run: str, folder: str, index: int, start: Callable[[Sequence[str]], int]
) -> Dict[str, Any]:
    """Damages a copy of the run and resumes it."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(run, folder)
    before = _contents(folder)
    case.damage(folder)
    damaged = _contents(folder)
    whole = _whole(before, damaged)
    started = time.monotonic()
    arguments = ['--logdir=' + folder]
    arguments += ['--mode=evaluate', '--num_episodes=1'] if case.evaluates else _FLAGS
    code, output, error = _call(arguments, start)
    after = set(_contents(folder).values())
    lost = [name for frames in whole for name in _of(frames, before) if before[name] not in after]
    used = _frames_used(output, case.evaluates, max(whole, default=0))
    expected = max(whole) if whole else None
    refused = code != 0 and re.search('^error: ', output, re.MULTILINE) is not None
    # Files that are not checkpoints, which only the user can bring back.
    may_refuse = expected is None or re.search(
        '(folder|broken link) (.lock|episodes.csv)', case.name
    )
    is_right = not error and not lost and bool(may_refuse if refused else used == expected)
    result = {
        'case': case.name,
        'by_main': start is experiment.main,
        'right': is_right,
        'exit_code': code,
        'used': used,
        'expected': expected,
        'lost': lost,
        'traceback': error,
        'secs': round(time.monotonic() - started, 1),
    }
    if not is_right:
        result['output'] = output[-2000:]
    print(
        f'{index}: {"right" if is_right else "WRONG"} {case.name} {json.dumps(result)}', flush=True
    )
    return result


def _frames_used(output: str, evaluates: bool, newest: int) -> Optional[int]:
    """Frames of the checkpoint that was used; an evaluation names it only if a newer one exists."""
    pattern = r'using \w+/(\d+) instead' if evaluates else r'resumed from \S*/(\d+)'
    match = re.search(pattern, output)
    if match:
        return int(match.group(1))
    return newest if evaluates and 'mean' in output else None


def _call(arguments: Sequence[str], start: Callable[[Sequence[str]], int] = experiment.main) -> Any:
    """Exit code of `main`, its output, and the traceback of an error."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            return start(list(arguments)), printed.getvalue(), ''
        except BaseException:
            return -1, printed.getvalue(), traceback.format_exc()


def _summary(results: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
    return {
        'num_cases': len(results),
        'by_main': sum(result['by_main'] for result in results),
        'right': sum(result['right'] for result in results),
        'tracebacks': sum(bool(result['traceback']) for result in results),
        'lost_checkpoints': sum(bool(result['lost']) for result in results),
        'resumed': sum(result['used'] is not None for result in results),
        'refused': sum(result['exit_code'] == 1 for result in results),
        'wrong': [result['case'] for result in results if not result['right']],
    }


def _contents(folder: str) -> Dict[str, str]:
    """The hash of every file of a folder by its name; `damaged/` is part of the names in there."""
    result = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            if name not in _IGNORED and os.path.isfile(path):
                with open(path, 'rb') as file:
                    result[os.path.relpath(path, folder)] = hashlib.md5(file.read()).hexdigest()
    return result


def _of(frames: int, contents: Dict[str, str]) -> Set[str]:
    """The files of a checkpoint."""
    return {name for name in contents if name.startswith(f'checkpoints/{frames}/')}


def _whole(before: Dict[str, str], damaged: Dict[str, str]) -> List[int]:
    """Frames of the intact checkpoints."""
    matches = filter(None, map(_OF_CHECKPOINT.match, before))
    return [
        frames
        for frames in {int(match.group(1)) for match in matches}
        if all(damaged.get(name) == before[name] for name in _of(frames, before))
    ]


def _on_file(name: str, damage: Callable[[str], None]) -> Callable[[str], None]:
    def on_folder(folder: str) -> None:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            damage(path)

    return on_folder


def _both(first: Callable[[str], None], second: Callable[[str], None]) -> Callable[[str], None]:
    def both(folder: str) -> None:
        first(folder)
        second(folder)

    return both


def _each(name: str, damage: Callable[[str], None]) -> Callable[[str], None]:
    """Damages the file of a name in every checkpoint, or all files of all checkpoints."""

    def each(folder: str) -> None:
        for path in _contents(folder):
            if _OF_CHECKPOINT.match(path) and path.endswith(name):
                damage(os.path.join(folder, path))

    return each


def _leave_something(folder: str) -> None:
    for name in ('.99999999.tmp', '.7.removed'):
        os.makedirs(os.path.join(folder, 'checkpoints', name, 'x'))
    with open(os.path.join(folder, 'manifest.json.tmp'), 'w') as file:
        file.write('left')


def _rewrite(path: str, change: Callable[[bytes], bytes]) -> None:
    with open(path, 'rb') as file:
        content = file.read()
    with open(path, 'wb') as file:
        file.write(change(content))


def _cut(path: str) -> None:
    _rewrite(path, lambda content: content[: len(content) // 2])


def _flipper(bit: int) -> Callable[[str], None]:
    def flip(content: bytes) -> bytes:
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        return bytes(changed)

    return lambda path: _rewrite(path, flip)


def _replacer(source: str) -> Callable[[str], None]:
    def replace(path: str) -> None:
        shutil.copyfile(source, path)

    return replace


def _make_folder(path: str) -> None:
    os.remove(path)
    os.mkdir(path)


def _break_link(path: str) -> None:
    os.remove(path)
    os.symlink(path + '.nowhere', path)


if __name__ == '__main__':
    from sc2impala import tf_setup

    tf_setup.enable()
    sys.exit(main(sys.argv[1:]))
