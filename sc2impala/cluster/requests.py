"""Central inference: requests of actors at each step, and replies of the learner.

A request is a header in JSON and the components of an `EnvOutput` of [K, ...] one after the other;
K is the number of games of a thread of an actor. A reply is a short header and int32 [H + 1, K]:
the choices of all heads in the order of their names, then the step multipliers.
"""

import json
import struct
from typing import List, NamedTuple, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.cluster.messages import Spec

REQUESTS, SLOTS = 'cluster_requests', 'cluster_slots'
"""Names of the queue of requests, and of the queue of free reply queues."""

NUM_SLOTS = 256
"""Number of reply queues, and so of actor threads that can be served at a time."""

_CAPACITY = 4 * NUM_SLOTS
_REPLY = struct.Struct('<q16si')
_START_ANEW = -1


class Request(NamedTuple):
    """Header of every request of an actor thread.

    run: id of the run that it belongs to.
    actor: random id of this start of the actor, 16 characters.
    task: its number, or -1.
    host: name of its machine, and process id.
    thread: index of the thread; each has its own games.
    slot: number of its reply queue.
    number: number of the request, from 0 for the first observations of new games; a repeated one
        keeps its number.
    games: K.
    waited_secs: total time that the thread has waited for replies.
    ending: True for the last request; no reply is expected.
    """

    run: str
    actor: str
    task: int
    host: str
    thread: int
    slot: int
    number: int
    games: int
    waited_secs: float = 0.0
    ending: bool = False

    def to_bytes(self) -> bytes:
        """Returns the encoded header."""
        return json.dumps(self._asdict()).encode()


_TYPES = {
    name: (int, float) if isinstance(kind, type) and kind is float else kind
    for name, kind in Request.__annotations__.items()
}


def read_request(text: bytes) -> Request:
    """Decodes a request; the inverse of `Request.to_bytes`.

    Raises:
      ValueError: if it is not a request.
    """
    try:
        request = Request(**json.loads(text.decode()))
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f'not a request: {error}') from error
    for name, kind in _TYPES.items():
        if not isinstance(getattr(request, name), kind):
            raise ValueError(f'{name} is {getattr(request, name)!r}')
    if min(request.thread, request.number) < 0 or request.games < 1:
        raise ValueError(f'a count out of range in {request}')
    if not 0 <= request.slot < NUM_SLOTS:
        raise ValueError(f'slot is {request.slot}')
    return request


class Reply(NamedTuple):
    """The answer to a request.

    number: number of the request; -1 if the learner has forgotten the actor, whose games restart.
    actor, thread: the receiver.
    choices: int32 [H + 1, K]; [0, 0] if the number is -1.
    """

    number: int
    actor: str
    thread: int
    choices: np.ndarray

    @property
    def starts_anew(self) -> bool:
        """Returns whether the games must restart."""
        return self.number == _START_ANEW

    def to_bytes(self) -> bytes:
        """Returns the encoded reply."""
        head = _REPLY.pack(self.number, self.actor.encode()[:16], self.thread)
        return head + np.ascontiguousarray(self.choices, np.int32).tobytes()


def start_anew(request: Request) -> Reply:
    """Returns the reply to an actor that the learner has forgotten."""
    return Reply(_START_ANEW, request.actor, request.thread, np.zeros([0, 0], np.int32))


def read_reply(content: bytes, num_games: int) -> Reply:
    """Decodes a reply; without choices if they are not for K games."""
    number, actor, thread = _REPLY.unpack_from(content)
    choices = np.frombuffer(content[_REPLY.size :], np.int32)
    if choices.size % num_games:
        choices = choices[:0]
    return Reply(number, actor.decode(), thread, choices.reshape([-1, num_games]))


def unpack(content: bytes, specs: Sequence[Spec], num_games: int) -> List[np.ndarray]:
    """Decodes the components of a request, read-only arrays of [K, ...].

    Args:
      content: output of `messages.pack`, without compression.
      specs: shape and dtype of each component of one game.
      num_games: K.

    Raises:
      ValueError: if the number of bytes differs.
    """
    arrays, start = [], 0
    wanted = [
        num_games * int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        for shape, dtype in specs
    ]
    if len(content) != sum(wanted):
        raise ValueError(f'{num_games} games have {len(content)} bytes, expected {sum(wanted)}')
    for (shape, dtype), size in zip(specs, wanted):
        array = np.frombuffer(content, dtype, size // np.dtype(dtype).itemsize, start)
        arrays.append(array.reshape([num_games] + list(shape)))
        start += size
    return arrays


def request_queue() -> tf.FIFOQueue:
    """The queue of requests, shared by the learner and the sessions of its clients."""
    return tf.FIFOQueue(
        _CAPACITY, [tf.string, tf.string], [[], []], shared_name=REQUESTS, name=REQUESTS
    )


def slot_queue() -> tf.FIFOQueue:
    """The queue of the numbers of free reply queues; never blocks the learner."""
    return tf.FIFOQueue(-1, [tf.int32], [[]], shared_name=SLOTS, name=SLOTS)


def reply_queue(slot: int) -> tf.FIFOQueue:
    """The queue of replies to one actor thread; never blocks the learner."""
    name = f'cluster_replies_{slot}'
    return tf.FIFOQueue(-1, [tf.string], [[]], shared_name=name, name=name)
