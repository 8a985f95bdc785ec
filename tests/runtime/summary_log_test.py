"""TensorBoard's file: what is in it, and how often updates are summarised."""

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.runtime import summary_log
from tests.runtime import tiny


def test_scalars_and_the_start_of_a_run(tmp_path):
    with tf.Graph().as_default():
        log = summary_log.SummaryLog(str(tmp_path), 0)
        log.start(70)
        log.add_scalars({'a/b': 1.5, 'c': 2}, 80)
        summary = tf.Summary(value=[tf.Summary.Value(tag='d', simple_value=3)])
        log.add(summary.SerializeToString(), 90)
        log.close()
    assert tiny.summaries(tmp_path) == {'a/b': [(80, 1.5)], 'c': [(80, 2)], 'd': [(90, 3)]}
    (name,) = [path.name for path in tmp_path.iterdir()]
    events = list(tf.train.summary_iterator(str(tmp_path / name)))
    starts = [e.step for e in events if e.session_log.status == tf.SessionLog.START]
    assert starts == [70]


def test_a_second_log_in_the_same_second_keeps_the_first(tmp_path, monkeypatch):
    monkeypatch.setattr(summary_log.time, 'time', lambda: 1700000000.5)
    for step in (1, 2):
        with tf.Graph().as_default():
            log = summary_log.SummaryLog(str(tmp_path), 0)
            log.add_scalars({'a': step}, step)
            log.close()
    assert tiny.summaries(tmp_path) == {'a': [(1, 1), (2, 2)]}


@pytest.mark.parametrize('every_secs, due', [(0, [1, 1, 1, 1]), (10, [1, 0, 1, 0])])
def test_how_often(every_secs, due, tmp_path, monkeypatch):
    now = [500.0]
    monkeypatch.setattr(summary_log.time, 'monotonic', lambda: now[0])
    with tf.Graph().as_default():
        log = summary_log.SummaryLog(str(tmp_path), every_secs)
    found = []
    for seconds in (0, 9, 1, 9):
        now[0] += seconds
        found.append(log.due())
    log.close()
    assert found == [bool(d) for d in due]
