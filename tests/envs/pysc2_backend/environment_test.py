"""The process handling of the environment, with fake games that fail on request."""

import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs.pysc2_backend import environment, game_process
from tests.envs import contract
from tests.envs.pysc2_backend import fake_worker, leftovers

FAKE = 'tests.envs.pysc2_backend.fake_worker'
FUNCTIONS = ['no_op', 'select_control_group', 'Move_screen']
SEEDS = 7, 8


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path_factory):
    """The folder of all temporary files, which must be empty after the test."""
    folder = tmp_path_factory.mktemp('temporary')
    monkeypatch.setattr(game_process, 'WORKER', FAKE)
    leftovers.use(folder, monkeypatch)
    yield folder
    leftovers.await_none(folder)


def make(seeds=SEEDS, functions=FUNCTIONS, **settings):
    specs = envs.make_specs(
        'MoveToBeacon',
        functions=functions,
        fixed_arguments={},
        screen_size=(6, 4),
        minimap_size=(3, 5),
        minimap_layers=['camera'],
        vectors=['game_loop', 'player', 'action_result'],
    )
    settings = envs.GameSettings(**dict(dict(deadline_secs=30.0), **settings))
    return envs.PySC2Environment('MoveToBeacon', seeds, *specs, 16, settings)


def action_of(env, function=0, **heads):
    action = {head: np.zeros([env.num_envs], np.int32) for head in env.action_spec.heads}
    action['function'][:] = function
    for head, values in heads.items():
        action[head][:] = values
    return action


def step(env, faults=0, loops=1):
    """Steps all games, each with a way to fail, or 0 to succeed."""
    faults = np.broadcast_to(faults, [env.num_envs])
    action = action_of(env, (faults > 0).astype(np.int32), control_group_id=faults)
    return env.step(action, np.broadcast_to(np.array(loops, np.int32), [env.num_envs]))


def game_loops(output):
    return output.observation['game_loop'][:, 0].tolist()


def test_it_keeps_the_contract():
    contract.check_vector_environment(lambda: make(functions=['no_op', 'Move_screen']))


def test_totals_and_first_observations():
    with make() as env:
        assert env.reset()['game_loop'].tolist() == [[0], [0]]
        output = step(env, loops=[16, 3])
        assert game_loops(output) == [16, 3]
        assert output.reward.tolist() == [7, 8]
        output = step(env, loops=16)
        assert output.done.tolist() == [True, False]
        assert game_loops(output) == [0, 19]
        assert output.info.episode_return.tolist() == [14, 16]
        assert output.info.episode_frames.tolist() == [20, 19]
        output = step(env, loops=1)
        assert output.info.episode_return.tolist() == [7, 24]
        assert output.info.episode_frames.tolist() == [1, 20]
        assert output.info.episode_steps.tolist() == [1, 3]
        assert output.done.tolist() == [False, True]


def test_it_keeps_the_contract_with_truncated_episodes():
    contract.check_vector_environment(
        lambda: make(functions=['no_op', 'Move_screen'], max_episode_frames=15)
    )


def test_a_discount_at_the_end_of_an_episode_means_that_it_is_truncated():
    with make(max_episode_frames=18) as env:
        env.reset()
        output = step(env, loops=[16, 10])
        # The game itself ends the first episode, with a discount of 0, though beyond the limit.
        output = step(env, loops=[16, 8])
        assert output.done.tolist() == [True, False]
        assert game_loops(output) == [0, 18]
        output = step(env, loops=[1, 16])
        assert output.done.tolist() == [False, True]
        assert output.reward.tolist() == [7, 0]
        assert game_loops(output) == [1, 0]
        assert output.info.episode_return.tolist() == [7, 16]
        assert output.info.episode_frames.tolist() == [1, 18]
        assert output.info.episode_steps.tolist() == [1, 2]
        assert not output.info.aborted.any()
        output = step(env, loops=[1, 1])
        assert output.info.episode_steps.tolist() == [2, 1]
        assert output.reward.tolist() == [7, 8]


def test_a_game_that_fails_after_a_truncation_is_aborted():
    with make(max_episode_frames=18) as env:
        env.reset()
        for loops in ([16, 1], [2, 1], [1, 1]):
            output = step(env, loops=loops)
        assert output.done.tolist() == [True, False]
        output = step(env, [fake_worker.RAISE, 0])
        assert output.info.aborted.tolist() == [True, False]
        assert output.info.episode_steps.tolist() == [1, 4]
        # A reset that was asked for starts an ordinary episode.
        for loops in ([16, 1], [2, 1]):
            step(env, loops=loops)
        env.reset()
        output = step(env, loops=[1, 1])
        assert not output.done.any() and output.info.episode_steps.tolist() == [1, 1]


