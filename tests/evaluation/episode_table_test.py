import numpy as np
import pytest

from sc2impala.evaluation import episode_table

HEADER = 'start,global_step,episode_return,episode_frames,episode_steps'


def write(path, *lines):
    path.write_bytes('\r\n'.join(lines + ('',)).encode())
    return str(path)


def read_pairs(path):
    frames, returns = episode_table.read_episodes(path)
    assert frames.dtype == np.int64
    return list(zip(frames.tolist(), returns.tolist()))


def test_episodes_that_a_later_start_replaced_are_skipped(tmp_path):
    path = write(
        tmp_path / 'a.csv',
        HEADER,
        '0,100,1.0,80,10',
        '0,200,2.0,80,10',
        '0,300,3.0,80,10',
        '0,400,4.0,80,10',
        '1,300,5.0,80,10',
        '1,500,6.0,80,10',
        '2,450,7.0,80,10',
        '2,450,8.0,80,10',
        '2,600,9.0,80,10',
    )
    assert read_pairs(path) == [(100, 1), (200, 2), (300, 5), (450, 7), (450, 8), (600, 9)]


def test_a_late_start_may_replace_several_earlier_starts(tmp_path):
    path = write(
        tmp_path / 'a.csv',
        HEADER,
        '0,100,1.0,80,10',
        '0,300,2.0,80,10',
        '1,400,3.0,80,10',
        '3,200,4.0,80,10',
    )
    assert read_pairs(path) == [(100, 1), (200, 4)]


def test_incomplete_lines_are_skipped(tmp_path):
    path = write(
        tmp_path / 'a.csv', HEADER, '0,100,1.0,80,10', '0,20,1,150,2.0,80,10', '1,200,3.0,80,10'
    )
    with open(path, 'a') as file:
        file.write('1,300,4')
    assert read_pairs(path) == [(100, 1), (200, 3)]


def test_columns_are_found_by_their_names(tmp_path):
    path = write(tmp_path / 'a.csv', 'episode_return,more,start,global_step', '2.5,x,0,100')
    assert read_pairs(path) == [(100, 2.5)]


@pytest.mark.parametrize('window', [1, 3, 100, 1000])
def test_running_mean_and_std(window):
    values = 1e6 + np.random.RandomState(0).randn(250)
    mean, std = episode_table.running_mean_and_std(values, window)
    windows = [values[max(0, i + 1 - window) : i + 1] for i in range(250)]
    np.testing.assert_allclose(mean, [part.mean() for part in windows], rtol=1e-12)
    np.testing.assert_allclose(std, [part.std() for part in windows], atol=1e-6)
