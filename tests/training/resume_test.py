"""Runs that go on exactly: stopped or killed at any update, they end like one that was not.

What is compared are all variables, the replay buffer, everything else that a checkpoint has, and
the list of episodes: bit for bit.
"""

import os
import shutil

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import experiment
from sc2impala.errors import UserError
from sc2impala.training import build
from sc2impala.training import train as training
from tests.runtime import tiny

UPDATE = tiny.FRAMES_PER_UPDATE

# Six environments and batches of four: there are always sequences that wait.
COMMON = ('--deterministic', '--num_envs=6', '--agent=fully_conv_lstm', '--keep_checkpoints=0')
PHASES = (
    *COMMON,
    *tiny.REPLAY,
    '--teacher_cost=0.5',
    '--demonstrator=PySC2',
    f'--num_cloning_frames={2 * UPDATE}',
    '--phase_evaluations=2',
    '--phase_evaluation_episodes=2',
    f'--num_critic_pretrain_frames={2 * UPDATE}',
)


class StopAfter(tf.train.SessionRunHook):
    """Ends a start as a signal does, after some updates."""

    def __init__(self, num_updates):
        self._left = num_updates

    def after_run(self, run_context, run_values):
        self._left -= 1
        if not self._left:
            run_context.request_stop()


class CopyAt(tf.train.SessionRunHook):
    """Copies the folder as a kill during an update would leave it, before this one is saved."""

    def __init__(self, folder, numbers, target):
        self._folder, self._numbers, self._target = folder, numbers, target
        self._count = 0

    def after_run(self, run_context, run_values):
        self._count += 1
        if self._count in self._numbers:
            shutil.copytree(str(self._folder), str(self._target / str(self._count)))


def train(folder, num_updates, *flags, hooks=()):
    total = f'--total_environment_frames={num_updates * UPDATE}'
    training.train(tiny.read_settings(folder, total, *flags), list(hooks))


def state(folder):
    """The newest checkpoint, and the episodes: arrays by name."""
    frames = tiny.newest_frames(folder)
    result = {'frames': np.array(frames), **tiny.variables(folder, frames)}
    for part in ('replay', 'state'):
        path = tiny.checkpoint(folder, frames, f'{part}.npz')
        if os.path.exists(path):
            with np.load(path) as arrays:
                result.update((f'{part}/{name}', arrays[name]) for name in arrays.files)
    # But for the number of the start.
    result['episodes'] = np.array([row[1:] for row in tiny.episodes(folder)])
    return result


def check_same(folder, other):
    first, second = state(folder), state(other)
    assert sorted(first) == sorted(second)
    assert 'state/queue/lengths' in first and 'state/actors/variables/actor_0/state_0' in first
    different = [name for name in first if not np.array_equal(first[name], second[name])]
    assert not different


@pytest.mark.long
@pytest.mark.parametrize('stops', [(1, 2), pytest.param((1, 1, 1, 1, 1), marks=pytest.mark.slow)])
def test_a_run_that_was_stopped_in_each_phase(tmp_path, stops):
    """In both phases before the training; other tests stop runs in that."""
    train(tmp_path / 'whole', 3, *PHASES)
    for num_updates in (*stops, 100):
        train(tmp_path / 'parts', 3, *PHASES, hooks=[StopAfter(num_updates)])
    assert len(tiny.checkpoint_frames(tmp_path / 'parts')) == len(stops) + 2
    check_same(tmp_path / 'whole', tmp_path / 'parts')


@pytest.fixture(scope='module')
def recording(tmp_path_factory):
    """A folder with a recording."""
    folder = tmp_path_factory.mktemp('recording')
    flags = ['--mode=record', f'--logdir={folder}', '--policy=scripted', '--num_episodes=6']
    flags += ['--screen_size=4', '--minimap_size=4', '--unroll_length=5', '--num_eval_envs=4']
    flags += [f'--demonstration_step_mul={tiny.STEP_MUL}', f'--max_step_mul={tiny.STEP_MUL}']
    assert experiment.main(flags) == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize('kind', ['phases', 'recordings', 'conditioned'])
def test_a_run_that_is_killed_in_any_update(tmp_path, kind, request):
    flags = {
        'phases': PHASES,
        'conditioned': (
            *COMMON,
            '--argument_conditioning',
            '--fixed_step_mul=no',
            '--max_step_mul=40',
        ),
    }.get(kind)
    if kind == 'recordings':
        flags = (
            *COMMON,
            f'--demonstrations={request.getfixturevalue("recording")}',
            f'--num_cloning_frames={2 * UPDATE}',
            '--demonstration_sequences=2',
            '--demonstration_cost=0.5',
        )
    every = (*flags, '--save_checkpoint_secs=0')
    copies = tmp_path / 'copies'
    whole = CopyAt(tmp_path / 'whole', (2, 3, 4, 6, 7), copies)
    train(tmp_path / 'whole', 3, *every, hooks=[whole])
    numbers = sorted(os.listdir(str(copies)), key=int)
    assert len(numbers) >= 3
    for number in numbers:
        train(copies / number, 3, *every)
        check_same(tmp_path / 'whole', copies / number)


@pytest.mark.slow
def test_a_hundred_updates_and_a_hundred_more(tmp_path):
    flags = (*COMMON, *tiny.REPLAY)
    train(tmp_path / 'whole', 200, *flags)
    train(tmp_path / 'parts', 200, *flags, hooks=[StopAfter(100)])
    train(tmp_path / 'parts', 200, *flags)
    assert len(tiny.episodes(tmp_path / 'whole')) > 50
    check_same(tmp_path / 'whole', tmp_path / 'parts')


