"""What a start needs beside variables and replay buffer, group by group.

A group is restored as a whole or not at all: what does not fit, because the run goes on with other
actors for instance, begins anew.
"""

import abc
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import saved_arrays
from sc2impala.runtime.actor_threads import ActorThreads
from sc2impala.runtime.batches import Batches
from sc2impala.runtime.queue_contents import QueueContents, Sequences
from sc2impala.saved_arrays import State


class Group(abc.ABC):
    """A part of the state.

    name: of the group. otherwise: what happens if it is not restored.
    is_never_empty: whether a state without arrays is one that could not be saved.
    """

    name: str
    otherwise: str
    is_never_empty = False

    @abc.abstractmethod
    def get_state(self, session: tf.Session) -> State:
        """All of it, copied; empty if it cannot be saved."""

    @abc.abstractmethod
    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """Restores it.

        Raises:
          DifferentState: if it is that of another training; nothing is changed.
          ValueError: if it is damaged.
        """


class Variables:
    """Local variables, which are not part of TensorFlow's checkpoint."""

    def __init__(self, variables: Sequence[tf.Variable]):
        """Args: variables: in any order."""
        self._variables = {v.op.name: v for v in variables}
        with tf.device('/cpu'):
            self._new = {
                name: tf.placeholder(v.dtype.base_dtype, v.shape)
                for name, v in self._variables.items()
            }
        self._set = [v.assign(self._new[name]).op for name, v in self._variables.items()]

    def get_state(self, session: tf.Session) -> State:
        """Their values by name."""
        return dict(session.run(self._variables))

    def check(self, state: Mapping[str, np.ndarray]) -> None:
        """Raises: DifferentState: if the variables are others."""
        expected = {
            name: np.empty(t.shape.as_list(), t.dtype.as_numpy_dtype)
            for name, t in self._new.items()
        }
        saved_arrays.check(state, expected)

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """Sets them to values that were checked."""
        session.run(self._set, {self._new[name]: array for name, array in state.items()})

    @staticmethod
    def with_shapes(state: Mapping[str, np.ndarray], initial: State) -> State:
        """Replaces arrays of a state by initial values of the same name and another shape."""
        return {
            name: initial[name] if name in initial and initial[name].shape != array.shape else array
            for name, array in state.items()
        }


class Learner(Group):
    """What the learner counts, and its recurrent states on recordings."""

    name = 'learner'
    otherwise = 'updates are counted from 0'

    def __init__(self, variables: Sequence[tf.Variable]):
        """Args: variables: the local variables of the learner."""
        self._variables = Variables(variables)

    def get_state(self, session: tf.Session) -> State:
        """See `Group`."""
        return self._variables.get_state(session)

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `Group`. Recurrent states of other batch sizes have their initial values."""
        state = self._variables.with_shapes(state, self.get_state(session))
        self._variables.check(state)
        self._variables.set_state(session, state)


class Actors(Group):
    """Games, recurrent states and last outputs, and what the next actions are sampled from."""

    name = 'actors'
    is_never_empty = True
    otherwise = 'all games start new episodes'

    def __init__(self, envs: Sequence[Any], variables: Sequence[tf.Variable]):
        """Args:
        envs: `envs.VectorEnvironment`s, one per actor.
        variables: the local variables of the actors.
        """
        self._envs = list(envs)
        self._variables = Variables(variables)
        self._can_be_saved: Optional[bool] = None

    @property
    def can_be_saved(self) -> bool:
        """Whether the games can be saved; known once they have been reset."""
        if self._can_be_saved is None:
            # Asked once: to find out copies all of them.
            self._can_be_saved = all(env.get_state() is not None for env in self._envs)
        return self._can_be_saved

    def get_state(self, session: tf.Session) -> State:
        """See `Group`."""
        games = [env.get_state() for env in self._envs]
        if any(state is None for state in games):
            return {}
        parts = {f'games_{index}': state for index, state in enumerate(games)}
        return saved_arrays.join({**parts, 'variables': self._variables.get_state(session)})

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `Group`."""
        variables = saved_arrays.part(state, 'variables')
        self._variables.check(variables)
        games = [saved_arrays.part(state, f'games_{index}') for index in range(len(self._envs))]
        for env, of_env in zip(self._envs, games):
            saved_arrays.check(of_env, env.get_state() or {})
        if len(state) != len(variables) + sum(map(len, games)):
            raise saved_arrays.DifferentState('there are more actors in it.')
        for env, of_env in zip(self._envs, games):
            env.set_state(of_env)
        self._variables.set_state(session, variables)


