import numpy as np
import pytest

from sc2impala import envs, sim
from tests.envs import contract, fake_game
from tests.sim.maps import short_episodes

ALL = {'screen_layers': 'all', 'minimap_layers': 'all', 'vectors': 'all'}


def make_fake(monkeypatch, seeds=(0, 1, 2), max_episode_frames=None, **kwargs):
    games = fake_game.install(monkeypatch)
    specs = envs.make_specs('MoveToBeacon', **kwargs)
    env = envs.SimulatedEnvironment(
        'MoveToBeacon', list(seeds), *specs, 16, max_episode_frames=max_episode_frames
    )
    return env, games[0]


def action_of(env, **heads):
    action = {head: np.zeros([env.num_envs], np.int32) for head in env.action_spec.heads}
    action.update({head: np.array(value, np.int32) for head, value in heads.items()})
    return action


@pytest.mark.parametrize('kwargs', [{}, ALL, dict(ALL, screen_layers=[], functions='all')])
def test_contract_on_a_fake_game(monkeypatch, kwargs):
    fake_game.install(monkeypatch)
    kwargs = dict({'vectors': ('player', 'game_loop')}, **kwargs)
    specs = envs.make_specs('MoveToBeacon', screen_size=(8, 6), minimap_size=(5, 7), **kwargs)
    contract.check_vector_environment(
        lambda: envs.SimulatedEnvironment('MoveToBeacon', [4, 5, 6], *specs, max_step_mul=9)
    )


@pytest.mark.long
@pytest.mark.parametrize('map_name', sim.MAP_NAMES)
@pytest.mark.parametrize(
    'kwargs', [{'vectors': ('player', 'game_loop')}, dict(ALL, functions='all')]
)
def test_contract_on_the_simulator(monkeypatch, map_name, kwargs):
    # Some episodes last half a minute of computing.
    short_episodes(monkeypatch, map_name, 240)
    specs = envs.make_specs(map_name, screen_size=(20, 16), minimap_size=(12, 16), **kwargs)
    contract.check_vector_environment(
        lambda: envs.SimulatedEnvironment(map_name, [7, 8, 9], *specs, max_step_mul=20)
    )


def test_contract_of_truncated_episodes(monkeypatch):
    fake_game.install(monkeypatch)
    specs = envs.make_specs('MoveToBeacon', vectors=['game_loop'])
    contract.check_vector_environment(
        lambda: envs.SimulatedEnvironment(
            'MoveToBeacon', [4, 5, 6], *specs, max_step_mul=9, max_episode_frames=15
        )
    )


def test_a_truncated_episode_returns_its_final_observation_before_the_next_one_starts(monkeypatch):
    env, game = make_fake(monkeypatch, [1, 2], vectors=['game_loop'], max_episode_frames=12)
    env.reset()

    def step(step_mul):
        output = env.step(action_of(env, function=[1, 1]), step_mul)
        played = [output.reward, output.done, output.observation['game_loop'][:, 0]]
        totals = [output.info.episode_frames, output.info.episode_steps, output.info.episode_return]
        assert not output.info.aborted.any()
        return [array.tolist() for array in played], [array.tolist() for array in totals]

    # select_army is function 7, to which the fake adds the seed.
    step([8, 1])
    played, totals = step([8, 1])
    assert played == [[8, 9], [False, False], [16, 2]]
    assert totals == [[16, 2], [2, 2], [16, 18]]
    before = env.frames_played
    played, totals = step([8, 1])
    assert played == [[0, 9], [True, False], [0, 3]]
    assert totals == [[16, 3], [2, 3], [16, 27]]
    assert env.frames_played == before + 1
    played, totals = step([8, 1])
    assert played == [[8, 9], [False, False], [8, 4]]
    assert totals == [[8, 4], [1, 4], [8, 36]]


def test_the_end_of_the_game_is_no_truncation(monkeypatch):
    env, _ = make_fake(monkeypatch, [1], vectors=['game_loop'], max_episode_frames=20)
    env.reset()
    output = env.step(action_of(env), [16])
    assert not output.done[0]
    output = env.step(action_of(env), [16])
    assert output.done[0] and output.info.episode_steps[0] == 2
    assert output.observation['game_loop'][0, 0] == 0


