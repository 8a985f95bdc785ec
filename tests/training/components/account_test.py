"""The account of frames: against what the queue holds, over restarts, and when it is wrong."""

import contextlib
import threading
import time
import types

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from sc2impala import actors, agents, frames
from sc2impala.learner.phases import Phase
from sc2impala.training.components.account import Account, AccountedQueue, AccountHook, AccountState
from tests import fakes
from tests.training.taped_phases import Tape

T, K = 4, 3


class Playing:
    """Two actors of fake games of different lengths, every third of which is aborted."""

    def __init__(self, stack, overlap=0):
        stack.enter_context(tf.Graph().as_default())
        self._overlap = overlap
        self.envs = [
            fakes.FakeEnvironment(K, 3 + index, abort_every=3, seed=index) for index in range(2)
        ]
        env = self.envs[0]
        agent = agents.make_agent(
            'fully_conv', env.observation_spec, env.action_spec, env.max_step_mul
        )
        agent.create_variables(env.observation_spec)
        spec = actors.sequence_spec(agent, self.envs[0].observation_spec, T)
        queue = AccountedQueue(spec, 100, overlap)
        self.account = queue.account
        self.account.envs = self.envs
        self._enqueue = [
            queue.enqueue_many(
                actors.build_actor(agent, env, T, actor=index, overlap=overlap).output
            )
            for index, env in enumerate(self.envs)
        ]
        self._batch = queue.dequeue_many(K)
        self._rest = queue.queue.dequeue_many(queue.size())
        self._pack = queue.pack
        self._session = stack.enter_context(tf.Session())
        self._session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])

    def play(self, index):
        self._session.run(self._enqueue[index])

    def take(self):
        """Takes a batch; returns its frames."""
        return self.frames_of(self._session.run(self._batch))

    def drain(self):
        """The frames of all that waits, which the account does not notice."""
        return self.frames_of(self._pack(self._session.run(self._rest)))

    def frames_of(self, sequences):
        counts = frames.count(sequences.env_outputs, sequences.agent_outputs.step_mul)
        return int(counts[:, self._overlap :].sum())


@pytest.fixture
def playing(request):
    """Sequences that overlap as much as the parameter says, or not at all."""
    with contextlib.ExitStack() as stack:
        yield Playing(stack, getattr(request, 'param', 0))


@pytest.mark.long
@pytest.mark.parametrize('playing', [0, 2], indirect=True)
def test_counts_what_the_games_play_and_the_queue_holds(playing):
    account = playing.account
    rng = np.random.RandomState(0)
    for _ in range(12):
        playing.play(rng.randint(2))
    trained = []
    for _ in range(5):
        trained.append(playing.take())
        amounts = account.amounts()
        assert amounts.staged == trained[-1] and amounts.is_balanced()
        account.train(trained[-1])
    staged = playing.take()
    amounts = account.amounts()
    assert amounts.played == sum(env.frames_played for env in playing.envs)
    assert (amounts.trained, amounts.staged, amounts.unrolls) == (sum(trained), staged, 0)
    assert amounts.queued == playing.drain() > 0
    assert amounts.is_balanced() and account.complaint() is None
    # A step of an unroll that is not finished.
    action = {head: np.zeros([K], np.int32) for head in playing.envs[0].action_spec.heads}
    playing.envs[0].step(action, np.full([K], 7))
    assert account.amounts().unrolls == 7 * K and account.amounts().is_balanced()


def test_an_environment_that_plays_more_than_it_says(playing):
    playing.envs[1].frames_played += 1
    playing.play(0)
    assert playing.account.complaint() is None
    playing.play(1)
    assert 'actor 1 has generated' in playing.account.complaint()


def test_an_update_that_counts_something_else(playing):
    playing.play(0)
    playing.account.train(playing.take() + 1)
    assert 'an update has trained on' in playing.account.complaint()
    assert not playing.account.amounts().is_balanced()


def make_account(played):
    account = Account()
    account.envs = [types.SimpleNamespace(frames_played=played)]
    return account


