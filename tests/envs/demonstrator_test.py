"""Labels of scripted players in the observations of an agent."""

import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs import demonstrator, players
from sc2impala.envs.players import ScriptedPlayer
from tests.envs import contract

K = 4
STEP_MUL = np.full([K], 120, np.int32)


class Waiting(ScriptedPlayer):
    """Calls no_op, select_army, no_op, ...; the state is whether the next call is the second."""

    functions = ('no_op', 'select_army')
    vectors = ('game_loop',)
    initial_state = {'second': False, 'seen': 0}
    intentions = ('second',)

    def decide(self, observation, calls):
        second = self.state['second'].copy()
        calls.choose(second, 'select_army')
        self.state['second'][:] = ~second
        self.state['seen'] += 1


def make(script, map_name='MoveToBeacon', share=1.0, seed=0, spread_frames=0, **specs):
    observation_spec, action_spec = envs.make_specs(map_name, **specs)
    seen = demonstrator.with_needs(observation_spec, script)
    env = envs.make_environment('simulator', map_name, range(K), seen, action_spec, 120)
    return demonstrator.DemonstratedEnvironment(
        env, observation_spec, script(seen, action_spec), 8, share, seed, spread_frames
    )


def label(observation):
    return observation['demonstration']


def no_ops(env):
    return {head: np.zeros([env.num_envs], np.int32) for head in env.action_spec.heads}


def _no_arguments(env):
    return {head: value for head, value in no_ops(env).items() if head != 'function'}


def episodes(env, num_steps, act=label):
    """What `plays` was on each observation: bool [steps, K], and where episodes ended."""
    plays, done = [label(env.reset())['plays']], [np.ones([K], bool)]
    for _ in range(num_steps):
        output = env.step(no_ops(env), STEP_MUL)
        plays.append(label(output.observation)['plays'])
        done.append(output.done)
    return np.array(plays), np.array(done)


def test_is_a_vector_environment():
    contract.check_vector_environment(lambda: make(players.SCRIPTED_PLAYERS['MoveToBeacon']))


def test_the_agent_sees_what_it_would_see_without_the_script():
    script = players.RULES['DefeatRoaches']['LH']
    plain = envs.make_specs('DefeatRoaches')
    env = make(script, 'DefeatRoaches', share=0.0)
    alone = envs.make_environment('simulator', 'DefeatRoaches', range(K), *plain, max_step_mul=120)
    random = players.RandomPlayer(plain[1], np.random.RandomState(0))
    labelled, expected = env.reset(), alone.reset()
    for _ in range(30):
        assert set(labelled) == set(expected) | {'demonstration'}
        for name, value in expected.items():
            np.testing.assert_equal(labelled[name], value)
        action = random.act(expected)
        labelled = env.step(action, STEP_MUL).observation
        expected = alone.step(action, STEP_MUL).observation


def test_games_start_in_all_parts_of_an_episode():
    script = players.SCRIPTED_PLAYERS['MoveToBeacon']
    env = make(script, vectors=('player', 'game_loop'), share=0.5, seed=1, spread_frames=1920)
    observation = env.reset()
    # 16 steps of up to 120 frames, the largest step multiplier.
    np.testing.assert_array_equal(observation['game_loop'][:, 0], [16, 492, 968, 1444])
    again = make(
        script, vectors=('player', 'game_loop'), share=0.5, seed=1, spread_frames=1920
    ).reset()
    np.testing.assert_array_equal(label(observation)['plays'], label(again)['plays'])
    # The script has played before: what the agent ends is of neither.
    plays, begun, returns = label(observation)['plays'], np.zeros([K], bool), []
    assert plays.any() and not plays.all()
    env.set_share(0.0)
    for _ in range(33):
        output = env.step(label(observation)['action'], STEP_MUL)
        observation = output.observation
        ends = output.info.episode_return
        np.testing.assert_array_equal(np.isnan(ends), output.done & ~begun & ~plays)
        returns.extend(ends[output.done & begun])
        begun |= output.done
    assert min(returns) > 5 and len(returns) >= K
    assert (output.info.episode_frames <= 1920).all()


def test_an_episode_that_the_script_has_begun_has_no_return():
    env = make(Waiting, share=1.0)
    env.reset()
    for _ in range(5):
        env.step(no_ops(env), STEP_MUL)
    env.enable(False)
    state = env.get_state()
    for _ in range(2):
        is_first = np.ones([K], bool)
        for _ in range(27):
            output = env.step(no_ops(env), STEP_MUL)
            returns = output.info.episode_return
            assert np.isfinite(returns[~output.done]).all()
            np.testing.assert_array_equal(np.isnan(returns), output.done & is_first)
            is_first &= ~output.done
        assert not is_first.any()
        env.set_state(state)


