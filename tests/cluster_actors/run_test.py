"""A learner and actors in separate processes: they join, leave, die and restart."""

import contextlib
import os
import signal
import socket
import time

import grpc
import numpy as np
import pytest

from sc2impala.evaluation.log import EvaluationLog
from tests.cluster_actors.processes import (
    Cluster,
    actor_account,
    is_balanced,
    learner_account,
    restored_frames,
    total,
)
from tests.runtime import tiny

HTTP2 = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
SETTINGS = b'\x00\x00\x00\x04\x00\x00\x00\x00\x00'
NO_ERROR = contextlib.suppress(OSError)
SERVICES = {'MasterService': 'CreateSession RunStep', 'WorkerService': 'RunGraph RecvTensor'}


@pytest.fixture
def cluster(processes, tmp_path):
    with contextlib.ExitStack() as stack:
        yield Cluster(processes, tmp_path, stack)


@pytest.mark.long
def test_trains_to_the_end_whoever_comes_and_goes(cluster):
    early = cluster.actor('--num_envs=3')
    learner = cluster.learner(total(1000000), '--save_checkpoint_secs=0')
    early.wait_for('connecting to the learner')
    learner.wait_for(r'actor 0 .* has joined, 1 connected')
    late = cluster.actor('--rpc_timeout_secs=5', environment=cluster.tf_config('actor'))
    learner.wait_for(r'actor 4 .* has joined, 2 connected')
    talk_nonsense(cluster.port)
    learner.wait_for_updates(2)
    assert early.end(signal.SIGTERM) == 0
    learner.wait_for(r'actor 0 .* (has left|has been silent)')
    # What it has played has arrived, or it said that it never will.
    account = actor_account(early)
    assert account['played'] == account['sent'] + account['aborted'] > 0
    wrong = cluster.actor('--screen_size=5', '--num_envs=2', '--discounting=0.5')
    assert wrong.end() == 1
    message = 'error: the learner has other settings: --discounting=0.95 (here --discounting=0.5)'
    assert f'{message}, --screen_size=4 (here --screen_size=5)' in wrong.text()
    asking = cluster.actor('--inference=central')
    assert asking.end() == 1
    assert 'error: --inference=central needs a learner that acts for its actors' in asking.text()
    assert learner.end(signal.SIGTERM) == 128 + signal.SIGTERM
    saved = tiny.checkpoint_frames(cluster.logdir)[-1]

    # A learner goes on from the checkpoint, and the actor with it; then it is killed.
    killed = cluster.learner(total(1000000), '--save_checkpoint_secs=0')
    late.wait_for('the learner has restarted: all games restart')
    killed.wait_for_updates(2)
    assert killed.end(signal.SIGKILL) == -signal.SIGKILL
    assert restored_frames(killed) == saved

    saved = tiny.newest_frames(cluster.logdir)
    number = 5 + saved // tiny.FRAMES_PER_UPDATE
    evaluated = ('--evaluate_every_frames=1', '--num_episodes=2')
    last = cluster.learner(total(number), *evaluated, environment=cluster.tf_config('learner'))
    assert last.end() == 0 and late.end() == 0
    assert restored_frames(last) == saved
    assert late.text().count('the learner has restarted') == 2
    assert 'the training is finished' in late.text()
    assert tiny.checkpoint_frames(cluster.logdir)[-1] == number * tiny.FRAMES_PER_UPDATE
    for process in (learner, last):
        assert 'Traceback' not in process.text()
        assert is_balanced(learner_account(process))
    found, sent = learner_account(last), actor_account(late)['sent']
    assert found['trained'] == 5 * tiny.FRAMES_PER_UPDATE
    # One message may have been taken without an answer. After the learner's account the actor goes
    # on until it reads that the training is over: a message fits into the batch that is staged, the
    # queue of sequences, the intake and the queue of messages, each.
    received = found['trained'] + found['queued']
    assert -1 <= (sent - received) / tiny.FRAMES_PER_UPDATE <= 4
    table = EvaluationLog(os.path.join(str(cluster.logdir), 'evaluations.csv'), 'MoveToBeacon').rows
    frames = [saved + i * tiny.FRAMES_PER_UPDATE for i in range(6)]
    assert [row['global_step'] for row in table] == frames
    tags = tiny.summaries(cluster.logdir)
    assert {'cluster/actors', 'cluster/frames_played', 'actor/4/frames_per_second'} <= set(tags)
    lag = [value for _, value in tags['policy_lag/updates']]
    assert max(lag) > 0 and min(lag) >= 0


