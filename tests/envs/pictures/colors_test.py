import numpy as np
import pytest

from sc2impala.envs.pictures import colors
from sc2impala.envs.specs import LayerSpec


def rgb(layer, values, low=0, high=1):
    return colors.PALETTE[colors.color_layer(layer, np.array([values]), low, high)][0].astype(int)


def test_the_palette_has_at_most_256_unique_colors():
    # Pillow looks up palette indices by color, so the colors must be unique.
    assert len(colors.PALETTE) <= 256
    assert len(np.unique(colors.PALETTE, axis=0)) == len(colors.PALETTE)


def test_friend_and_foe_are_green_and_red():
    layer = LayerSpec('player_relative', 5, categorical=True)
    none, own, ally, neutral, enemy = rgb(layer, np.arange(5, dtype=np.uint8))
    assert none.max() < 20
    assert own.argmax() == 1 and own[1] > 2 * own[0]
    assert ally[0] > 200 and ally[1] > 200 and ally[2] < 100
    assert neutral.argmax() == 2 and np.ptp(neutral) < 100
    assert enemy.argmax() == 0 and enemy[0] > 2 * enemy[1]


@pytest.mark.parametrize('name, scale', [('selected', 2), ('player_id', 17), ('visibility_map', 4)])
def test_labels_of_small_layers_differ(name, scale):
    layer = LayerSpec(name, scale, categorical=True)
    values = rgb(layer, np.arange(scale, dtype=np.uint8))
    assert len(np.unique(values, axis=0)) == scale
    assert values[0].max() < 20


def test_many_labels_share_colors_but_not_that_of_label_zero():
    layer = LayerSpec('unit_type', 1962, categorical=True)
    values = rgb(layer, np.arange(1962, dtype=np.uint16))
    assert len(np.unique(values, axis=0)) == 62
    assert values[0].max() < 20
    assert values[1:].max(axis=1).min() > 100


def test_labels_beyond_the_scale_are_shown_as_the_last_one():
    layer = LayerSpec('selected', 2, categorical=True)
    one, nine = rgb(layer, np.array([1, 9], np.uint8))
    assert one.tolist() == nine.tolist()


def test_scalar_values_are_brighter_from_low_to_high():
    layer = LayerSpec('unit_hit_points', 1600, categorical=False)
    values = rgb(layer, np.arange(10, 101, 10).astype(np.uint16), low=20, high=90)
    luminance = values.dot([0.2126, 0.7152, 0.0722])
    assert values[0].tolist() == values[1].tolist()
    assert values[-1].tolist() == values[-2].tolist()
    assert (np.diff(luminance[1:-1]) > 5).all()
    assert luminance[0] < 5 and luminance[-1] > 230


def test_a_constant_scalar_layer_is_dark():
    layer = LayerSpec('height_map', 256, categorical=False)
    assert rgb(layer, np.array([127, 127], np.uint8), low=127, high=127).max() < 20


def test_large_unsigned_values_do_not_overflow():
    layer = LayerSpec('unit_hit_points', 1600, categorical=False)
    low, high = rgb(layer, np.array([0, 255], np.uint8), low=0, high=255)
    assert low.max() < 20 and high.min() > 150
