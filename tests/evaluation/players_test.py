"""The players of an evaluation, and what they need."""

import dataclasses

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.envs import players as envs_players
from sc2impala.errors import UserError
from sc2impala.evaluation import players, playing
from sc2impala.factories import environments
from sc2impala.settings import resolve
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.settings import Settings
from tests.runtime import tiny
from tests.runtime.tiny import make_settings

SMALL = dict(screen_size=(4, 4), minimap_size=(4, 4), agent='fully_conv_lstm', max_step_mul=6)
GENERAL = settings_lib.general_defaults()


@pytest.fixture(scope='module')
def logdir(tmp_path_factory):
    """The folder of a run of a recurrent agent that chooses its step multiplier."""
    logdir = tmp_path_factory.mktemp('run')
    flags = '--agent=fully_conv_lstm', '--fixed_step_mul=no', '--max_step_mul=6', '--step_mul=8'
    assert tiny.main(logdir, '--total_environment_frames=100', *flags) == 0
    return str(logdir)


def make_player(settings):
    """The player that the command makes, for two environments."""
    with tf.Graph().as_default():
        specs = environments.make_specs(settings.environment)
        return playing.make_player(settings, specs, 2)


def observe(settings, done, seed=0):
    """`EnvOutput` of two environments, with random layers."""
    observation_spec, _ = environments.make_specs(settings.environment)
    rng = np.random.RandomState(seed)

    def fill(structure):
        return {
            name: fill(spec)
            if isinstance(spec, dict)
            else (rng.uniform(size=(2,) + spec.shape) * 2).astype(spec.dtype)
            for name, spec in structure.items()
        }

    observation = fill(observation_spec.structure())
    observation['available_actions'][:] = True
    return structs.EnvOutput(None, None, np.array(done), observation)


def play(player, env_outputs):
    return [player(env_output) for env_output in env_outputs]


def same(plays, others):
    return all(
        np.array_equal(step_mul, other_mul) and tiny.same_arrays(action, other)
        for (action, step_mul), (other, other_mul) in zip(plays, others)
    )


@pytest.mark.long
@pytest.mark.parametrize('policy', ['sampled', 'greedy'])
def test_agent(policy, logdir):
    settings = make_settings(logdir=logdir, policy=policy, **SMALL)
    heads = environments.make_specs(settings.environment)[1].heads
    start = observe(settings, [True, True])
    steps = [start] + [observe(settings, [False, False], seed) for seed in range(8)]
    plays = []
    for _ in range(2):
        player = make_player(settings)
        plays.append(play(player, steps))
        player.close()
    assert same(plays[0], plays[1])
    for action, step_mul in plays[0]:
        assert {head: array.dtype for head, array in action.items()} == {
            head: np.dtype(np.int32) for head in heads
        }
        assert step_mul.shape == (2,) and 1 <= step_mul.min() <= step_mul.max() <= 6


def test_sampled_actions_follow_the_seed(logdir):
    plays = []
    for seed in (0, 0, 1):
        settings = make_settings(logdir=logdir, policy='sampled', seed=seed, **SMALL)
        player = make_player(settings)
        plays.append(play(player, [observe(settings, [True, True], i) for i in range(8)]))
        player.close()
    assert same(plays[0], plays[1]) and not same(plays[0], plays[2])


def test_agent_resets_its_state_where_an_episode_ended(logdir):
    """Greedy on the same observations: what came before an end has no influence."""
    settings = make_settings(logdir=logdir, policy='greedy', **SMALL)
    player = make_player(settings)
    start = observe(settings, [True, True])
    plays, states = [], []
    for env_output in [start, observe(settings, [False, False], seed=1), start]:
        plays.append(player(env_output))
        states.append(tf.nest.flatten(player._state))
    player.close()
    assert same(plays[:1], plays[2:])
    assert all(np.array_equal(a, b) for a, b in zip(states[0], states[2]))
    assert not any(np.array_equal(a, b) for a, b in zip(states[0], states[1]))


@pytest.mark.parametrize('policy', ['random', 'scripted'])
def test_players_that_do_not_learn_keep_their_step_mul(policy, tmp_path):
    settings = make_settings(logdir=str(tmp_path), policy=policy, step_mul=30, **SMALL)
    player = make_player(settings)
    _, step_mul = player(observe(settings, [True, True]))
    assert step_mul.tolist() == [30, 30] and step_mul.dtype == np.int32
    player.close()


