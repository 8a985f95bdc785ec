"""What a run writes to its folder and does to its weights, on the simulator and a fake game."""

import json
import os
import shutil

import numpy as np
import pytest

from sc2impala.factories import environments
from tests.runtime import tiny

UPDATE = tiny.FRAMES_PER_UPDATE
REPLAY = tiny.HALF_REPLAYED


def last(folder):
    return tiny.checkpoint_frames(folder)[-1]


def read_manifest(logdir):
    with open(os.path.join(str(logdir), 'manifest.json')) as file:
        return json.load(file)


@pytest.fixture(scope='module')
def deterministic_run_with_replay(tmp_path_factory):
    """The folder of a run of a recurrent agent; tests must not change it."""
    logdir = tmp_path_factory.mktemp('deterministic_with_replay')
    tiny.train(logdir, 6, '--deterministic', *REPLAY, '--agent=fully_conv_lstm')
    return logdir


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


ACCOUNT = ('played', 'trained', 'discarded', 'aborted', 'waiting', 'unrolls', 'queued', 'staged')


@pytest.fixture(scope='module')
def tags(tmp_path_factory):
    """Of ten updates without replay, with schedules; deterministic."""
    logdir = tmp_path_factory.mktemp('summaries')
    entropy = '--entropy_cost=0.4', '--final_entropy_cost=0.2', '--entropy_decay=1'
    tiny.train(logdir, 10, '--deterministic', '--learning_rate=0.001', *entropy)
    return tiny.summaries(logdir)


class TestSummaries:
    @pytest.mark.long
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

    @pytest.mark.long
    def test_further_tags(self, pretrained_run):
        tags = tiny.summaries(pretrained_run)
        expected = {'loss/policy_cloning', 'loss/value_cloning', 'action/step_mul'}
        expected |= {'critic_pretrain/baseline_loss', 'critic_pretrain/grad_norm'}
        expected |= {'replay/sequences', 'replay/mebibytes'}
        assert expected <= set(tags)
        # Pre-training is over before the first update of the agent.
        assert tags['critic_pretrain/grad_norm'][-1][0] < tags['grad_norm'][0][0]

    @staticmethod
    def check_lags(tags, lags):
        assert [lag for _, lag in tags['policy_lag/updates']] == lags
        assert [lag for _, lag in tags['policy_lag/frames']] == [UPDATE * lag for lag in lags]

    def test_an_actor_that_plays_the_sequences_of_one_update_has_no_lag(self, tags):
        """It waits for the next one."""
        self.check_lags(tags, [0] * 10)

    def test_an_actor_that_plays_those_of_two_updates(self, tmp_path):
        """The second half is older by one update when it is used."""
        tiny.train(tmp_path, 4, '--deterministic', '--num_envs=8')
        self.check_lags(tiny.summaries(tmp_path), [0, 1, 0, 1])

    @pytest.mark.long
    def test_the_lag_with_replay(self, deterministic_run_with_replay):
        """The queue always contains a batch, half of which is replayed from the second one on.

        Half of what was played waits. The age of replayed sequences does not count.
        """
        self.check_lags(tiny.summaries(deterministic_run_with_replay), [0, 0, 1, 1, 1])

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

        def make_environment(*args, make=environments.make_environment):
            seen.append(list(args[3]))
            return make(*args)

        monkeypatch.setattr(environments, 'make_environment', make_environment)
        return seen

    @pytest.mark.long
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

    @pytest.mark.long
    def test_before_the_first_checkpoint_starts_again(self, run):
        shutil.rmtree(os.path.join(run, 'checkpoints'))
        tiny.train(run, 2, *tiny.REPLAY)
        first, end = tiny.checkpoint_frames(run)
        assert first == 0 and 2 * UPDATE <= end < 3 * UPDATE
        assert len(read_manifest(run)['starts']) == 2


class TestEarlierCheckpoint:
    @pytest.mark.long
    def test_keeps_all_and_its_own_replay_buffers(self, tmp_path):
        """After newer ones were moved away; nothing else is needed."""
        flags = REPLAY + ('--save_checkpoint_secs=0', '--keep_checkpoints=0')
        tiny.train(tmp_path, 9, *flags)
        # The first batch is twice as much that is new. All are kept, as the flag says.
        assert tiny.checkpoint_frames(tmp_path) == [0] + [UPDATE * i for i in range(2, 10)]
        newer = [UPDATE * i for i in range(5, 10)]
        for frames in newer:
            shutil.move(tiny.checkpoint(tmp_path, frames), str(tmp_path / f'newer-{frames}'))
        # The replay buffer of that time is gone. It fills again with a batch that is all new.
        tiny.train(tmp_path, 7, *flags)
        assert tiny.replay_frames(tmp_path) == [6 * UPDATE, 7 * UPDATE]
        assert tiny.checkpoint_frames(tmp_path)[-1] == 7 * UPDATE
        assert not (tmp_path / 'damaged').exists()
        assert read_manifest(tmp_path)['starts'][-1]['checkpoints_skipped'] == {}


