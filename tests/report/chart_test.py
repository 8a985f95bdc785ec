import re

import numpy as np

from sc2impala.report import chart
from sc2impala.report.chart import Chart, Dots, Level, Line, Mark
from tests.report.pages import Page


def line(x, y, **more):
    return Line('a', np.array(x, np.float64), np.array(y, np.float64), **more)


def paths(text, kind):
    return re.findall(rf'<path class="{kind}"[^>]* d="([^"]*)"', text)


def test_a_line_goes_through_its_points():
    text = chart.to_html(Chart('Return', [line([0, 50, 100], [0, 1, 2])], at_zero=True))
    (path,) = paths(text, 'line')
    points = [tuple(map(float, each.split())) for each in re.split('[ML]', path)[1:]]
    assert [x for x, _ in points] == [0, 500, 1000]
    assert points[0][1] == 1000 and points[1][1] - points[2][1] > 400
    Page(text)


def test_missing_values_interrupt_a_line():
    (path,) = paths(
        chart.to_html(Chart('a', [line([0, 1, 2, 3, 4], [1, 2, np.nan, 3, 4])])), 'line'
    )
    assert path.count('M') == 2 and path.count('L') == 2


def test_the_numbers_for_hovering():
    drawn = Chart(
        '<b>',
        [line([0, 123456789], [0.123456, np.nan], low=[0, 0], high=[1, 1], color=9)],
        marks=[Mark('</script>', 5.0)],
    )
    page = Page(chart.to_html(drawn))
    (data,) = page.charts
    assert data['series'][0]['x'] == [0, 123456789] and data['series'][0]['y'] == [0.12346, None]
    assert data['series'][0]['high'] == [1, 1] and data['series'][0]['color'] == 1
    assert data['marks'] == [{'label': '</script>', 'x': 5.0}]
    assert data['x'] == [0, 123456789] and '<b>' in page.text


def test_long_lines_are_means_of_consecutive_points():
    x = np.arange(10007.0)
    text = chart.to_html(Chart('a', [line(x, x % 2, low=x % 2 - 1, high=x % 2 + 1)]))
    (data,) = Page(text).charts
    series = data['series'][0]
    assert len(series['x']) == chart.MAX_POINTS
    np.testing.assert_allclose(series['y'], 0.5, atol=0.03)
    np.testing.assert_allclose(np.subtract(series['high'], series['low']), 2.0, atol=1e-3)
    np.testing.assert_allclose(np.mean(series['x']), x.mean(), rtol=1e-3)


def test_many_dots_are_sampled():
    x = np.arange(9000.0)
    text = chart.to_html(Chart('a', [line([0, 9000], [0, 1])], dots=[Dots(x, x)]))
    (path,) = paths(text, 'dots c0')
    assert 0.5 * chart.MAX_DOTS < path.count('M') <= chart.MAX_DOTS


def test_one_point_is_a_dot():
    text = chart.to_html(Chart('a', [line([5], [1])]))
    assert len(paths(text, 'points')) == 1


def test_levels_have_labels_that_do_not_overlap():
    levels = [Level('b', 26.1), Level('a', 26), Level('d', 28), Level('c', 27)]
    text = chart.to_html(Chart('a', [line([0, 1], [0, 1])], levels=levels))
    labels = text[text.index('<div class="levels">') : text.index('<div class="x">')]
    bottoms = [float(each) for each in re.findall(r'bottom:([-\d.]+)%', labels)]
    assert Page(labels).text.split() == ['a', '26', 'b', '26.1', 'c', '27', 'd', '28']
    assert (np.diff(bottoms) > 5).all() and max(bottoms) < 105
    assert len(re.findall('class="level"', text)) == 8, 'lines, and the legend of narrow screens'


def test_levels_that_are_far_apart_have_their_labels_at_their_lines():
    levels = [Level('a', 0.0), Level('b', 50.0), Level('c', 100.0)]
    text = chart.to_html(Chart('a', [line([0, 1], [0, 100])], levels=levels))
    bottoms = [float(each) for each in re.findall(r'<span style="bottom:([-\d.]+)%">\w ', text)]
    np.testing.assert_allclose(bottoms, [0, 50 / 1.04, 100 / 1.04], atol=0.01)


def test_units_of_time():
    for end, expected in ((60, 'seconds'), (600, 'minutes'), (7200, 'hours')):
        drawn = Chart('a', [line([0, end], [0, 1])], unit=chart.SECONDS)
        page = Page(chart.to_html(drawn))
        assert f'{expected} of training' in page.text
        assert page.charts[0]['unit'] == expected
    assert page.charts[0]['x'] == [0, 2]


def test_the_axis_reaches_its_end():
    (data,) = Page(chart.to_html(Chart('a', [line([0, 5], [0, 1])], end=20.0))).charts
    assert data['x'] == [0, 20]


def test_charts_without_values():
    for x in ([], [0.0]):
        Page(chart.to_html(Chart('a', [line(x, [np.nan] * len(x))], is_log=True)))


def test_limits_clip_values():
    text = chart.to_html(Chart('a', [line([0, 1], [-900, 1])], limits=(-1, 1)))
    labels = Page(text[text.index('<div class="y">') : text.index('<div class="area"')])
    assert labels.text.split() == ['-1', '-0.5', '0', '0.5', '1']
