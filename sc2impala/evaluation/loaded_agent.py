"""A trained agent as an object of NumPy arrays."""

import itertools
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala.envs import specs as specs_lib
from sc2impala.envs.vector import Specs
from sc2impala.evaluation import agent_interface
from sc2impala.settings.settings import Settings
from sc2impala.structs import Nest

if TYPE_CHECKING:
    import gymnasium


Arrays = Dict[str, np.ndarray]


class Identity(NamedTuple):
    """Checkpoint, policy and map of a loaded agent.

    checkpoint: path of the checkpoint. frames: environment frames in its name.
    map_name: the mini-game. policy: 'sampled' or 'greedy'. temperature: of sampled choices.
    step_mul: frames of every agent step; None if the agent chooses.
    max_step_mul: the largest number of frames that it chooses, or `step_mul`.
    env_options: keyword arguments of the gymnasium environments that fit the agent.
    """

    checkpoint: str
    frames: int
    map_name: str
    policy: str
    temperature: float
    step_mul: Optional[int]
    max_step_mul: int
    env_options: Mapping[str, Any]


class LoadedAgent:
    """An agent with the weights of a checkpoint, in its own graph and session.

    Observations and actions are as in the gymnasium environments (docs/guides/gymnasium.md),
    with any number of rows B, or of one game without the dimension of rows:

        state = agent.initial_state(B)
        action, state = agent.act(observation, state)

    Methods may be called from several threads. The session ends with the object, with `close`, or
    at the end of a `with` block.

    identity: `Identity`.
    settings: all settings of the run, as in its evaluation.
    observation_spec, action_spec: of the package, see `envs.specs` and `envs.actions`.
    """

    def __init__(
        self,
        identity: Identity,
        settings: Settings,
        specs: Specs,
        interface: agent_interface.AgentInterface,
        session: tf.Session,
        saver: tf.train.Saver,
        stream: int,
    ):
        """Args:
        identity: checkpoint, policy and map.
        settings: all settings of the run.
        specs: observation and action spec.
        interface: operations in the graph of the session.
        session: the session with the weights; the agent closes it.
        saver: saver of the weights.
        stream: in 0..2**32 - 1, random stream of the sampled actions.
        """
        self.identity = identity
        self.settings = settings
        self.observation_spec, self.action_spec = specs
        self._interface = interface
        self._session = session
        self._saver = saver
        self._stream = stream
        # `next` of it is atomic.
        self._steps = itertools.count()
        self._act = interface.make_callable(session, [agent_interface.ACTION])
        self._compute = interface.make_callable(session, list(interface.outputs))
        self._initial_state = session.make_callable(interface.initial_state, [interface.batch_size])
        self._observation = agent_interface.observation_arrays(self.observation_spec)
        self._state = {
            name: (tuple(tensor.shape.as_list()[1:]), np.dtype(tensor.dtype.as_numpy_dtype))
            for name, tensor in interface.state.items()
        }

    def initial_state(self, batch_size: Optional[int] = None) -> Arrays:
        """The state at the start of an episode.

        Args:
          batch_size: number of rows; None for one game without the dimension of rows.
        """
        self._check_open()
        state = self._initial_state(1 if batch_size is None else batch_size)
        return _first_row(state) if batch_size is None else state

    def act(
        self,
        observation: Mapping[str, Nest],
        state: Mapping[str, np.ndarray],
        first: Optional[np.ndarray] = None,
    ) -> Tuple[np.ndarray, Arrays]:
        """Chooses an action.

        Args:
          observation: arrays [B, ...] by name, as in `observation_space`; a nested dict of the
            package's own environments also works. Other keys are ignored.
          state: state returned by `initial_state` or the last call.
          first: bool [B], rows whose observation is the first of an episode: their state is reset.
            None for no row.

        Returns:
          The action as in `action_space`, int64 [B, H], and the next state.

        Raises:
          ValueError: if an array is missing, or has another shape or dtype.
        """
        outputs, next_state = self._run(self._act, observation, state, first)
        return outputs[agent_interface.ACTION], next_state

    def compute(
        self,
        observation: Mapping[str, Nest],
        state: Mapping[str, np.ndarray],
        first: Optional[np.ndarray] = None,
    ) -> Tuple[Arrays, Arrays]:
        """Chooses an action, and returns all outputs of the agent.

        Args:
          observation, state, first: as for `act`.

        Returns:
          A dict, and the next state: 'action' as of `act`; 'step_mul' int32 [B], the frames until
          the next action; 'baseline' float32 [B], the critic's estimate; and 'logits_<head>'
          float32 [B, choices], -1e9 for unavailable functions.

        Raises:
          ValueError: as `act`.
        """
        return self._run(self._compute, observation, state, first)

    @property
    def observation_space(self) -> 'gymnasium.spaces.Dict':
        """The observation space of one game; needs gymnasium."""
        from sc2impala.envs.gym import spaces

        return spaces.observation_space(self.observation_spec)

    @property
    def action_space(self) -> 'gymnasium.spaces.MultiDiscrete':
        """The action space of one game; needs gymnasium.

        If the agent chooses its step multiplier, the value v of the last dimension stands for v + 1
        frames.
        """
        from sc2impala.envs.gym import spaces

        identity = self.identity
        return spaces.action_space(
            self.action_spec, identity.max_step_mul, identity.step_mul is None
        )

    def make_env(self, **options: Any) -> 'gymnasium.Env':
        """Makes a game for the agent with `gymnasium.make`.

        Args:
          **options: further arguments, such as `render_mode`.

        Raises:
          ValueError: if the agent's map is not a map of the simulator.
        """
        from sc2impala.envs import gym

        return gym.make(self.identity.map_name, **{**self.identity.env_options, **options})

    def make_vec(self, num_envs: int, **options: Any) -> 'gymnasium.vector.VectorEnv':
        """Makes games for the agent with `gymnasium.make_vec`.

        Args:
          num_envs: number of games.
          **options: further arguments, such as `render_mode`.

        Raises:
          ValueError: if the agent's map is not a map of the simulator.
        """
        from sc2impala.envs import gym

        options = {**self.identity.env_options, **options}
        return gym.make_vec(self.identity.map_name, num_envs, **options)

    def export(self, folder: str) -> None:
        """Writes the agent as a SavedModel for plain TensorFlow; see docs.

        It has the signatures 'act' and 'initial_state', with the inputs and outputs of
        `compute` and `initial_state` by name. `agent.json` in the folder describes them.

        Args:
          folder: a new or an empty one.

        Raises:
          UserError: if the folder is not empty, or cannot be written.
        """
        self._check_open()
        self._interface.export(
            self._session, self._saver, os.path.expanduser(folder), self.describe()
        )

    def weights(self) -> Arrays:
        """Returns copies of all weights by the names of their variables."""
        self._check_open()
        with self._session.graph.as_default():
            found = tf.global_variables()
        return self._session.run({variable.op.name: variable for variable in found})

    def describe(self) -> Dict[str, Any]:
        """Returns the identity of the agent, its actions and observations, as values of JSON."""
        spec = self.action_spec
        return dict(
            self.identity._asdict(),
            env_options=_as_json(self.identity.env_options),
            functions=list(spec.function_names),
            function_ids=list(spec.functions),
            fixed_arguments=dict(spec.fixed_arguments),
            action=list(spec.heads) + ['step_mul'] * (self.identity.step_mul is None),
            observation={n: [list(s), d.name] for n, (s, d) in self._observation.items()},
            state={n: [list(s), d.name] for n, (s, d) in self._state.items()},
        )

    def close(self) -> None:
        """Ends the session."""
        if self._session is not None:
            self._session.close()
        self._session = None

    def __enter__(self) -> 'LoadedAgent':
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        identity = self.identity
        return f'<LoadedAgent of {identity.map_name}, {identity.policy}, {identity.checkpoint}>'

    def _run(
        self,
        function: Callable[..., Nest],
        observation: Mapping[str, Nest],
        state: Mapping[str, np.ndarray],
        first: Optional[np.ndarray],
    ) -> Tuple[Arrays, Arrays]:
        self._check_open()
        flat = specs_lib.flatten(observation)
        rows = _rows(flat)
        feed = _checked('observation', flat, self._observation, rows)
        feed += _checked('state', state, self._state, rows)
        first = np.zeros(rows, np.bool_) if first is None else first
        feed += _checked('', {'first': first}, {'first': ((), np.dtype(np.bool_))}, rows)
        if not rows:
            feed = [array[np.newaxis] for array in feed]
        if self._interface.seed is not None:
            feed.append(np.array([self._stream, next(self._steps)], np.int64))
        outputs, next_state = function(*feed)
        return (outputs, next_state) if rows else (_first_row(outputs), _first_row(next_state))

    def _check_open(self) -> None:
        if self._session is None:
            raise RuntimeError('the agent is closed, expected one that was loaded again.')


