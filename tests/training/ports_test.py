"""A run on one machine opens no port."""

import os
import socket

import pytest

from sc2impala.training.components import stop as stop_lib
from tests.runtime import tiny

HAS_PROC = os.path.exists('/proc/net/tcp')


def listening_sockets():
    """Inodes of this process's waiting TCP and UDP sockets; none where there is no /proc."""
    if not HAS_PROC:
        return set()
    own = set()
    for descriptor in os.listdir('/proc/self/fd'):
        try:
            target = os.readlink('/proc/self/fd/' + descriptor)
        except OSError:
            continue
        if target.startswith('socket:['):
            own.add(target[len('socket:[') : -1])
    listening = set()
    for table in ('tcp', 'tcp6', 'udp', 'udp6'):
        if os.path.exists('/proc/net/' + table):
            with open('/proc/net/' + table) as file:
                rows = [line.split() for line in file.readlines()[1:]]
            # 0A: a TCP socket listens; 07: a UDP socket is bound.
            listening |= {row[9] for row in rows if row[3] in ('0A', '07')}
    return own & listening


@pytest.mark.long
def test_several_actors_feed_one_learner_and_no_port_is_opened(tmp_path, monkeypatch):
    with socket.socket() as server:
        server.bind(('127.0.0.1', 0))
        server.listen(1)
        assert bool(listening_sockets()) == HAS_PROC
    before = listening_sockets()
    seen = []

    class Look(stop_lib.StopHook):
        def after_run(self, run_context, run_values):
            seen.append(listening_sockets())
            super().after_run(run_context, run_values)

    monkeypatch.setattr(stop_lib, 'StopHook', Look)
    tiny.train(tmp_path, 8, '--num_actors=3', '--num_envs=2', '--replay_proportion=0.25')
    assert len(seen) >= 3 and seen == [before] * len(seen)
    assert tiny.checkpoint_frames(tmp_path)[-1] >= 8 * tiny.FRAMES_PER_UPDATE
    assert len(tiny.episodes(tmp_path)) > 0