def test_a_saved_environment_starts_the_next_episode_after_a_truncation():
    specs = envs.make_specs('MoveToBeacon')

    def make():
        return envs.SimulatedEnvironment('MoveToBeacon', [3], *specs, 8, max_episode_frames=16)

    env, other = make(), make()
    env.reset()
    other.reset()
    for _ in range(2):
        assert not env.step(action_of(env), [8]).done[0]
    other.set_state(env.get_state())
    output = other.step(action_of(env), [8])
    assert output.done[0] and output.info.episode_steps[0] == 2
    contract.check_equal(env.step(action_of(env), [8]), output)


def test_a_limit_below_1_is_refused():
    specs = envs.make_specs('MoveToBeacon')
    with pytest.raises(ValueError, match='max_episode_frames is 0, expected a positive'):
        envs.SimulatedEnvironment('MoveToBeacon', [3], *specs, 8, max_episode_frames=0)


def test_the_game_is_given_functions_pixels_and_loops_in_this_order(monkeypatch):
    env, game = make_fake(monkeypatch, screen_size=(8, 6), fixed_arguments={})
    env.reset()
    del game.tape[:]
    env.step(
        action_of(env, function=[0, 1, 2], screen=[0, 0, 5 * 8 + 7], queued=[0, 0, 1]), [1, 2, 16]
    )
    (act, function_ids, arguments), advance = game.tape
    assert act == 'act'
    assert function_ids.tolist() == [0, 7, 331]
    assert arguments['screen'].tolist() == [[0, 0], [0, 0], [7, 5]]
    assert arguments['queued'].tolist() == [0, 0, 1]
    assert advance == ('advance', [1, 2, 16])


def test_on_done_the_totals_are_old_and_the_observation_is_new(monkeypatch):
    # The seeds are the rewards here, and the episode lasts 20 frames in every game.
    env, game = make_fake(monkeypatch, vectors=('game_loop',))
    game.episode[:] = -1
    env.reset()
    first = env.step(action_of(env), [16, 8, 4])
    assert first.done.tolist() == [False, False, False]
    assert first.observation['game_loop'][:, 0].tolist() == [16, 8, 4]
    second = env.step(action_of(env), [16, 12, 4])
    assert second.done.tolist() == [True, True, False]
    assert second.reward.tolist() == [0, 1, 2]
    assert second.info.episode_return.tolist() == [0, 2, 4]
    assert second.info.episode_frames.tolist() == [20, 20, 8]
    assert second.info.episode_steps.tolist() == [2, 2, 2]
    assert not second.info.aborted.any()
    assert second.observation['game_loop'][:, 0].tolist() == [0, 0, 8]
    assert game.tape[-1] == ('reset', [True, True, False])
    third = env.step(action_of(env), [3, 3, 3])
    assert third.info.episode_return.tolist() == [0, 1, 6]
    assert third.info.episode_frames.tolist() == [3, 3, 11]
    assert third.info.episode_steps.tolist() == [1, 1, 3]


def test_rewards_may_be_negative(monkeypatch):
    env, game = make_fake(monkeypatch)
    env.reset()
    game.act = lambda function_ids, arguments: np.subtract(game.score, 3, out=game.score)
    env.step(action_of(env), [1, 1, 1])
    output = env.step(action_of(env), [1, 1, 1])
    assert output.reward.tolist() == [-3, -3, -3]
    assert output.info.episode_return.tolist() == [-6, -6, -6]


def test_available_actions_are_those_of_the_chosen_functions(monkeypatch):
    env, _ = make_fake(monkeypatch, functions=['Move_screen', 'no_op', 'select_army'])
    assert env.reset()['available_actions'].tolist() == [[False, True, False]] * 3
    output = env.step(action_of(env, function=[1, 1, 1]), [1, 2, 3])
    available = output.observation['available_actions'].tolist()
    assert available == [[True] * 3, [False, True, False], [True] * 3]


