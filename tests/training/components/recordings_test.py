"""Scripts beside actors, and trainings that learn from recordings."""

import dataclasses
from typing import ClassVar

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import demonstrations as recordings_lib
from sc2impala import experiment, learner
from sc2impala.errors import UserError
from sc2impala.factories import environments
from sc2impala.learner.algorithm import PretrainingAlgorithm
from sc2impala.learner.registry import OneFile
from sc2impala.settings.fields import setting
from sc2impala.settings.learning import PretrainingSettings
from sc2impala.training.components import recordings
from tests.house.behaviour_cloning import BehaviourCloning, BehaviourCloningSettings
from tests.runtime import tiny
from tests.runtime.tiny import make_settings
from tests.training.built_training import built_training

UPDATE = tiny.FRAMES_PER_UPDATE


@dataclasses.dataclass(frozen=True)
class FirstSettings(BehaviourCloningSettings, PretrainingSettings):
    """Those of behaviour cloning, and how long it is."""

    TITLE: ClassVar[str] = 'first phase'

    num_first_frames: int = setting(0, 'length of the first phase', between=(0, 2**62))

    @property
    def num_frames(self):
        return self.num_first_frames


class First(BehaviourCloning, PretrainingAlgorithm):
    """Imitates what was played in recordings."""

    title = 'first phase'
    settings_class = FirstSettings
    frames_variable = 'first_frames'
    from_demonstrations = True
    SEEN: ClassVar[list] = []

    def build_update(self, agent, batch, variables, schedule):
        self.SEEN.append(batch)
        update = super().build_update(agent, batch, variables, schedule)
        metrics = {'first/loss': update.metrics['loss/cloning']}
        return update._replace(metrics=metrics)


@pytest.fixture(autouse=True)
def first_phase(monkeypatch):
    registry = {'first': OneFile(__name__, 'First'), **learner.PRETRAINING}
    monkeypatch.setattr(learner, 'PRETRAINING', registry)
    First.SEEN.clear()


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    """A recording of the script that fits tiny runs, but has chunks of another length."""
    folder = tmp_path_factory.mktemp('recorded')
    flags = [*tiny.FLAGS, '--mode=record', '--policy=scripted', f'--logdir={folder}']
    assert experiment.main([*flags, '--num_episodes=6', '--unroll_length=7']) == 0
    return folder


