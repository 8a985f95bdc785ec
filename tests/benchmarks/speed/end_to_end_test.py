import argparse

import pytest
import tensorflow.compat.v1 as tf

from benchmarks.speed import end_to_end
from tests.benchmarks import scripts


def _write_events(folder, events):
    """Writes events as a training does: time, agent steps/s, frames/s."""
    with tf.Graph().as_default():
        writer = tf.summary.FileWriter(str(folder))
        for wall_time, steps, frames in events:
            event = tf.Event(wall_time=wall_time)
            for tag, rate in (('agent_steps_per_second', steps), ('frames_per_second', frames)):
                event.summary.value.add(tag=tag, simple_value=rate)
            writer.add_event(event)
            other = tf.Event(wall_time=wall_time)
            other.summary.value.add(tag='loss/total_loss', simple_value=7)
            writer.add_event(other)
        writer.close()


def test_rates_are_weighted_by_duration(tmp_path):
    events = [(100.0, 9, 9), (101.0, 50, 1), (103.0, 10, 80), (107.0, 40, 320)]
    _write_events(tmp_path, events)
    found = end_to_end.rates(str(tmp_path), warm_up=0)
    assert found['agent_steps_per_second'] == pytest.approx((50 + 2 * 10 + 4 * 40) / 7)
    # Intervals that begin within a second of the first event are left out.
    found = end_to_end.rates(str(tmp_path), warm_up=1)
    assert found == pytest.approx(
        {
            'agent_steps_per_second': (2 * 10 + 4 * 40) / 6,
            'frames_per_second': (2 * 80 + 4 * 320) / 6,
        }
    )


@pytest.mark.parametrize('events', [[], [(100.0, 9, 9)], [(100.0, 9, 9), (101.0, 9, 9)]])
def test_too_short_a_measurement(tmp_path, events):
    _write_events(tmp_path, events)
    with pytest.raises(SystemExit, match='raise --seconds'):
        end_to_end.rates(str(tmp_path), warm_up=5)


@pytest.mark.slow
def test_a_training(monkeypatch, capsys):
    monkeypatch.setenv('PYTHONPATH', scripts.ROOT)
    end_to_end.main(['--seconds=1.5', '--warm_up=0'] + list(scripts.TINY))
    result = scripts.last_json(capsys)
    assert result['flags'] == list(scripts.TINY) and result['seconds'] == 1.5
    steps, frames = result['agent_steps_per_second'], result['frames_per_second']
    # A step takes 8 frames, except for the last one of an episode.
    assert 0 < 7 * steps < frames <= 8.1 * steps


def test_comparison_with_the_network():
    rounds = [
        {'training': 60.0, 'acting': 300.0, 'learning': 150.0},
        {'training': 90.0, 'acting': 200.0, 'learning': 200.0},
        {'training': 50.0, 'acting': 600.0, 'learning': 100.0},
    ]
    found = end_to_end.comparison(rounds)
    assert found['steps_per_second'] == {'training': 60.0, 'acting': 300.0, 'learning': 150.0}
    assert found['allowed_by_network'] == pytest.approx(100.0)
    assert found['share'] == pytest.approx(0.6)
    assert found['shares'] == pytest.approx([0.6, 0.9, 50 * (1 / 600 + 1 / 100)])


def test_training_and_network_alternate(monkeypatch, capsys):
    tape = []

    def measure(flags, seconds, warm_up):
        tape.append(('training', tuple(flags), seconds, warm_up))
        return {'agent_steps_per_second': 60.0}

    def run_benchmark(module, arguments):
        tape.append((module, tuple(arguments)))
        alone = {'benchmarks.speed.actor': {'network': 300.0}, 'benchmarks.speed.learner': 150.0}
        return {'steps_per_second': alone[module]}

    monkeypatch.setattr(end_to_end, 'measure', measure)
    monkeypatch.setattr(end_to_end.subprocesses, 'run_benchmark', run_benchmark)
    end_to_end.main(
        ['--against_network', '--rounds=2', '--seconds=3', '--warm_up=1', '--num_envs=4']
    )
    result = scripts.last_json(capsys)
    turn = [
        ('training', ('--num_envs=4',), 3.0, 1.0),
        ('benchmarks.speed.actor', ('--only_network', '--seconds=3.0', '--num_envs=4')),
        ('benchmarks.speed.learner', ('--only_rate', '--seconds=3.0', '--num_envs=4')),
    ]
    assert tape == turn * 2
    assert result['share'] == pytest.approx(0.6) and len(result['rounds']) == 2


def test_other_flags_are_not_taken_for_abbreviations(monkeypatch):
    seen = []
    monkeypatch.setattr(
        end_to_end, 'measure', lambda flags, *rest: seen.append(flags) or argparse.Namespace()
    )
    with pytest.raises(TypeError):
        end_to_end.main(['--warm=1', '--second=2'])
    assert seen == [['--warm=1', '--second=2']]
