"""What a run writes to its folder and does to its weights, on the simulator and a fake game."""

import json
import os
import shutil

import numpy as np
import pytest

from sc2impala.runtime import checkpoint_units as units
from sc2impala.runtime import graph
from sc2impala.training import replay_buffer
from sc2impala.training.components import stop as stop_lib
from tests.runtime import tiny

UPDATE = tiny.FRAMES_PER_UPDATE
REPLAY = tiny.HALF_REPLAYED


def last(folder):
    return tiny.checkpoint_frames(folder)[-1]


def read_manifest(logdir):
    with open(os.path.join(str(logdir), 'manifest.json')) as file:
        return json.load(file)


@pytest.fixture(scope='module')
def plain_run(tmp_path_factory):
    """The folder of a run of three updates without replay; tests must not change it."""
    logdir = tmp_path_factory.mktemp('plain') / 'logs'
    tiny.train(logdir, 3)
    return logdir


def train_with_seed(logdir, seed, *flags):
    """Six updates that are the same each time; returns the folder."""
    tiny.train(logdir, 6, '--deterministic', f'--seed={seed}', *flags)
    return logdir


def train_with_replay(logdir):
    """The same with replay and a recurrent agent, and with seed 7."""
    return train_with_seed(logdir, 7, *REPLAY, '--agent=fully_conv_lstm')


@pytest.fixture(scope='module')
def deterministic_run(tmp_path_factory):
    """The folder of such a run with seed 7, without replay; tests must not change it."""
    return train_with_seed(tmp_path_factory.mktemp('deterministic'), 7)


@pytest.fixture(scope='module')
def deterministic_run_with_replay(tmp_path_factory):
    """The folder of a run of `train_with_replay`; tests must not change it."""
    return train_with_replay(tmp_path_factory.mktemp('deterministic_with_replay'))


PRETRAINED = REPLAY + (f'--num_critic_pretrain_frames={3 * UPDATE}',)
PRETRAINED += ('--fixed_step_mul=no', f'--max_step_mul={2 * tiny.STEP_MUL - 1}')


@pytest.fixture(scope='module')
def pretrained_run(tmp_path_factory):
    """The folder of a run with replay, critic pre-training and a learned multiplier; not to change.

    The multipliers are those of the other runs on average.
    """
    logdir = tmp_path_factory.mktemp('pretrained') / 'logs'
    tiny.train(logdir, 4, *PRETRAINED)
    return logdir


@pytest.fixture
def source(plain_run, tmp_path):
    """A copy of it that the test may change."""
    shutil.copytree(str(plain_run), str(tmp_path / 'source'))
    return tmp_path / 'source'


ACCOUNT = ('played', 'trained', 'discarded', 'aborted', 'waiting', 'unrolls', 'queued', 'staged')


@pytest.fixture(scope='module')
def tags(tmp_path_factory):
    """Of ten updates without replay, with schedules."""
    logdir = tmp_path_factory.mktemp('summaries')
    entropy = '--entropy_cost=0.4', '--final_entropy_cost=0.2', '--entropy_decay=1'
    tiny.train(logdir, 10, '--learning_rate=0.001', *entropy)
    return tiny.summaries(logdir)


