"""Recording whole episodes, by the command and by its parts."""

import os
import signal
import time

import numpy as np
import pytest

from sc2impala import demonstrations, experiment
from sc2impala.errors import UserError
from sc2impala.evaluation import recording
from sc2impala.runtime.stop_request import StopRequest
from sc2impala.settings.groups import OutputSettings
from tests import fakes
from tests.runtime import tiny

FLAGS = (
    '--mode=record',
    '--screen_size=4',
    '--unroll_length=5',
    '--demonstration_step_mul=120',
    '--max_step_mul=120',
    '--num_eval_envs=4',
)
QUIET = OutputSettings(progress_secs=1e9)


def record(logdir, *flags):
    return experiment.main([*FLAGS, f'--logdir={logdir}', *flags])


def steps_of(recording_):
    """The steps of each episode: dicts by name of component."""
    arrays = recording_.empty_chunk()
    for episode in recording_.episodes:
        parts = []
        for chunk in episode:
            recording_.read(chunk, arrays)
            parts.append([array[: chunk.steps].copy() for array in arrays])
        names = [component.name for component in recording_.components]
        yield dict(zip(names, map(np.concatenate, zip(*parts))))


class TestCommand:
    @pytest.mark.parametrize('player', ['scripted', 'PySC2', 'random'])
    def test_records_a_player(self, player, tmp_path, capsys):
        flags = f'--policy={player}', '--num_episodes=6', '--screen_size=16'
        assert record(tmp_path, *flags) == 0
        assert f'6 episodes of {player} on MoveToBeacon' in capsys.readouterr().out
        opened = demonstrations.Recording(str(tmp_path / f'{player}-0'))
        manifest = opened.manifest
        assert (manifest['map_name'], manifest['player']) == ('MoveToBeacon', player)
        assert (manifest['num_episodes'], manifest['largest_step_mul']) == (6, 120)
        returns = []
        for steps in steps_of(opened):
            assert len(steps['done']) == 16 and steps['done'].tolist() == [False] * 15 + [True]
            assert (steps['step_mul'] == 120).all()
            assert steps['episode_frames'].tolist() == list(range(120, 1921, 120))
            np.testing.assert_array_equal(np.cumsum(steps['reward']), steps['episode_return'])
            available = steps['observation/available_actions']
            assert available[np.arange(16), steps['action/function']].all()
            returns.append(steps['episode_return'][-1])
        assert manifest['mean_return'] == pytest.approx(np.mean(returns))
        assert (np.mean(returns) > 4) == (player != 'random')

    def test_it_holds_what_the_agent_sees(self, tmp_path):
        """The script reads feature_units, and needs a function more on larger maps."""
        flags = '--map_name=DefeatRoaches', '--policy=LH', '--num_episodes=2'
        assert record(tmp_path, *flags) == 0
        names = {c.name for c in demonstrations.Recording(str(tmp_path / 'LH-0')).components}
        assert 'observation/screen/unit_hit_points_ratio' in names
        assert not [name for name in names if 'feature_units' in name or 'demonstration' in name]

    def test_several_in_one_folder(self, tmp_path):
        for seed in (0, 0, 1):
            flags = '--policy=random', '--num_episodes=2', f'--seed={seed}'
            assert record(tmp_path, *flags) == 0
        paths = demonstrations.find(str(tmp_path))
        assert [os.path.basename(path) for path in paths] == ['random-0', 'random-1', 'random-2']
        first, same, other = (
            [steps['action/screen'].tolist() for steps in steps_of(demonstrations.Recording(path))]
            for path in paths
        )
        assert first == same != other

    def test_the_agent_of_a_run(self, run, tmp_path, capsys):
        for policy in ('sampled', 'greedy'):
            flags = f'--policy={policy}', f'--init_checkpoint={run}', '--num_episodes=3'
            arguments = ['--mode=record', f'--logdir={tmp_path}', *flags]
            assert experiment.main(arguments) == 0
            manifest = demonstrations.Recording(str(tmp_path / f'{policy}-0')).manifest
            assert manifest['screen_size'] == [4, 4] and manifest['num_episodes'] == 3
            # The multiplier of the run, which is fixed.
            assert manifest['largest_step_mul'] == tiny.STEP_MUL
        capsys.readouterr()
        assert experiment.main(['--mode=record', f'--logdir={tmp_path}']) == 1
        assert '--init_checkpoint= has no checkpoint' in tiny.error_line(capsys)

    def test_an_agent_that_acts_more_often(self, run, tmp_path):
        flags = '--policy=sampled', f'--init_checkpoint={run}', '--num_episodes=1'
        limit = '--eval_max_step_mul=40'
        assert experiment.main(['--mode=record', f'--logdir={tmp_path}', *flags, limit]) == 0
        (steps,) = steps_of(demonstrations.Recording(str(tmp_path / 'sampled-0')))
        assert len(steps['done']) == 1920 // 40 and (steps['step_mul'] == 40).all()

    @pytest.mark.parametrize(
        'flags, words',
        [
            (['--policy=LZ'], ['--policy=LZ is unknown', 'scripted, PySC2.']),
            (
                ['--map_name=DefeatRoaches', '--policy=LZ', '--functions=no_op,Attack_screen'],
                [
                    '--policy=LZ cannot act with these settings',
                    '--functions',
                    'expected select_army',
                ],
            ),
            (['--policy=scripted', '--num_episodes=0'], ['--num_episodes=0']),
        ],
    )
    def test_errors(self, flags, words, tmp_path, capsys):
        assert record(tmp_path / 'logs', *flags) == 1
        line = tiny.error_line(capsys)
        assert all(word in line for word in words), line
        assert not list(tmp_path.iterdir())

    def test_a_folder_that_cannot_be_written_to(self, tmp_path, capsys):
        (tmp_path / 'file').write_text('')
        assert record(tmp_path / 'file', '--policy=random') == 1
        assert 'cannot be written to' in tiny.error_line(capsys)