@pytest.mark.long
def test_the_learner_plays_for_actors_that_come_go_and_die(cluster):
    """Central inference, from the first actor to the last after both sides were killed."""
    flags = ('--inference=central', '--agent=fully_conv_lstm', '--save_checkpoint_secs=0')
    learner = cluster.learner(total(1000000), *flags)
    first, second = (cluster.actor('--rpc_timeout_secs=5', '--num_envs=3') for _ in range(2))
    learner.wait_for('has joined', 2)
    learner.wait_for('^training: ', 3)
    assert first.end(signal.SIGKILL) == -signal.SIGKILL
    before = len(learner.wait_for('^training: '))
    learner.wait_for('^training: ', before + 3)
    assert learner.end(signal.SIGKILL) == -signal.SIGKILL
    number = 5 + tiny.checkpoint_frames(cluster.logdir)[-1] // tiny.FRAMES_PER_UPDATE
    again = cluster.learner(total(number), *flags)
    assert again.end() == 0 and second.end() == 0
    assert second.text().count('the learner has restarted: all games restart') == 1
    assert actor_account(second)['played'] > 0
    assert is_balanced(learner_account(again))
    assert 'Traceback' not in again.text()
    # Nothing is older than an unroll and what waits in front of the learner.
    lag = [value for _, value in tiny.summaries(cluster.logdir)['policy_lag/updates']]
    assert 0 <= min(lag) <= max(lag) < 10


def talk_nonsense(port):
    """What strangers may say to an open port: no gRPC, half of it, and gRPC without sense."""
    noise = np.random.RandomState(0).bytes(100000)
    for content in (noise, b'GET / HTTP/1.1\r\n\r\n', HTTP2 + noise, HTTP2 + SETTINGS + noise):
        with socket.create_connection(('localhost', port)) as stranger, NO_ERROR:
            stranger.sendall(content)
    with grpc.insecure_channel(f'localhost:{port}') as channel:
        for service, methods in SERVICES.items():
            for method in methods.split():
                call = channel.unary_unary(f'/tensorflow.{service}/{method}')
                with pytest.raises(grpc.RpcError):
                    call(noise, timeout=30)


@pytest.mark.long
def test_a_learner_without_actors_can_be_stopped(cluster):
    learner = cluster.learner(total(5))
    learner.wait_for('listening for actors on port')
    learner.wait_for('^logdir: ')
    time.sleep(1.0)
    assert learner.end(signal.SIGTERM) == 128 + signal.SIGTERM
    assert tiny.checkpoint_frames(cluster.logdir) == [0]
    assert 'Traceback' not in learner.text()


@pytest.mark.long
def test_a_port_that_is_taken(cluster):
    with socket.socket() as taken:
        taken.bind(('', cluster.port))
        taken.listen(1)
        learner = cluster.learner(total(5))
        assert learner.end() == 1
    assert f'port {cluster.port} cannot be opened' in learner.text()


def test_a_cluster_manager_that_is_not_understood(tmp_path, capsys, monkeypatch):
    for text in ('{"cluster":', '{"cluster": {"worker": {"3": "a:1", "4": "b:1"}}}'):
        monkeypatch.setenv('TF_CONFIG', text)
        assert tiny.main(tmp_path) == 1
        assert f'TF_CONFIG={text} is not understood' in tiny.error_line(capsys)
