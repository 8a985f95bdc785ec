"""Messages from an actor to the learner: a header in JSON, and the components of sequences.

The sequences of a message are batch-major, [n, ...] for each component, one component after the
other in the byte order of the machine.
"""

import collections
import json
from typing import Any, Deque, Dict, List, NamedTuple, Sequence, Tuple

import numpy as np
import zstandard

AUTO = 'auto'

_FIRST = 4
"""Messages of each kind at the start."""

_AGAIN = 200
"""Number of messages after which the slower setting is tried again."""

_WINDOW = 8
"""Number of messages of each kind of which the fastest counts."""

_GAIN = 0.8
"""Compression takes CPU time from the games: it has to save a fifth of the time."""


class Choice:
    """Compares the durations of messages, from arrays to the answer of the learner.

    This covers the actor's CPU and the network. The fastest of the last messages
    counts, since the others may have waited for room in the queue of the learner.
    """

    def __init__(self, setting: str):
        """Args: setting: AUTO, or the compression of all messages."""
        self._setting = setting
        self._secs: Dict[str, Deque[float]] = {
            kind: collections.deque(maxlen=_WINDOW) for kind in (NONE, ZSTD)
        }
        self._count = 0

    def next(self) -> str:
        """Compression of the next message."""
        if self._setting != AUTO:
            return self._setting
        if self._count < 2 * _FIRST:
            return (NONE, ZSTD)[self._count % 2]
        is_faster = min(self._secs[ZSTD]) < _GAIN * min(self._secs[NONE])
        best, other = (ZSTD, NONE) if is_faster else (NONE, ZSTD)
        return best if self._count % _AGAIN else other

    def observe(self, compression: str, secs: float, sequences: int) -> None:
        """Records the duration of a message of some sequences."""
        self._count += 1
        self._secs[compression].append(secs / sequences)


MESSAGE_BYTES = 4 << 20
"""Sequences of an unroll are split among messages of about this size."""

NONE, ZSTD = 'none', 'zstd'

_LEVEL = 1

Spec = Tuple[Sequence[int], Any]
"""Shape and NumPy dtype of one component of one sequence."""


class Header(NamedTuple):
    """Header of every message of an actor.

    run: id of the run that it belongs to.
    actor: random id of this start of the actor.
    task: its number, or -1.
    host: name of its machine, and process id.
    number: number of the message, from 0 in every run; a repeated message keeps its number.
    sequences: number of sequences, may be 0.
    frames: environment frames of these sequences.
    policy_updates: number of updates of the weights that acted.
    played, aborted: environment frames for this run so far, including this message.
    last_return: return of the last finished episode; NaN before.
    weights_secs: time since the weights were received.
    waited_secs: total time that the learner took to accept its messages.
    received_bytes: total size of received weights.
    compression: compression of the sequences.
    ending: True for the last message.
    """

    run: str
    actor: str
    task: int
    host: str
    number: int
    sequences: int
    frames: int
    policy_updates: int
    played: int
    aborted: int
    last_return: float
    weights_secs: float
    waited_secs: float
    received_bytes: int
    compression: str = NONE
    ending: bool = False

    def to_bytes(self) -> bytes:
        """Returns the encoded header."""
        return json.dumps(self._asdict()).encode()


_TYPES = {
    name: (int, float) if isinstance(kind, type) and kind is float else kind
    for name, kind in Header.__annotations__.items()
}


def read_header(text: bytes) -> Header:
    """Decodes a header; the inverse of `Header.to_bytes`.

    Raises:
      ValueError: if it is not a header.
    """
    try:
        header = Header(**json.loads(text.decode()))
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f'not a header: {error}') from error
    for name, kind in _TYPES.items():
        if not isinstance(getattr(header, name), kind):
            raise ValueError(f'{name} is {getattr(header, name)!r}')
    counts = (header.number, header.sequences, header.frames, header.played, header.aborted)
    if min(counts) < 0 or header.policy_updates < 0:
        raise ValueError(f'a negative count in {header}')
    return header


def pack(arrays: Sequence[np.ndarray], compression: str) -> bytes:
    """Encodes the components of sequences, [n, ...] each."""
    content = b''.join([np.ascontiguousarray(array).tobytes() for array in arrays])
    if compression == NONE:
        return content
    return zstandard.ZstdCompressor(level=_LEVEL).compress(content)


def unpack(content: bytes, specs: Sequence[Spec], count: int, compression: str) -> List[np.ndarray]:
    """Decodes components; the inverse of `pack`.

    Args:
      content: the bytes.
      specs: specs of the components.
      count: number of sequences.
      compression: NONE or ZSTD.

    Returns:
      A read-only array of [count, ...] for each spec.

    Raises:
      ValueError: if the bytes do not have the size of that number of sequences.
    """
    if count > sequences_per_message(specs):
        raise ValueError(f'{count} sequences are too many for one message')
    wanted = count * num_bytes(specs)
    if compression == ZSTD:
        content = _decompress(content, wanted)
    elif compression != NONE:
        raise ValueError(f'the compression {compression!r} is unknown')
    if len(content) != wanted:
        raise ValueError(f'{count} sequences have {len(content)} bytes, expected {wanted}')
    arrays, start = [], 0
    for shape, dtype in specs:
        size = int(np.prod(shape, dtype=np.int64)) * count
        array = np.frombuffer(content, dtype, size, start)
        arrays.append(array.reshape([count] + list(shape)))
        start += array.nbytes
    return arrays


def num_bytes(specs: Sequence[Spec]) -> int:
    """The size of one sequence."""
    return sum(
        int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize for shape, dtype in specs
    )


def sequences_per_message(specs: Sequence[Spec]) -> int:
    """Returns the maximum number of sequences per message."""
    return max(1, MESSAGE_BYTES // num_bytes(specs))


def _decompress(content: bytes, wanted: int) -> bytes:
    """Raises: ValueError: if the content cannot be decompressed to `wanted` bytes."""
    try:
        size = zstandard.frame_content_size(content)
        if size != wanted:
            raise ValueError(f'the sequences have {size} bytes, expected {wanted}')
        return zstandard.ZstdDecompressor().decompress(content)
    except zstandard.ZstdError as error:
        raise ValueError(f'the sequences cannot be decompressed: {error}') from error
