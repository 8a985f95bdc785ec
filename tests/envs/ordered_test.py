"""The layer that remembers targets of orders, against loops over the actions of games."""

import numpy as np
import pytest

from sc2impala import envs, structs
from sc2impala.envs import vector
from tests.envs import contract
from tests.sim.maps import short_episodes

MAP = 'CollectMineralShards'
FUNCTIONS = ('no_op', 'select_point', 'Move_screen', 'select_point+Move_screen', 'move_camera')
WIDTH, HEIGHT = 12, 16
GAMES, ENDS = 3, 20


class Clock(vector.VectorEnvironment):
    """Games without anything but frames; the last one ends every ENDS steps."""

    def __init__(self, spec, action_spec, final=False):
        super().__init__(GAMES, spec, action_spec, 400)
        self.steps, self.played, self.final = 0, np.zeros([GAMES], np.int32), final
        self.final_observation = None

    def observe(self):
        shown = np.full([GAMES, HEIGHT, WIDTH], self.steps % 5, np.uint8)
        return {'available_actions': np.ones([GAMES, 5], bool), 'screen': {'selected': shown}}

    def reset(self):
        self.steps, self.played[:] = 0, 0
        return self.observe()

    def step(self, action, step_mul):
        self.steps += 1
        self.played += step_mul
        done = np.zeros([GAMES], bool)
        done[-1] = self.steps % ENDS == 0
        zeros = np.zeros([GAMES], np.float32)
        info = structs.EpisodeInfo(zeros, self.played.copy(), np.zeros([GAMES], np.int32), done)
        self.final_observation = self.observe() if self.final and done.any() else None
        self.played[done] = 0
        return structs.EnvOutput(zeros, info, done, self.observe())

    def close(self):
        pass


def make_specs(layers=('selected', 'ordered')):
    return envs.make_specs(
        MAP,
        functions=FUNCTIONS,
        screen_size=(WIDTH, HEIGHT),
        screen_layers=layers,
        minimap_layers=(),
        vectors=(),
    )


def draw(rng, action_spec):
    action = {head: rng.randint(size, size=GAMES) for head, size in action_spec.heads.items()}
    # Rarely a move of the camera, which makes all of it forgotten.
    action['function'] = rng.choice(5, size=GAMES, p=[0.25, 0.2, 0.3, 0.2, 0.05])
    return action


def reference(history, now):
    """The layer of one game, from its earlier actions: (frame, function, x, y)."""
    layer = np.zeros([HEIGHT, WIDTH], np.uint8)
    for frame, function, x, y in history:
        if function == 'move_camera':
            layer[:] = 0
        elif function in ('Move_screen', 'select_point+Move_screen'):
            ages = [now - frame <= most for most in (16, 48, 128, 320)]
            layer[y, x] = sum(ages)
    return layer


def test_labels_against_loops():
    spec, action_spec = make_specs()
    rng = np.random.RandomState(0)

    def make(played):
        assert [layer.name for layer in played.screen_layers] == ['selected']
        return Clock(played, action_spec, final=True)

    env = envs.with_own_layers(make, MAP, spec)
    seen, after_camera = set(), 0
    for _ in range(2):
        assert not env.reset()['screen']['ordered'].any()
        history, frames = [[] for _ in range(GAMES)], np.zeros([GAMES], int)
        for _ in range(2 * ENDS + 5):
            action, step_mul = draw(rng, action_spec), rng.randint(1, 60, size=GAMES)
            output = env.step(action, step_mul)
            screen = output.observation['screen']
            assert list(screen) == ['ordered', 'selected']
            assert screen['ordered'].dtype == np.uint8
            for game in range(GAMES):
                function = FUNCTIONS[action['function'][game]]
                y, x = divmod(int(action['screen'][game]), WIDTH)
                history[game].append((frames[game], function, x, y))
                frames[game] += step_mul[game]
                expected = reference(history[game], frames[game])
                after_camera += function == 'move_camera'
                if output.done[game]:
                    final = env.final_observation['screen']['ordered'][game]
                    np.testing.assert_array_equal(final, expected)
                    history[game], frames[game] = [], 0
                    expected = np.zeros_like(expected)
                np.testing.assert_array_equal(screen['ordered'][game], expected)
                seen |= set(np.unique(expected))
    assert seen == set(range(5)) and after_camera > 3


@pytest.mark.parametrize('layers', [('ordered',), ('selected', 'ordered', 'player_relative')])
def test_contract(monkeypatch, layers):
    short_episodes(monkeypatch, MAP, 240)
    both = make_specs(layers)
    contract.check_vector_environment(
        lambda: envs.make_environment('simulator', MAP, [7, 8, 9], *both, max_step_mul=20)
    )


def test_both_layers_of_the_package_in_one_environment():
    map_name = 'FindAndDefeatZerglings'
    both = envs.make_specs(
        map_name,
        functions=('no_op', 'Attack_screen'),
        screen_layers=('ordered',),
        minimap_layers=('visited', 'camera'),
    )
    with envs.make_environment('simulator', map_name, [3], *both, max_step_mul=8) as env:
        env.reset()
        action = {head: np.ones([1], np.int32) for head in both[1].heads}
        observation = env.step(action, np.array([8])).observation
        assert isinstance(env.unwrapped, envs.SimulatedEnvironment)
    assert observation['screen']['ordered'][0, 0, 1] == 4
    assert observation['screen']['ordered'].sum() == 4
    assert list(observation['minimap']) == ['camera', 'visited']
    assert set(np.unique(observation['minimap']['visited'])) == {0, 5}


def test_the_spec_has_its_labels():
    spec = make_specs()[0]
    layer = spec.screen_layers[1]
    assert (layer.name, layer.scale, layer.categorical) == ('ordered', 5, True)
    of_all = envs.make_specs(MAP, screen_layers='all')[0]
    assert 'ordered' not in [each.name for each in of_all.screen_layers]
    with pytest.raises(ValueError, match="minimap_layers has 'ordered'"):
        envs.make_specs(MAP, minimap_layers=('ordered',))


def test_games_without_the_layer_are_not_wrapped():
    both = make_specs(('selected',))
    with envs.make_environment('simulator', MAP, [3], *both, max_step_mul=8) as env:
        assert isinstance(env, envs.SimulatedEnvironment)
