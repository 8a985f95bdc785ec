import importlib
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from sc2impala import envs, sim
from sc2impala.envs import players
from tests.sim import maps

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

try:
    gymnasium = importlib.import_module('gymnasium')
    gym = importlib.import_module('sc2impala.envs.gym')
except ImportError:
    gymnasium = gym = None

needs_gymnasium = pytest.mark.skipif(gym is None, reason='gymnasium is not installed')

ID = 'sc2impala/MoveToBeacon-v0'
TOTALS = ('episode_return', 'episode_frames', 'episode_steps')


@pytest.fixture
def short_episodes(monkeypatch):
    """Episodes of 100 frames on every map."""
    for map_name in sim.MAP_NAMES:
        maps.short_episodes(monkeypatch, map_name, 100)


def run_python(code):
    environment = dict(os.environ, PYTHONPATH=ROOT)
    return subprocess.run(
        [sys.executable, '-c', code], env=environment, stderr=subprocess.PIPE, check=False
    )


def assert_equal(one, other):
    """Compares nested dicts and object arrays of arrays and numbers, with their dtypes."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            assert_equal(one[name], other[name])
    elif isinstance(one, np.ndarray) and one.dtype == object:
        assert one.shape == other.shape
        for value, other_value in zip(one, other):
            assert_equal(value, other_value)
    else:
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype


def play(env, num_steps, seed=7):
    """Returns what reset and `num_steps` random steps return; starts again where it has to."""
    env.action_space.seed(seed)
    history = [env.reset(seed=seed)]
    for _ in range(num_steps):
        history.append(env.step(env.action_space.sample()))
        if np.ndim(history[-1][2]) == 0 and history[-1][2]:
            history.append(env.reset())
    return history


def assert_histories_equal(history, other):
    assert len(history) == len(other)
    for result, other_result in zip(history, other):
        for value, other_value in zip(result, other_result):
            assert_equal(value, other_value)


def test_without_gymnasium_the_import_says_what_to_install():
    code = "import sys; sys.modules['gymnasium'] = None; import sc2impala.envs.gym"
    result = run_python(code)
    last_line = result.stderr.decode().strip().splitlines()[-1]
    assert result.returncode == 1
    assert last_line == (
        'ImportError: sc2impala.envs.gym needs gymnasium 1.1 or newer on Python 3.11 or newer: '
        "pip install 'sc2impala[gym]'."
    )


def test_other_environments_do_not_load_gymnasium():
    code = "import sys, sc2impala.envs; assert 'gymnasium' not in sys.modules"
    assert run_python(code).returncode == 0


@needs_gymnasium
def test_a_name_with_the_module_needs_no_import_and_no_tensorflow():
    code = (
        'import sys, gymnasium\n'
        f"env = gymnasium.make('sc2impala.envs.gym:{ID}')\n"
        'env.reset(seed=0); env.step(env.action_space.sample())\n'
        "assert not {'tensorflow', 'sonnet', 'matplotlib'} & set(sys.modules)\n"
    )
    result = run_python(code)
    assert result.returncode == 0, result.stderr.decode()


@needs_gymnasium
def test_games_of_a_map_by_its_name():
    game = gym.make('MoveToBeacon', step_mul=4, max_episode_steps=3)
    assert game.spec.id == ID and game.spec.max_episode_steps == 3
    assert gym.make_vec('MoveToBeacon', 2).num_envs == 2
    for make in (gym.make, lambda name: gym.make_vec(name, 2)):
        with pytest.raises(ValueError, match='Simple64 is not a map of the simulator, expected'):
            make('Simple64')


@needs_gymnasium
@pytest.mark.parametrize('map_name', sim.MAP_NAMES)
def test_the_checker_of_gymnasium_has_no_complaints(map_name):
    from gymnasium.utils import env_checker

    env = gymnasium.make(gym.ENV_IDS[map_name], render_mode='rgb_array')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        env_checker.check_env(env.unwrapped)
    env.close()


@needs_gymnasium
@pytest.mark.parametrize('map_name', sim.MAP_NAMES)
def test_the_vector_environment_equals_single_ones(short_episodes, map_name):
    options = {'choose_step_mul': True, 'step_mul': 40, 'vectors': ['player', 'game_loop']}
    if map_name == 'FindAndDefeatZerglings':
        options['minimap_layers'] = ['visited', 'visibility_map']
    make = gymnasium.make_vec
    same_step = {'autoreset_mode': gymnasium.vector.AutoresetMode.SAME_STEP}
    native = make(gym.ENV_IDS[map_name], num_envs=3, **options)
    single = make(
        gym.ENV_IDS[map_name],
        num_envs=3,
        vectorization_mode='sync',
        vector_kwargs=same_step,
        **options,
    )
    assert isinstance(native, gym.MiniGameVectorEnv)
    assert native.observation_space == single.observation_space
    assert native.action_space == single.action_space
    assert native.metadata['autoreset_mode'] == single.metadata['autoreset_mode']
    history, other = play(native, 20), play(single, 20)
    assert sum(result[2].sum() for result in history[1:]) >= 6
    assert_histories_equal(history, other)
    native.close()
    single.close()


@needs_gymnasium
def test_the_same_seed_plays_the_same_games(short_episodes):
    for env in (gymnasium.make(ID), gymnasium.make_vec(ID, num_envs=2)):
        history = play(env, 30)
        assert_histories_equal(history, play(env, 30))
        other = play(env, 30, seed=8)
        beacons = [h[0][0]['screen_player_relative'] for h in (history, other)]
        assert (beacons[0] != beacons[1]).any()


@needs_gymnasium
def test_a_list_of_seeds_gives_each_game_its_own():
    env = gymnasium.make_vec(ID, num_envs=3)
    listed, _ = env.reset(seed=[5, 9, 5])
    counted, _ = env.reset(seed=5)
    layer = 'screen_player_relative'
    np.testing.assert_array_equal(listed[layer][0], listed[layer][2])
    np.testing.assert_array_equal(listed[layer][0], counted[layer][0])
    assert (listed[layer][1] != counted[layer][1]).any()


@needs_gymnasium
def test_without_a_seed_the_next_episode_of_the_last_one_begins(short_episodes):
    env = gymnasium.make(ID).unwrapped
    first, _ = env.reset(seed=4)
    second, _ = env.reset()
    again, _ = env.reset(seed=4)
    terminated = False
    while not terminated:
        _, _, terminated, _, _ = env.step([0, 0])
    after_the_end, info = env.reset()
    assert_equal(first, again)
    assert_equal(second, after_the_end)
    assert (first['screen_player_relative'] != second['screen_player_relative']).any()
    assert [info[name] for name in TOTALS] == [0, 0, 0]


@needs_gymnasium
def test_the_first_reset_without_a_seed_draws_one():
    layers = [gymnasium.make(ID).reset()[0]['screen_player_relative'] for _ in range(3)]
    assert any((layers[0] != layer).any() for layer in layers[1:])
    games = gymnasium.make_vec(ID, num_envs=8).reset()[0]['screen_player_relative']
    assert any((games[0] != layer).any() for layer in games[1:])


@needs_gymnasium
def test_an_episode_ends_by_the_clock_and_terminates():
    env = gymnasium.make(ID, vectors=['game_loop'], step_mul=100).unwrapped
    env.reset(seed=1)
    frames = []
    terminated = False
    while not terminated:
        observation, _, terminated, truncated, info = env.step([0, 0])
        frames.append(info['episode_frames'])
        assert observation['game_loop'].tolist() == [frames[-1]]
        assert not truncated
    assert frames == list(range(100, 1901, 100)) + [1920]
    with pytest.raises(gymnasium.error.ResetNeeded, match='The episode has ended'):
        env.step([0, 0])


@needs_gymnasium
def test_step_mul_is_that_of_the_map_or_chosen():
    for map_name, step_mul in (('MoveToBeacon', 8), ('BuildMarines', 16)):
        env = gymnasium.make(gym.ENV_IDS[map_name])
        env.reset(seed=0)
        info = env.step(np.zeros(len(env.action_space.nvec), np.int64))[-1]
        assert info['episode_frames'] == step_mul
    env = gymnasium.make(ID, step_mul=5, choose_step_mul=True)
    assert env.action_space.nvec.tolist() == [3, 256, 5]
    env.reset(seed=0)
    assert [env.step([0, 0, v])[-1]['episode_frames'] for v in (0, 4, 2)] == [1, 6, 9]


@needs_gymnasium
def test_rules_of_the_simulator_can_differ():
    def observe_after(make, rules):
        env = make(ID, step_mul=40, simulator_rules=rules)
        env.reset(seed=3)
        noop = np.zeros(env.action_space.shape, np.int64)
        for choice in ([1, 0], [2, 0]):
            observation = env.step(noop + choice)[0]
        return observation['screen_player_relative'].reshape(16, 16)

    for make in (gymnasium.make, gymnasium.make_vec):
        fast, slow, same = (
            observe_after(make, rules) for rules in (None, {'marine.speed': 0.02}, {})
        )
        np.testing.assert_array_equal(fast, same)
        assert np.any(fast != slow)


@needs_gymnasium
def test_a_point_is_a_pixel_of_the_screen():
    env = gymnasium.make(ID, screen_size=(12, 20)).unwrapped
    assert env.action_space.nvec.tolist() == [3, 240]
    assert env.observation_space['screen_selected'].shape == (20, 12)
    observation, info = env.reset(seed=3)
    rewards = 0.0
    for _ in range(40):
        if info['available_actions'][2]:
            ys, xs = np.nonzero(observation['screen_player_relative'] == 3)
            action = [2, int(ys.mean()) * 12 + int(xs.mean())]
        else:
            action = [1, 0]
        observation, reward, _, _, info = env.step(action)
        rewards += reward
    assert rewards >= 2
    assert info['episode_return'] == rewards


@needs_gymnasium
def test_masks_and_unavailable_functions():
    env = gymnasium.make(ID)
    observation, info = env.reset(seed=0)
    assert info['available_actions'].tolist() == [1, 1, 0]
    np.testing.assert_array_equal(observation['available_actions'], info['available_actions'])
    masks = env.unwrapped.action_masks()
    assert masks.dtype == np.bool_
    assert masks.tolist() == [True, True, False] + [True] * 256
    observation, _, _, _, info = env.step([2, 100])
    assert observation['screen_selected'].sum() == 0, 'an unavailable function has no effect'
    observation, _, _, _, info = env.step([1, 0])
    assert info['available_actions'].tolist() == [1, 1, 1]
    assert observation['screen_selected'].sum() > 0
    assert env.unwrapped.action_masks().all()


@needs_gymnasium
def test_masks_of_all_games():
    env = gymnasium.make_vec(ID, num_envs=2)
    env.reset(seed=0)
    _, _, _, _, infos = env.step(np.array([[1, 0], [0, 0]]))
    assert infos['available_actions'].tolist() == [[1, 1, 1], [1, 1, 0]]
    masks = env.action_masks()
    assert masks.shape == (2, 3 + 256) and masks.dtype == np.bool_
    np.testing.assert_array_equal(masks[:, :3], infos['available_actions'])
    assert masks[:, 3:].all()


@needs_gymnasium
def test_the_spaces_hold_what_the_specs_say():
    env = gymnasium.make(
        'sc2impala/FindAndDefeatZerglings-v0',
        functions=['no_op', 'select_rect', 'Attack_minimap'],
        screen_size=[10, 8],
        minimap_size=[6, 5],
        screen_layers=['unit_type', 'unit_hit_points'],
        minimap_layers='all',
        vectors=['feature_units'],
        fixed_arguments={'select_add': 0, 'queued': 0},
    ).unwrapped
    space = env.observation_space
    assert space['screen_unit_type'].dtype == np.uint16
    assert space['screen_unit_type'].high.max() == 1961
    assert space['screen_unit_hit_points'].high.max() == 65535
    assert space['screen_unit_hit_points'].shape == (8, 10)
    assert space['minimap_camera'].shape == (5, 6)
    assert space['feature_units'].dtype == np.int32
    assert space['available_actions'] == gymnasium.spaces.MultiBinary(3)
    assert list(env.action_spec.heads) == ['function', 'screen', 'minimap', 'screen2']
    assert env.action_space.nvec.tolist() == [3, 80, 30, 80]
    observation, _ = env.reset(seed=0)
    assert observation in space


@needs_gymnasium
@pytest.mark.filterwarnings('ignore:.*render_mode')
def test_bad_arguments_are_refused():
    for arguments, message in [
        ({'screen_size': 16}, 'screen_size is 16, expected'),
        ({'functions': ['no_op', 'dance']}, "functions has 'dance'"),
        ({'screen_layers': ['selecte']}, "screen_layers has 'selecte'"),
        ({'step_mul': 0}, 'step_mul is 0, expected a positive integer'),
        (
            {'layers': 'all'},
            "the keyword argument is 'layers', expected one of: step_mul, choose_step_mul, "
            'render_mode, simulator_rules, functions, ',
        ),
        ({'max_episode_steps': 9}, 'max_episode_steps is 9, expected none: the clock of the map'),
        ({'render_mode': 'human'}, "render_mode is 'human', expected None or 'rgb_array'"),
        ({'simulator_rules': {'marine.sped': 1}}, 'marine.sped'),
        ({'map_name': 'Beacon'}, "map_name is 'Beacon', expected one of: MoveToBeacon"),
    ]:
        for cls in (gym.MiniGameEnv, gym.MiniGameVectorEnv):
            with pytest.raises(ValueError, match=message):
                cls(**dict({'map_name': 'MoveToBeacon'}, **arguments))


@needs_gymnasium
def test_episodes_that_gymnasium_truncates():
    for limit in (None, -1):
        gymnasium.make_vec(ID, num_envs=2, max_episode_steps=limit).close()
    one = gymnasium.make(ID, max_episode_steps=3)
    games = gymnasium.make_vec(ID, 2, vectorization_mode='sync', max_episode_steps=3)
    for env in (one, games):
        env.reset(seed=0)
        ends = [np.asarray(env.step(env.action_space.sample())[2:4]) for _ in range(3)]
        assert not np.any(ends[:2]) and not ends[2][0].any() and ends[2][1].all()
        env.close()


@needs_gymnasium
def test_statistics_of_gymnasium_count_every_step(short_episodes):
    """Those of versions before 1.4 leave out the first step of all episodes but the first."""
    env = gymnasium.make_vec(ID, num_envs=2, step_mul=24)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    env.action_space.seed(3)
    env.reset(seed=0)
    counts = []
    for _ in range(15):
        infos = env.step(env.action_space.sample())[-1]
        if 'final_info' in infos:
            np.testing.assert_array_equal(
                infos['episode']['l'], infos['final_info']['episode_steps']
            )
            np.testing.assert_array_equal(
                infos['episode']['r'], infos['final_info']['episode_return']
            )
            counts.append(infos['episode']['l'].tolist())
    assert counts == [[5, 5]] * 3
    env.close()


@needs_gymnasium
def test_bad_numbers_of_games_and_seeds_are_refused():
    with pytest.raises(ValueError, match='num_envs is 0'):
        gym.MiniGameVectorEnv('MoveToBeacon', 0)
    env = gym.MiniGameVectorEnv('MoveToBeacon', 2)
    for seed, message in (([1, 2, 3], 'seed has 3 seeds, expected 2'), (-1, 'seed has -1')):
        with pytest.raises(ValueError, match=message):
            env.reset(seed=seed)
    single = gym.MiniGameEnv('MoveToBeacon')
    for seed in (-1, 2**63, 0.5):
        with pytest.raises(ValueError, match='expected integers in 0..9223372036854775807'):
            single.reset(seed=seed)
    for one in (env, single):
        with pytest.raises(ValueError, match='reset has no options'):
            one.reset(options={'reset_mask': None})


@needs_gymnasium
@pytest.mark.parametrize(
    'action, message',
    [
        ([0], r'action has shape \[1, 1\], expected \[1, 2\]: function, screen'),
        ([3, 0], r"action\['function'\] has 3, expected 0..2"),
        ([0, -1], r"action\['screen'\] has -1"),
        ([0.5, 0.0], 'expected integers'),
    ],
)
def test_bad_actions_are_refused(action, message):
    env = gym.MiniGameEnv('MoveToBeacon')
    games = gym.MiniGameVectorEnv('MoveToBeacon')
    for one, actions in ((env, action), (games, [action])):
        with pytest.raises(gymnasium.error.ResetNeeded, match='before reset'):
            one.step(actions)
        one.reset(seed=0)
        with pytest.raises(ValueError, match=message):
            one.step(actions)
        one.close()
        with pytest.raises(gymnasium.error.ResetNeeded):
            one.step(actions)


@needs_gymnasium
def test_returned_arrays_are_left_alone():
    env = gymnasium.make_vec(ID, num_envs=2)
    observation, infos = env.reset(seed=0)
    kept = {name: array.copy() for name, array in observation.items()}
    mask = infos['available_actions'].copy()
    for _ in range(5):
        env.step(np.array([[1, 0], [2, 200]]))
    assert_equal(observation, kept)
    np.testing.assert_array_equal(infos['available_actions'], mask)


@needs_gymnasium
def test_pictures_show_observation_and_action(short_episodes):
    env = gymnasium.make(ID, render_mode='rgb_array')
    env.reset(seed=0)
    first = env.render()
    assert first.dtype == np.uint8 and first.ndim == 3 and first.shape[2] == 3
    env.step([1, 0])
    env.step([2, 100])
    moved = env.render()
    assert moved.shape == first.shape and (moved != first).any()
    marker = 100 % 16 * 13 + 6 + 8, 100 // 16 * 13 + 6 + 26
    assert moved[marker[1], marker[0]].tolist() == [255, 255, 255], 'the point is marked'
    env.reset(seed=0)
    np.testing.assert_array_equal(env.render(), first)


@needs_gymnasium
def test_pictures_of_all_games(short_episodes):
    env = gymnasium.make_vec(ID, num_envs=2, render_mode='rgb_array')
    single = gymnasium.make(ID, render_mode='rgb_array')
    assert env.render() is None
    env.reset(seed=[3, 4])
    single.reset(seed=4)
    for action in ([1, 0], [2, 30]):
        env.step(np.array([[0, 0], action]))
        single.step(action)
    pictures = env.render()
    assert len(pictures) == 2
    np.testing.assert_array_equal(pictures[1], single.render())
    for _ in range(11):
        env.step(np.zeros([2, 2], np.int64))
    first_of_next = env.render()
    env.reset(seed=[3, 4])
    env.reset()
    np.testing.assert_array_equal(first_of_next[0], env.render()[0])
    assert gymnasium.make_vec(ID, num_envs=1).render() is None


@needs_gymnasium
def test_the_random_player_scores_as_on_the_package_environment():
    """The same actions in the same games have the same returns through both interfaces."""
    observation_spec, action_spec = envs.make_specs('MoveToBeacon')
    own = envs.make_environment(
        'simulator', 'MoveToBeacon', [0, 1], observation_spec, action_spec, 8
    )
    games = gymnasium.make_vec(ID, num_envs=2)
    player = players.RandomPlayer(action_spec, np.random.RandomState(0))
    observation = own.reset()
    games.reset(seed=0)
    for _ in range(60):
        action = player.act(observation)
        output = own.step(action, np.full([2], 8))
        observation = output.observation
        flat, reward, _, _, infos = games.step(np.stack([action[h] for h in action], axis=1))
        np.testing.assert_array_equal(reward, output.reward)
        np.testing.assert_array_equal(infos['episode_return'], output.info.episode_return)
        for name, layer in observation['screen'].items():
            np.testing.assert_array_equal(flat['screen_' + name], layer)
        np.testing.assert_array_equal(flat['player'], observation['player'])
