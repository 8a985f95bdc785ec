"""Settings of runs on several maps: their defaults, and what cannot be combined."""

import pytest

from sc2impala import envs, experiment
from sc2impala.errors import UserError
from sc2impala.factories import environments
from sc2impala.settings import validation
from tests.runtime import tiny

BOTH = '--map_name=MoveToBeacon,DefeatRoaches'


def read(*flags):
    settings = experiment.read_settings(flags)
    validation.check(settings)
    return settings


class TestDefaults:
    def test_all_maps(self):
        settings = read('--map_name=all')
        assert settings.environment.map_names == tuple(envs.MAP_DEFAULTS)
        assert settings.demonstrations.demonstrator == 'of_each_map'
        assert settings.agent.value_normalisation == 'popart'
        assert settings.algorithms['cloning'].num_cloning_frames == 0
        assert settings.algorithms['impala'].demonstration_cost == 1.0
        assert settings.agent.agent == 'units_lstm'
        assert settings.environment.vectors == ('player', 'feature_units')

    def test_from_scratch(self):
        settings = read(BOTH, '--from_scratch')
        assert settings.demonstrations.demonstrator == 'none'
        assert settings.algorithms['cloning'].num_cloning_frames == 0
        assert settings.algorithms['appo'].demonstration_cost == 0.0
        assert not settings.environment.no_op_as_last_resort  # Not on MoveToBeacon.
        fights = read('--map_name=FindAndDefeatZerglings,DefeatRoaches', '--from_scratch')
        assert fights.environment.no_op_as_last_resort

    def test_the_length_of_a_sequence(self):
        flags = ('--task_schedule=sequential', '--frames_per_task=1000', '--cycles=3')
        assert read(BOTH, *flags).training.total_environment_frames == 6000
        shorter = read(BOTH, *flags, '--total_environment_frames=1500')
        assert shorter.training.total_environment_frames == 1500

    def learning(self, *flags):
        settings = read(*flags)
        return settings.algorithms[settings.training.algorithm]

    def test_the_rates_of_a_sequence_are_constant(self):
        turns = (BOTH, '--from_scratch', '--task_schedule=sequential')
        learning = self.learning(*turns)
        assert learning.final_learning_rate == learning.learning_rate > 0
        assert learning.entropy_cost_at_end == learning.entropy_cost > 0
        at_once = self.learning(BOTH, '--from_scratch')
        assert at_once.final_learning_rate == 0 and at_once.entropy_cost_at_end == 0
        given = self.learning(*turns, '--learning_rate=0.002')
        assert given.final_learning_rate == 0.002
        flags = ('--final_learning_rate=0', '--final_entropy_cost=0.001')
        given = self.learning(*turns, *flags)
        assert (given.final_learning_rate, given.entropy_cost_at_end) == (0, 0.001)

    def test_each_map_has_its_own_demonstrator(self):
        demonstrations = read('--map_name=all').demonstrations
        for name, defaults in envs.MAP_DEFAULTS.items():
            own = environments.demonstrations_on(name, demonstrations)
            assert own.demonstrator == defaults.demonstrated['demonstrator']
        roaches = environments.demonstrations_on('DefeatRoaches', demonstrations)
        assert roaches.demonstration_step_mul == 4
        named = read('--map_name=DefeatRoaches,BuildMarines', '--demonstrator=search')
        assert environments.demonstrations_on('BuildMarines', named.demonstrations) is (
            named.demonstrations
        )


class TestGames:
    def assign(self, num_games, *flags):
        settings = read(BOTH, *flags)
        return environments.assign(settings.environment, settings.tasks, num_games)

    def test_shares(self):
        assert self.assign(4) == [0, 1, 0, 1]
        assert self.assign(6, '--task_shares=DefeatRoaches=2').count(1) == 4
        in_turn = ('--task_schedule=sequential', '--frames_per_task=10')
        assert self.assign(3, *in_turn) == [0, 0, 0]

    def test_every_map_needs_a_game(self):
        with pytest.raises(UserError, match='1 games .* leave none for DefeatRoaches, expected'):
            self.assign(1)
        one = read('--map_name=DefeatRoaches')
        assert environments.assign(one.environment, one.tasks, 2) == [0, 0]


@pytest.mark.parametrize(
    'flags, message',
    [
        (['--map_name=MoveToBeacon,Roaches'], 'has Roaches, expected mini-games separated'),
        (['--map_name=MoveToBeacon,'], 'has an empty name, expected mini-games'),
        (['--map_name=MoveToBeacon,MoveToBeacon'], 'has MoveToBeacon more than once'),
        ([BOTH, '--task_shares=BuildMarines=2'], 'has BuildMarines, expected maps of'),
        ([BOTH, '--task_shares=DefeatRoaches=0'], '0 for DefeatRoaches, expected more than 0'),
        ([BOTH, '--simulator_rules=facing=1'], 'simulator_rules=facing=1.0 cannot be used with'),
        ([BOTH, '--demonstrator=LH'], 'demonstrator=LH is unknown, expected one of: none,'),
        ([BOTH, '--mode=record'], 'mode=record cannot be used with several maps'),
        (
            [BOTH, '--task_schedule=sequential', '--evaluate_every_frames=5'],
            'expected --evaluations_per_task',
        ),
        (
            [BOTH, '--task_schedule=sequential', '--total_environment_frames=3000001'],
            'is longer than --task_schedule=sequential, expected at most 2000000',
        ),
        (
            [BOTH, '--task_schedule=sequential', '--task_shares=DefeatRoaches=2'],
            'expected none with --task_schedule=sequential',
        ),
        (['--task_input'], 'task_input=true is for several maps, expected their names'),
        (['--nomask_other_maps'], 'mask_other_maps=false is for several maps'),
        (['--task_schedule=sequential'], 'task_schedule=sequential is for several maps'),
        (['--task_shares=MoveToBeacon=2'], 'task_shares=MoveToBeacon=2.0 is for several maps'),
    ],
)
def test_what_is_refused(flags, message):
    with pytest.raises(UserError) as error:
        read(*flags)
    assert message in str(error.value)


def test_an_error_has_one_line(tmp_path, capsys):
    assert tiny.main(tmp_path / 'run', BOTH, '--simulator_rules=facing=1') == 1
    assert 'several maps' in tiny.error_line(capsys)