def _rows(observation: Mapping[str, Nest]) -> Tuple[int, ...]:
    """(B,), or () for an observation without the dimension of rows."""
    mask = observation.get(specs_lib.MASK)
    if mask is None:
        raise ValueError(f"observation has no '{specs_lib.MASK}', expected a mask of functions.")
    return np.shape(mask)[:-1][:1]


def _checked(
    group: str,
    arrays: Mapping[str, np.ndarray],
    expected: Mapping[str, Tuple[Tuple[int, ...], np.dtype]],
    rows: Tuple[int, ...],
) -> List[np.ndarray]:
    """The expected arrays in their order.

    Raises:
      ValueError: if an array is missing, or has another shape or dtype.
    """
    result = []
    for name, (shape, dtype) in expected.items():
        label = f"{group}['{name}']" if group else name
        if name not in arrays:
            raise ValueError(
                f'{group} has no {name!r}, expected {dtype.name} {_text(rows + shape)}.'
            )
        array = np.asarray(arrays[name])
        if array.shape != rows + shape:
            count = f', with as many rows as {specs_lib.MASK}' if rows else ''
            raise ValueError(
                f'{label} has shape {_text(array.shape)}, expected {_text(rows + shape)}{count}.'
            )
        if array.dtype != dtype:
            array = _cast(label, array, dtype)
        result.append(array)
    return result


def _cast(label: str, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Converts an array to a dtype of the same kind.

    Raises:
      ValueError: if the kind differs, or values do not fit.
    """
    if (array.dtype.kind == 'f') != (dtype.kind == 'f') or array.dtype.kind not in 'biuf':
        raise ValueError(f'{label} has dtype {array.dtype.name}, expected {dtype.name}.')
    cast = array.astype(dtype)
    if dtype.kind != 'f' and not np.array_equal(cast, array):
        raise ValueError(
            f'{label} has values from {array.min()} to {array.max()}, expected those of '
            f'{dtype.name}.'
        )
    return cast


def _text(shape: Tuple[int, ...]) -> str:
    return str(list(shape))


def _first_row(arrays: Mapping[str, np.ndarray]) -> Arrays:
    return {name: array[0] for name, array in arrays.items()}


def _as_json(options: Mapping[str, object]) -> Dict[str, Any]:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in options.items()}