class TestSummaries:
    def test_tags_without_replay(self, tags):
        accounts = {tag for tag in tags if tag.startswith('account/')}
        assert accounts == {'account/' + name for name in ACCOUNT}
        assert sorted(set(tags) - accounts) == [
            'MoveToBeacon/episode_frames',
            'MoveToBeacon/episode_return',
            'action/function',
            'action/screen',
            'adam/max_second_moment',
            'advantage/max',
            'advantage/mean',
            'advantage/min',
            'advantage/std',
            'agent_steps_per_second',
            'baseline/explained_variance',
            'baseline/max',
            'baseline/mean',
            'baseline/min',
            'entropy/function',
            'entropy/screen',
            'entropy_cost',
            'frames_per_second',
            'grad_norm',
            'kl/behaviour',
            'kl/behaviour_max',
            'learning_rate',
            'loss/baseline',
            'loss/entropy',
            'loss/policy_gradient',
            'loss/total_loss',
            'policy_lag/frames',
            'policy_lag/frames_max',
            'policy_lag/frames_min',
            'policy_lag/updates',
            'policy_lag/updates_max',
            'policy_lag/updates_min',
            'rho/clipped',
            'rho/max',
            'rho/mean',
            'rho/min',
            'steps/valid',
            'target/max',
            'target/min',
            'wait/actors_per_second',
            'wait/learner_per_second',
            'weight_norm',
        ]
        steps = [step for step, _ in tags['loss/total_loss']]
        assert steps == [UPDATE * (i + 1) for i in range(10)]
        assert {frames for _, frames in tags['MoveToBeacon/episode_frames']} == {1920}
        assert all(rate > 0 for _, rate in tags['frames_per_second'])
        assert all(rate > 0 for _, rate in tags['agent_steps_per_second'])
        assert tags['action/function'] == [(step, 4 * 5) for step in steps]

    def test_further_tags(self, pretrained_run):
        tags = tiny.summaries(pretrained_run)
        expected = {'loss/policy_cloning', 'loss/value_cloning', 'action/step_mul'}
        expected |= {'critic_pretrain/baseline_loss', 'critic_pretrain/grad_norm'}
        expected |= {'replay/sequences', 'replay/mebibytes'}
        assert expected <= set(tags)
        # Pre-training is over before the first update of the agent.
        assert tags['critic_pretrain/grad_norm'][-1][0] < tags['grad_norm'][0][0]

    @staticmethod
    def check_lags(logdir, lags):
        tags = tiny.summaries(logdir)
        assert [lag for _, lag in tags['policy_lag/updates']] == lags
        assert [lag for _, lag in tags['policy_lag/frames']] == [UPDATE * lag for lag in lags]

    def test_an_actor_that_plays_the_sequences_of_one_update_has_no_lag(self, deterministic_run):
        """It waits for the next one."""
        self.check_lags(deterministic_run, [0] * 6)

    def test_an_actor_that_plays_those_of_two_updates(self, tmp_path):
        """The second half is older by one update when it is used."""
        tiny.train(tmp_path, 4, '--deterministic', '--num_envs=8')
        self.check_lags(tmp_path, [0, 1, 0, 1])

    def test_the_lag_with_replay(self, deterministic_run_with_replay):
        """The queue always holds a batch, half of which is replayed from the second one on.

        Half of what was played waits. The age of replayed sequences does not count.
        """
        self.check_lags(deterministic_run_with_replay, [0, 0, 1, 1, 1])

    def test_schedules_follow_the_frames(self, tags):
        before_update = np.arange(10) / 10
        rates = [value for _, value in tags['learning_rate']]
        costs = [value for _, value in tags['entropy_cost']]
        np.testing.assert_allclose(rates, 0.001 * (1 - before_update), rtol=1e-5)
        np.testing.assert_allclose(costs, 0.4 - 0.2 * before_update, rtol=1e-5)


