"""Headers and sequences as bytes, and what is no message."""

import json

import numpy as np
import pytest

from sc2impala.cluster import messages
from tests.cluster import headers

SPECS = [((3, 2), np.uint8), ((3,), np.float32), ((), np.int64), ((3,), np.bool_)]


def random_arrays(count, seed=0):
    rng = np.random.RandomState(seed)
    return [
        rng.randint(0, 2 if dtype is np.bool_ else 100, [count] + list(shape)).astype(dtype)
        for shape, dtype in SPECS
    ]


@pytest.mark.parametrize('compression', [messages.NONE, messages.ZSTD])
@pytest.mark.parametrize('count', [1, 5])
def test_sequences_arrive_as_they_were(compression, count):
    arrays = random_arrays(count)
    content = messages.pack(arrays, compression)
    found = messages.unpack(content, SPECS, count, compression)
    for array, expected in zip(found, arrays):
        assert array.dtype == expected.dtype and np.array_equal(array, expected)


def test_slices_of_other_arrays_are_packed_as_well():
    arrays = [array[::2] for array in random_arrays(6)]
    found = messages.unpack(messages.pack(arrays, messages.NONE), SPECS, 3, messages.NONE)
    assert all(np.array_equal(a, b) for a, b in zip(found, arrays))


def test_zstd_is_smaller():
    arrays = [np.zeros_like(array) for array in random_arrays(50)]
    sizes = {kind: len(messages.pack(arrays, kind)) for kind in (messages.NONE, messages.ZSTD)}
    assert sizes[messages.NONE] == 50 * messages.num_bytes(SPECS)
    assert sizes[messages.ZSTD] < sizes[messages.NONE] / 10


@pytest.mark.parametrize(
    'content, count, compression, expected',
    [
        (b'', 1, 'none', 'have 0 bytes'),
        (messages.pack(random_arrays(2), 'none'), 1, 'none', 'have 58 bytes, expected 29'),
        (b'nonsense', 1, 'zstd', 'cannot be decompressed'),
        (messages.pack(random_arrays(2), 'zstd'), 1, 'zstd', 'have 58 bytes, expected 29'),
        (messages.pack(random_arrays(20), 'zstd')[:-9], 20, 'zstd', 'cannot be decompressed'),
        (b'', 10**9, 'none', 'too many for one message'),
        (b'', 1, 'gzip', "'gzip' is unknown"),
    ],
)
def test_other_bytes_are_refused(content, count, compression, expected):
    with pytest.raises(ValueError, match=expected):
        messages.unpack(content, SPECS, count, compression)


def test_a_header_arrives_as_it_was():
    header = headers.make(3, 120, played=500, last_return=1.5, ending=True)
    assert messages.read_header(header.to_bytes()) == header


def changed(**changes):
    return json.dumps(dict(headers.make(3)._asdict(), **changes)).encode()


def test_what_is_no_header():
    for text in [
        b'',
        b'\xff\x00',
        b'[]',
        b'{}',
        b'null',
        changed(number='3'),
        changed(number=-1),
        changed(played=1.5),
        changed(unknown=1),
        changed(run=None),
        b'[' * 100000,
    ]:
        with pytest.raises(ValueError):
            messages.read_header(text)


def test_large_sequences_travel_alone():
    assert messages.sequences_per_message([((3 << 20,), np.uint8)]) == 1
    assert messages.sequences_per_message([((9 << 20,), np.uint8)]) == 1
    assert messages.sequences_per_message([((1 << 20,), np.uint8)]) == 4
