"""The books of a learner: every frame is in one place, and messages count once."""

import random

from sc2impala.cluster.accounts import SILENT_SECS, Accounts, Amounts, Rates
from tests.cluster import headers

FRAMES = 120


class Clock:
    """Shows what it is set to."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def make_accounts(**options):
    said, clock = [], Clock()
    return Accounts(headers.RUN, say=said.append, clock=clock, **options), said, clock


def test_sequences_are_queued_until_they_are_trained():
    accounts, _, _ = make_accounts()
    assert accounts.admit(headers.make(0, FRAMES, played=FRAMES), 10, 0)
    assert accounts.admit(headers.make(1, FRAMES, played=2 * FRAMES), 10, 0)
    accounts.train(1, FRAMES, 0.25)
    amounts = accounts.amounts()
    assert amounts.is_balanced()
    assert (amounts.played, amounts.trained, amounts.queued) == (2 * FRAMES, FRAMES, FRAMES)
    assert accounts.sequences() == {'received': 2, 'discarded': 0, 'trained': 1}
    assert accounts.totals() == dict(bytes_in=20, bytes_out=100, learner_wait=0.25, actor_wait=1.0)


def test_a_message_that_arrives_again_is_not_trained_on_again():
    accounts, _, _ = make_accounts()
    header = headers.make(0, FRAMES, played=FRAMES)
    assert [accounts.admit(header, 10, 0) for _ in range(3)] == [True, False, False]
    assert accounts.traffic().repeated == 2
    assert accounts.amounts().queued == FRAMES
    # Another actor has numbers of its own.
    assert accounts.admit(headers.make(0, FRAMES, actor='b', played=FRAMES), 10, 0)


def test_messages_may_overtake_each_other():
    accounts, _, _ = make_accounts()
    order = [1, 0, 3, 3, 2, 1000, 999, 1000, 0]
    admitted = [n for n in order if accounts.admit(headers.make(n, FRAMES), 10, 0)]
    assert admitted == [1, 0, 3, 2, 1000, 999]


def test_old_weights_are_discarded_if_that_is_asked_for():
    for limit, expected in ((0, [True, True, True]), (3, [True, True, False])):
        accounts, _, _ = make_accounts(max_policy_lag=limit)
        found = [
            accounts.admit(
                headers.make(n, FRAMES, played=(n + 1) * FRAMES, policy_updates=10 - lag), 1, 10
            )
            for n, lag in enumerate((0, 3, 4))
        ]
        assert found == expected
        amounts = accounts.amounts()
        assert amounts.discarded == FRAMES * expected.count(False)
        assert amounts.queued == FRAMES * expected.count(True)
        assert amounts.is_balanced()


def test_messages_of_other_runs_do_not_count():
    accounts, _, _ = make_accounts()
    assert not accounts.admit(headers.make(0, FRAMES, run='other', played=FRAMES), 10, 0)
    assert accounts.traffic().of_other_runs == 1
    assert accounts.amounts().played == 0 and not accounts.present()


def test_nonsense_is_counted_and_mentioned_once():
    accounts, said, _ = make_accounts()
    for _ in range(3):
        accounts.refuse(7, 'not a header')
    assert accounts.traffic().refused == 3 and len(said) == 1
    assert accounts.totals()['bytes_in'] == 21


def test_who_comes_and_goes():
    accounts, said, clock = make_accounts()
    accounts.admit(headers.make(0, FRAMES, actor='a', played=FRAMES), 1, 0)
    accounts.admit(headers.make(0, FRAMES, actor='b', played=3 * FRAMES), 1, 0)
    assert [actor.slot for actor in accounts.present()] == [0, 1]
    assert accounts.amounts().unsent == 2 * FRAMES
    clock.now += SILENT_SECS + 1
    accounts.look_for_silence(clock.now - 5)
    assert len(accounts.present()) == 2, 'the learner has not waited for so long'
    accounts.admit(headers.make(1, actor='a', played=FRAMES), 1, 0)
    accounts.look_for_silence(0.0)
    assert [actor.slot for actor in accounts.present()] == [0]
    amounts = accounts.amounts()
    # Two unrolls were reported and did not arrive; half of one more is a guess.
    assert (amounts.unsent, amounts.lost, amounts.lost_estimated) == (0, 150 * 2, 60)
    assert amounts.is_balanced()
    # A new actor takes the place, the old one comes back to another one.
    accounts.admit(headers.make(0, FRAMES, actor='c', played=FRAMES), 1, 0)
    accounts.admit(headers.make(1, 2 * FRAMES, actor='b', played=3 * FRAMES), 1, 0)
    assert accounts.amounts().lost == 0 and accounts.amounts().is_balanced()
    assert len(accounts.present()) == 3
    accounts.admit(headers.make(2, actor='a', played=FRAMES, ending=True), 1, 0)
    assert len(accounts.present()) == 2
    kinds = [text.split(')')[1].split(',')[0].strip() for text in said]
    assert kinds == [
        'has joined',
        'has joined',
        'has been silent for 30 s',
        'has joined',
        'is back',
        'has left',
    ]


def test_one_that_died_is_missed_by_a_learner_that_is_always_busy():
    accounts, _, clock = make_accounts()
    for actor in 'abc':
        accounts.admit(headers.make(0, FRAMES, actor=actor, played=FRAMES), 1, 0)
    # Nothing is taken for a while, as during an evaluation: nobody can be heard.
    clock.now += 2 * SILENT_SECS
    accounts.look_for_silence(clock.now, waiting=2)
    assert len(accounts.present()) == 3
    # Then only one of them is heard, again and again. The others may still wait for their turn.
    for number in range(1, 15):
        accounts.admit(headers.make(number, FRAMES, actor='a', played=(number + 1) * FRAMES), 1, 0)
        accounts.look_for_silence(clock.now, waiting=2)
    assert len(accounts.present()) == 3
    for number in range(15, 20):
        accounts.admit(headers.make(number, FRAMES, actor='a', played=(number + 1) * FRAMES), 1, 0)
        accounts.look_for_silence(clock.now, waiting=2)
    assert [actor.slot for actor in accounts.present()] == [0]
    assert accounts.amounts().is_balanced()


def test_the_number_of_a_task_is_its_place_unless_it_is_taken():
    accounts, _, _ = make_accounts()
    for actor, task in (('a', 5), ('b', 5), ('c', -1), ('d', 0)):
        accounts.admit(headers.make(0, FRAMES, actor=actor, task=task), 1, 0)
    assert sorted(actor.slot for actor in accounts.present()) == [0, 1, 2, 5]


def test_the_equation_holds_whatever_happens():
    rng = random.Random(0)
    accounts, _, clock = make_accounts(max_policy_lag=4)
    totals, most = {}, [0] * len(Amounts._fields)
    for step in range(3000):
        actor = str(rng.randrange(6))
        number, played, aborted = totals.get(actor, (0, 0, 0))
        clock.now += rng.choice([0, 1, 40]) if step % 50 == 0 else 0.01
        event = rng.random()
        played += FRAMES * rng.randrange(3)
        if event < 0.2:
            aborted = min(played, aborted + FRAMES)
        frames = FRAMES if event < 0.8 else 0
        header = headers.make(
            number,
            frames,
            actor=actor,
            policy_updates=rng.randrange(9),
            played=played,
            aborted=aborted,
            ending=event > 0.99,
        )
        for _ in range(1 + (event < 0.05)):
            accounts.admit(header, 1, 9)
        totals[actor] = (number + 1, played, aborted)
        accounts.look_for_silence(0.0)
        if rng.random() < 0.5 and accounts.amounts().queued >= FRAMES:
            accounts.train(1, FRAMES, 0.0)
        assert accounts.amounts().is_balanced()
        assert min(accounts.amounts()) >= 0
        most = [max(pair) for pair in zip(most, accounts.amounts())]
    assert min(most) > 0, 'every way for a frame to go was tried'


def test_rates():
    clock = Clock()
    rates = Rates(clock)
    assert rates.update({'a': 10}) == {}
    clock.now += 2
    assert rates.update({'a': 16, 'b': 5}) == {'a': 3.0}
    assert rates.update({'a': 16, 'b': 5}) == {}
