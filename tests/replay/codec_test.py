"""Tests that compression is lossless for all numbers, and effective for those of real games."""

import threading

import numpy as np
import pytest

from sc2impala.replay.codec import SequenceCodec

DTYPES = (
    [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
    + [np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128]
)  # fmt: skip
SHAPES = [(), (1,), (7,), (3, 5), (1, 4), (21, 4, 3), (0,), (4, 0)]


def random_bits(shape, dtype, seed=0):
    """Random bits: NaNs with payloads, infinities, denormal numbers, negative zeros."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    rng = np.random.RandomState(seed)
    if dtype == np.bool_:
        return rng.randint(2, size=shape).astype(dtype)
    content = rng.randint(256, size=count * dtype.itemsize).astype(np.uint8)
    return content.view(dtype).reshape(shape)


def round_trip(arrays):
    codec = SequenceCodec([(array.shape, array.dtype) for array in arrays])
    restored = [np.full(array.shape, 1, array.dtype) for array in arrays]
    codec.decode(codec.encode(arrays), restored)
    return restored


def assert_same_bits(actual, expected):
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected):
        assert a.shape == b.shape and a.dtype == b.dtype
        assert a.tobytes() == b.tobytes()


def test_any_bits_of_any_type_and_shape():
    for dtype in DTYPES:
        arrays = [random_bits(shape, dtype, seed) for seed, shape in enumerate(SHAPES)]
        assert_same_bits(round_trip(arrays), arrays)


def test_all_types_in_one_sequence():
    arrays = [random_bits((5, 3), dtype) for dtype in DTYPES]
    assert_same_bits(round_trip(arrays), arrays)


@pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])
def test_special_floats(dtype):
    info = np.finfo(dtype)
    special = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, info.max, info.min, info.tiny, -1e9]
    rng = np.random.RandomState(0)
    with np.errstate(over='ignore'):
        arrays = [rng.choice(special, size=[50, 8]).astype(dtype)]
    assert_same_bits(round_trip(arrays), arrays)


def test_arrays_that_are_not_contiguous():
    whole = random_bits((6, 8), np.float32)
    arrays = [whole[::2, ::3], whole.T]
    assert_same_bits(round_trip(arrays), [np.ascontiguousarray(array) for array in arrays])


def test_a_leading_one_does_not_matter():
    codec = SequenceCodec([((3, 2), np.float32), ((), np.int32)])
    arrays = [random_bits((3, 2), np.float32), np.array(5, np.int32)]
    assert codec.encode(arrays) == codec.encode([array[np.newaxis] for array in arrays])
    restored = [np.zeros([1, 3, 2], np.float32), np.zeros([1], np.int32)]
    codec.decode(codec.encode(arrays), restored)
    assert_same_bits([array[0] for array in restored], arrays)


def test_the_same_sequence_gives_the_same_bytes():
    arrays = [random_bits((21, 30), np.float32), random_bits((21, 30), np.uint16)]
    specs = [(array.shape, array.dtype) for array in arrays]
    codec = SequenceCodec(specs)
    first = codec.encode(arrays)
    codec.encode([np.zeros_like(array) for array in arrays])
    assert codec.encode(arrays) == SequenceCodec(specs).encode(arrays) == first


def test_repeated_frames_take_almost_no_space():
    frames = np.repeat(random_bits((1, 64, 64), np.uint8), 21, axis=0)
    codec = SequenceCodec([(frames.shape, frames.dtype)])
    assert len(codec.encode([frames])) < frames.nbytes / 20


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_slowly_changing_floats_take_less_space(dtype):
    """Compared with the same numbers in random order, which have nothing in common but the type."""
    rng = np.random.RandomState(0)
    start = np.linspace(1, 2, 500)
    slow = (start + 1e-4 * rng.normal(size=[21, 500]).cumsum(axis=0)).astype(dtype)
    shuffled = rng.permutation(slow.ravel()).reshape(slow.shape)
    codec = SequenceCodec([(slow.shape, slow.dtype)])
    assert len(codec.encode([slow])) < 0.8 * len(codec.encode([shuffled])) < 0.8 * slow.nbytes


def test_noise_hardly_grows():
    noise = random_bits((1 << 20,), np.uint8)
    assert len(SequenceCodec([(noise.shape, noise.dtype)]).encode([noise])) < 1.001 * noise.nbytes


def test_damaged_bytes():
    arrays = [random_bits((30,), np.int32)]
    codec = SequenceCodec([((30,), np.int32)])
    compressed = codec.encode(arrays)
    longer = SequenceCodec([((31,), np.int32)]).encode([random_bits((31,), np.int32)])
    cases = [b'', b'no bytes of zstd', compressed[:5], compressed[:-1], compressed[:-20], longer]
    for case in cases:
        with pytest.raises(ValueError, match='a sequence'):
            codec.decode(case, arrays)
    # The codec still works afterwards.
    assert_same_bits(round_trip(arrays), arrays)


def test_layout_differs_between_specs():
    layouts = [
        SequenceCodec(specs).layout
        for specs in (
            [((3, 2), np.float32)],
            [((2, 3), np.float32)],
            [((3, 2), np.int32)],
            [((3, 2), np.float32)] * 2,
        )
    ]
    for index, layout in enumerate(layouts):
        assert layout not in layouts[:index]
    assert SequenceCodec([([3, 2], 'float32')]).layout == layouts[0]


def test_threads_share_a_codec():
    arrays = [random_bits((100, 400), np.float32, seed) for seed in range(4)]
    codec = SequenceCodec([((100, 400), np.float32)])
    failures = []

    def work(array):
        restored = np.zeros_like(array)
        for _ in range(30):
            codec.decode(codec.encode([array]), [restored])
            if restored.tobytes() != array.tobytes():
                failures.append(array)

    threads = [threading.Thread(target=work, args=(array,)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
