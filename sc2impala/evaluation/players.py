"""Players of an evaluation: an agent from a checkpoint, a script, or random actions."""

import dataclasses
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Tuple, Union

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents.wrapper import ActingAgent
from sc2impala.checkpoints import choice, variables
from sc2impala.envs import map_defaults, players
from sc2impala.envs.specs import ArraySpec, ObservationSpec
from sc2impala.envs.vector import Specs, VectorEnvironment
from sc2impala.errors import UserError
from sc2impala.factories import environments
from sc2impala.settings import resolve
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.groups import EnvironmentSettings
from sc2impala.structs import Nest

Act = Callable[[structs.EnvOutput], Tuple[Mapping[str, np.ndarray], np.ndarray]]
"""Chooses actions and step multipliers for K environments, see `SessionPlayer`."""


class SessionPlayer:
    """An agent with its recurrent state, in a session that the caller owns.

    A player is called with the `EnvOutput` of K environments, and returns a dict of int32 [K]
    and the step multipliers, int32 [K].
    """

    _session: tf.Session

    def __init__(
        self,
        agent: ActingAgent,
        observation_spec: ObservationSpec,
        num_envs: int,
        greedy: bool,
        seed: Optional[int] = None,
    ):
        """Builds the operations of an agent in the current graph.

        Args:
          agent: an agent with its variables.
          observation_spec: `envs.specs.ObservationSpec`.
          num_envs: K.
          greedy: choose the most probable actions instead of sampling.
          seed: in 0..2**32 - 1, seed of the actions sampled after each `start`; None uses
            the seed of the graph.
        """
        self._stream = seed
        self._num_steps = 0
        self._seed = None if seed is None else tf.placeholder(tf.int64, [2])
        self._initial_state = agent.initial_state(num_envs)
        self._inputs = _placeholders(observation_spec, num_envs, self._initial_state)
        last_action, env_output, last_state = self._inputs
        output, next_state = agent.act(
            (last_action, env_output), last_state, greedy=greedy, seed=self._seed
        )
        self._fetches = (output.action, output.step_mul, next_state)

    def start(self, session: tf.Session) -> None:
        """Acts from now on with the weights in a session, starting from the initial state."""
        self._session = session
        self._num_steps = 0
        self._state = session.run(self._initial_state)
        self._last_action = tf.nest.map_structure(
            lambda t: np.zeros(t.shape.as_list(), np.int32), self._inputs[0]
        )

    def __call__(self, env_output: structs.EnvOutput) -> Tuple[Dict[str, np.ndarray], np.ndarray]:
        """Acts once; `done` resets the recurrent state inside the agent."""
        seen = structs.EnvOutput((), (), env_output.done, env_output.observation)
        values = (self._last_action, seen, self._state)
        feed = dict(zip(tf.nest.flatten(self._inputs), tf.nest.flatten(values)))
        if self._seed is not None:
            feed[self._seed] = [self._stream, self._num_steps]
        self._num_steps += 1
        action, step_mul, self._state = self._session.run(self._fetches, feed)
        self._last_action = {'function': action['function']}
        return action, step_mul

    def close(self) -> None:
        """Nothing to release."""


class AgentPlayer(SessionPlayer):
    """An agent in a separate session, with the weights of a checkpoint.

    checkpoint: its path.
    """

    def __init__(
        self,
        agent: ActingAgent,
        observation_spec: ObservationSpec,
        num_envs: int,
        choose: Callable[[], str],
        greedy: bool,
        session_config: tf.ConfigProto,
    ):
        """Loads the weights of an agent in the current graph.

        Args:
          agent, observation_spec, num_envs, greedy: see `SessionPlayer`.
          choose: returns the checkpoint with its weights; called again if a run removes that
            before it was read.
          session_config: configuration of its session.

        Raises:
          UserError: if the checkpoint is damaged or of another agent.
        """
        super().__init__(agent, observation_spec, num_envs, greedy)
        session = tf.Session(graph=tf.get_default_graph(), config=session_config)
        saver = tf.train.Saver(agent.weights)

        def load(checkpoint: str) -> None:
            variables.check_complete(checkpoint, agent.weights)
            variables.restore(saver, session, checkpoint)
            self.checkpoint = checkpoint

        variables.while_it_lasts(choose, load)
        self.start(session)

    def close(self) -> None:
        """Ends the session."""
        self._session.close()


