"""A run goes on with the weights and the optimizer of another one."""

import os
import shutil

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala.checkpoints import directory, transfer, variables
from sc2impala.errors import UserError
from sc2impala.training import train as training
from tests.checkpoints.examples import DATA, Killed, kill
from tests.runtime import tiny

UPDATE = 3 * tiny.FRAMES_PER_SEQUENCE
"""Of four sequences one is replayed, but for the first update."""
FLAGS = ('--total_environment_frames=100000', '--deterministic', '--num_envs=6', *tiny.REPLAY)
TARGET = tiny.FRAMES_PER_UPDATE + UPDATE
SOURCE = TARGET + 2 * UPDATE


class Probe(tf.train.SessionRunHook):
    """Reads all variables when the session ends."""

    def end(self, session):
        self.values = session.run({v.op.name: v for v in tf.global_variables()})


def go_on(folder, frames):
    """Trains until there are so many frames; returns the variables at the end."""
    probe = Probe()
    flags = (*FLAGS, f'--stop_at_frames={frames}')
    training.train(tiny.read_settings(folder, *flags), [probe])
    return probe.values


@pytest.fixture(scope='module')
def runs(tmp_path_factory):
    """Two runs that learn the same with other random numbers, and are not equally far."""
    folder = tmp_path_factory.mktemp('runs')
    for name, frames in (('source', SOURCE), ('target', TARGET)):
        seed = f'--seed={len(name) + frames}'
        assert tiny.main(folder / name, *FLAGS, f'--stop_at_frames={frames}', seed) == 0
    return folder


@pytest.fixture
def folders(runs, tmp_path):
    """Copies of the runs: the paths of the one that gives, and the one that takes."""
    return [
        shutil.copytree(str(runs / name), str(tmp_path / name)) for name in ('source', 'target')
    ]


def offer(source, target, keep=tuple(transfer.FILES)):
    transfer.offer(source, SOURCE, target, TARGET, keep)


@pytest.mark.long
def test_all_variables_but_the_frames_are_taken(folders):
    source, target = folders
    before = tiny.snapshot(source)
    own, other = tiny.variables(target, TARGET), tiny.variables(source, SOURCE)
    slots = [name for name in other if 'adam' in name.lower() or 'power' in name]
    assert len(slots) > 4 and not any(np.array_equal(own[n], other[n]) for n in slots[:4])
    offer(source, target)
    found = go_on(target, TARGET)
    assert found.pop('global_step') == TARGET and other.pop('global_step') == SOURCE
    assert tiny.same_arrays(found, other)
    assert tiny.snapshot(source) == before
    # The checkpoint of the run itself is as it was.
    assert tiny.same_arrays(tiny.variables(target, TARGET), own)


@pytest.mark.long
def test_it_is_taken_until_a_checkpoint_holds_it(folders, capsys):
    """Up to the first whole checkpoint after it, nothing of the run has changed."""
    source, target = folders
    offer(source, target)
    values = go_on(target, TARGET + UPDATE)
    assert values['global_step'] == TARGET + UPDATE
    taken = f'weights and optimizer are those of {source} after {SOURCE:,}'
    assert taken in capsys.readouterr().out
    again = go_on(target, TARGET + UPDATE)
    assert 'weights and optimizer' not in capsys.readouterr().out
    assert tiny.same_arrays(again, values)
    # The checkpoint after it is damaged: the one before is used, and it is taken again.
    with open(tiny.checkpoint(target, TARGET + UPDATE, 'variables.index'), 'r+b') as file:
        file.truncate(10)
    assert tiny.same_arrays(go_on(target, TARGET + UPDATE), values)
    assert taken in capsys.readouterr().out


def inserted(folder, frames):
    with np.load(tiny.checkpoint(folder, frames, 'replay.npz')) as arrays:
        return int(arrays['num_inserted'])


def lost(folder, frames):
    """Frames that were played and never trained on."""
    with np.load(tiny.checkpoint(folder, frames, 'state.npz')) as arrays:
        return int(arrays['account/discarded'] + arrays['account/aborted'])