def await_parts(folder, count):
    """Waits until a recording has this many parts."""
    give_up = time.monotonic() + 120
    manifest = os.path.join(str(folder), 'recording.json')
    while time.monotonic() < give_up:
        if os.path.exists(manifest) and len(tiny.read_json(manifest)['parts']) >= count:
            return
        time.sleep(0.02)
    raise AssertionError(f'{folder} has fewer than {count} parts')


@pytest.mark.long
@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGTERM])
def test_a_recording_that_is_killed_or_stopped(number, processes, tmp_path):
    flags = [*FLAGS, f'--logdir={tmp_path}', '--policy=random', '--save_checkpoint_secs=0']
    arguments = [*flags, '--num_episodes=1000000'], str(tmp_path / 'output')
    process = processes.Process(target=tiny.play, args=arguments)
    process.start()
    try:
        await_parts(tmp_path / 'random-0', 3)
        os.kill(process.pid, number)
        process.join(60)
        assert process.exitcode == (-signal.SIGKILL if number == signal.SIGKILL else 0)
    finally:
        process.kill()
        process.join()
    opened = demonstrations.Recording(str(tmp_path / 'random-0'))
    lengths = [len(steps['done']) for steps in steps_of(opened)]
    assert len(lengths) >= 3 and set(lengths) == {16}
    said = (tmp_path / 'output').read_text()
    assert (f'{len(lengths):,} episodes of random' in said) == (number == signal.SIGTERM)


class Player:
    """Chooses nothing, for 3 frames; requests a stop after some steps."""

    def __init__(self, num_envs, stop=None, num_steps=10**9):
        self._num_envs, self._stop, self._num_steps = num_envs, stop, num_steps

    def __call__(self, env_output):
        self._num_steps -= 1
        if not self._num_steps:
            self._stop.requested = True
        heads = fakes.make_specs()[1].heads
        action = {head: np.zeros([self._num_envs], np.int32) for head in heads}
        return action, np.full([self._num_envs], 3, np.int32)


def play(folder, env, num_episodes, stop=None, **player):
    about = {'map_name': 'Fake', 'player': 'one', 'functions': [], 'heads': {}}
    writer = recording.new_writer(str(folder), about, env, 4)
    stop = stop or StopRequest()
    player = Player(env.num_envs, stop, **player)
    return recording.record(env, player, writer, num_episodes, stop, QUIET)


def test_every_game_plays_the_same_number_of_episodes(tmp_path):
    """Their lengths are 5, 6 and 7: the first game does not play more of them."""
    manifest = play(tmp_path, fakes.FakeEnvironment(3), 7)
    opened = demonstrations.Recording(str(tmp_path / 'one-0'))
    lengths = [len(steps['done']) for steps in steps_of(opened)]
    assert sorted(lengths) == [5, 5, 5, 6, 6, 7, 7]
    assert (manifest['num_episodes'], manifest['num_steps']) == (7, 41)


def test_aborted_episodes_are_left_out(tmp_path):
    env = fakes.FakeEnvironment(2, abort_every=2)
    play(tmp_path, env, 6)
    opened = demonstrations.Recording(str(tmp_path / 'one-0'))
    # Of the episodes 0, 1, 2, ... of each game, the odd ones are aborted.
    rewarded = [steps['observation/player'][0, 1] // 10 for steps in steps_of(opened)]
    assert len(rewarded) == 6 and not any(number % 2 for number in rewarded)


def test_a_stop_leaves_whole_episodes(tmp_path):
    manifest = play(tmp_path, fakes.FakeEnvironment(3), 100, num_steps=13)
    assert manifest['num_episodes'] == 2 + 2 + 1
    assert len(demonstrations.Recording(str(tmp_path / 'one-0')).episodes) == 5


def test_a_failure_leaves_whole_episodes(tmp_path):
    class Failing(fakes.FakeEnvironment):
        def step(self, action, step_mul):
            if len(self.tape) == 13:
                raise RuntimeError('the game is gone')
            return super().step(action, step_mul)

    with pytest.raises(RuntimeError, match='the game is gone'):
        play(tmp_path, Failing(3), 100)
    assert len(demonstrations.Recording(str(tmp_path / 'one-0')).episodes) == 5


def test_a_full_disk(tmp_path, monkeypatch):
    def fail(*unused, **unused_arrays):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr('sc2impala.replay.storage.np.savez', fail)
    with pytest.raises(UserError, match='one-0 cannot be written .No space left on device'):
        play(tmp_path, fakes.FakeEnvironment(3), 4)
