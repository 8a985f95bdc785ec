"""Everything that can go wrong, many times in one run; takes the better part of an hour."""

import contextlib
import glob
import os
import random
import signal
import time

import pytest
import tensorflow.compat.v1 as tf

from benchmarks import networks
from tests.cluster_actors.processes import (
    PARTS,
    Cluster,
    is_balanced,
    learner_account,
    restored_frames,
    total,
)
from tests.runtime import tiny

FAULTS = {'kill actor': 60, 'kill learner': 20, 'pause': 10, 'cut': 5}
PAUSE_SECS = 10
CUT_SECS = 20
RPC_TIMEOUT_SECS = 5
NUM_ACTORS = 3

LEARNER = ('--save_checkpoint_secs=0', *tiny.REPLAY)
ENDLESS = total(1000000)
ACTOR = (f'--rpc_timeout_secs={RPC_TIMEOUT_SECS}', '--num_envs=3')


class Run:
    """A learner on machine 0 and an actor on each of the others; two have the same number."""

    def __init__(self, cluster, network):
        self._cluster = cluster
        self._network = network
        self.learner = self.start_learner()
        self.actors = [self._start_actor(index) for index in range(NUM_ACTORS)]

    def start_learner(self, flag=ENDLESS):
        return self._cluster.learner(*LEARNER, flag)

    def fail(self, fault, index):
        """Lets something fail, and waits until training continues."""
        if fault == 'kill actor':
            assert self.actors[index].end(signal.SIGKILL) == -signal.SIGKILL
            self.actors[index] = self._start_actor(index)
        elif fault == 'kill learner':
            saved = tiny.newest_frames(self._cluster.logdir)
            assert self.learner.end(signal.SIGKILL) == -signal.SIGKILL
            self.learner = self.start_learner()
            assert not saved or restored_frames(self.learner) >= saved
        elif fault == 'pause':
            self.actors[index].send(signal.SIGSTOP)
            time.sleep(PAUSE_SECS)
            self.actors[index].send(signal.SIGCONT)
        elif fault == 'cut':
            self._network.cut(1 + index)
            time.sleep(CUT_SECS)
            self._network.mend(1 + index)
        self.learner.wait_for_updates(2)

    def end_actors(self):
        """Waits for the end of all; returns how many knew by themselves that it is over."""
        ended = 0
        for actor in self.actors:
            actor.process.join(PAUSE_SECS)
            if actor.process.is_alive():
                # It was waiting when the last learner was there, which was for a moment only.
                actor.send(signal.SIGTERM)
            assert actor.end() == 0
            ended += 'the training is finished' in actor.text()
        return ended

    def _start_actor(self, index):
        task = f'--task={max(1, index)}'
        return self._cluster.actor(*ACTOR, task, machine=1 + index)


def make_network(stack):
    """Namespaces where the system permits them."""
    make = networks.Relays if networks.missing() else networks.Namespaces
    return make(1 + NUM_ACTORS, stack)


@pytest.mark.slow
def test_many_faults(processes, tmp_path):
    rng = random.Random(0)
    faults = [fault for fault, count in FAULTS.items() for _ in range(count)]
    rng.shuffle(faults)
    with contextlib.ExitStack() as stack:
        network = make_network(stack)
        cluster = Cluster(processes, tmp_path, stack, network)
        run = Run(cluster, network)
        refused = [
            cluster.actor('--screen_size=7', machine=1),
            cluster.actor(version='0.0.1', machine=1),
        ]
        run.learner.wait_for_updates(2)
        for number, fault in enumerate(faults):
            print(f'{number}: {fault}', flush=True)
            run.fail(fault, rng.randrange(NUM_ACTORS))
        for actor, reason in zip(refused, ('--screen_size=7', 'this actor has 0.0.1')):
            assert actor.end() == 1 and reason in actor.text()
        assert run.learner.end(signal.SIGTERM) == 128 + signal.SIGTERM
        frames = tiny.checkpoint_frames(cluster.logdir)[-1]
        last = run.start_learner(f'--total_environment_frames={frames + 1}')
        assert last.end() == 0
        assert run.end_actors()
        for learner in (run.learner, last):
            assert is_balanced(learner_account(learner))
        final = tiny.checkpoint_frames(cluster.logdir)[-1]
        assert frames < final <= frames + tiny.FRAMES_PER_UPDATE
        print(f'{final} frames, {check_identity(cluster.logdir)} accounts are balanced')
        texts = [path.read_text() for path in tmp_path.glob('output-*')]
        assert not any('Traceback' in text for text in texts)


def check_identity(logdir):
    """Checks the accounts in all summaries; returns their number."""
    count = 0
    for path in glob.glob(os.path.join(str(logdir), '*tfevents*')):
        # The end of a file whose process was killed may be missing.
        with contextlib.suppress(tf.errors.DataLossError):
            for event in tf.train.summary_iterator(path):
                values = {value.tag: value.simple_value for value in event.summary.value}
                if 'cluster/frames_played' in values:
                    played = values['cluster/frames_played']
                    parts = sum(values['cluster/frames_' + name] for name in PARTS)
                    # They are single precision.
                    assert parts == pytest.approx(played, rel=1e-6)
                    count += 1
    assert count
    return count
