"""Table and picture of the league."""

import os

from benchmarks.league import tables


def _round(rate, memory=2**30):
    return {
        'parameters': 1000,
        'steps_per_second': rate,
        'steps_per_cpu_second': rate / 2,
        'peak_memory': memory,
    }


def _entry(title, rounds=(), runs=(), **others):
    return dict({'title': title, 'note': '', 'rounds': list(rounds), 'runs': list(runs)}, **others)


def _speeds():
    return {
        'entries': {
            'slow': _entry('slow one', [_round(10), _round(30), _round(20, 2**31)], note='no LSTM'),
            'ours': _entry('sc2impala', [_round(200)]),
            'absent': _entry('absent one', reason='could not be installed: no compiler'),
        },
        'flops_per_step': 10.0,
        'matrix_product_flops': 4000.0,
        'num_rounds': 3,
    }


def test_the_fastest_is_first_with_median_extremes_share_and_memory():
    lines = tables.speed_table(_speeds()).splitlines()
    assert lines[2] == '| sc2impala | 200 | 200 to 200 | 100 | 50.0% | 1.00 | 1,000 |  |'
    assert lines[3] == '| slow one | 20 | 10 to 30 | 10 | 5.0% | 2.00 | 1,000 | no LSTM |'


def test_a_peer_without_a_measurement_is_named_with_the_reason():
    text = tables.speed_table(_speeds())
    assert text.endswith('* absent one: could not be installed: no compiler')
    assert '| absent one' not in text


def test_times_to_the_return():
    runs = [{'seconds': 70.4, 'steps': 1000, 'best': 25.1}]
    never = [{'seconds': None, 'steps': None, 'best': 3.0}]
    result = {
        'entries': {'slow': _entry('slow', runs=never), 'fast': _entry('fast', runs=runs)},
        'limit': 1200,
    }
    lines = tables.return_table(result).splitlines()
    assert lines[2] == '| fast | 70 | 1,000 | 25.1 |'
    assert lines[3] == '| slow | more than 1,200 |  | 3.0 |'


def test_a_peer_that_reports_no_mean_has_none_in_the_table():
    runs = [{'seconds': None, 'steps': None, 'best': None}]
    result = {'entries': {'mute': _entry('mute', runs=runs)}, 'limit': 5}
    assert tables.return_table(result).splitlines()[2] == '| mute | more than 5 |  |  |'


def test_the_picture(tmp_path):
    path = tmp_path / 'league.png'
    tables.draw_speeds(_speeds(), str(path))
    assert os.path.getsize(path) > 1000