def filled():
    """Of 1000 frames 700 have left the actor, and 300 and 100 were taken into batches."""
    account = make_account(700)
    account.begin(0)
    account.leave(0, 700)
    account.envs[0].frames_played = 1000
    account.take(300)
    account.take(100)
    account.train(300)
    account.train(50, recorded=True)
    return account


def test_waits_are_counted(playing):
    """Of the learner for a batch that is not there yet; of an actor for room in the queue."""
    thread = threading.Thread(target=playing.take)
    thread.start()
    time.sleep(0.3)
    playing.play(0)
    thread.join()
    waited = playing.account.waited()
    assert 0.2 < waited['learner'] < 60 and 0 <= waited['actors'] < waited['learner']


class TestRestart:
    def test_what_waited_is_given_up(self):
        account = make_account(0)
        AccountState(account).set_state(None, AccountState(filled()).get_state(None))
        account.begin(350)
        assert account.amounts() == (1000, 300, 400, 300, 0, 0, 0)
        assert account.complaint() is None
        # And so on.
        account.envs[0].frames_played = 40
        account.leave(0, 40)
        again = make_account(0)
        AccountState(again).set_state(None, AccountState(account).get_state(None))
        again.begin(350)
        assert again.amounts() == (1040, 300, 440, 300, 0, 0, 0)

    def test_what_was_restored_waits_on(self):
        account = make_account(0)
        account.go_on_from(filled().to_save())
        account.keep(queued=300, staged=[100])
        account.begin(350)
        assert account.amounts() == (1000, 300, 0, 300, 0, 300, 100)
        account.train(100)
        assert account.amounts() == (1000, 400, 0, 300, 0, 300, 0)
        assert account.complaint() is None

    def test_of_another_checkpoint(self):
        account = make_account(0)
        account.go_on_from(filled().to_save())
        account.begin(351)
        assert 'the phases have 351, the account has 350' in account.complaint()

    def test_a_run_without_an_account(self):
        account = make_account(0)
        AccountState(account).set_state(None, {})
        account.begin(350)
        assert account.amounts() == (350, 350, 0, 0, 0, 0, 0) and account.complaint() is None

    @pytest.mark.parametrize(
        'change', [{'queued': np.array(-1)}, {'queued': np.array([1])}, {'queued': np.array(1.0)}]
    )
    def test_a_state_of_nonsense(self, change):
        names, state = filled().to_save(), AccountState(make_account(0))
        with pytest.raises(ValueError, match='queued are not numbers of frames'):
            state.set_state(None, dict({n: np.array(1) for n in names}, **change))
        with pytest.raises(ValueError, match='queued are missing'):
            state.set_state(None, {n: np.array(1) for n in names if n != 'queued'})


def test_batches_that_are_staged_when_their_source_changes_are_given_up():
    account = filled()
    account.give_up_staged()
    assert account.amounts() == (1000, 300, 100, 0, 300, 300, 0)
    assert account.complaint() is None


class TestHook:
    @staticmethod
    def run(account, frames):
        """Two updates of 10 frames, of which the account sees `frames` in the batches."""
        tape = Tape()
        with tf.Graph().as_default(), tf.Session() as session:
            hook = AccountHook(account, tf.constant(0, tf.int64), tape, every_secs=0)
            hook.after_create_session(session, None)
            hook.begin_phase(Phase(*[None] * len(Phase._fields))._replace(recorded=False), 0)
            for step, count in enumerate(frames, 1):
                account.take(count)
                values = types.SimpleNamespace(results={'frames': 10 * step, 'step': 10 * step})
                hook.after_run(None, values)
            hook.end(session)
        return tape

    def test_says_nothing_if_the_account_holds(self, capsys):
        account = make_account(20)
        account.leave(0, 20)
        tape = self.run(account, [10, 10])
        assert [entry.split()[-1] for entry in tape] == ['10', '20', '20']
        assert 'account/played' in tape[0] and 'account/waiting' in tape[0]
        assert capsys.readouterr().out == ''

    def test_says_so_if_it_does_not(self, capsys):
        account = make_account(21)
        account.leave(0, 21)
        self.run(account, [10, 11])
        out = capsys.readouterr().out
        assert out.count('the account of environment frames does not balance') == 1
        assert '21 played' in out and 'this is a bug of sc2impala' in out