@pytest.mark.long
@pytest.mark.parametrize('keep', [('games',), ('replay',)])
def test_what_of_its_own_it_keeps(folders, keep, capsys):
    source, target = folders
    offer(source, target, keep)
    before = inserted(target, TARGET)
    go_on(target, TARGET + 1)
    out, frames = capsys.readouterr().out, tiny.newest_frames(target)
    new = inserted(target, frames) - (before if 'replay' in keep else 0)
    # With nothing to be replayed all sequences of the update are new.
    assert new == (3 if 'replay' in keep else 4)
    assert ('replay.npz of ' in out) == ('replay' not in keep)
    assert ('all games start new episodes' in out) == ('games' not in keep)
    assert (lost(target, frames) > 0) == ('games' not in keep)
    assert 'does not balance' not in out


@pytest.mark.parametrize('function', ['os.mkdir', 'os.link', 'os.fsync', 'os.replace', 'os.rename'])
def test_killed_in_the_middle(folders, function, monkeypatch):
    source, target = folders
    before, of_source = tiny.snapshot(target), tiny.snapshot(source)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(function, kill)
        offer(source, target)
    assert transfer.find(target, TARGET) is None
    assert tiny.newest_frames(target) == TARGET
    left = tiny.snapshot(target)
    assert all(left[path] == content for path, content in before.items())
    offer(source, target)
    assert transfer.find(target, TARGET).frames == SOURCE
    directory.remove_leftovers(target)
    assert not [name for name in os.listdir(target) if name.endswith('.tmp')]
    assert tiny.snapshot(source) == of_source


def test_the_last_offer_counts(folders):
    source, target = folders
    transfer.offer(source, SOURCE, target, TARGET - UPDATE, ())
    offer(source, target, ('games',))
    offer(source, target, ('replay',))
    assert [n for n in os.listdir(target) if n.startswith('adopted')] == [f'adopted-{TARGET}']
    found = transfer.find(target, TARGET)
    assert found == transfer.find(target, 0)
    assert (found.source, found.keep, found.dropped_files) == (
        source,
        ('replay',),
        ['state.npz'],
    )
    assert transfer.find(target, TARGET + 1) is None


def test_a_source_that_is_not_whole_is_refused(folders):
    source, target = folders
    path = tiny.checkpoint(source, SOURCE, 'variables.index')
    with open(path, 'r+b') as file:
        file.write(b'xxx')
    with pytest.raises(UserError, match=r'cannot be written \(.* has another checksum\)'):
        offer(source, target)
    os.remove(tiny.checkpoint(source, SOURCE, 'checkpoint.json'))
    with pytest.raises(UserError, match=r'checkpoint.json is missing'):
        offer(source, target)
    assert not [name for name in os.listdir(target) if 'adopted' in name]


@pytest.mark.parametrize('name', ['adoption.json', 'variables.index', DATA, 'checkpoint.json'])
def test_damage_is_named(folders, name):
    source, target = folders
    offer(source, target)
    with open(os.path.join(target, f'adopted-{TARGET}', name), 'r+b') as file:
        file.truncate(5)
    with pytest.raises(UserError, match=rf'adopted-{TARGET} is damaged \('):
        transfer.find(target, TARGET)


def test_another_agent_is_refused(folders):
    source, target = folders
    offer(source, target)
    found = transfer.find(target, TARGET)
    with tf.Graph().as_default():
        counter = tf.train.get_or_create_global_step()
        other = tf.get_variable('other', shape=[2])
        with pytest.raises(UserError, match='it has no variable other'):
            variables.loader(found.checkpoint, [counter, other], [counter])
        name = next(name for name in tiny.variables(source, SOURCE) if tiny.is_weight(name))
        wrong = tf.get_variable(name, shape=[7, 7, 7])
        with pytest.raises(UserError, match=r'is of another agent: .* expected \[7, 7, 7\]'):
            variables.loader(found.checkpoint, [counter, wrong], [counter])
