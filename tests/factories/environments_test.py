"""What training and evaluation share: names of variables, games, and settings of a session."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import agents, envs, experiment
from sc2impala.errors import UserError
from sc2impala.factories import acting, environments
from sc2impala.runtime import seeds, sessions
from sc2impala.settings.groups import AgentSettings
from tests import fakes
from tests.runtime.tiny import make_settings


@pytest.mark.long
@pytest.mark.parametrize('agent', sorted(agents.AGENTS))
def test_variables_have_the_same_names_in_every_graph(agent):
    vectors = ('player', 'feature_units') if agent == 'units_lstm' else ('player',)
    settings = make_settings(screen_size=(8, 8), minimap_size=(8, 8), vectors=vectors)
    specs = environments.make_specs(settings.environment)
    names = []
    for _ in range(2):
        with tf.Graph().as_default():
            acting.create_agent(AgentSettings(agent), specs, max_step_mul=8, fixed_step_mul=None)
            names.append({v.op.name: v.shape.as_list() for v in tf.trainable_variables()})
    assert names[0] == names[1] and len(names[0]) > 5


def test_games_follow_seed_purpose_and_stream():
    settings = make_settings()
    specs = environments.make_specs(settings.environment)

    def first_screens(seed, purpose, *stream):
        env_seeds = seeds.streams(seed, purpose, 3, *stream)
        env = environments.make_environment(
            settings.environment, settings.starcraft, specs, env_seeds
        )
        with env:
            return env.reset()['screen']['player_relative'].copy()

    screens = first_screens(0, 'training', 0, 1)
    np.testing.assert_array_equal(screens, first_screens(0, 'training', 0, 1))
    for other in [(1, 'training', 0, 1), (0, 'evaluation', 0, 1), (0, 'training', 1, 1)]:
        assert not np.array_equal(screens, first_screens(*other))
    assert len({screen.tobytes() for screen in screens}) == 3


@pytest.mark.parametrize('deterministic, threads', [(True, 1), (False, 0)])
def test_session(deterministic, threads):
    found = sessions.session_config(deterministic)
    assert found.inter_op_parallelism_threads == threads
    assert found.intra_op_parallelism_threads == threads
    # One thread for itself, not for all sessions of the process.
    assert found.use_per_session_threads == deterministic
    assert found.allow_soft_placement and found.gpu_options.allow_growth


class TestSpecs:
    def test_are_those_of_the_map_by_default(self):
        observation_spec, action_spec = environments.make_specs(make_settings().environment)
        assert observation_spec.screen_size == (16, 16)
        assert list(action_spec.function_names) == ['no_op', 'select_army', 'Move_screen']

    def test_follow_the_settings(self):
        environment = make_settings(
            functions=('no_op', 7, 'Move_screen'),
            fixed_arguments={'queued': 1},
            screen_size=(9, 8),
            minimap_size=(7, 7),
            screen_layers=('selected',),
            minimap_layers=('camera', 'selected'),
            vectors=(),
        ).environment
        observation_spec, action_spec = environments.make_specs(environment)
        assert list(action_spec.function_names) == ['no_op', 'select_army', 'Move_screen']
        assert 'queued' not in action_spec.heads and 'select_add' in action_spec.heads
        assert observation_spec.screen_size == (9, 8) and observation_spec.minimap_size == (7, 7)
        assert [layer.name for layer in observation_spec.screen_layers] == ['selected']
        assert [layer.name for layer in observation_spec.minimap_layers] == ['camera', 'selected']
        assert observation_spec.vectors == ()

    def test_without_fixed_arguments(self):
        _, action_spec = environments.make_specs(make_settings(fixed_arguments={}).environment)
        assert {'queued', 'select_add'} <= set(action_spec.heads)

    @pytest.mark.parametrize(
        'values, complaint',
        [
            (dict(functions=('Move_scren',)), '--functions.*Move_scren'),
            (dict(fixed_arguments={'foo': 1}), '--fixed_arguments.*foo'),
            (dict(minimap_layers=('foo',)), '--minimap_layers.*foo'),
            (dict(screen_layers=()), '--screen_layers=none leaves'),
        ],
    )
    def test_of_unknown_names(self, values, complaint):
        with pytest.raises(UserError, match=complaint):
            environments.make_specs(make_settings(**values).environment)


def test_settings_reach_the_game():
    assert environments.make_game_settings(make_settings().starcraft) == envs.GameSettings()
    settings = make_settings(
        game_version='4.10',
        opponent='hard',
        replay_dir='x',
        game_deadline_secs=5.0,
    )
    assert environments.make_game_settings(settings.starcraft) == envs.GameSettings(
        version='4.10',
        opponent='hard',
        replay_dir='x',
        deadline_secs=5.0,
        launch_deadline_secs=30.0,
    )


@pytest.mark.parametrize(
    'option', [{'argument_conditioning': True}, {'value_normalisation': 'popart'}]
)
def test_an_option_that_the_agent_does_not_have(option, monkeypatch):
    monkeypatch.setitem(agents.AGENTS, 'tiny', 'tests.house.tiny_agent')
    settings = AgentSettings('tiny', **option)
    message = f'--{list(option)[0]}=.* but tiny has Linears.$'
    with tf.Graph().as_default(), pytest.raises(UserError, match=message):
        acting.create_agent(settings, fakes.make_specs(), max_step_mul=8, fixed_step_mul=None)


@pytest.mark.parametrize(
    'num_gpus, count, expected', [(0, 1, []), (1, 1, ['/gpu:0']), (3, 2, ['/gpu:0', '/gpu:1'])]
)
def test_the_devices_of_a_learner(num_gpus, count, expected, monkeypatch):
    monkeypatch.setattr(
        tf.config.experimental, 'list_physical_devices', lambda kind: [kind] * num_gpus
    )
    assert sessions.learner_devices(count) == expected
    assert sessions.gpu_device() == ('/gpu:0' if num_gpus else None)


@pytest.mark.parametrize(
    'num_gpus, count, ending', [(0, 2, '0, expected 1.'), (2, 3, '2, expected at most 2.')]
)
def test_more_devices_than_there_are(num_gpus, count, ending, monkeypatch):
    monkeypatch.setattr(
        tf.config.experimental, 'list_physical_devices', lambda kind: [kind] * num_gpus
    )
    with pytest.raises(UserError) as error:
        sessions.learner_devices(count)
    assert str(error.value) == (
        f'--num_learner_devices={count} needs as many GPUs, but this machine has {ending}'
    )


@pytest.mark.parametrize('masked', [True, False])
def test_functions_of_other_maps_are_masked_by_default(masked):
    flags = ['--map_name=CollectMineralShards,DefeatRoaches', '--from_scratch']
    flags += [f'--mask_other_maps={masked}', '--functions=no_op,select_army,Attack_screen']
    settings = experiment.read_settings(flags)
    specs = environments.make_specs(settings.environment)
    with environments.make_environment(settings.environment, settings.starcraft, specs, [1]) as env:
        env.reset()
        action = {head: np.zeros([1], np.int32) for head in specs[1].heads}
        action['function'][:] = env.action_spec.function_names.index('select_army')
        available = env.step(action, np.full([1], 8, np.int32)).observation['available_actions'][0]
        attack = env.action_spec.function_names.index('Attack_screen')
    assert available[attack] == (not masked)
