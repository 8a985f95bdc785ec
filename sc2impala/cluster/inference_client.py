"""Central inference: the client of an actor thread."""

import time
from typing import Callable, Optional, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.cluster import messages, requests
from sc2impala.cluster import run_info as run_info
from sc2impala.cluster.link import Interrupted, Link
from sc2impala.cluster.outbox import Identity
from sc2impala.cluster.requests import Reply, Request

_CPU = run_info.DEVICE + '/device:CPU:0'


class StartAnew(Exception):
    """The learner has forgotten the games of this thread."""


class InferenceClient:
    """Requests actions until there is a reply. For one thread of an actor.

    Each connection has its own reply queue: a pending call of an earlier connection cannot
    take the reply of another.
    """

    def __init__(
        self, make_link: Callable[[tf.Graph], Link], run: str, identity: Identity, thread: int
    ):
        """Args:
        make_link: makes a link to the learner for the operations of a graph.
        run: id of the run.
        identity: identity of the actor.
        thread: index of the thread.
        """
        self._make_link = make_link
        self._request = Request(run, identity.actor, identity.task, identity.host, thread, 0, 0, 1)
        self._waited = 0.0
        self._link: Optional[Link] = None

    def ask(self, number: int, components: Sequence[np.ndarray]) -> np.ndarray:
        """Requests actions.

        Args:
          number: number of the request, from 0 for the first observations of new games.
          components: components of an `EnvOutput` of [K, ...], flattened.

        Returns:
          int32 [H + 1, K], see `requests`.

        Raises:
          StartAnew: if the games must restart, with number 0.
          RunEnded, Stopped: see `Link.run`.
        """
        started = time.monotonic()
        content = messages.pack(components, messages.NONE)
        games = len(components[0])
        self._request = self._request._replace(
            number=number, games=games, waited_secs=round(self._waited, 3)
        )
        reply = self._ask(content)
        self._waited += time.monotonic() - started
        if reply.starts_anew:
            # The reply queue may have been reassigned to another thread meanwhile.
            self._disconnect()
            raise StartAnew()
        return reply.choices

    def close(self) -> None:
        """Cancels a pending call."""
        if self._link is not None:
            self._link.close()

    def goodbye(self) -> Tuple[tf.Graph, tf.Operation]:
        """Graph, operation and feeds that report the end of this actor to the learner."""
        with tf.Graph().as_default() as graph, tf.device(_CPU):
            header = self._request._replace(ending=True).to_bytes()
            return graph, requests.request_queue().enqueue([header, b''])

    def _ask(self, content: bytes) -> Reply:
        while True:
            if self._link is None:
                self._connect()
            assert self._link is not None
            try:
                feed = {self._header: self._request.to_bytes(), self._content: content}
                reply = self._read(self._link.run_once(self._exchange, feed))
                while not self._is_mine(reply):
                    reply = self._read(self._link.run_once(self._receive))
                return reply
            except Interrupted:
                self._disconnect()

    def _disconnect(self) -> None:
        self.close()
        self._link = None

    def _read(self, content: bytes) -> Reply:
        return requests.read_reply(content, self._request.games)

    def _is_mine(self, reply: Reply) -> bool:
        """Returns whether a reply belongs to the current request and user of the queue."""
        request = self._request
        if (reply.actor, reply.thread) != (request.actor, request.thread):
            return False
        return reply.starts_anew or reply.number == request.number

    def _connect(self) -> None:
        """Takes a reply queue, and builds the operations that use it."""
        with tf.Graph().as_default() as graph, tf.device(_CPU):
            take = requests.slot_queue().dequeue()
            link = self._make_link(graph)
            slot = int(link.run(take))
            link.close()
        with tf.Graph().as_default() as graph, tf.device(_CPU):
            self._header = tf.placeholder(tf.string, [])
            self._content = tf.placeholder(tf.string, [])
            sent = requests.request_queue().enqueue([self._header, self._content])
            with tf.control_dependencies([sent]):
                self._exchange = requests.reply_queue(slot).dequeue()
            self._receive = requests.reply_queue(slot).dequeue()
            self._link = self._make_link(graph)
        self._request = self._request._replace(slot=slot)
