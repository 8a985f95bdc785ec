"""The players that can be watched: agents of runs, and scripts."""

import abc
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

import numpy as np

import sc2impala
from sc2impala import envs, sim, structs
from sc2impala.checkpoints import zoo_names
from sc2impala.envs import search_player
from sc2impala.envs.vector import Specs, VectorEnvironment
from sc2impala.errors import UserError
from sc2impala.evaluation import players
from sc2impala.evaluation.loaded_agent import LoadedAgent
from sc2impala.factories import environments
from sc2impala.settings import resolve, validation
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.groups import EnvironmentSettings
from sc2impala.watch import advantages, choices, trace

SCRIPT = 'script:'
"""The beginning of the names of scripts."""

_CANDIDATES = 64
_TEMPERATURE = 1.0
"""Of the distribution over the candidates of a search, in points of the game."""


class Options(NamedTuple):
    """Options of players.

    map_name: the map of scripts; empty for the one of the other player.
    step_mul: frames between two calls of a script.
    checkpoint: the checkpoint of a run, see `sc2impala.load`.
    policy, temperature, eval_max_step_mul: how an agent acts, see `sc2impala.load`.
    seed: determines the games and the samples.
    """

    map_name: str = ''
    step_mul: int = 8
    checkpoint: str = 'latest'
    policy: str = 'sampled'
    temperature: Optional[float] = None
    eval_max_step_mul: Optional[int] = None
    seed: int = 0


class Decision(NamedTuple):
    """The choices of a player in K games.

    action: int32 [K] by head. step_mul: int32 [K].
    distributions: float64 [K, choices] by head; empty for a script.
    values: float32 [K], the baseline; None for a script.
    """

    action: Mapping[str, np.ndarray]
    step_mul: np.ndarray
    distributions: Mapping[str, np.ndarray]
    values: Optional[np.ndarray]


class WatchedPlayer(abc.ABC):
    """A player that explains its choices, in its games.

    about: what the page shows of it. specs: its observations and actions.
    returns: `settings.learning.ReturnSettings` of its algorithm; None without a baseline.
    """

    about: trace.Player
    specs: Specs
    returns: Any = None

    def __init__(self, settings: EnvironmentSettings):
        """Args: settings: the games."""
        self.environment = settings

    def make_environment(self, seeds: Sequence[int]) -> VectorEnvironment:
        """Returns games of the simulator, one per seed."""
        settings = self.environment
        return envs.make_environment(
            'simulator',
            settings.map_name,
            seeds,
            *self.specs,
            max_step_mul=settings.longest_step,
            rules=dict(settings.simulator_rules),
            max_episode_frames=settings.max_episode_frames or None,
        )

    @abc.abstractmethod
    def decide(self, observation: Mapping[str, structs.Nest], first: np.ndarray) -> Decision:
        """Decides in K games.

        Args:
          observation: arrays [K, ...].
          first: bool [K], games whose observation is the first of an episode.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Releases the player."""


class Agent(WatchedPlayer):
    """The agent of a run."""

    def __init__(self, name: str, agent: LoadedAgent):
        """Args:
        name: as the page shows it.
        agent: the agent; it is closed with the player.
        """
        settings, identity = agent.settings, agent.identity
        super().__init__(settings.environment)
        self._agent, self._state = agent, agent.initial_state(1)
        algorithm = settings.algorithms[settings.training.algorithm]
        self._kind = trace.VALUES if algorithm.LEARNS_VALUES else trace.POLICY
        self._max_step_mul = identity.max_step_mul
        self._chooses_step_mul = identity.step_mul is None
        self._temperature = identity.temperature if identity.policy == 'sampled' else 1.0
        self.specs = agent.observation_spec, agent.action_spec
        self.returns = algorithm if hasattr(algorithm, 'discounting') else None
        heads = choices.heads_of(
            agent.action_spec, identity.max_step_mul if self._chooses_step_mul else 0
        )
        about = [f'{settings.agent.agent}, {settings.training.algorithm}']
        about += [f'{identity.frames:,} frames', identity.policy]
        if self._temperature != 1:
            about.append(f'temperature {self._temperature:g}')
        note = '' if self.returns is None else advantages.describe(self.returns)
        self.about = _about(name, about, self._kind, self.specs, heads, note)

    def decide(self, observation: Mapping[str, structs.Nest], first: np.ndarray) -> Decision:
        """See `WatchedPlayer.decide`."""
        if len(first) != len(next(iter(self._state.values()))):
            self._state = self._agent.initial_state(len(first))
        outputs, self._state = self._agent.compute(observation, self._state, first)
        heads = self.specs[1].heads
        action = {name: outputs['action'][:, i].astype(np.int32) for i, name in enumerate(heads)}
        distributions: Dict[str, np.ndarray] = {}
        for head in self.about.heads:
            logits = outputs['logits_' + head.name]
            if self._kind == trace.VALUES:
                distributions[head.name] = choices.relative_values(logits)[..., : head.choices]
            else:
                distribution = choices.probabilities(logits, self._temperature)
                distributions[head.name] = choices.capped(distribution, head.choices)
        step_mul = outputs['step_mul'].astype(np.int32)
        return Decision(action, step_mul, distributions, outputs['baseline'])

    def close(self) -> None:
        """Closes the agent."""
        self._agent.close()


