import numpy as np
import pytest

from sc2impala import envs
from sc2impala.watch import choices, trace
from tests.watch import traces


def test_probabilities_have_the_temperature_of_the_policy():
    logits = np.log([[0.2, 0.8]])
    np.testing.assert_allclose(choices.probabilities(logits, 1.0), [[0.2, 0.8]])
    np.testing.assert_allclose(choices.probabilities(logits, 0.5), [[1 / 17, 16 / 17]])


def test_an_unavailable_function_has_no_probability():
    assert choices.probabilities(np.array([0.0, -1e9]), 0.3).tolist() == [1.0, 0.0]


def test_relative_values_ignore_what_is_unavailable():
    values = choices.relative_values(np.array([3.0, -1e9, 1.0, 2.0]))
    np.testing.assert_allclose(values, [1, 0, 0, 0.5])


def test_longer_steps_than_executed_count_as_the_longest():
    capped = choices.capped(np.array([[0.1, 0.2, 0.3, 0.4]]), 2)
    np.testing.assert_allclose(capped, [[0.1, 0.9]])


def test_candidates_become_a_distribution_of_each_head():
    spec = envs.make_specs(
        'DefeatRoaches',
        functions=('no_op', 'select_army', 'Attack_screen', 'Move_screen'),
        screen_size=(4, 4),
    )[1]
    function = np.array([[2, 3, 2, 0], [0, 1, 0, 0]])
    screen = np.array([[5, 9, 6, 1], [0, 0, 0, 0]])
    zeros = np.zeros([2, 4], np.int32)
    action = dict.fromkeys(spec.heads, zeros)
    action.update(function=function, screen=screen)
    weights = np.array([[0.4, 0.3, 0.1, 0.2], [0.9, 0.1, 0.0, 0.0]], np.float32)
    found = choices.of_candidates(spec, action, weights)
    assert set(found) == set(spec.heads)
    np.testing.assert_allclose(found['function'], [[0.2, 0, 0.5, 0.3], [0.9, 0.1, 0, 0]], atol=1e-7)
    # Without no_op, which has no point.
    np.testing.assert_allclose(found['screen'][0, [5, 9, 6]], [0.5, 0.375, 0.125], rtol=1e-6)
    np.testing.assert_allclose(found['screen'].sum(axis=1), 1.0)
    np.testing.assert_allclose(found['screen'][1], 1 / 16)


def test_entropy():
    uniform = choices.entropy(np.full([3, 4], 0.25))
    np.testing.assert_allclose(uniform, np.log(4))
    assert choices.entropy(np.array([1.0, 0.0])) == 0


@pytest.mark.parametrize(
    'size, cells', [((4, 3), (3, 4)), ((84, 84), (28, 28)), ((64, 33), (17, 32))]
)
def test_a_heat_map_adds_up_pixels(size, cells):
    width, height = size
    distribution = np.zeros([height, width])
    distribution[-1, -1], distribution[0, 0] = 0.8, 0.2
    heat, peak = choices.heat_map(distribution.ravel(), size)
    assert heat.shape == cells and peak == pytest.approx(0.8)
    assert heat[-1, -1] == 255 and heat[0, 0] == round(255 * 0.5) and heat.sum() == 255 + 128


def test_heads_of_a_map():
    spec = envs.make_specs('MoveToBeacon', screen_size=(8, 6))[1]
    heads = choices.heads_of(spec, 5)
    assert [head.name for head in heads] == [*spec.heads, 'step_mul']
    assert {head.name: head.size for head in heads}['screen'] == (8, 6)
    assert heads[-1].choices == 5 and choices.heads_of(spec, 0)[-1].name != 'step_mul'


def test_heat_maps_of_the_steps_that_use_them():
    found = traces.episode(traces.player(), steps=5).choices
    assert found.heat['screen'].shape == (3, 3, 4)
    assert found.chosen['function'].tolist() == [2, 0, 2, 0, 2]
    assert found.probabilities['function'][0].tolist() == [16384, 0, 49151]
    np.testing.assert_allclose(found.probability['function'], [0.75, 0.25, 0.75, 0.25, 0.75])
    assert found.probability['step_mul'][0] == pytest.approx(
        found.probabilities['step_mul'][0, 3] / 65535, abs=1e-4
    )


def test_a_script_has_choices_alone():
    found = traces.episode(traces.player(trace.SCRIPT)).choices
    assert not found.probabilities and not found.heat and not found.entropy
    assert found.chosen['step_mul'].tolist() == [4] * 5