class TestDeterministic:
    """The same run twice is the same: see the runs in `resume_test`."""

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


class TestCriticPreTraining:
    @pytest.fixture
    def constant_reward(self, monkeypatch):
        """Makes the reward of every step 1.

        The rare rewards of short games would decide which of two batches has the higher loss; the
        same reward everywhere leaves only the error of the baseline.
        """
        make_environment = environments.make_environment

        def make(*args):
            env = make_environment(*args)
            step = env.step

            def pay(*args):
                output = step(*args)
                return output._replace(reward=np.ones_like(output.reward))

            env.step = pay
            return env

        monkeypatch.setattr(environments, 'make_environment', make)

    @pytest.mark.long
    def test_lowers_its_loss_and_leaves_the_policy(self, constant_reward, finished_run, tmp_path):
        logdir = tmp_path / 'run'
        flags = (
            f'--init_checkpoint={finished_run}',
            f'--num_critic_pretrain_frames={30 * UPDATE}',
            '--critic_learning_rate=0.003',
            '--discounting=0.5',
        )
        tiny.train(logdir, 1, '--save_checkpoint_secs=0', '--keep_checkpoints=3', *flags)
        losses = [loss for _, loss in tiny.summaries(logdir)['critic_pretrain/baseline_loss']]
        assert len(losses) == 30
        assert np.mean(losses[-10:]) < 0.3 * np.mean(losses[:5])

        before = tiny.variables(finished_run, last(finished_run))
        after = tiny.variables(logdir, 30 * UPDATE)
        assert after['global_step'] == 0
        weights = [name for name in before if tiny.is_weight(name)]
        changed = [name for name in weights if not np.array_equal(before[name], after[name])]
        assert changed and all('baseline' in name for name in changed)
        assert len(weights) > 2 * len(changed)
        # The update of the agent that follows changes the rest as well.
        trained = tiny.variables(logdir, 31 * UPDATE)
        assert sum(not np.array_equal(after[n], trained[n]) for n in weights) > len(changed)

    @pytest.mark.long
    def test_may_train_all_variables(self, tmp_path):
        flags = (f'--num_critic_pretrain_frames={4 * UPDATE}', '--critic_pretrain_all_variables')
        flags += ('--save_checkpoint_secs=0', '--keep_checkpoints=0')
        tiny.train(tmp_path, 1, *flags)
        first, after = (tiny.variables(tmp_path, frames) for frames in (0, 4 * UPDATE))
        assert (after['critic_pretrain_frames'], after['global_step']) == (4 * UPDATE, 0)
        changed = [n for n in first if tiny.is_weight(n) and not np.array_equal(first[n], after[n])]
        assert any('baseline' not in name for name in changed)
        steps = [step for step, _ in tiny.summaries(tmp_path)['critic_pretrain/grad_norm']]
        assert steps == [UPDATE * (i + 1) for i in range(4)]

    def test_leaves_no_trace_when_not_asked_for(self, finished_run):
        names = tiny.variables(finished_run, last(finished_run))
        assert not [name for name in names if 'critic' in name]


class TestInitCheckpoint:
    @pytest.mark.long
    def test_gives_the_weights_and_nothing_else_and_is_not_loaded_again(self, run, tmp_path):
        logdir = tmp_path / 'new'
        flags = f'--init_checkpoint={run}/checkpoints/{last(run)}', '--seed=5'
        tiny.train(logdir, 2, *flags)
        before, after = tiny.variables(run, last(run)), tiny.variables(logdir, 0)
        for name in before:
            assert np.array_equal(before[name], after[name]) == tiny.is_weight(name), name
        trained = tiny.variables(logdir, 2 * UPDATE)
        shutil.rmtree(run)
        tiny.train(logdir, 2, *flags)
        assert last(logdir) == 2 * UPDATE
        assert tiny.same_arrays(tiny.variables(logdir, 2 * UPDATE), trained)