def test_a_function_that_is_not_available_is_not_called():
    with make() as env:
        env.reset()
        move = FUNCTIONS.index('Move_screen')
        output = env.step(action_of(env, move), np.array([1, 2]))
        assert output.reward.tolist() == [7, 8]
        assert output.observation['action_result'].tolist() == [[2], [2]]
        assert output.observation['available_actions'].tolist() == [[True] * 3, [True, True, False]]
        output = env.step(action_of(env, move), np.array([1, 1]))
        assert output.reward.tolist() == [7 + 331, 8]
        assert output.observation['action_result'].tolist() == [[0], [2]]


def test_games_step_at_the_same_time(tmp_path):
    with make(replay_dir=str(tmp_path)) as env:
        env.reset()
        assert not step(env, fake_worker.MEET).done.any()


def test_games_are_launched_one_after_another(tmp_path):
    made = []
    threads = [
        threading.Thread(target=lambda: made.append(make(replay_dir=str(tmp_path))))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 2
    for env in made:
        env.close()
        assert env._launches.tolist() == [1, 1]


@pytest.fixture(scope='module')
def env(tmp_path_factory):
    """Games that may fail; the next test continues with their replacements."""
    folder = tmp_path_factory.mktemp('module')
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(game_process, 'WORKER', FAKE)
        leftovers.use(folder, monkeypatch)
        env = make(deadline_secs=1.0)
        env.reset()
    yield env
    env.close()
    leftovers.await_none(folder)


class TestFaults:
    @pytest.mark.long
    @pytest.mark.parametrize(
        'fault, text',
        [
            (fake_worker.DIE, 'its worker ended with SIGKILL'),
            (fake_worker.RAISE, r'ValueError: no such thing \(fake_worker.py:\d+\)'),
            (fake_worker.HANG, 'no answer within 1 s'),
            (fake_worker.STOP, 'no answer within 1 s'),
            (fake_worker.NONSENSE, "its worker answered b'nonsense'"),
            (fake_worker.SILENCE, 'its worker ended with'),
            (fake_worker.LOSE_GAME, 'ConnectionError: Is it up'),
        ],
    )
    def test_the_episode_is_aborted_and_the_others_go_on(self, env, fault, text, capsys):
        assert not step(env, loops=2).done.any()
        before = step(env, loops=2)
        launches = env._launches.copy()
        output = step(env, [fault, 0], loops=1)
        assert output.done.tolist() == output.info.aborted.tolist() == [True, False]
        assert output.reward.tolist() == [0, 8]
        assert output.info.episode_return[0] == before.info.episode_return[0]
        assert output.info.episode_frames[0] == before.info.episode_frames[0]
        assert output.info.episode_steps[0] == before.info.episode_steps[0] + 1
        assert game_loops(output) == [0, game_loops(before)[1] + 1]
        assert (env._launches - launches).tolist() == [1, 0]
        said = capsys.readouterr().err
        assert said.count('\n') == 1 and 'MoveToBeacon, game 0: ' in said
        assert re.search(text, said), said

        # The new game plays other episodes than the first one.
        output = step(env, loops=1)
        assert not output.done.any() and game_loops(output)[0] == 1
        assert output.reward[0] == np.float32(environment.seed_of_launch(7, launches[0]))
        assert output.info.episode_steps[0] == 1
        env.reset()

    def test_all_at_once(self, env):
        output = step(env, [fake_worker.DIE, fake_worker.RAISE])
        assert output.info.aborted.all() and output.done.all()
        assert not step(env).info.aborted.any()

    def test_steps_between_faults_make_them_forgotten(self, env):
        for _ in range(environment.MAX_FAULTS + 1):
            assert step(env, [fake_worker.RAISE, 0]).info.aborted.tolist() == [True, False]
            assert not step(env).info.aborted.any()

    def test_a_fault_between_two_episodes_aborts_none(self, env):
        os.kill(env._processes[1]._process.pid, signal.SIGKILL)
        assert env.reset()['game_loop'].tolist() == [[0], [0]]
        assert not step(env).info.aborted.any()


class TestFailure:
    @pytest.mark.long
    @pytest.mark.parametrize(
        'version, text, output',
        [
            ('raises', 'ValueError: no such map (fake_worker.py:', 'the game is broken'),
            ('exits', 'the game ended while it started, with exit code 3', 'no such library'),
            ('hangs', 'no answer within 0.5 s', None),
        ],
    )
    def test_that_it_cannot_be_launched_says_why_and_what_to_check(
        self, version, text, output, monkeypatch, capsys
    ):
        monkeypatch.setenv('SC2PATH', '/where/it/is')
        seconds = 0.5 if version == 'hangs' else 30.0
        with pytest.raises(envs.GameError) as info:
            make(version=version, launch_deadline_secs=seconds)
        sentence, *lines = str(info.value).splitlines()
        assert 'failed 3 times in a row on --map_name=MoveToBeacon' in sentence
        assert text in sentence and '/where/it/is' in sentence and 'libraries' in sentence
        assert f'--game_version (now {version})' in sentence
        assert lines == ([output] if output else [])
        assert capsys.readouterr().err.count('launched again') == 2

    def test_that_no_worker_can_run(self, monkeypatch):
        monkeypatch.setenv('FAKE_WORKER', 'dies')
        with pytest.raises(envs.GameError, match='ended with exit code 4;(.|\n)*cannot even begin'):
            make()

    def test_too_many_faults_in_a_row(self, monkeypatch):
        env = make()
        env.reset()
        monkeypatch.setenv('FAKE_WORKER', 'dies')
        assert env.failure is None
        with pytest.raises(envs.GameError, match='3 times in a row') as info:
            step(env, [fake_worker.RAISE, 0])
        assert env.failure is info.value
        for call in (env.reset, lambda: step(env)):
            with pytest.raises(envs.GameError):
                call()
        env.close()


class TestRelaunch:
    def test_after_so_many_episodes(self):
        with make(relaunch_episodes=2) as env:
            env.reset()
            lengths, rewards = [], []
            for _ in range(12):
                output = step(env, loops=10)
                assert not output.info.aborted.any()
                rewards.append(output.reward[0])
                if output.done[0]:
                    lengths.append(int(output.info.episode_frames[0]))
                    assert game_loops(output)[0] == 0
            # The third episode of a game would have 40 frames.
            assert lengths == [20, 30] * 2 + [20]
            seeds = [environment.seed_of_launch(7, launch) for launch in range(3)]
            assert rewards == list(np.repeat(np.float32(seeds), 5))[:12]
            assert env._launches.tolist() == [3, 3]

    def test_seeds(self):
        assert environment.seed_of_launch(2**32 + 5, 0) == 5
        seeds = [environment.seed_of_launch(seed, n) for seed in (5, 6) for n in range(20)]
        assert len(set(seeds)) == 40 and all(0 <= seed < 2**32 for seed in seeds)
        assert environment.seed_of_launch(5, 3) == environment.seed_of_launch(5, np.int64(3))


class TestNothingIsLeft:
    """The fixture `folder` waits until the folder is empty, and fails if it does not become so."""

    def test_after_close_in_the_middle_of_a_step(self, folder, monkeypatch):
        monkeypatch.setattr(environment, '_CLOSE_SECS', 0.2)
        env = make(deadline_secs=1000.0)
        env.reset()
        errors = []

        def hang():
            try:
                step(env, fake_worker.STOP)
            except RuntimeError as error:
                errors.append(str(error))

        thread = threading.Thread(target=hang)
        thread.start()
        while not any(p.status() == 'stopped' for p in leftovers.processes_in(folder)):
            time.sleep(0.01)
        env.close()
        thread.join()
        assert errors == ['The environment was closed.']

    def test_after_an_error_of_the_user(self):
        with pytest.raises(KeyError), make():
            raise KeyError

    def test_after_the_environment_was_forgotten(self, folder):
        env = make()
        assert len(leftovers.processes_in(folder)) == 4
        del env
        gc.collect()

    def test_when_it_is_closed_twice(self):
        env = make()
        env.close()
        env.close()
        with pytest.raises(RuntimeError, match='closed'):
            env.reset()

    @pytest.mark.long
    @pytest.mark.parametrize('end', ['exit', 'SIGKILL', 'SIGKILL in a step'])
    def test_after_the_trainer(self, folder, end):
        trainer = subprocess.Popen(
            [sys.executable, '-m', 'tests.envs.pysc2_backend.environment_test', end],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        )
        with trainer:
            assert trainer.stdout.readline() == b'ready\n'
            # Two workers, two games and itself.
            assert len(leftovers.processes_in(folder)) == 5
            if 'SIGKILL' in end:
                trainer.kill()
            else:
                trainer.stdin.close()
        assert trainer.returncode == (0 if end == 'exit' else -signal.SIGKILL)


def play_trainer(end):
    """The program of a trainer that does not close its environment."""
    game_process.WORKER = FAKE
    env = make()
    env.reset()
    if end == 'SIGKILL in a step':
        threading.Thread(target=step, args=(env, [fake_worker.HANG, 0]), daemon=True).start()
        time.sleep(0.3)
    print('ready', flush=True)
    sys.stdin.read()


if __name__ == '__main__':
    play_trainer(sys.argv[1])