@pytest.mark.long
def test_what_actors_have_played_is_trained_on_after_a_stop(tmp_path, capsys):
    """Of actors in threads: the account has no frames that were given up."""
    flags = ('--num_actors=2', *tiny.REPLAY)
    for _ in range(2):
        train(tmp_path, 8, *flags, hooks=[StopAfter(3)])
        saved = state(tmp_path)
        waiting = int(saved['state/account/queued'])
        assert waiting == len(saved['state/queue/lengths']) * tiny.FRAMES_PER_SEQUENCE
        given_up = ('discarded', 'aborted', 'unrolls', 'staged')
        assert not any(saved[f'state/account/{name}'] for name in given_up)
    # All games go on: each has ended an episode after as many steps as it has played.
    printed = capsys.readouterr().out
    assert (
        'lost' not in printed and 'does not balance' not in printed and 'start new' not in printed
    )


def test_frames_that_no_checkpoint_holds_are_named(run, capsys):
    with open(os.path.join(run, '.frames'), 'w') as file:
        file.write(str(tiny.newest_frames(run) + 1234))
    tiny.train(run, tiny.NUM_UPDATES + 1, *tiny.REPLAY)
    assert '1,234 frames trained after the last checkpoint are lost' in capsys.readouterr().out


@pytest.fixture
def part(plain_training):
    """The part of a training that has not started, and its session."""
    _, _, built = plain_training
    with built.agent.weights[0].graph.as_default():
        resume, _ = build.build_files(built)
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            yield resume, session


def test_all_local_variables_are_saved(part, tmp_path):
    """With those of actors and learner; whoever adds another one has to decide about it."""
    part, session = part
    part.save(str(tmp_path / 'state.npz'), session)
    with np.load(str(tmp_path / 'state.npz')) as saved:
        names = [name.split('variables/')[-1] for name in saved.files]
        names += [name[len('learner/') :] for name in saved.files if name.startswith('learner/')]
    # Every update sets this one before it is read.
    assert {v.op.name for v in tf.local_variables()} - {'gradient_is_finite'} <= set(names)


def test_a_damaged_content_is_one_sentence(part, tmp_path):
    part, session = part
    path = str(tmp_path / 'state.npz')
    part.save(path, session)
    with np.load(path) as saved:
        arrays = {name: saved[name] for name in saved.files}
    arrays['queue/lengths'] = np.array([-1], np.int64)
    np.savez(path, **arrays)
    part.load(path, session)
    with pytest.raises(UserError, match='state.npz cannot be restored'):
        part.restore(session)


def test_what_does_not_fit_begins_anew(part, tmp_path):
    part, session = part
    path = str(tmp_path / 'state.npz')
    part.save(path, session)
    with np.load(path) as saved:
        arrays = {name: saved[name] for name in saved.files}
    # Of one game more.
    steps = arrays['actors/games_0/totals/steps']
    arrays['actors/games_0/totals/steps'] = np.append(steps, steps[:1])
    np.savez(path, **arrays)
    part.load(path, session)
    (sentence,) = part.restore(session)
    assert sentence == (
        'all games start new episodes: totals/steps is int32 [5], expected int32 [4]'
    )


def test_after_an_error_games_are_not_saved(part, tmp_path):
    part, session = part
    part.fail()
    path = str(tmp_path / 'state.npz')
    part.save(path, session)
    part.load(path, session)
    assert part.restore(session) == [
        'all games start new episodes: that was not saved',
        'what waited for an update is lost: that was not saved',
    ]


class VariablesAtStart(tf.train.SessionRunHook):
    """Reads all global variables before the first update of a start."""

    def begin(self):
        self._variables = {v.op.name: v for v in tf.global_variables()}

    def after_create_session(self, session, coord):
        self.values = session.run(self._variables)


@pytest.mark.long
def test_other_numbers_of_games_and_other_batch_sizes(tmp_path, capsys):
    """Variables, optimizer and replay buffer continue; the manifest lists every change."""
    numbers = (
        '--num_envs=3',
        '--num_actors=2',
        '--batch_size=8',
        '--replay_proportion=0.5',
        '--replay_buffer_size=4',
    )
    flags = ('--agent=fully_conv_lstm', *tiny.REPLAY, '--replay_sampler=prioritised')
    train(tmp_path, 10, *flags, hooks=[StopAfter(3)])
    before, frames = VariablesAtStart(), tiny.newest_frames(tmp_path)
    expected = tiny.variables(tmp_path, frames)
    capsys.readouterr()
    train(tmp_path, 10, *flags, *numbers, hooks=[before, StopAfter(2)])
    output = capsys.readouterr().out
    values = {name: value for name, value in before.values.items() if name in expected}
    assert tiny.same_arrays(values, expected)
    assert output.count('all games start new episodes') == 1
    assert all(f'{flag} instead of ' in output for flag in numbers)
    changed = tiny.read_json(tmp_path, 'manifest.json')['starts'][-1]['settings_changed']
    for flag in numbers:
        name, value = flag.lstrip('-').split('=')
        assert str(changed[name]) == value
    assert 'does not balance' not in output and 'are lost' not in output
    inserted = []
    for number in (frames, tiny.newest_frames(tmp_path)):
        with np.load(tiny.checkpoint(tmp_path, number, 'replay.npz')) as arrays:
            inserted.append(int(arrays['num_inserted']))
    assert 0 < inserted[0] < inserted[1]