class Queue(Group):
    """The sequences that wait for the learner."""

    name = 'queue'
    is_never_empty = True
    otherwise = 'what waited for an update is lost'

    def __init__(
        self,
        contents: QueueContents,
        threads: Optional[ActorThreads],
        restored: Callable[[Sequences], None] = lambda sequences: None,
    ):
        """Args:
        contents: of the queue.
        threads: that play; None if only the thread of the learner does.
        restored: called with sequences that were restored.
        """
        self._contents = contents
        self._threads = threads
        self._restored = restored
        self._sequences: Sequences = contents.none()

    def take(self, session: tf.Session, wait: bool) -> None:
        """Halts the actors, and takes out what waits; `put_back` has to follow.

        Args:
          session: of the training.
          wait: see `ActorThreads.halt`.
        """
        if self._threads is None:
            self._sequences = self._contents.take(session)
        else:
            self._sequences = self._threads.halt(session, wait)

    def put_back(self, session: tf.Session) -> None:
        """Puts all of it back, and lets the actors go on."""
        if self._threads is None:
            self._contents.put(session, self._sequences)
        else:
            self._threads.go_on(session, self._sequences)

    def get_state(self, session: tf.Session) -> State:
        """See `Group`; of what was taken last."""
        sequences, self._sequences = self._sequences, self._contents.none()
        return self._contents.to_state(sequences)

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `Group`."""
        sequences = self._contents.from_state(state)
        if self._threads is None and len(sequences[0]) > self._contents.capacity:
            raise saved_arrays.DifferentState('the queue is shorter.')
        self._sequences = sequences
        self.put_back(session)
        self._sequences = self._contents.none()
        self._restored(sequences)


class Staged(Group):
    """The batches that wait on the device of the learner."""

    name = 'staged'
    otherwise = 'the batch that waited on the GPU is lost'

    def __init__(self, batches: Batches, restored: Callable[[], None] = lambda: None):
        """Args:
        batches: of the training.
        restored: called when some were restored.
        """
        self._batches = batches
        self._restored = restored

    def get_state(self, session: tf.Session) -> State:
        """See `Group`. To read a batch takes it out, so it is put there again."""
        result = {}
        for index, staging in enumerate(self._batches.stagings):
            if staging.put not in self._batches.staged:
                continue
            for number, area in enumerate(staging.areas):
                arrays = session.run(list(area.content))
                session.run(area.put, dict(zip(area.new, arrays)))
                result[f'{index}/{number}'] = {str(i): a for i, a in enumerate(arrays)}
        return saved_arrays.join(result)

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `Group`."""
        filled: List[Any] = []
        expected: Dict[str, np.ndarray] = {}
        for index, staging in enumerate(self._batches.stagings):
            if not saved_arrays.part(state, str(index)):
                continue
            filled.append((index, staging))
            for number, area in enumerate(staging.areas):
                for i, tensor in enumerate(area.new):
                    array = np.empty(tensor.shape.as_list(), tensor.dtype.as_numpy_dtype)
                    expected[f'{index}/{number}/{i}'] = array
        saved_arrays.check(state, expected)
        for index, staging in filled:
            for number, area in enumerate(staging.areas):
                arrays = {t: state[f'{index}/{number}/{i}'] for i, t in enumerate(area.new)}
                session.run(area.put, arrays)
            self._batches.staged.add(staging.put)
        if filled:
            self._restored()


class Recordings(Group):
    """Where the streams of recorded episodes are."""

    name = 'recordings'
    otherwise = 'recorded episodes are read in a new order'

    def __init__(self, streams: Sequence[Any]):
        """Args: streams: `demonstrations.Streams`."""
        self._streams = list(streams)

    def get_state(self, session: tf.Session) -> State:
        """See `Group`."""
        return saved_arrays.join(
            {str(index): streams.get_state() for index, streams in enumerate(self._streams)}
        )

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `Group`."""
        saved_arrays.check(state, self.get_state(session))
        for index, streams in enumerate(self._streams):
            streams.set_state(saved_arrays.part(state, str(index)))


class Episodes(Group):
    """What the progress line shows."""

    name = 'episodes'
    otherwise = 'the progress line begins anew'

    def __init__(self, log: Any):
        """Args: log: `episodes.EpisodeLog`."""
        self._log = log

    def get_state(self, session: tf.Session) -> State:
        """See `Group`. Rows so far are written: those after a checkpoint belong to what follows."""
        return self._log.get_state()

    def set_state(self, session: tf.Session, state: Mapping[str, np.ndarray]) -> None:
        """See `Group`."""
        self._log.set_state(state)
