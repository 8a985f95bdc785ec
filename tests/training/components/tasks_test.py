"""Maps that are learned one after the other: the order, the table and the changes."""

import os

import pytest
import tensorflow.compat.v1 as tf

from sc2impala.errors import UserError
from sc2impala.settings.groups import TaskSettings
from sc2impala.training.components.tasks import Schedule, TaskHook, TaskTable
from tests.training import taped_phases

SCHEDULE = Schedule(('A', 'B', 'C'), 20, 2)


class Games:
    """Remembers on which map they are."""

    num_envs = 2

    def __init__(self):
        self.played = []

    def play(self, assigned):
        self.played.append(list(assigned))


@pytest.mark.parametrize(
    'frames, block', [(0, 0), (19, 0), (20, 1), (59, 2), (60, 3), (119, 5), (120, 5), (500, 5)]
)
def test_blocks(frames, block):
    assert SCHEDULE.block(frames) == block


def test_maps_of_blocks():
    assert [SCHEDULE.task(block) for block in range(6)] == [0, 1, 2, 0, 1, 2]
    own = TaskSettings(task_schedule='sequential', frames_per_task=7, cycles=3)
    assert Schedule.of(['A'], own) == (('A',), 7, 3)


@pytest.mark.parametrize('number, frames', [(0, 0), (1, 1000), (3, 333), (5000, 1)])
def test_frames_between_evaluations(number, frames):
    own = TaskSettings(frames_per_task=1000, evaluations_per_task=number)
    assert own.evaluation_frames == frames


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / 'tasks.csv')


def lines(path):
    with open(path) as file:
        return file.read().splitlines()


class TestTable:
    def test_goes_on_from_a_checkpoint(self, path):
        table = TaskTable(path)
        table.add(0, 0, 'A', 0)
        table.add(1, 0, 'B', 23)
        table.add(1, 0, 'B', 99)
        assert lines(path) == ['block,cycle,map_name,global_step', '0,0,A,0', '1,0,B,23']
        assert len(TaskTable(path, 30).rows) == 2
        again = TaskTable(path, 22)
        assert again.rows == [['0', '0', 'A', '0']]
        again.add(1, 0, 'B', 25)
        assert lines(path)[-1] == '1,0,B,25'

    def test_a_new_run_has_no_blocks(self, path):
        TaskTable(path).add(0, 0, 'A', 0)
        assert TaskTable(path).rows == []

    def test_another_file(self, path):
        with open(path, 'w') as file:
            file.write('block\nx\n')
        with pytest.raises(UserError, match='tasks.csv cannot be continued .*expected a table'):
            TaskTable(path, 10)

    def test_the_training_does_not_depend_on_the_disk(self, path, capsys):
        table = TaskTable(os.path.join(path, 'nowhere'))
        table.add(0, 0, 'A', 0)
        assert 'cannot be written to' in capsys.readouterr().out


def train(schedule, start, num_frames, table):
    """Updates of 10 frames in two phases, the second of which is the main one."""
    games = Games()
    with tf.Graph().as_default():
        phases = taped_phases.make_phases(taped_phases.Tape(), num_frames=num_frames, start=start)
        total = taped_phases.total_frames(phases)
        hook = TaskHook(schedule, [games], table, phases[1], start[1], total)
        taped_phases.train(phases, [hook])
    return games


def test_the_map_changes_in_the_main_phase_alone(path):
    table = TaskTable(path)
    games = train(Schedule(('A', 'B'), 20, 1), (0, 0), (30, 40), table)
    # Before the session starts, and after 20 frames of the main phase.
    assert games.played == [[0, 0], [1, 1]]
    assert table.rows == [('0', '0', 'A', '30'), ('1', '0', 'B', '50')]


def test_goes_on_in_the_middle_of_a_block(path):
    table = TaskTable(path)
    table.add(0, 0, 'A', 10)
    table.add(1, 0, 'B', 30)
    games = train(Schedule(('A', 'B'), 20, 2), (10, 30), (10, 80), table)
    assert games.played == [[1, 1], [0, 0], [1, 1]]
    assert [row[2] for row in table.rows] == ['A', 'B', 'A', 'B']
    assert [row[3] for row in table.rows] == ['10', '30', '50', '70']
