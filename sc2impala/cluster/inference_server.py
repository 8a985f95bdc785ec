"""Learner-side state of central inference: the games of all actors.

The server joins observations of actors and outputs of the agent into sequences, like an actor with
its own agent. It keeps the recurrent states; an actor that starts, or
restarts, begins with initial ones. K is the number of games of an actor thread, N of a
batch, T the unroll length.
"""

import collections
import math
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import frames as frames_lib
from sc2impala import structs
from sc2impala.cluster import messages, requests
from sc2impala.cluster.accounts import Accounts
from sc2impala.cluster.intake import count_frames
from sc2impala.cluster.requests import Reply, Request
from sc2impala.structs import Nest

FORGET_SECS = 120.0
"""Games of an actor without requests for this long are forgotten."""

_REPORT_SECS = 5.0
_LONGEST_GAP_SECS = 1.0
"""Longer pauses between two batches are caused by the learner, not by its actors."""


class Specs(NamedTuple):
    """Nests of the `tf.TensorSpec`s of one step of one game.

    states: recurrent states of agent and teacher.
    env_output: `EnvOutput`.
    agent_output: `AgentOutput`.
    teacher_logits: `TeacherLogits`, or () without a teacher.
    """

    states: Any
    env_output: Any
    agent_output: Any
    teacher_logits: Any


class Batch(NamedTuple):
    """Inputs of one call of the agent: arrays of [N, ...], nests of `Specs`.

    action: the last action.
    env_output: the observations.
    states: recurrent states.
    """

    action: Any
    env_output: Any
    states: Any


class _Games:
    """The K games of one thread of an actor."""

    def __init__(self, request: Request, states: Nest, nothing: Nest):
        self.slot = request.slot
        self.number = -1
        self.pending = -1
        self.reply: Optional[bytes] = None
        self.last_time = 0.0
        self.states = self.first_states = states
        self.last_choice = nothing
        self.history: List[Any] = []
        self.version = (0, 0)


class _Process:
    """An actor process, for the accounts."""

    def __init__(self) -> None:
        self.number = self.played = self.aborted = self.bytes_in = self.bytes_out = 0
        self.received = 0
        self.last_return = math.nan
        self.last_report = -math.inf
        self.waited: Dict[int, float] = {}