def _placeholders(
    observation_spec: ObservationSpec, num_envs: int, state: Nest
) -> Tuple[Dict[str, tf.Tensor], structs.EnvOutput, Nest]:
    """Inputs of an agent: last action, the parts of `EnvOutput` that agents use, state."""

    def like(spec: ArraySpec) -> tf.Tensor:
        return tf.placeholder(spec.dtype, [num_envs] + list(spec.shape))

    structure = {
        k: v for k, v in observation_spec.structure().items() if k != structs.DEMONSTRATION
    }
    observation = tf.nest.map_structure(like, structure)
    done = tf.placeholder(tf.bool, [num_envs])
    return (
        {'function': tf.placeholder(tf.int32, [num_envs])},
        structs.EnvOutput((), (), done, observation),
        tf.nest.map_structure(lambda t: tf.placeholder(t.dtype, t.shape), state),
    )


class FixedPlayer:
    """A player that does not learn, with the step multiplier of the settings."""

    def __init__(self, player: Union[players.RandomPlayer, players.ScriptedPlayer], step_mul: int):
        self._player = player
        self._step_mul = step_mul

    def join(self, env: VectorEnvironment) -> None:
        """Prepares to play in an environment, see `ScriptedPlayer.join`."""
        if isinstance(self._player, players.ScriptedPlayer):
            self._player.join(env, self._step_mul)

    def candidates(
        self, count: int, temperature: float
    ) -> Optional[Tuple[Dict[str, np.ndarray], np.ndarray]]:
        """Returns what the last action was chosen from, see `ScriptedPlayer.candidates`."""
        if isinstance(self._player, players.ScriptedPlayer):
            return self._player.candidates(count, temperature)
        return None

    def __call__(self, env_output: structs.EnvOutput) -> Tuple[Dict[str, np.ndarray], np.ndarray]:
        """Acts once."""
        action = self._player.act(env_output.observation, env_output.done)
        return action, np.full(env_output.done.shape, self._step_mul, np.int32)

    def close(self) -> None:
        """Nothing to release."""


Player = Union[AgentPlayer, FixedPlayer]
"""A player of `--policy`."""


def with_needs(environment: EnvironmentSettings, policy: str) -> EnvironmentSettings:
    """Returns environment settings that suit the player of `--policy`.

    The needs of a scripted player replace every setting of observations and actions that has its
    default, general or of the map. Layers and vectors of the map are kept in addition to its own.

    Args:
      environment: the settings of the evaluation.
      policy: one of `groups.POLICIES`, or the name of a script of the map.
    """
    map_name = environment.map_name
    script = environments.find_script(map_name, policy)
    if script is None:
        return environment
    on_map = map_defaults(map_name, environment.map_file)
    needs: Dict[str, Any] = {
        'functions': tuple(script.functions),
        'fixed_arguments': {},
        'screen_layers': _union(on_map.screen_layers, script.screen_layers),
        'minimap_layers': _union(on_map.minimap_layers, script.minimap_layers),
        'vectors': _union(on_map.vectors, script.vectors),
        'screen_size': tuple(script.screen_size),
        'minimap_size': tuple(script.minimap_size),
    }
    general, of_the_map = (
        settings_lib.general_defaults(),
        resolve.of_map(map_name, map_file=environment.map_file),
    )
    replaced = {
        name: value
        for name, value in needs.items()
        if getattr(environment, name) in (general[name], of_the_map[name])
    }
    return dataclasses.replace(environment, **replaced)


def _union(names: Iterable[str], others: Iterable[str]) -> Tuple[str, ...]:
    names = tuple(names)
    return names + tuple(name for name in others if name not in names)


def random_player(specs: Specs, seed: int, step_mul: int) -> FixedPlayer:
    """Returns a player of random actions."""
    return FixedPlayer(players.RandomPlayer(specs[1], np.random.RandomState(seed)), step_mul)


def scripted_player(
    map_name: str, specs: Specs, step_mul: int, policy: str = 'scripted'
) -> FixedPlayer:
    """Returns a scripted player of the map.

    Raises:
      UserError: if there is no such script, or it cannot act with these specs.
    """
    return FixedPlayer(environments.make_script(map_name, specs, 'policy', policy), step_mul)


def find_checkpoint(logdir: str) -> str:
    """Returns the checkpoint to evaluate.

    Raises:
      UserError: if the folder has none.
    """
    checkpoint = choice.newest(logdir)
    if checkpoint is None:
        raise UserError(
            f'--logdir={logdir} has no checkpoint to evaluate, expected the folder of a run: '
            'train first, or choose --policy=random or scripted.'
        )
    return checkpoint
