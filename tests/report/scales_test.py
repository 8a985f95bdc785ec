import numpy as np
import pytest

from sc2impala.report import scales
from sc2impala.report.scales import Scale


@pytest.mark.parametrize(
    'scale, expected',
    [
        (Scale(0, 600000), [0, 100000, 200000, 300000, 400000, 500000, 600000]),
        (Scale(-0.4, 30.2), [0, 5, 10, 15, 20, 25, 30]),
        (Scale(-1.08, 1.08), [-1, -0.5, 0, 0.5, 1]),
        (Scale(1e-4, 10, is_log=True), [1e-4, 1e-3, 1e-2, 1e-1, 1, 10]),
        (Scale(0.8, 30, is_log=True), [1, 10]),
        (Scale(1, 60, is_log=True), [1, 2, 5, 10, 20, 50]),
    ],
)
def test_ticks_are_round(scale, expected):
    np.testing.assert_allclose(scale.ticks(), expected, atol=1e-12)


@pytest.mark.parametrize('span', [1e-9, 0.03, 1.7, 12.0, 455.0, 3e9])
def test_axes_have_a_few_ticks(span):
    for low in (0.0, -span / 3, 5 * span):
        assert 3 <= len(Scale(low, low + span).ticks()) <= 9


def test_positions():
    linear, log = Scale(-1, 3), Scale(0.01, 100, is_log=True)
    np.testing.assert_allclose(linear.positions([-1, 0, 3, 7, -9]), [0, 250, 1000, 1000, 0])
    np.testing.assert_allclose(log.positions([0.01, 1, 100, 0]), [0, 500, 1000, 0])
    assert np.isnan(linear.positions([np.nan])).all()


def test_axes_contain_their_values():
    scale = scales.linear([[1.0, np.nan], [3.0, np.inf], []])
    assert scale.low < 1.0 and 3.0 < scale.high < 4.0
    assert scales.linear([[1.0, 3.0]], at_zero=True).low == 0.0
    assert scales.linear([[-1.0, 3.0]], at_zero=True).low < -1.0
    log = scales.logarithmic([[0.0, -2.0, 0.1, 10.0]])
    assert 0.05 < log.low < 0.1 and 10.0 < log.high < 20.0


@pytest.mark.parametrize('values', [[], [[]], [[np.nan]], [[5.0]], [[0.0]], [[-2.0, -2.0]]])
def test_axes_of_few_values(values):
    for scale in (scales.linear(values), scales.linear(values, True), scales.logarithmic(values)):
        assert scale.low < scale.high and len(scale.ticks()) >= 1
        assert np.isfinite(scale.positions([1.0])).all()


@pytest.mark.parametrize(
    'value, expected',
    [
        (0.0, '0'), (25000, '25k'), (1250, '1.25k'), (1.5e6, '1.5M'), (2e9, '2G'), (-300, '-300'),
        (0.5, '0.5'), (0.005, '0.005'), (1e-5, '1e-5'), (2.5e-7, '2.5e-7'), (-2000, '-2k'),
    ],
)  # fmt: skip
def test_tick_text(value, expected):
    assert scales.tick_text(value) == expected