def test_no_checkpoint(tmp_path):
    with pytest.raises(UserError, match='has no checkpoint to evaluate'):
        make_player(make_settings(logdir=str(tmp_path), **SMALL))


def test_checkpoint_of_another_agent(logdir):
    settings = make_settings(logdir=logdir, **dict(SMALL, screen_size=(5, 5)))
    with pytest.raises(UserError, match='is of another agent'):
        make_player(settings)


class TestNeedsOfAScript:
    @pytest.mark.parametrize('map_name', sorted(envs_players.SCRIPTED_PLAYERS))
    def test_replace_defaults(self, map_name):
        script = envs_players.SCRIPTED_PLAYERS[map_name]
        for given in ({}, resolve.of_map(map_name)):
            settings = Settings.from_values(dict(GENERAL, **dict(given, map_name=map_name)))
            environment = players.with_needs(settings.environment, 'scripted')
            observation_spec, action_spec = environments.make_specs(environment)
            script(observation_spec, action_spec)
            assert action_spec.function_names == script.functions
            assert not action_spec.fixed_arguments
            assert observation_spec.screen_size == script.screen_size
            assert observation_spec.minimap_size == script.minimap_size

    def test_leave_what_was_chosen(self):
        chosen = dict(
            screen_size=(20, 30),
            functions=('no_op', 'select_army'),
            vectors=(),
            screen_layers='all',
        )
        settings = Settings.from_values(dict(GENERAL, **chosen))
        result = players.with_needs(settings.environment, 'scripted')
        assert {name: getattr(result, name) for name in chosen} == chosen
        assert result.minimap_size == (64, 64)

    @pytest.mark.parametrize('policy', ['random', 'sampled', 'greedy'])
    def test_are_not_those_of_other_players(self, policy):
        environment = Settings.from_values(GENERAL).environment
        assert players.with_needs(environment, policy) == environment

    def test_on_a_map_without_a_script(self, monkeypatch):
        monkeypatch.delitem(envs_players.SCRIPTED_PLAYERS, 'MoveToBeacon')
        monkeypatch.delitem(envs_players.RULES, 'MoveToBeacon')
        settings = make_settings(policy='scripted', **SMALL)
        assert players.with_needs(settings.environment, 'scripted') == settings.environment
        complaint = '--policy=scripted has no script for --map_name=MoveToBeacon, expected one of: '
        with pytest.raises(UserError, match=complaint + 'BuildMarines, '):
            make_player(settings)


def test_a_script_of_another_map():
    specs = environments.make_specs(make_settings(map_name='DefeatRoaches').environment)
    complaint = '--policy=kite is no script for --map_name=DefeatRoaches, expected one of: LH, LZ, '
    with pytest.raises(UserError, match=complaint):
        environments.make_script('DefeatRoaches', specs, 'policy', 'kite')


def test_scripts_by_name():
    script = envs_players.RULES['DefeatRoaches']['LZ']
    assert environments.find_script('DefeatRoaches', 'LZ') is script
    best = envs_players.SCRIPTED_PLAYERS['DefeatRoaches']
    assert environments.find_script('DefeatRoaches', 'scripted') is best
    assert environments.find_script('DefeatRoaches', 'greedy') is None
    assert environments.find_script('Simple64', 'LZ') is None
    settings = make_settings(map_name='DefeatRoaches', policy='LZ')
    environment = players.with_needs(settings.environment, 'LZ')
    assert environment.functions == script.functions
    specs = environments.make_specs(environment)
    player = environments.make_script('DefeatRoaches', specs, 'policy', 'LZ')
    assert isinstance(player, script)
    specs = environments.make_specs(dataclasses.replace(environment, functions=('no_op',)))
    with pytest.raises(UserError, match='^--demonstrator=LZ cannot act .*: --functions is .*army'):
        environments.make_script('DefeatRoaches', specs, 'demonstrator', 'LZ')


def test_a_script_sees_where_episodes_begin(monkeypatch):
    seen = []

    class Script:
        def __init__(self, observation_spec, action_spec):
            pass

        def act(self, observation, done):
            seen.append(done.tolist())

    monkeypatch.setitem(envs_players.SCRIPTED_PLAYERS, 'MoveToBeacon', Script)
    settings = make_settings(policy='scripted', **SMALL)
    player = make_player(settings)
    play(player, [observe(settings, [True, True]), observe(settings, [False, True])])
    assert seen == [[True, True], [False, True]]
