"""Which checkpoints are kept, and in which order they are given up."""

import os

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.runtime import checkpoint_units as units
from sc2impala.runtime import checkpoints
from sc2impala.runtime.checkpoint_parts import ReplayPart
from sc2impala.runtime.kept_checkpoints import KeptCheckpoints
from tests.runtime import tiny
from tests.runtime.checkpoints_test import make_replay


def kept_of(frames, keep, every):
    """The list after checkpoints of these frames, each of which rotates the others."""
    kept = KeptCheckpoints('no folder', keep, every)
    for each in frames:
        kept.add(each)
        kept.rotate()
    return kept


@pytest.mark.parametrize(
    'keep, every, expected',
    [
        (2, 0, [360, 410]),
        (0, 100, [0, 40, 105, 160, 210, 290, 300, 360, 410]),
        # The first at or after each of 100, 200, 300 and 400, and the latest of the others.
        (1, 100, [105, 210, 300, 360, 410]),
        (2, 100, [105, 210, 290, 300, 360, 410]),
        (1, 250, [290, 410]),
    ],
)
def test_milestones_are_kept_beside_the_latest(keep, every, expected):
    saved = [0, 40, 105, 160, 210, 290, 300, 360, 410]
    assert kept_of(saved, keep, every).frames == expected


def test_a_milestone_is_a_multiple_that_was_passed():
    kept = kept_of([0, 90], 5, 100)
    assert [kept.is_milestone(frames) for frames in (90, 99, 100, 250)] == [
        False,
        False,
        True,
        True,
    ]
    kept.add(250)
    assert [kept.is_milestone(frames) for frames in (299, 300)] == [False, True]
    assert not KeptCheckpoints('no folder', 5, 100).is_milestone(100)
    assert not kept_of([0], 5, 0).is_milestone(100)


def test_milestones_are_given_up_last():
    kept = kept_of([0, 100, 150, 200, 250, 260], 3, 100)
    assert kept.frames == [100, 150, 200, 250, 260]
    assert [kept.give_up_one() for _ in range(5)] == [150, 250, 100, 200, None]
    assert kept.frames == [260] and KeptCheckpoints('', 3).give_up_one() is None


@pytest.fixture
def saving(tmp_path):
    """Gives a function that saves checkpoints of some frames in a start of its own."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable('w', initializer=np.zeros([2], np.float32))
        session.run(tf.global_variables_initializer())
        table = make_replay()

        def save(frames, every, last=None):
            parts = [ReplayPart(table)]
            writer = checkpoints.CheckpointWriter(str(tmp_path), 0, 1, parts, 0, every)
            if last is not None:
                writer.start_from(last)
            for each in frames:
                writer.save(session, each)
            return writer

        yield session, save


def test_milestones_stay_whatever_later_starts_ask_for(tmp_path, saving):
    _, save = saving
    save([0, 100, 120, 140, 160], 100)
    assert tiny.checkpoint_frames(tmp_path) == [100, 160]
    save([180, 200, 240, 260], 0, last=160)
    assert tiny.checkpoint_frames(tmp_path) == [100, 260]
    save([290, 310, 330], 50, last=260)
    assert tiny.checkpoint_frames(tmp_path) == [100, 310, 330]
    assert checkpoints.latest(str(tmp_path)).endswith('-330')
    for frames in (100, 310, 330):
        assert units.fault(str(tmp_path), frames) is None
    # All parts belong to the latest two only, as without milestones.
    assert [units.has_parts(str(tmp_path), n) for n in (100, 310, 330)] == [False, True, True]
    assert [units.is_milestone(str(tmp_path), n) for n in (100, 310, 330)] == [True, True, False]


def test_a_milestone_is_saved_at_once(tmp_path, saving, monkeypatch):
    session, _ = saving
    now = [1000.0]
    monkeypatch.setattr(checkpoints.time, 'monotonic', lambda: now[0])
    writer = checkpoints.CheckpointWriter(str(tmp_path), 60, 5, keep_every_frames=100)
    writer.save(session, 0)
    for frames in (50, 99, 101, 150, 199, 230):
        writer.save_if_due(session, frames)
    assert tiny.checkpoint_frames(tmp_path) == [0, 101, 230]


def test_a_milestone_that_cannot_be_saved_is_tried_again_after_a_while(
    tmp_path, saving, monkeypatch, capsys
):
    session, _ = saving
    now = [1000.0]
    monkeypatch.setattr(checkpoints.time, 'monotonic', lambda: now[0])
    folder = tmp_path / 'run'
    folder.mkdir()
    writer = checkpoints.CheckpointWriter(str(folder), 60, 5, (), 1000, 100)
    writer.save(session, 0)
    folder.rename(tmp_path / 'moved')
    writer.save_if_due(session, 100)
    assert not writer.is_due(110) and not folder.exists()
    (tmp_path / 'moved').rename(folder)
    now[0] += 10
    assert writer.is_due(110)
    writer.save_if_due(session, 110)
    assert tiny.checkpoint_frames(folder) == [0, 110] and units.is_milestone(str(folder), 110)
    capsys.readouterr()


@pytest.mark.parametrize('text', ['', '[]', '{"milestone": 1}', '{"milestone": true'])
def test_an_index_that_does_not_say_so(tmp_path, text):
    assert not units.is_milestone(str(tmp_path), 7)
    with open(os.path.join(str(tmp_path), 'unit-7.json'), 'w') as file:
        file.write(text)
    assert not units.is_milestone(str(tmp_path), 7)