class InferenceServer:
    """Turns requests into replies and sequences; not thread-safe.

    specs: specs of a step.
    """

    def __init__(
        self,
        run: str,
        specs: Specs,
        unroll_length: int,
        accounts: Accounts,
        clock: Callable[[], float] = time.monotonic,
    ):
        """Args:
        run: id of this run.
        specs: specs of a step.
        unroll_length: T.
        accounts: accounts of the actors.
        clock: seconds.
        """
        self._run = run
        self.specs = specs
        self._unroll_length = unroll_length
        self._accounts = accounts
        self._clock = clock
        self._components = [
            (tuple(s.shape.as_list()), s.dtype.as_numpy_dtype)
            for s in tf.nest.flatten(specs.env_output)
        ]
        self._games: Dict[Tuple[str, int], _Games] = {}
        self._processes: Dict[str, _Process] = collections.defaultdict(_Process)
        self._batch: List[Tuple[Request, _Games]] = []
        self._replies: List[Tuple[int, bytes]] = []
        self._served_secs = 0.0
        self._last_batch = clock()
        self._free_slots: List[int] = []

    def receive(
        self,
        headers: Sequence[bytes],
        contents: Sequence[bytes],
        initial_states: Nest,
        version: Tuple[int, int],
    ) -> Tuple[Batch, List[structs.ActorOutput]]:
        """Takes requests.

        Args:
          headers, contents: contents of n requests, see `requests`.
          initial_states: nest of [1, ...], for games that start.
          version: environment frames and updates of the current weights.

        Returns:
          The batch; and `ActorOutput`s of [K, ...], complete sequences that may be
          trained on. Without valid requests the batch has one empty game.
        """
        now = self._clock()
        self._served_secs += min(now - self._last_batch, _LONGEST_GAP_SECS)
        self._last_batch = now
        self._batch, self._replies = [], []
        sequences: List[Any] = []
        for header, content in zip(headers, contents):
            try:
                request = requests.read_request(header)
                self._take(request, content, initial_states, version, sequences)
            except ValueError as error:
                self._accounts.refuse(len(header) + len(content), str(error))
        self._forget()
        return self._make_batch(initial_states), sequences

    def reply(
        self, agent_output: structs.AgentOutput, teacher_logits: Nest, states: Nest
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Answers the requests of the last batch.

        Args:
          agent_output: `AgentOutput` of [N, ...] for the batch.
          teacher_logits: `TeacherLogits` of [N, ...], or ().
          states: the next recurrent states, nest of [N, ...].

        Returns:
          int32 [m], numbers of reply queues; and their replies, an object array [m] of bytes.
        """
        start = 0
        for request, games in self._batch:
            rows = slice(start, start + request.games)
            start += request.games
            choice, games.states = tf.nest.map_structure(
                lambda array, rows=rows: array[rows], ((agent_output, teacher_logits), states)
            )
            games.last_choice = choice
            heads = [choice[0].action[name] for name in sorted(choice[0].action)]
            choices = np.stack(heads + [choice[0].step_mul]).astype(np.int32)
            games.number = request.number
            games.reply = Reply(request.number, request.actor, request.thread, choices).to_bytes()
            self._processes[request.actor].bytes_out += len(games.reply)
            self._replies.append((games.slot, games.reply))
        slots = np.array([slot for slot, _ in self._replies], np.int32)
        texts = np.empty([len(self._replies)], object)
        texts[:] = [text for _, text in self._replies]
        return slots, texts

    def take_free_slots(self) -> np.ndarray:
        """The numbers of the reply queues that became free since the last call, int32 [n]."""
        slots, self._free_slots = self._free_slots, []
        return np.array(slots, np.int32)

    def _take(
        self,
        request: Request,
        content: bytes,
        initial_states: Nest,
        version: Tuple[int, int],
        sequences: List[structs.ActorOutput],
    ) -> None:
        """Adds a request to the batch.

        Raises:
          ValueError: if it is invalid.
        """
        process = self._processes[request.actor]
        process.bytes_in += len(content)
        if request.run != self._run or request.ending:
            self._report(request, process, ending=request.ending and request.run == self._run)
            return
        key = request.actor, request.thread
        games = self._games.get(key)
        if games is not None and games.slot != request.slot:
            # The actor has reconnected.
            self._free(games.slot)
            games.slot = request.slot
        if request.number == 0 and games is None:
            games = self._games[key] = self._new_games(request, initial_states)
        if games is None or request.number > games.pending + 1:
            self._games.pop(key, None)
            self._replies.append((request.slot, requests.start_anew(request).to_bytes()))
            return
        games.last_time = self._served_secs
        if request.number == games.number and games.reply is not None:
            self._replies.append((games.slot, games.reply))
        elif request.number == games.pending + 1:
            env = requests.unpack(content, self._components, request.games)
            env_output = tf.nest.pack_sequence_as(self.specs.env_output, env)
            self._see(request, process, games, env_output, version, sequences)
            games.pending = request.number
            self._batch.append((request, games))
        if process.last_report + _REPORT_SECS <= self._clock():
            self._report(request, process)

    def _see(
        self,
        request: Request,
        process: _Process,
        games: _Games,
        env_output: structs.EnvOutput,
        version: Tuple[int, int],
        sequences: List[structs.ActorOutput],
    ) -> None:
        """Adds a step; the unroll that it completes is added to the sequences."""
        agent_output, logits = games.last_choice
        if games.history:
            process.played += _frames_of_step(games.history[-1][0], env_output, agent_output)
        games.history.append((env_output, agent_output, logits))
        process.waited[request.thread] = request.waited_secs
        done = env_output.done & ~env_output.info.aborted & (request.number > 0)
        if done.any():
            process.last_return = float(env_output.info.episode_return[done][-1])
        if request.number == 0:
            games.version = version
        if len(games.history) <= self._unroll_length:
            return
        complete = self._sequences(request, games)
        if self._report(request, process, complete, games.version[1], version[1]):
            sequences.append(complete)
        games.history = games.history[-1:]
        games.first_states = games.states
        games.version = version

    def _sequences(self, request: Request, games: _Games) -> structs.ActorOutput:
        """`ActorOutput` of [K, ...] of the steps in the history."""
        env_outputs, agent_outputs, logits = tf.nest.map_structure(
            lambda *steps: np.stack(steps, axis=1), *games.history
        )
        frames, updates = games.version

        def filled(value: int, dtype: type) -> np.ndarray:
            return np.full([request.games], value, dtype)

        return structs.ActorOutput(
            agent_state=games.first_states[0],
            env_outputs=env_outputs,
            agent_outputs=agent_outputs,
            sequence_info=structs.SequenceInfo(
                task=filled(0, np.int32),
                actor=filled(max(request.task, 0), np.int32),
                policy_frames=filled(frames, np.int64),
                policy_updates=filled(updates, np.int64),
            ),
            teacher_logits=logits,
        )

    def _report(
        self,
        request: Request,
        process: _Process,
        complete: Optional[structs.ActorOutput] = None,
        policy_updates: int = 0,
        updates: int = 0,
        ending: bool = False,
    ) -> bool:
        """Reports an actor and a sequence to the accounts; returns whether to train on it."""
        process.last_report = self._clock()
        frames = num_sequences = 0
        if complete is not None:
            num_sequences = request.games
            frames = count_frames(complete.env_outputs, complete.agent_outputs.step_mul)
            process.received += frames
        if ending:
            process.aborted = process.played - process.received
            for key in [key for key in self._games if key[0] == request.actor]:
                self._drop(key)
        header = messages.Header(
            run=request.run,
            actor=request.actor,
            task=request.task,
            host=request.host,
            number=process.number,
            sequences=num_sequences,
            frames=frames,
            policy_updates=policy_updates,
            played=process.played,
            aborted=process.aborted,
            last_return=process.last_return,
            weights_secs=0.0,
            waited_secs=sum(process.waited.values()),
            received_bytes=process.bytes_out,
            ending=ending,
        )
        process.number += 1
        num_bytes, process.bytes_in = process.bytes_in, 0
        return self._accounts.admit(header, num_bytes, updates)

    def _make_batch(self, initial_states: Nest) -> Batch:
        seen = [
            Batch(games.last_choice[0].action, games.history[-1][0], games.states)
            for _, games in self._batch
        ]
        if not seen:
            action, env_output = _zeros((self.specs.agent_output.action, self.specs.env_output), 1)
            seen = [Batch(action, env_output, initial_states)]
        return tf.nest.map_structure(lambda *arrays: np.concatenate(arrays), *seen)

    def _new_games(self, request: Request, initial_states: Nest) -> _Games:
        states = tf.nest.map_structure(
            lambda array: np.repeat(array, request.games, axis=0), initial_states
        )
        nothing = _zeros((self.specs.agent_output, self.specs.teacher_logits), request.games)
        return _Games(request, states, nothing)

    def _forget(self) -> None:
        """Frees the state of lost actors."""
        gone = [
            key
            for key, games in self._games.items()
            if self._served_secs - games.last_time > FORGET_SECS
        ]
        for key in gone:
            self._drop(key)

    def _drop(self, key: Tuple[str, int]) -> None:
        games = self._games.pop(key, None)
        if games is not None:
            self._free(games.slot)

    def _free(self, slot: int) -> None:
        if slot not in self._free_slots:
            self._free_slots.append(slot)


def _zeros(specs: Nest, num_games: int) -> Nest:
    """Zeros of [num_games, ...]."""
    return tf.nest.map_structure(
        lambda s: np.zeros([num_games] + s.shape.as_list(), s.dtype.as_numpy_dtype), specs
    )


def _frames_of_step(
    before: structs.EnvOutput, after: structs.EnvOutput, agent_output: structs.AgentOutput
) -> int:
    """Returns the environment frames of K games between two `EnvOutput`s of [K]."""
    of_games = frames_lib.frames_between(np, before, after, agent_output.step_mul)
    return int(of_games.sum(dtype=np.int64))