class TestResume:
    @pytest.fixture
    def seeds(self, monkeypatch):
        """The seeds of every environment that is made."""
        seen = []

        def make_environment(*args, make=graph.make_environment):
            seen.append(list(args[3]))
            return make(*args)

        monkeypatch.setattr(graph, 'make_environment', make_environment)
        return seen

    def test_goes_on_with_frames_schedule_episodes_and_starts_in_a_folder_that_was_moved(
        self, seeds, tmp_path
    ):
        """The budget counts earlier starts, and the schedule does not begin again.

        A checkpoint knows no place: neither a missing folder nor another run in it is read. Older
        checkpoints and replay buffers are deleted before and after. Every start and every actor
        plays other games.
        """
        flags = '--learning_rate=0.001', '--save_checkpoint_secs=0', '--keep_checkpoints=3'
        flags += REPLAY + ('--num_actors=2', '--num_envs=3')
        original, moved = str(tmp_path / 'original'), str(tmp_path / 'moved')
        tiny.train(original, 6, *flags)
        self.check_latest(original, 6)
        num_episodes = len(tiny.episodes(original))
        first_frames = last(original)
        shutil.move(original, moved)
        tiny.train(moved, 11, *flags)
        self.check_latest(moved, 11)

        rates = dict(tiny.summaries(moved)['learning_rate'])
        second = {step: rate for step, rate in rates.items() if step > first_frames}
        assert sorted(second) == [UPDATE * (i + 1) for i in range(6, 11)]
        for step, rate in second.items():
            expected = 0.001 * (1 - (step - UPDATE) / (11.0 * UPDATE))
            np.testing.assert_allclose(rate, expected, rtol=1e-4)
        rows = tiny.episodes(moved)
        assert [row[0] for row in rows[:num_episodes]] == [0] * num_episodes
        assert {row[0] for row in rows[num_episodes:]} == {1}
        assert all(row[1] > first_frames for row in rows[num_episodes:])
        starts = read_manifest(moved)['starts']
        assert len(starts) == 2
        changed = {'logdir': moved, 'total_environment_frames': 11 * UPDATE}
        assert starts[1]['settings_changed'] == changed
        assert [len(of_actor) for of_actor in seeds] == [3] * 4
        assert len({seed for of_actor in seeds for seed in of_actor}) == 12

    @staticmethod
    def check_latest(logdir, num_updates):
        """Three checkpoints are kept, and the replay buffers of two."""
        latest = [UPDATE * (num_updates - i) for i in (2, 1, 0)]
        assert tiny.checkpoint_frames(logdir) == latest
        assert tiny.replay_frames(logdir) == latest[1:]

    def test_restores_every_variable_and_the_replay_buffer(
        self, pretrained_run, tmp_path, monkeypatch
    ):
        """Optimizer slots and counters of both phases included, bit for bit."""
        logdir = str(tmp_path / 'logs')
        shutil.copytree(str(pretrained_run), logdir)
        saved = tiny.variables(logdir, last(logdir))
        assert {'global_step', 'critic_pretrain_frames', 'beta1_power'} <= set(saved)
        assert saved['critic_pretrain_frames'] >= 3 * UPDATE and saved['global_step'] >= 4 * UPDATE
        assert any('critic_adam' in name for name in saved)
        found = {}

        class Look(stop_lib.StopHook):
            """Looks at the restored run, and ends it before its first update."""

            def after_create_session(self, session, coord):
                variables = session.graph.get_collection('variables')
                found['variables'] = session.run({v.op.name: v for v in variables})
                coord.request_stop()

        def make_table(settings, spec, seed, make=replay_buffer.make_replay_table):
            found['table'] = make(settings, spec, seed)
            return found['table']

        monkeypatch.setattr(stop_lib, 'StopHook', Look)
        monkeypatch.setattr(replay_buffer, 'make_replay_table', make_table)
        tiny.train(logdir, 8, *PRETRAINED)
        assert tiny.same_arrays(found['variables'], saved)
        memory = np.load(units.part_path(str(logdir), 'replay', last(logdir)))
        assert found['table'].num_inserted == memory['num_inserted'] > 0
        restored = found['table'].get_state()
        assert tiny.same_arrays(restored, {name: memory[name] for name in memory.files})

    def test_goes_on_within_pre_training_of_all_variables(self, tmp_path, monkeypatch):
        flags = (f'--num_critic_pretrain_frames={6 * UPDATE}', '--save_checkpoint_secs=0')
        flags += ('--critic_pretrain_all_variables',)
        stop_after(monkeypatch, 2)
        tiny.train(tmp_path, 3, *flags)
        first, after = tiny.variables(tmp_path, 0), tiny.variables(tmp_path, last(tmp_path))
        assert after['critic_pretrain_frames'] == 2 * UPDATE
        assert last(tmp_path) == 2 * UPDATE
        changed = [n for n in first if tiny.is_weight(n) and not np.array_equal(first[n], after[n])]
        assert any('baseline' not in name for name in changed)
        monkeypatch.undo()
        tiny.train(tmp_path, 3, *flags)
        variables = tiny.variables(tmp_path, last(tmp_path))
        assert variables['critic_pretrain_frames'] == 6 * UPDATE
        assert variables['global_step'] == 3 * UPDATE
        steps = [step for step, _ in tiny.summaries(tmp_path)['critic_pretrain/grad_norm']]
        assert steps == [UPDATE * (i + 1) for i in range(6)]

    def test_before_the_first_checkpoint_starts_again(self, source):
        for name in os.listdir(str(source)):
            if name.startswith(('checkpoint', 'model.ckpt', 'unit-')):
                (source / name).unlink()
        tiny.train(source, 2)
        assert tiny.checkpoint_frames(source) == [0, 2 * UPDATE]
        assert len(read_manifest(source)['starts']) == 2


