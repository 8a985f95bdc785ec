import numpy as np
import pytest

from sc2impala.envs.specs import make_observation_spec
from sc2impala.watch import layers


def convert(values, name='unit_hit_points'):
    spec = make_observation_spec((4, 4), (4, 4), [name], [], [], 3)
    return layers.convert(spec, [{'screen': {name: each}} for each in values])


def test_large_amounts_are_scaled():
    values = np.zeros([2, 4, 4], np.uint16)
    values[1, 2, 3] = 1500
    values[0, 0, 0] = 750
    (layer,), left_out = convert(values)
    assert layer.top == 1500 and not layer.labels and not left_out
    assert layer.values[1, 2, 3] == 255 and layer.values[0, 0, 0] == 128


def test_categories_have_labels():
    values = np.zeros([1, 4, 4], np.uint16)
    values[0, 1, 1], values[0, 2, 2] = 48, 110
    (layer,), _ = convert(values, 'unit_type')
    assert layer.labels == ['none', 'Marine', 'Roach']
    assert layer.values[0, 1, 1] == 1 and layer.values[0, 2, 2] == 2
    (layer,), _ = convert(np.full([1, 4, 4], 4, np.uint8), 'player_relative')
    assert layer.labels == ['enemy'] and not layer.values.any()


def test_the_largest_layers_are_left_out(monkeypatch):
    rng = np.random.RandomState(0)
    names = ['player_relative', 'unit_density']
    spec = make_observation_spec((16, 16), (4, 4), names, [], [], 3)
    noise = rng.randint(0, 16, (20, 16, 16)).astype(np.uint8)
    steps = [
        {'screen': {'player_relative': np.zeros([16, 16], np.uint8), 'unit_density': each}}
        for each in noise
    ]
    monkeypatch.setattr(layers, 'MAX_BYTES', 1000)
    kept, left_out = layers.convert(spec, steps)
    assert [layer.name for layer in kept] == ['player_relative']
    assert left_out == ['screen unit_density']


@pytest.mark.parametrize('game', [0, 1])
def test_layers_of_one_game_are_copies(game):
    screen = np.arange(2 * 3 * 3).reshape(2, 3, 3)
    found = layers.first_game({'screen': {'a': screen}, 'player': None}, game)
    before = screen[game].copy()
    screen[:] = 0
    np.testing.assert_array_equal(found['screen']['a'], before)
