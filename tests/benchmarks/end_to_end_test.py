import argparse

import pytest
import tensorflow.compat.v1 as tf

from tests.benchmarks import scripts

end_to_end = scripts.load('end_to_end')


def _write_events(folder, events):
    """Writes lines of progress as a training does: time, agent steps/s, frames/s."""
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


def test_rates_count_by_their_duration(tmp_path):
    events = [(100.0, 9, 9), (101.0, 50, 1), (103.0, 10, 80), (107.0, 40, 320)]
    _write_events(tmp_path, events)
    found = end_to_end._rates(str(tmp_path), warm_up=0)
    assert found['agent_steps_per_second'] == pytest.approx((50 + 2 * 10 + 4 * 40) / 7)
    # What began within a second of the first line is left out.
    found = end_to_end._rates(str(tmp_path), warm_up=1)
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
        end_to_end._rates(str(tmp_path), warm_up=5)


def test_a_training(monkeypatch, capsys):
    monkeypatch.setenv('PYTHONPATH', scripts.ROOT)
    end_to_end.main(['--seconds=1.5', '--warm_up=0'] + list(scripts.TINY))
    result = scripts.last_json(capsys)
    assert result['flags'] == list(scripts.TINY) and result['seconds'] == 1.5
    steps, frames = result['agent_steps_per_second'], result['frames_per_second']
    # A step takes 8 frames, but for the last one of an episode.
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


def test_training_and_network_take_turns(monkeypatch, capsys):
    tape = []

    def measure(flags, seconds, warm_up):
        tape.append(('training', tuple(flags), seconds, warm_up))
        return {'agent_steps_per_second': 60.0}

    def process(script, arguments):
        tape.append((script, tuple(arguments)))
        alone = {'actor.py': {'network': 300.0}, 'learner.py': 150.0}
        return {'steps_per_second': alone[script]}

    monkeypatch.setattr(end_to_end, 'measure', measure)
    monkeypatch.setattr(end_to_end.workload, 'in_process_of_its_own', process)
    end_to_end.main(
        ['--against_network', '--rounds=2', '--seconds=3', '--warm_up=1', '--num_envs=4']
    )
    result = scripts.last_json(capsys)
    turn = [
        ('training', ('--num_envs=4',), 3.0, 1.0),
        ('actor.py', ('--only_network', '--seconds=3.0', '--num_envs=4')),
        ('learner.py', ('--only_rate', '--seconds=3.0', '--num_envs=4')),
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