def stop_after(monkeypatch, num_updates):
    """Asks a run to stop after N updates, as a signal would."""

    class StopAfter(stop_lib.StopHook):
        count = 0

        def after_run(self, run_context, run_values):
            self.count += 1
            self._request.requested = self.count >= num_updates
            super().after_run(run_context, run_values)

    monkeypatch.setattr(stop_lib, 'StopHook', StopAfter)


class TestEarlierCheckpoint:
    def test_keeps_all_and_its_own_replay_buffers(self, tmp_path):
        """Newer ones are moved away; nothing is deleted."""
        flags = REPLAY + ('--save_checkpoint_secs=0', '--keep_checkpoints=0')
        tiny.train(tmp_path, 9, *flags)
        # The first batch is twice as much that is new. All are kept, as the flag says.
        assert tiny.checkpoint_frames(tmp_path) == [0] + [UPDATE * i for i in range(2, 10)]
        (tmp_path / 'checkpoint').write_text(f'model_checkpoint_path: "model.ckpt-{4 * UPDATE}"')
        # The replay buffer of that time is gone. It fills again with a batch that is all new.
        tiny.train(tmp_path, 7, *flags)
        assert tiny.replay_frames(tmp_path) == [6 * UPDATE, 7 * UPDATE]
        assert tiny.checkpoint_frames(tmp_path)[-1] == 7 * UPDATE
        newer = [UPDATE * i for i in range(5, 10)]
        assert tiny.checkpoint_frames(tmp_path / 'damaged') == newer
        assert tiny.replay_frames(tmp_path / 'damaged') == newer[-2:]
        skipped = read_manifest(tmp_path)['starts'][-1]['checkpoints_skipped']
        assert list(map(int, skipped)) == sorted(newer, key=str)
        tiny.train(tmp_path, 8, *flags)
        assert tiny.replay_frames(tmp_path) == [7 * UPDATE, 8 * UPDATE]


