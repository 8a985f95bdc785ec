"""The best model of each policy is kept, also when its row is undone."""

import json
import os

import pytest

from sc2impala.evaluation.log import EvaluatedPolicy
from sc2impala.evaluation.record import EvaluationRecord
from sc2impala.runtime import logdir
from tests.checkpoints import examples
from tests.runtime import tiny

NUMBERS = dict(
    seed=0,
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


SAMPLED, GREEDY = EvaluatedPolicy('sampled', 1.0, 0), EvaluatedPolicy('greedy', None, 0)
SHARPER, SHORTER = SAMPLED._replace(temperature=0.5), SAMPLED._replace(eval_max_step_mul=2)


def make(folder, summaries, policy=SAMPLED, map_name='MoveToBeacon'):
    record = EvaluationRecord(str(folder), map_name, policy, summaries)
    record.repair()
    return record


def add(record, frames, mean, policy=SAMPLED):
    """Adds an evaluation of a model whose files say which one it is."""

    def save(folder):
        for name in examples.VARIABLES:
            with open(os.path.join(folder, name), 'w') as file:
                file.write(str(frames))

    result = dict(NUMBERS, **policy._asdict(), global_step=frames, mean_return=mean)
    record.add(result, lambda: record.best.hold_new(frames, save))


def kept(folder, name='best'):
    (frames,) = tiny.checkpoint_frames(folder / name)
    result = tiny.read_json(tiny.checkpoint(folder / name, frames, 'evaluation.json'))
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


def test_each_policy_has_its_own_best_model(folder, summaries, capsys):
    add(make(folder, summaries), 10, 8.0)
    assert 'has the best model' not in capsys.readouterr().out
    names = {GREEDY: 'best-greedy', SHARPER: 'best-sampled-temperature-0.5'}
    names[SHORTER] = 'best-sampled-max-step-mul-2'
    for policy, name in names.items():
        record = make(folder, summaries, policy)
        assert record.best_result() is None
        add(record, 20, 7.0, policy)
        add(record, 30, 6.0, policy)
        assert kept(folder) == (10, 8.0) and kept(folder, name) == (20, 7.0)
        line = f'has the best model with {SAMPLED.flags}: the best one with {policy.flags} is in'
        assert line in capsys.readouterr().out
    for policy, name in {**names, SAMPLED: 'best'}.items():
        again = make(folder, summaries, policy)
        assert again.best.folder == str(folder / name)
        add(again, 40, 9.0, policy)
        assert kept(folder, name) == (40, 9.0)


def test_the_first_policy_of_a_run_has_the_folder_best(folder, summaries):
    add(make(folder, summaries, GREEDY), 10, 8.0, GREEDY)
    add(make(folder, summaries), 10, 9.0)
    assert kept(folder) == (10, 8.0) and kept(folder, 'best-sampled') == (10, 9.0)


def test_an_evaluation_by_hand_does_not_replace_the_record(folder, summaries):
    record = make(folder, summaries)
    add(record, 0, 1.0)
    add(record, 20, 8.0)
    by_hand = json.dumps(dict(NUMBERS, policy='sampled', mean_return=5.0, global_step=20))
    (folder / 'best' / 'evaluation.json').write_text(by_hand)
    again = make(folder, summaries)
    again.log.undo(10)
    again.repair()
    add(again, 15, 6.0)
    assert kept(folder) == (20, 8.0)
    assert (folder / 'best' / 'evaluation.json').read_text() == by_hand


def test_another_model_with_as_many_frames_as_the_best_one(folder, summaries):
    record = make(folder, summaries)
    add(record, 20, 8.0)
    record.log.undo(10)
    add(record, 20, 6.0)
    again = make(folder, summaries)
    add(again, 30, 7.0)
    assert kept(folder) == (20, 8.0)


def test_a_model_of_unknown_score_is_never_replaced(folder, summaries, capsys):
    record = make(folder, summaries)
    add(record, 20, 8.0)
    os.remove(tiny.checkpoint(folder / 'best', 20, 'evaluation.json'))
    record.log.undo(10)
    again = make(folder, summaries)
    assert 'best has a model of unknown score: the best one with' in capsys.readouterr().out
    add(again, 10, 7.0)
    assert tiny.checkpoint_frames(folder / 'best') == [20]
    assert kept(folder, 'best-sampled') == (10, 7.0)


def test_a_kill_before_the_first_model_of_a_policy_was_kept(folder, summaries, monkeypatch):
    record = make(folder, summaries)
    monkeypatch.setattr(record.best, 'keep', lambda *unused: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        add(record, 10, 8.0)
    add(make(folder, summaries, GREEDY), 10, 7.0, GREEDY)
    make(folder, summaries)
    assert kept(folder) == (10, 8.0) and kept(folder, 'best-greedy') == (10, 7.0)


def test_a_kill_before_the_evaluation_of_the_best_model_was_written(folder, summaries, monkeypatch):
    record = make(folder, summaries)
    add(record, 10, 7.0)
    with monkeypatch.context() as patch:
        patch.setattr(logdir, 'write_json', lambda *unused: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            add(record, 20, 8.0)
    make(folder, summaries)
    assert kept(folder) == (20, 8.0)
    assert tiny.read_json(folder, 'best', 'evaluation.json')['mean_return'] == 8.0


def test_a_map_without_published_scores(folder, summaries, capsys):
    add(make(folder, summaries, map_name='Simple64'), 10, 8.0)
    assert 'human' not in capsys.readouterr().out
    assert not any('human' in tag for tag in summaries.values[10])
