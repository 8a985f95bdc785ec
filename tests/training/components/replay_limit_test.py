"""What is reported and refused while a replay buffer fills, with a simulated machine."""

import pytest

from sc2impala.errors import UserError
from sc2impala.runtime import memory
from sc2impala.training.components import replay_limit as replay_watch

MIB = 2**20


class Table:
    """A replay table of `size` sequences, each of which takes `each` bytes."""

    def __init__(self, size=0, each=MIB, capacity=1000):
        self.capacity = capacity
        self.size = size
        self.each = each

    @property
    def num_bytes(self):
        return self.size * self.each


@pytest.fixture
def machine(monkeypatch):
    """A dict: `total` is the memory of the machine, `asked` counts how often it was read."""
    state = {'total': 1 << 50, 'asked': 0}

    def available_bytes():
        state['asked'] += 1
        return state['total'] - state['table'].num_bytes

    monkeypatch.setattr(memory, 'available_bytes', available_bytes)
    return state


def watch(machine, **table_arguments):
    machine['table'] = Table(**table_arguments)
    return replay_watch.ReplayWatch(machine['table'], raw_bytes=10000 * MIB), machine['table']


def test_reports_at_every_doubling_and_when_it_is_full(machine, capsys):
    check, sequences = watch(machine)
    reported = []
    for size in range(1, 1001):
        sequences.size = size
        check()
        if capsys.readouterr().out:
            reported.append(size)
    for _ in range(50):
        check()
    assert capsys.readouterr().out == ''
    first = replay_watch.FIRST_SIZE
    assert reported == [first, 2 * first, 4 * first, 8 * first, 1000]
    # It reads the memory of the machine at every sixteenth, not at every sequence.
    assert len(reported) < machine['asked'] < 60


def test_what_it_reports(machine, capsys):
    check, sequences = watch(machine, size=100)
    check()
    assert capsys.readouterr().out == (
        'replay: 100 sequences take 100 MiB (compression ratio 10.0); all 1,000 will '
        'take about 1,000 MiB\n'
    )
    sequences.size = 1000
    check()
    assert capsys.readouterr().out == (
        'replay: 1,000 sequences take 1,000 MiB (compression ratio 10.0)\n'
    )


def test_a_small_buffer_is_reported_once_it_is_full(machine, capsys):
    check, sequences = watch(machine, capacity=6)
    for size, expected in [(3, ''), (5, ''), (6, 'replay: 6 sequences take 6 MiB'), (6, '')]:
        sequences.size = size
        check()
        out = capsys.readouterr().out
        assert out.startswith(expected) and bool(out) == bool(expected)


def test_ends_at_the_first_estimate_if_not_all_will_fit(machine):
    check, sequences = watch(machine)
    machine['total'] = 850 * MIB
    for size in range(99):
        sequences.size = size
        check()
    sequences.size = 100
    expected = (
        r'--replay_buffer_size=1000 will take about 1,000 MiB \(100 sequences take 100 MiB\), but '
        'only 750 MiB are left, expected at most 800 sequences. .* still there: .*--init_checkpoint'
    )
    with pytest.raises(UserError, match=expected):
        check()


@pytest.mark.parametrize('total', [1001, 1300, 1500])
def test_as_many_as_it_says_do_fit(machine, total):
    """The number of sequences in the message passes, from the start until the buffer is full."""
    check, sequences = watch(machine, size=100, capacity=1 << 20)
    machine['total'] = total * MIB
    with pytest.raises(UserError) as error:
        check()
    fits = int(str(error.value).split('at most ')[1].split()[0])
    check, sequences = watch(machine, capacity=fits)
    for size in range(fits + 1):
        sequences.size = size
        check()
    assert fits > 0.9 * total


def test_ends_when_later_sequences_compress_less(machine):
    check, sequences = watch(machine, size=100)
    machine['total'] = 1500 * MIB
    check()
    sequences.size, sequences.each = 400, 2 * MIB
    with pytest.raises(UserError, match='will take about 2,000 MiB'):
        check()


def test_ends_before_a_full_buffer_exceeds_the_memory(machine):
    """Sequences grow with every update, until the system would have to kill a process."""
    check, sequences = watch(machine, size=1000)
    machine['total'] = 1500 * MIB
    with pytest.raises(UserError, match='--replay_buffer_size=1000 will take about'):
        while True:
            check()
            sequences.each += MIB // 100
            assert sequences.num_bytes <= machine['total']
    assert sequences.num_bytes > 0.8 * machine['total']


def test_warns_once_where_it_is_narrow(machine, capsys):
    check, sequences = watch(machine, size=100)
    machine['total'] = 1100 * MIB
    for size in range(100, 700, 10):
        sequences.size = size
        check()
    warning = 'of the 1,000 MiB that are left it will take 900 MiB; should later sequences'
    assert capsys.readouterr().out.count('should later') == 1
    check, sequences = watch(machine, size=100)
    check()
    assert warning in capsys.readouterr().out
    machine['total'] = 2000 * MIB
    check, sequences = watch(machine, size=100)
    check()
    assert 'should later' not in capsys.readouterr().out
