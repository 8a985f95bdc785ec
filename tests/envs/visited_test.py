"""The layer that remembers where own units were, against loops over pixels and games."""

import numpy as np
import pytest

from sc2impala import envs, structs
from sc2impala.envs import vector, visited
from tests.envs import contract
from tests.sim.maps import short_episodes

MAP = 'FindAndDefeatZerglings'
OWN, ENEMY = 1, 4
WIDTH, HEIGHT = 24, 32


class Walk(vector.VectorEnvironment):
    """Two games with one own unit each, at given pixels; the second one ends at given steps."""

    def __init__(self, path, frames, ends=()):
        spec, action_spec = envs.make_specs(
            MAP, minimap_size=(WIDTH, HEIGHT), minimap_layers=('camera', 'player_relative')
        )
        super().__init__(2, spec, action_spec, 8)
        self.path, self.frames, self.ends = path, frames, ends
        self.now, self.played = 0, np.zeros([2], np.int32)

    def observe(self):
        shown = np.zeros([2, HEIGHT, WIDTH], np.uint8)
        for game, (x, y) in enumerate(self.path[self.now]):
            shown[game, y, x] = OWN
        shown[:, 0, 0] = ENEMY
        return {'minimap': {'camera': np.ones_like(shown), 'player_relative': shown}}

    def reset(self):
        self.now, self.played[:] = 0, 0
        return self.observe()

    def step(self, action, step_mul):
        self.now += 1
        self.played += self.frames
        done = np.array([False, self.now in self.ends])
        info = structs.EpisodeInfo(
            episode_return=np.zeros([2], np.float32),
            episode_frames=self.played.copy(),
            episode_steps=np.zeros([2], np.int32),
            aborted=np.zeros([2], bool),
        )
        self.played[done] = 0
        return structs.EnvOutput(np.zeros([2], np.float32), info, done, self.observe())

    def close(self):
        pass


def reference(history, frames, area):
    """The layer of one game, from the pixels (x, y) of its own unit at earlier frames."""
    expected = np.zeros([HEIGHT, WIDTH], np.uint8)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if not area[y, x]:
                expected[y, x] = 5
                continue
            # In cells of a map of 64.
            times = [
                frame
                for frame, (column, row) in history
                if np.hypot((x - column) * 64 / WIDTH, (y - row) * 64 / HEIGHT) <= 6 + 1e-9
            ]
            if times and times[-1] == frames:
                expected[y, x] = 5
            elif times:
                ends = [visited.MEMORY_FRAMES * quarter / 4 for quarter in (1, 2, 3, 4)]
                expected[y, x] = sum(frames - times[-1] <= end for end in ends)
    return expected


ALL = np.ones([HEIGHT, WIDTH], bool)
INSIDE = (np.arange(HEIGHT) >= 2)[:, np.newaxis] & (np.arange(WIDTH) < 21)


@pytest.mark.parametrize('area', [ALL, INSIDE])
def test_labels_against_loops(area):
    path = [[(1, 1), (12, 9)], [(4, 2), (12, 9)], [(4, 2), (20, 31)], [(9, 9), (19, 30)]]
    path += [[(23, 15), (2, 3)], [(0, 31), (3, 3)]]
    steps = (visited.MEMORY_FRAMES // 4, visited.MEMORY_FRAMES // 4 - 7)
    env = visited.VisitedEnvironment(
        Walk(path, np.array(steps, np.int32), ends=(3,)), ['visited', 'camera'], area
    )
    observations = [env.reset()]
    for _ in path[1:]:
        observations.append(env.step({}, np.ones([2], np.int32)).observation)
    for game in range(2):
        history, frames = [], 0
        for now, observation in enumerate(observations):
            if game == 1 and now == 3:
                history, frames = [], 0
            history.append((frames, path[now][game]))
            assert sorted(observation['minimap']) == ['camera', 'visited']
            np.testing.assert_array_equal(
                observation['minimap']['visited'][game], reference(history, frames, area)
            )
            frames += steps[game]
    again = env.reset()['minimap']['visited']
    np.testing.assert_array_equal(again, observations[0]['minimap']['visited'])
    labels = [set(np.unique(seen['minimap']['visited'][0])) for seen in observations]
    assert labels[0] == {0, 5} and set.union(*labels) == set(range(6))


@pytest.mark.parametrize('size', [(24, 24), (32, 16)])
def test_only_where_units_can_walk_is_visited(size):
    width, height = size
    area = visited.playable(MAP, size)
    assert area.shape == (height, width)
    for y in range(height):
        for x in range(width):
            # In cells from the top left of a map of 64.
            column, row = (x + 0.5) * 64 / width, (y + 0.5) * 64 / height
            assert area[y, x] == (10 < column < 54 and 20 < row < 52)
    assert visited.playable('Frames', size).all()


def test_games_know_their_area():
    both = envs.make_specs(MAP, minimap_size=(32, 32), minimap_layers=('visited',))
    with envs.make_environment('simulator', MAP, [3], *both, max_step_mul=8) as env:
        layer = env.reset()['minimap']['visited'][0]
    outside = ~visited.playable(MAP, (32, 32))
    assert (layer[outside] == 5).all()
    assert set(np.unique(layer[~outside])) == {0, 5}


@pytest.mark.parametrize('layers', [('visited',), ('camera', 'visited', 'player_relative')])
def test_contract(monkeypatch, layers):
    short_episodes(monkeypatch, MAP, 240)
    both = envs.make_specs(
        MAP, minimap_size=(12, 16), minimap_layers=layers, vectors=('player', 'game_loop')
    )
    contract.check_vector_environment(
        lambda: envs.make_environment('simulator', MAP, [7, 8, 9], *both, max_step_mul=20)
    )


def test_random_games_have_it_as_well():
    both = envs.make_specs(MAP, minimap_layers=('visited',))
    with envs.make_environment('synthetic', MAP, range(2), *both, max_step_mul=8) as env:
        assert set(env.reset()['minimap']) == {'visited'}


def test_the_spec_has_its_labels():
    spec = envs.make_specs(MAP, minimap_layers=('visited', 'camera'))[0]
    layer = spec.minimap_layers[0]
    assert (layer.name, layer.scale, layer.categorical) == ('visited', 6, True)
    assert spec.structure()['minimap']['visited'].dtype == np.uint8
    of_all = envs.make_specs(MAP, minimap_layers='all')[0]
    assert 'visited' not in [each.name for each in of_all.minimap_layers]
    with pytest.raises(ValueError, match="minimap_layers has 'visited' 2 times"):
        envs.make_specs(MAP, minimap_layers=('visited', 'visited'))
    with pytest.raises(ValueError, match="screen_layers has 'visited'"):
        envs.make_specs(MAP, screen_layers=('visited',))


def test_games_without_the_layer_are_not_wrapped():
    both = envs.make_specs(MAP)
    with envs.make_environment('simulator', MAP, [3], *both, max_step_mul=8) as env:
        assert isinstance(env, envs.SimulatedEnvironment)