def test_only_the_layers_of_the_spec_are_drawn(monkeypatch):
    env, game = make_fake(monkeypatch, screen_layers=['selected'], minimap_layers=['camera'])
    assert set(game.observe()['screen']) == {'selected'}
    assert set(game.observe()['minimap']) == {'camera'}
    assert set(env.reset()) == {'available_actions', 'screen', 'minimap', 'player'}


def test_specs_that_do_not_fit_together_are_refused(monkeypatch):
    fake_game.install(monkeypatch)
    observation_spec, _ = envs.make_specs('MoveToBeacon')
    for change in ({'functions': ['no_op']}, {'screen_size': (8, 8)}, {'minimap_size': (8, 8)}):
        _, action_spec = envs.make_specs('MoveToBeacon', **change)
        with pytest.raises(ValueError, match='expected .* as in action_spec'):
            envs.SimulatedEnvironment('MoveToBeacon', [1], observation_spec, action_spec, 8)


@pytest.mark.parametrize('max_step_mul', [0, -1, 2.0, None])
def test_a_bad_max_step_mul_is_refused(monkeypatch, max_step_mul):
    fake_game.install(monkeypatch)
    specs = envs.make_specs('MoveToBeacon')
    with pytest.raises(ValueError, match='max_step_mul is .*, expected a positive integer'):
        envs.SimulatedEnvironment('MoveToBeacon', [1], *specs, max_step_mul=max_step_mul)


def test_no_games_are_refused(monkeypatch):
    fake_game.install(monkeypatch)
    with pytest.raises(ValueError, match='num_envs is 0'):
        envs.SimulatedEnvironment('MoveToBeacon', [], *envs.make_specs('MoveToBeacon'), 8)


def test_layers_lie_in_memory_as_if_each_had_its_own(monkeypatch):
    # uint8 layers of an odd number of bytes must not push the uint16 ones out of alignment.
    env, _ = make_fake(monkeypatch, screen_size=(5, 3), minimap_size=(3, 3), **ALL)
    observation = env.reset()
    for group in ('screen', 'minimap'):
        for name, layer in observation[group].items():
            assert layer.flags.c_contiguous and layer.flags.aligned, name
            assert type(layer) is np.ndarray, name


def test_final_observations_are_those_before_the_next_episode(monkeypatch):
    short_episodes(monkeypatch, 'MoveToBeacon', 20)
    specs = envs.make_specs('MoveToBeacon', vectors=['game_loop'])
    kept = envs.SimulatedEnvironment('MoveToBeacon', [1, 2], *specs, 9, final_observations=True)
    env = envs.SimulatedEnvironment('MoveToBeacon', [1, 2], *specs, 9)
    action, step_mul = action_of(env), np.array([9, 4])
    kept.reset()
    env.reset()
    for _ in range(6):
        output, other = kept.step(action, step_mul), env.step(action, step_mul)
        np.testing.assert_array_equal(output.done, other.done)
        assert env.final_observation is None
        assert (kept.final_observation is not None) == output.done.any()
        if output.done[0]:
            assert kept.final_observation['game_loop'].tolist()[0] == [20]
            assert output.observation['game_loop'].tolist()[0] == [0]
            np.testing.assert_array_equal(
                kept.final_observation['game_loop'][1], output.observation['game_loop'][1]
            )
    kept.step(action, np.array([9, 1]))
    kept.reset()
    assert kept.final_observation is None


def make_spread(monkeypatch, spread_frames=30, num_envs=3):
    short_episodes(monkeypatch, 'MoveToBeacon', 30)
    specs = envs.make_specs('MoveToBeacon', vectors=['game_loop'])
    seeds = list(range(num_envs))
    env = envs.SimulatedEnvironment('MoveToBeacon', seeds, *specs, 8, spread_frames=spread_frames)
    return env, action_of(env)


