import shlex

import pytest

from sc2impala.report import differences
from sc2impala.report.differences import ALGORITHM, GIVEN, MAP
from tests.runtime import tiny


def config_of(tmp_path, *flags):
    return dict(tiny.experiment.read_settings([f'--logdir={tmp_path}', *flags]).values())


def test_sources_of_settings(tmp_path):
    config = config_of(tmp_path, '--map_name=DefeatRoaches', '--seed=3', '--learning_rate=0.002')
    found = {each.name: each for each in differences.find(config)}
    assert found['seed'].source == GIVEN and found['seed'].value == '3'
    assert found['learning_rate'].value == '0.002' and found['learning_rate'].source == GIVEN
    assert found['agent'].source == MAP and found['agent'].value != found['agent'].default
    assert found['learning_rate'].help and not {'map_name', 'logdir', 'mode'} & set(found)
    given = [each.source for each in found.values()]
    assert given == sorted(given, key=[GIVEN, MAP, ALGORITHM].index)


def test_the_default_of_a_given_setting_is_that_of_the_map(tmp_path):
    config = config_of(tmp_path, '--map_name=DefeatRoaches', '--agent=fully_conv')
    (agent,) = [each for each in differences.find(config) if each.name == 'agent']
    default = config_of(tmp_path, '--map_name=DefeatRoaches')['agent']
    assert agent.source == GIVEN and agent.default == default


@pytest.mark.parametrize(
    'flags',
    [
        [],
        ['--map_name=DefeatRoaches'],
        ['--map_name=DefeatRoaches', '--from_scratch', '--seed=7'],
        ['--map_name=BuildMarines', '--functions=no_op,select_idle_worker', '--from_scratch'],
        ['--demonstrator=PySC2', '--step_mul=4', '--fixed_step_mul'],
        ['--algorithm=r2d2', '--r2d2_learning_rate=0.1', '--agent=fully_conv_lstm'],
        ['--backend=pysc2', '--num_envs=2', '--map_name=Simple64'],
        ['--map_file=My own.SC2Map', '--backend=pysc2', '--from_scratch'],
    ],
)
def test_the_command_gives_the_same_settings(tmp_path, flags):
    config = config_of(tmp_path, *flags)
    arguments = shlex.split(' '.join(differences.command(config, 'a folder')))
    assert arguments[:4] == ['python', '-m', 'sc2impala.experiment', '--logdir=a folder']
    again = config_of(tmp_path, *arguments[4:])
    assert again == config
    assert len(arguments) <= 5 + len(flags)
