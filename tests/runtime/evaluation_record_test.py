"""What is kept of evaluations: the best model also when its row is undone."""

import pytest

from sc2impala.runtime.evaluation_record import EvaluationRecord
from tests.runtime import tiny

NUMBERS = dict(
    seed=0,
    temperature=1.0,
    eval_max_step_mul=None,
    num_episodes=4,
    std_return=1.0,
    min_return=0.0,
    max_return=9.0,
    environment_frames=80,
)


class Summaries:
    """Remembers what was written."""

    def __init__(self):
        self.values = {}

    def add_scalars(self, values, step):
        self.values[step] = values

    def flush(self):
        pass


@pytest.fixture
def summaries():
    return Summaries()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'manifest.json').write_text('{}')
    return tmp_path


def make(folder, summaries, policy='sampled', map_name='MoveToBeacon'):
    record = EvaluationRecord(str(folder), map_name, policy, summaries)
    record.repair()
    return record


def add(record, frames, mean, policy='sampled'):
    """Adds an evaluation of a model whose files say which one it is."""

    def hold():
        for part in ('.data-00000-of-00001', '.index'):
            with open(record.best.path(frames) + part, 'w') as file:
                file.write(str(frames))

    record.add(dict(NUMBERS, global_step=frames, mean_return=mean, policy=policy), hold)


def kept(folder):
    (frames,) = tiny.checkpoint_frames(folder / 'best')
    result = tiny.read_json(folder, 'best', 'evaluation.json')
    assert result['global_step'] == frames
    return frames, result['mean_return']


def test_the_best_is_kept_over_several_starts(folder, summaries, capsys):
    record = make(folder, summaries)
    add(record, 0, 1.0)
    add(record, 10, 14.5)
    again = make(folder, summaries)
    add(again, 20, 14.5)
    add(again, 30, 14.0)
    assert kept(folder) == (10, 14.5)
    assert [row['human_normalised_score'] for row in again.log.rows] == [0, 0.5, 0.5, 13 / 27]
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == (
        'evaluation: 10 frames | mean return 14.50 +- 0.50 (4 episodes) | human-normalised 0.500, '
        'the best so far'
    )
    assert ['the best so far' in line for line in lines] == [True, True, False, False]
    assert summaries.values[30] == {
        'MoveToBeacon/eval/episode_return': 14.0,
        'MoveToBeacon/eval/episode_return_std': 1.0,
        'MoveToBeacon/eval/episode_frames': 20.0,
        'MoveToBeacon/eval/best_return': 14.5,
        'MoveToBeacon/eval/human_normalised_score': 13 / 27,
        'MoveToBeacon/eval/capped_score': 13 / 27,
        'MoveToBeacon/eval/human_gap': 1 - 13 / 27,
    }


def test_a_best_model_whose_row_is_undone_stays_the_best(folder, summaries):
    record = make(folder, summaries)
    add(record, 0, 1.0)
    add(record, 20, 8.0)
    again = make(folder, summaries)
    again.log.undo(10)
    again.repair()
    add(again, 20, 7.0)
    assert kept(folder) == (20, 8.0)
    add(again, 30, 9.0)
    assert kept(folder) == (30, 9.0)


def test_a_kill_before_the_best_model_was_kept(folder, summaries, monkeypatch):
    record = make(folder, summaries)
    add(record, 0, 1.0)
    monkeypatch.setattr(record.best, 'keep', lambda *unused: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        add(record, 10, 8.0)
    again = make(folder, summaries)
    assert kept(folder) == (10, 8.0)
    add(again, 20, 7.0)
    assert kept(folder) == (10, 8.0)


def test_evaluations_of_another_policy_do_not_count(folder, summaries):
    add(make(folder, summaries), 10, 8.0)
    greedy = make(folder, summaries, 'greedy')
    assert greedy.best_result() is None
    add(greedy, 20, 7.0, 'greedy')
    assert kept(folder) == (20, 7.0)


def test_a_map_without_published_scores(folder, summaries, capsys):
    add(make(folder, summaries, map_name='Simple64'), 10, 8.0)
    assert 'human' not in capsys.readouterr().out
    assert not any('human' in tag for tag in summaries.values[10])