def test_the_script_remembers_what_it_did_before_the_start():
    env = make(Waiting, vectors=('player', 'game_loop'), spread_frames=360)
    actions = [label(env.reset())['action']['function']]
    for _ in range(2):
        output = env.step({'function': actions[-1], **_no_arguments(env)}, STEP_MUL)
        actions.append(label(output.observation)['action']['function'])
    # Three steps were played: no_op, select_army, no_op.
    second, first = (env.action_spec.functions.index(i) for i in (7, 0))
    assert [list(a) for a in actions] == [[second] * K, [first] * K, [second] * K]


def test_the_games_cannot_be_spread_over_less_than_nothing():
    with pytest.raises(ValueError, match='spread_frames is -1, expected at least 0'):
        make(players.SCRIPTED_PLAYERS['MoveToBeacon'], spread_frames=-1)


def test_labels_are_the_calls_of_the_script():
    """A script that follows its own labels plays as it does alone."""
    script = players.RULES['CollectMineralShards']['PySC2']
    env = make(script, 'CollectMineralShards')
    seen = demonstrator.with_needs(envs.make_specs('CollectMineralShards')[0], script)
    alone = envs.make_environment(
        'simulator', 'CollectMineralShards', range(K), seen, env.action_spec, max_step_mul=120
    )
    player, done = script(seen, env.action_spec), np.ones([K], bool)
    observation, expected = env.reset(), alone.reset()
    for _ in range(60):
        action = player.act(expected, done)
        demonstration = label(observation)
        np.testing.assert_equal(demonstration['action'], action)
        assert demonstration['valid'].all() and demonstration['plays'].all()
        assert (demonstration['step_mul'] == 8).all()
        output = env.step(demonstration['action'], demonstration['step_mul'] * 3)
        other = alone.step(action, demonstration['step_mul'] * 3)
        observation, expected, done = output.observation, other.observation, other.done
        np.testing.assert_array_equal(output.reward, other.reward)