def test_first_episodes_are_aborted_so_that_the_games_are_in_all_parts_of_an_episode(monkeypatch):
    env, action = make_spread(monkeypatch)
    for _ in range(2):
        env.reset()
        outputs = [env.step(action, np.array([5, 5, 5])) for _ in range(12)]
        ends = [[step for step in range(12) if outputs[step].done[game]] for game in range(3)]
        # The last one ends at the same frame by itself.
        assert ends == [[1, 7], [3, 9], [5, 11]]
        for step, output in enumerate(outputs):
            assert output.info.aborted.tolist() == [step == 1, step == 3, False]
        assert outputs[3].info.episode_frames.tolist() == [10, 20, 20]
        assert outputs[3].info.episode_steps.tolist() == [2, 4, 4]
        assert outputs[3].observation['game_loop'].ravel().tolist() == [10, 0, 20]


def test_first_episodes_that_end_before_are_not_aborted(monkeypatch):
    env, action = make_spread(monkeypatch, spread_frames=90)
    env.reset()
    outputs = [env.step(action, np.array([8, 8, 8])) for _ in range(24)]
    # The first one is aborted at frame 30 or its end, which comes at the same time.
    assert not any(output.info.aborted.any() for output in outputs)


def test_spread_games_go_on_from_their_state(monkeypatch):
    env, action = make_spread(monkeypatch)
    env.reset()
    for _ in range(3):
        env.step(action, np.array([5, 5, 5]))
    state = env.get_state()
    expected = env.step(action, np.array([5, 5, 5]))
    assert expected.info.aborted.tolist() == [False, True, False]

    other, _ = make_spread(monkeypatch)
    other.reset()
    other.set_state(state)
    again = other.step(action, np.array([5, 5, 5]))
    assert again.info.aborted.tolist() == [False, True, False]
    np.testing.assert_array_equal(again.done, expected.done)
    with pytest.raises(ValueError, match='spread'):
        make_spread(monkeypatch, spread_frames=0)[0].set_state(state)


def test_games_cannot_be_spread_over_less_than_nothing(monkeypatch):
    with pytest.raises(ValueError, match='spread_frames is -1, expected at least 0'):
        make_spread(monkeypatch, spread_frames=-1)


def test_a_unit_is_selected_and_ordered_in_one_step():
    functions = ('no_op', 'select_point+Move_screen', 'select_point', 'Move_screen')
    specs = envs.make_specs('CollectMineralShards', functions, fixed_arguments={'queued': 0})
    first, second = (
        envs.SimulatedEnvironment('CollectMineralShards', [3, 4], *specs, 8) for _ in range(2)
    )
    shown = first.reset()['screen']['player_relative'].reshape(2, -1)
    second.reset()
    units = [np.flatnonzero(row == 1)[0] for row in shown]
    steps = np.full([2], 8, np.int32)
    # A game selects and moves in one step, the other one only moves what is selected.
    together = action_of(first, function=[1, 3], screen2=units, screen=[5, 5])
    output = first.step(together, steps)
    second.game.act(np.array([2, 0]), {'screen': np.array([[u % 16, u // 16] for u in units])})
    expected = second.step(action_of(second, function=[3, 3], screen=[5, 5]), steps)
    np.testing.assert_equal(output.observation, expected.observation)
    np.testing.assert_array_equal(first.game.games.x, second.game.games.x)
    assert output.observation['screen']['selected'][0].sum() == 1


def test_a_building_is_selected_and_trains_in_one_step():
    single = {'queued': 0, 'select_point_act': 0}
    functions = 'no_op', 'select_point+Train_SCV_quick', 'select_idle_worker+Harvest_Gather_screen'
    specs = envs.make_specs('CollectMineralsAndGas', functions, fixed_arguments=single)
    env = envs.SimulatedEnvironment('CollectMineralsAndGas', [3, 4], *specs, 8)
    observed = env.reset()
    # Workers are idle at first.
    assert observed['available_actions'].all()
    centers = [np.flatnonzero(shown == 18)[0] for shown in observed['screen']['unit_type']]
    action = action_of(env, function=[1, 0], screen2=centers)
    observed = env.step(action, np.full([2], 8, np.int32)).observation
    assert observed['player'][:, 1].tolist() == [0, 50]