class TestDeterministic:
    @staticmethod
    def results(logdir):
        """Losses of all updates, variables at the end, and episodes."""
        return (
            tiny.losses(logdir),
            tiny.variables(logdir, last(logdir)),
            tiny.episodes(logdir),
        )

    def test_same_seed_same_losses(self, deterministic_run_with_replay, tmp_path):
        losses, variables, episodes = self.results(deterministic_run_with_replay)
        again, variables_again, episodes_again = self.results(train_with_replay(tmp_path))
        # The first batch is twice as much that is new.
        assert len(losses['loss/total_loss']) == 5
        assert losses == again
        assert tiny.same_arrays(variables, variables_again)
        assert episodes == episodes_again

    @pytest.mark.slow
    def test_compression_changes_nothing(self, tmp_path):
        """Also when the second half is trained with the other one, from what the first saved."""

        def train(name, num_updates, compression):
            flags = REPLAY + ('--deterministic', f'--replay_compression={compression}')
            tiny.train(tmp_path / name, num_updates, *flags)

        train('a', 4, 'none')
        shutil.copytree(str(tmp_path / 'a'), str(tmp_path / 'b'))
        train('c', 4, 'zstd')
        runs = []
        for name, compression in [('a', 'none'), ('b', 'zstd'), ('c', 'none')]:
            train(name, 8, compression)
            runs.append((tiny.losses(tmp_path / name), tiny.variables(tmp_path / name, 8 * UPDATE)))
        for losses, variables in runs[1:]:
            assert losses == runs[0][0]
            assert tiny.same_arrays(variables, runs[0][1])

    def test_another_seed_other_losses(self, deterministic_run, tmp_path):
        first = tiny.losses(deterministic_run)
        second = tiny.losses(train_with_seed(tmp_path, 8))
        for (_, loss), (_, other) in zip(first['loss/total_loss'], second['loss/total_loss']):
            assert loss != other


class TestCriticPreTraining:
    @pytest.fixture
    def constant_reward(self, monkeypatch):
        """Makes the reward of every step 1.

        The rare rewards of short games would decide which of two batches has the higher loss; the
        same reward everywhere leaves only the error of the baseline.
        """
        make_environment = graph.make_environment

        def make(*args):
            env = make_environment(*args)
            step = env.step

            def pay(*args):
                output = step(*args)
                return output._replace(reward=np.ones_like(output.reward))

            env.step = pay
            return env

        monkeypatch.setattr(graph, 'make_environment', make)

    def test_lowers_its_loss_and_leaves_the_policy(self, constant_reward, plain_run, tmp_path):
        logdir = tmp_path / 'run'
        flags = (
            f'--init_checkpoint={plain_run}',
            f'--num_critic_pretrain_frames={30 * UPDATE}',
            '--critic_learning_rate=0.003',
            '--discounting=0.5',
        )
        tiny.train(logdir, 1, '--save_checkpoint_secs=0', '--keep_checkpoints=3', *flags)
        losses = [loss for _, loss in tiny.summaries(logdir)['critic_pretrain/baseline_loss']]
        assert len(losses) == 30
        assert np.mean(losses[-10:]) < 0.3 * np.mean(losses[:5])

        before = tiny.variables(plain_run, last(plain_run))
        after = tiny.variables(logdir, 30 * UPDATE)
        assert after['global_step'] == 0
        weights = [name for name in before if tiny.is_weight(name)]
        changed = [name for name in weights if not np.array_equal(before[name], after[name])]
        assert changed and all('baseline' in name for name in changed)
        assert len(weights) > 2 * len(changed)
        # The update of the agent that follows changes the rest as well.
        trained = tiny.variables(logdir, 31 * UPDATE)
        assert sum(not np.array_equal(after[n], trained[n]) for n in weights) > len(changed)

    def test_leaves_no_trace_when_not_asked_for(self, plain_run):
        names = tiny.variables(plain_run, last(plain_run))
        assert not [name for name in names if 'critic' in name]


class TestInitCheckpoint:
    def test_gives_the_weights_and_nothing_else_and_is_not_loaded_again(self, source, tmp_path):
        logdir = tmp_path / 'run'
        flags = f'--init_checkpoint={source}/model.ckpt-{3 * UPDATE}.index', '--seed=5'
        tiny.train(logdir, 2, *flags)
        before, after = tiny.variables(source, 3 * UPDATE), tiny.variables(logdir, 0)
        for name in before:
            assert np.array_equal(before[name], after[name]) == tiny.is_weight(name), name
        trained = tiny.variables(logdir, 2 * UPDATE)
        shutil.rmtree(str(source))
        tiny.train(logdir, 2, *flags)
        assert last(logdir) == 2 * UPDATE
        assert tiny.same_arrays(tiny.variables(logdir, 2 * UPDATE), trained)