def test_what_was_not_played_is_not_remembered():
    env = make(Waiting)
    first = label(env.reset())['action']['function']
    assert (first == 0).all()
    no_op = no_ops(env)
    assert (label(env.step(no_op, STEP_MUL // 10).observation)['action']['function'] == 1).all()
    # Two games play the label, select_army, and two something else.
    played = dict(no_op, function=np.array([1, 1, 0, 2], np.int32))
    state = label(env.step(played, STEP_MUL // 10).observation)['action']['function']
    assert state.tolist() == [0, 0, 1, 1]
    # The function counts, and not its arguments.
    played = dict(no_op, function=state, screen=np.full([K], 7, np.int32))
    state = label(env.step(played, STEP_MUL // 10).observation)['action']['function']
    assert state.tolist() == [1, 1, 0, 0]
    assert env._player.state['seen'].tolist() == [4] * K


def test_the_script_gives_the_order_to_what_the_agent_has_selected_in_its_place():
    script = players.RULES['CollectMineralsAndGas']['LH']
    env = make(script, 'CollectMineralsAndGas')
    wanted = env.action_spec.function_names.index('Train_SCV_quick')
    select = env.action_spec.function_names.index('select_point')
    observation = env.reset()
    while (label(observation)['action']['function'] != select).any():
        action = label(observation)['action']
        # A game that has to select the command centre waits for the others.
        function = np.where(action['function'] == select, 0, action['function'])
        observation = env.step(dict(action, function=function), STEP_MUL // 15).observation
    action = {head: np.copy(value) for head, value in label(observation)['action'].items()}
    width = env.action_spec.screen_size[0]
    # Another pixel of the command centre, and one without any unit.
    action['screen'][0] += width
    action['screen'][1] = 0
    observation = env.step(action, STEP_MUL // 15).observation
    chosen = label(observation)['action']['function']
    assert chosen.tolist() == [wanted, 0, wanted, wanted]
    # Where nothing was selected the order was not available, and is dropped.
    observation = env.step(label(observation)['action'], STEP_MUL // 15).observation
    assert label(observation)['action']['function'][1] == select


def test_scripts_see_units_in_finer_pixels_than_those_of_the_agent():
    observation_spec, action_spec = envs.make_specs('DefeatRoaches', screen_size=(16, 42))
    script = players.RULES['DefeatRoaches']['LH']
    assert demonstrator.with_needs(observation_spec, script).units_size is None
    seen = demonstrator.with_needs(observation_spec, script, fine=True)
    assert seen.units_size == (96, 84)
    of_layers = players.RULES['DefeatRoaches']['PySC2']
    assert demonstrator.with_needs(observation_spec, of_layers, fine=True).units_size is None
    of_agents_pixels = players.RULES['DefeatRoaches']['pull_back']
    assert demonstrator.with_needs(observation_spec, of_agents_pixels, fine=True).units_size is None

    fine, coarse = (
        envs.make_environment('simulator', 'DefeatRoaches', range(K), spec, action_spec, 8)
        for spec in (seen, demonstrator.with_needs(observation_spec, script))
    )
    fine_units, units = (env.reset()['feature_units'] for env in (fine, coarse))
    x, y = 12, 13
    np.testing.assert_array_equal(fine_units[..., x] // 6, units[..., x])
    np.testing.assert_array_equal(fine_units[..., y] // 2, units[..., y])
    assert (fine_units[..., x] % 6 != 0).any() and (fine_units[..., y] % 2 != 0).any()


def test_the_economy_is_played_as_well_in_pixels_that_are_too_coarse_to_see():
    """At 16 x 16 the site for the second command centre is one single pixel."""
    script = players.RULES['CollectMineralsAndGas']['LH']
    observation_spec, action_spec = envs.make_specs('CollectMineralsAndGas')
    seen = demonstrator.with_needs(observation_spec, script, fine=True)
    env = demonstrator.DemonstratedEnvironment(
        envs.make_environment('simulator', 'CollectMineralsAndGas', [3], seen, action_spec, 16),
        observation_spec,
        script(seen, action_spec),
        8,
        1.0,
        0,
    )
    build = action_spec.function_names.index('Build_CommandCenter_screen')
    observation, num_orders, done = env.reset(), 0, [False]
    while not done[0]:
        action = label(observation)['action']
        num_orders += int(action['function'][0] == build)
        output = env.step(action, np.array([8]))
        observation, done = output.observation, output.done
    assert 1 <= num_orders <= 3
    assert output.info.episode_return[0] > 4000


def test_the_share_of_episodes_that_the_script_plays():
    for share, expected in ((0.0, 0.0), (1.0, 1.0)):
        plays, _ = episodes(make(Waiting, share=share), 20)
        assert plays.mean() == expected
    plays, done = episodes(make(Waiting, share=0.5), 600)
    assert 0.3 < plays[done].mean() < 0.7
    # It is one player from the start of an episode to its end.
    changes = plays[1:] != plays[:-1]
    assert changes.any() and not (changes & ~done[1:]).any()
    again, _ = episodes(make(Waiting, share=0.5), 600)
    np.testing.assert_array_equal(plays, again)
    other, _ = episodes(make(Waiting, share=0.5, seed=1), 600)
    assert (plays != other).any()


def test_the_share_changes_with_the_next_episodes():
    env = make(Waiting, share=1.0)
    env.reset()
    env.set_share(0.0)
    seen = []
    for _ in range(17):
        output = env.step(no_ops(env), STEP_MUL)
        seen.append(label(output.observation)['plays'][output.done])
        if not output.done.any():
            assert label(output.observation)['plays'].all() or np.concatenate(seen).size
    assert not np.concatenate(seen).any() and np.concatenate(seen).size == K


def test_switched_off_it_costs_nothing_and_switched_on_it_starts_anew(monkeypatch):
    env = make(Waiting)
    env.reset()
    env.enable(False)
    with monkeypatch.context() as patch:
        patch.delattr(Waiting, 'decide')
        for _ in range(3):
            demonstration = label(env.step(no_ops(env), STEP_MUL // 10).observation)
            assert not demonstration['valid'].any() and not demonstration['plays'].any()
            assert not demonstration['step_mul'].any()
    env.enable(True)
    demonstration = label(env.step(no_ops(env), STEP_MUL // 10).observation)
    assert demonstration['valid'].all() and not demonstration['plays'].any()
    assert env._player.state['seen'].tolist() == [1] * K
    plays, done = [], []
    for _ in range(17):
        output = env.step(no_ops(env), STEP_MUL)
        plays.append(label(output.observation)['plays'])
        done.append(output.done)
    started = np.cumsum(done, axis=0) > 0
    np.testing.assert_array_equal(np.array(plays), started)
    assert started.any()


def test_failure_is_that_of_the_games():
    env = make(Waiting)
    assert env.failure is None
    env._env.failure = RuntimeError('gone')
    assert str(env.failure) == 'gone'


@pytest.mark.parametrize('share', [-0.1, 1.5, float('nan')])
def test_a_wrong_share(share):
    with pytest.raises(ValueError, match='share is .*, expected a number from 0 to 1'):
        make(Waiting, share=share)


@pytest.mark.parametrize('step_mul', [0, 121])
def test_a_wrong_step_mul(step_mul):
    env = make(Waiting)
    with pytest.raises(ValueError, match=f'step_mul is {step_mul}, expected 1..120'):
        demonstrator.DemonstratedEnvironment(
            env._env, envs.make_specs('MoveToBeacon')[0], env._player, step_mul, 1.0, 0
        )