class Script(WatchedPlayer):
    """A script of a map, or a search, whose candidates have probabilities."""

    def __init__(self, name: str, environment: EnvironmentSettings, policy: str, step_mul: int):
        """Args:
        name: as the user gave it.
        environment: the games.
        policy: the name of the script.
        step_mul: frames between two calls.
        """
        super().__init__(environment)
        self.specs = environments.make_specs(environment)
        self._player = players.scripted_player(environment.map_name, self.specs, step_mul, policy)
        heads = choices.heads_of(self.specs[1], 0)
        self._compares = policy in search_player.SEARCHES
        about = ['search' if self._compares else 'script', f'every {step_mul} frames']
        if self._compares:
            about.append(f'probabilities: softmax of values, temperature {_TEMPERATURE:g}')
        kind = trace.POLICY if self._compares else trace.SCRIPT
        self.about = _about(name, about, kind, self.specs, heads, '')

    def make_environment(self, seeds: Sequence[int]) -> VectorEnvironment:
        """See `WatchedPlayer.make_environment`."""
        env = super().make_environment(seeds)
        self._player.join(env)
        return env

    def decide(self, observation: Mapping[str, structs.Nest], first: np.ndarray) -> Decision:
        """See `WatchedPlayer.decide`."""
        action, step_mul = self._player(structs.EnvOutput(None, None, first, observation))
        distributions = {}
        candidates = self._player.candidates(_CANDIDATES, _TEMPERATURE) if self._compares else None
        if candidates is not None:
            distributions = choices.of_candidates(self.specs[1], *candidates)
        return Decision(action, step_mul, distributions, None)

    def close(self) -> None:
        """Releases nothing."""


def resolve_players(names: Sequence[str], options: Options) -> List[WatchedPlayer]:
    """Turns the names of players on the same map into players.

    Args:
      names: folders or checkpoints of runs, or names of the zoo, as for `sc2impala.load`; or
        'script:' and the name of a script.
      options: options of all players; the checkpoint is that of the first one.

    Raises:
      UserError: if there is no such player, or their maps differ.
    """
    found: Dict[int, WatchedPlayer] = {}
    map_name, of = options.map_name, '--map_name'
    for index, name in enumerate(names):
        if not name.startswith(SCRIPT):
            found[index] = _agent(name, options if index == 0 else options._replace(checkpoint=''))
            own = found[index].environment.map_name
            if map_name and own != map_name:
                raise UserError(f'{name} is a run on {own}, expected {map_name} as {of}.')
            map_name, of = own, f'the run {name}'
    for index, name in enumerate(names):
        if name.startswith(SCRIPT):
            found[index] = _script(name, map_name, options)
    return [found[index] for index in range(len(names))]


def _agent(name: str, options: Options) -> Agent:
    agent = sc2impala.load(
        name,
        options.checkpoint or 'latest',
        options.policy,
        options.temperature,
        options.eval_max_step_mul,
        options.seed,
    )
    map_name = agent.identity.map_name
    if map_name not in sim.MAP_NAMES:
        agent.close()
        raise UserError(
            f'{name} is a run on {map_name}, expected a map of the simulator: '
            f'{", ".join(sim.MAP_NAMES)}.'
        )
    is_zoo = zoo_names.is_zoo(name)
    return Agent(name if is_zoo else _short(agent.settings.run.logdir), agent)


def _script(name: str, map_name: str, options: Options) -> Script:
    if not map_name:
        raise UserError(f'{name} has no map, expected --map_name={"|".join(sim.MAP_NAMES)}.')
    if map_name not in sim.MAP_NAMES:
        raise UserError(
            f'--map_name={map_name} is unknown, expected one of: {", ".join(sim.MAP_NAMES)}.'
        )
    policy = name[len(SCRIPT) :]
    script = environments.find_script(map_name, policy)
    if script is None:
        known = sorted(environments.script_names(map_name))
        raise UserError(
            f'{name} is no script for {map_name}, expected {SCRIPT}NAME with one of: '
            f'{", ".join(known)}.'
        )
    given = {
        'map_name': map_name,
        'mode': 'evaluate',
        'policy': policy,
        'fixed_step_mul': True,
        'step_mul': options.step_mul,
    }
    settings = settings_lib.Settings.from_values(resolve.complete(given))
    validation.check(settings)
    environment = players.with_needs(settings.environment, policy)
    return Script(name, environment, policy, options.step_mul)


def _short(folder: str) -> str:
    """Returns the name of a run without the folders around it, which are nobody else's business."""
    return os.path.basename(os.path.abspath(folder))


def _about(
    name: str,
    about: Sequence[str],
    kind: str,
    specs: Specs,
    heads: Sequence[trace.Head],
    note: str,
) -> trace.Player:
    spec = specs[1]
    used = [
        [head for head, is_used in zip(spec.argument_heads, row) if is_used]
        for row in spec.head_used
    ]
    return trace.Player(
        name, about, kind, spec.function_names, heads, used, dict(spec.fixed_arguments), note
    )
