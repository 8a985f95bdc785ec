"""Who plays an evaluation: an agent from a checkpoint, a script, or chance."""

from typing import Any, Dict, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.envs import MAP_DEFAULTS, players
from sc2impala.runtime import checkpoints, graph, seeds
from sc2impala.runtime import config as config_lib
from sc2impala.runtime.defaults import of_map
from sc2impala.runtime.errors import UserError


class AgentPlayer:
    """An agent with its recurrent state, in a session of its own.

    A player is called with the `EnvOutput` of K environments, and answers with a dict of int32 [K]
    and the step multipliers, int32 [K].
    """

    def __init__(
        self, config: config_lib.Config, specs: Tuple[Any, Any], num_envs: int, checkpoint: str
    ):
        """Raises: UserError: if the checkpoint is damaged or of another agent."""
        with tf.Graph().as_default() as tf_graph:
            tf.set_random_seed(seeds.streams(config.seed, 'player', 1)[0])
            agent = graph.make_agent(config, *specs)
            state = agent.initial_state(num_envs)
            self._inputs = _placeholders(specs[0], num_envs, state)
            last_action, env_output, last_state = self._inputs
            output, next_state = agent.act(
                (last_action, env_output), last_state, greedy=config.policy == 'greedy'
            )
            self._fetches = (output.action, output.step_mul, next_state)
            checkpoints.check_complete(checkpoint, tf.trainable_variables())
            self._session = tf.Session(
                graph=tf_graph, config=graph.session_config(config.deterministic)
            )
            tf.train.Saver(tf.trainable_variables()).restore(self._session, checkpoint)
            self._state = self._session.run(state)
        self._last_action = {'function': np.zeros([num_envs], np.int32)}

    def __call__(self, env_output: Any) -> Tuple[Dict[str, np.ndarray], np.ndarray]:
        """Plays one step; `done` resets the recurrent state inside of the agent."""
        seen = structs.EnvOutput((), (), env_output.done, env_output.observation)
        values = (self._last_action, seen, self._state)
        feed = dict(zip(tf.nest.flatten(self._inputs), tf.nest.flatten(values)))
        action, step_mul, self._state = self._session.run(self._fetches, feed)
        self._last_action = {'function': action['function']}
        return action, step_mul

    def close(self) -> None:
        """Ends the session."""
        self._session.close()


def _placeholders(observation_spec, num_envs, state):
    """What an agent is fed with: last action, `EnvOutput` as far as agents look at it, state."""

    def like(spec):
        return tf.placeholder(spec.dtype, [num_envs] + list(spec.shape))

    observation = tf.nest.map_structure(like, observation_spec.structure())
    done = tf.placeholder(tf.bool, [num_envs])
    return (
        {'function': tf.placeholder(tf.int32, [num_envs])},
        structs.EnvOutput((), (), done, observation),
        tf.nest.map_structure(lambda t: tf.placeholder(t.dtype, t.shape), state),
    )


class FixedPlayer:
    """A player that does not learn, with the step multiplier of the settings."""

    def __init__(self, player: Any, step_mul: int):
        self._player = player
        self._step_mul = step_mul

    def __call__(self, env_output: Any) -> Tuple[Dict[str, np.ndarray], np.ndarray]:
        """Plays one step."""
        action = self._player.act(env_output.observation, env_output.done)
        return action, np.full(env_output.done.shape, self._step_mul, np.int32)

    def close(self) -> None:
        """Nothing to release."""


def with_needs(config: config_lib.Config) -> config_lib.Config:
    """The settings with which the player of `--policy` can play.

    What a scripted player needs stands in for every setting of what is observed and done that has
    its default, general or of the map. Layers and vectors of the map stay beside its own.
    """
    if config.policy != 'scripted' or config.map_name not in players.SCRIPTED_PLAYERS:
        return config
    script, on_map = players.SCRIPTED_PLAYERS[config.map_name], MAP_DEFAULTS[config.map_name]
    needs = {
        'functions': script.functions,
        'fixed_arguments': ('none',),
        'screen_layers': _union(on_map.screen_layers, script.screen_layers),
        'minimap_layers': _union(on_map.minimap_layers, script.minimap_layers) or ('none',),
        'vectors': _union(on_map.vectors, script.vectors),
        'screen_size': ('{}x{}'.format(*script.screen_size),),
        'minimap_size': ('{}x{}'.format(*script.minimap_size),),
    }
    general, of_the_map = config_lib.Config(), of_map(config.map_name)
    return config._replace(
        **{
            name: ','.join(values)
            for name, values in needs.items()
            if getattr(config, name) in (getattr(general, name), of_the_map[name])
        }
    )


def _union(names, others):
    return tuple(names) + tuple(name for name in others if name not in names)


def make_player(config: config_lib.Config, specs: Tuple[Any, Any], num_envs: int) -> Any:
    """The player that `--policy` names, for K environments.

    Raises:
      UserError: if there is no checkpoint to play from, or no script for the map.
    """
    if config.policy == 'random':
        rng = np.random.RandomState(seeds.streams(config.seed, 'player', 1)[0])
        return FixedPlayer(players.RandomPlayer(specs[1], rng), config.step_mul)
    if config.policy == 'scripted':
        if config.map_name not in players.SCRIPTED_PLAYERS:
            raise UserError(
                '--policy=scripted has no script for --map_name={}, expected one of: {}.'.format(
                    config.map_name, ', '.join(sorted(players.SCRIPTED_PLAYERS))
                )
            )
        try:
            script = players.SCRIPTED_PLAYERS[config.map_name](*specs)
        except ValueError as error:
            raise UserError('--policy=scripted cannot play: --' + str(error)) from error
        return FixedPlayer(script, config.step_mul)
    checkpoint = checkpoints.latest(config.logdir)
    if checkpoint is None:
        raise UserError(
            f'--logdir={config.logdir} holds no checkpoint to evaluate, expected the folder of a '
            'run: train first, or choose --policy=random or scripted.'
        )
    return AgentPlayer(config, specs, num_envs, checkpoint)