class TestTraining:
    @pytest.mark.long
    def test_a_phase_learns_from_recordings_alone(self, recorded, tmp_path, capsys):
        """It leaves the replay buffer alone."""
        flags = f'--demonstrations={recorded}', f'--num_first_frames={3 * UPDATE}', *tiny.REPLAY
        more = '--cloning_learning_rate=0.01', '--agent=fully_conv_lstm', '--deterministic'
        tiny.train(tmp_path, 1, *flags, *more)
        output = capsys.readouterr().out
        assert 'demonstrations: 6 episodes of scripted, mean return' in output
        assert 'first phase: 7,200 of 7,200 frames' in output
        (batch,) = First.SEEN
        assert len(tf.nest.flatten(batch.stream_state)) == 2
        tags = tiny.summaries(tmp_path)
        assert len(tags['first/loss']) == 3 and len(tags['loss/baseline']) == 1
        assert tiny.variables(tmp_path, 4 * UPDATE)['first_frames'] == 3 * UPDATE
        assert min(step for step, _ in tags['replay/sequences']) > 3 * UPDATE
        # The same command goes on, and an evaluation needs no recording.
        assert tiny.main(tmp_path, *flags, f'--total_environment_frames={2 * UPDATE}') == 1
        assert '--agent=fully_conv_lstm (now fully_conv)' in tiny.error_line(capsys)
        flags = f'--logdir={tmp_path}', f'--total_environment_frames={2 * UPDATE}'
        assert experiment.main(list(flags)) == 0
        assert tiny.evaluate(tmp_path, '--num_episodes=2') == 0

    @pytest.mark.long
    def test_sequences_beside_those_of_actors_and_replay(self, recorded, tmp_path):
        flags = (f'--demonstrations={recorded}', '--demonstration_sequences=3', '--deterministic')
        tiny.train(tmp_path, 3, *flags, *tiny.REPLAY, f'--num_critic_pretrain_frames={UPDATE}')
        tags = tiny.summaries(tmp_path)
        assert len(tags['loss/total_loss']) >= 3 and 'replay/sequences' in tags
        # Frames, episodes and the replay buffer are those of the actors alone.
        frames = tiny.checkpoint_frames(tmp_path)[-1]
        sequences = [value for _, value in tags['replay/sequences']]
        assert sequences[0] == 4 and frames % tiny.FRAMES_PER_SEQUENCE == 0

    @pytest.mark.long
    def test_with_a_script_a_phase_learns_from_games(self, recorded, tmp_path, capsys):
        flags = '--demonstrator=PySC2', f'--num_first_frames={2 * UPDATE}'
        tiny.train(tmp_path, 1, *flags)
        assert 'demonstrator: PySC2' in capsys.readouterr().out
        (batch,) = First.SEEN
        assert not tf.nest.flatten(batch.stream_state)
        assert 'demonstration' in batch.env_outputs.observation

    def test_without_demonstrations_there_are_no_labels(self, tmp_path):
        with built_training(tmp_path, f'--num_first_frames={UPDATE}'):
            (batch,) = First.SEEN
        assert 'demonstration' not in batch.env_outputs.observation

    def test_a_recording_of_one_backend_is_for_all(self, recorded, tmp_path):
        flags = f'--demonstrations={recorded}', f'--num_first_frames={UPDATE}'
        with built_training(tmp_path, *flags, '--backend=synthetic') as (_, _, training):
            assert [len(one.episodes) for one in training.recorded.recordings] == [6]
            assert [phase.title for phase in training.phases][0] == 'first phase'

    @pytest.mark.parametrize(
        'flags, words',
        [
            (['--demonstrator=LH'], ['--demonstrator=LH is unknown', 'none, PySC2.']),
            (
                ['--demonstrator=PySC2', '--functions=no_op,Move_screen'],
                [
                    '--demonstrator=PySC2 cannot act with these settings: --functions',
                    'expected select_army',
                ],
            ),
            (['--demonstrations=/no/such'], ['/no/such', 'has no recording']),
            (
                ['--demonstrations={}', '--map_name=CollectMineralShards'],
                ['has --map_name MoveToBeacon, expected CollectMineralShards'],
            ),
            (
                ['--demonstrations={}', '--functions=no_op,Move_screen,select_army'],
                ['has --functions no_op,select_army,Move_screen, expected no_op,Move_screen'],
            ),
            (['--demonstrations={}', '--screen_size=5'], ['choices of screen 16, expected 25']),
            (
                ['--demonstrations={}', '--step_mul=60'],
                ['has step multipliers up to 120, expected at most 60'],
            ),
            (
                ['--demonstrations={}', '--screen_layers=creep'],
                ['has no observation/screen/creep, expected'],
            ),
        ],
    )
    def test_errors(self, flags, words, recorded, tmp_path, capsys):
        flags = [flag.format(recorded) for flag in flags]
        assert tiny.main(tmp_path, *flags, f'--num_first_frames={UPDATE}') == 1
        line = tiny.error_line(capsys)
        assert all(word in line for word in words), line

    def test_a_damaged_recording(self, recorded, tmp_path, capsys):
        folder = tmp_path / 'damaged'
        folder.mkdir()
        for path in (recorded / 'scripted-0').iterdir():
            (folder / path.name).write_bytes(path.read_bytes()[:-9])
        assert tiny.main(tmp_path / 'logs', f'--demonstrations={folder}') == 1
        assert 'recording.json' in tiny.error_line(capsys)


class TestEnvironment:
    def make(self, seeds=(1, 2), **values):
        settings = make_settings(
            **dict(dict(functions=('no_op', 'select_army', 'Move_screen')), **values)
        )
        specs = environments.labelled_specs(
            settings.demonstrations, environments.make_specs(settings.environment)
        )
        return environments.make_actor_environment(
            settings.environment, settings.starcraft, settings.demonstrations, specs, seeds, 0
        )

    def test_has_labels_if_there_is_a_use_for_them(self):
        assert 'demonstration' not in self.make().reset()
        assert self.make(demonstrator='PySC2').reset()['demonstration']['valid'].all()
        with self.make(demonstrations=('a',)) as env:
            label = env.reset()['demonstration']
        assert not label['valid'].any() and not label['plays'].any()

    @pytest.mark.parametrize(
        'values, expected',
        [
            ({}, 8),
            ({'demonstration_step_mul': 4}, 4),
            ({'demonstration_step_mul': 16}, 8),
            ({'demonstration_step_mul': 16, 'max_step_mul': 20}, 16),
            ({'fixed_step_mul': True, 'step_mul': 3}, 3),
        ],
    )
    def test_step_mul(self, values, expected):
        label = self.make(demonstrator='PySC2', **values).reset()['demonstration']
        assert label['step_mul'].tolist() == [expected] * 2


def test_recordings_of_several_folders(recorded):
    settings = make_settings(screen_size=(4, 4), fixed_step_mul=True, step_mul=120)
    specs = environments.make_specs(settings.environment)
    twice = [str(recorded), str(recorded / 'scripted-0')]
    opened = recordings.open_recordings(twice, settings.environment, specs[1])
    assert [len(one.episodes) for one in opened] == [6, 6]
    streams = recordings.Recorded(opened, specs, 3, 0).streams(2)
    assert isinstance(streams, recordings_lib.Streams)
    sequence = streams.next()
    assert sequence['observation/screen/selected'].shape == (2, 4, 4, 4)
    assert (sequence['step_mul'] == 120).all()
    assert set(np.unique(sequence['action/function'])) <= {0, 1, 2}
    with pytest.raises(UserError, match='has no recording'):
        recordings.open_recordings(['/no/such'], settings.environment, specs[1])
