"""Wrappers of agents: step multipliers, temperature and epsilon-greedy exploration."""

import abc
from typing import Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents import policy as policy_lib
from sc2impala.agents.action_values import Choice, is_available
from sc2impala.agents.agent import Agent
from sc2impala.structs import Nest


class AgentWrapper(abc.ABC):
    """Base of wrappers, which change the actions of an agent."""

    def __init__(self, agent: 'ActingAgent'):
        """Args:
        agent: the wrapped agent.
        """
        self._agent = agent

    @property
    def weights(self) -> List[tf.Variable]:
        """The variables of the agent."""
        return self._agent.weights

    def initial_state(self, batch_size: Union[int, tf.Tensor]) -> Nest:
        """See `Agent.initial_state`."""
        return self._agent.initial_state(batch_size)

    def output_spec(self) -> structs.AgentOutput:
        """See `Agent.output_spec`."""
        return self._agent.output_spec()

    @abc.abstractmethod
    def act(
        self,
        inputs: Tuple[Mapping[str, tf.Tensor], structs.EnvOutput],
        prev_state: Nest,
        greedy: bool = False,
        given: Optional[Mapping[str, tf.Tensor]] = None,
        seed: Optional[tf.Tensor] = None,
    ) -> Tuple[structs.AgentOutput, Nest]:
        """One step, see `Agent.act`."""


ActingAgent = Union[Agent, AgentWrapper]
"""A policy of actors and evaluations: an agent or a wrapper."""


class MaxStepMul(AgentWrapper):
    """Limits the step multiplier of an agent, so that it acts more often than in training.

    With a limit of 2, an agent that learned with steps of 4 frames observes the game twice as often
    with the same policy. Its recurrent state is then updated twice as often.
    """

    def __init__(self, agent: ActingAgent, max_step_mul: int):
        """Args:
        agent: the wrapped agent.
        max_step_mul: the largest number of environment frames of a step, at least 1.

        Raises:
          ValueError: if `max_step_mul` is less than 1.
        """
        if max_step_mul < 1:
            raise ValueError(f'max_step_mul is {max_step_mul}, expected at least 1')
        super().__init__(agent)
        self._max_step_mul = max_step_mul

    def act(
        self,
        inputs: Tuple[Mapping[str, tf.Tensor], structs.EnvOutput],
        prev_state: Nest,
        greedy: bool = False,
        given: Optional[Mapping[str, tf.Tensor]] = None,
        seed: Optional[tf.Tensor] = None,
    ) -> Tuple[structs.AgentOutput, Nest]:
        """One step, see `Agent.act`; only the step multiplier of the output may differ."""
        output, state = self._agent.act(inputs, prev_state, greedy, given, seed)
        return output._replace(step_mul=tf.minimum(output.step_mul, self._max_step_mul)), state


class Temperature(AgentWrapper):
    """Samples the actions of an agent with another temperature.

    Every choice is sampled from softmax(logits / temperature): below 1 the policy is more
    deterministic than the agent, towards 0 it is the greedy one; above 1 it is more random.
    """

    _agent: Agent

    def __init__(self, agent: ActingAgent, temperature: float):
        """Args:
        agent: `agents.agent.Agent`.
        temperature: more than 0.

        Raises:
          ValueError: if the temperature is not positive, or the agent is wrapped already.
        """
        if temperature <= 0:
            raise ValueError(f'temperature is {temperature}, expected more than 0')
        if isinstance(agent, AgentWrapper):
            raise ValueError(f'{type(agent).__name__} cannot have a temperature')
        super().__init__(agent)
        self._temperature = temperature

    def act(
        self,
        inputs: Tuple[Mapping[str, tf.Tensor], structs.EnvOutput],
        prev_state: Nest,
        greedy: bool = False,
        given: Optional[Mapping[str, tf.Tensor]] = None,
        seed: Optional[tf.Tensor] = None,
    ) -> Tuple[structs.AgentOutput, Nest]:
        """One step, see `Agent.act`; greedy actions do not depend on the temperature."""
        return self._agent.act(
            inputs, prev_state, greedy, given, seed, temperature=self._temperature
        )


class EpsilonGreedy(AgentWrapper):
    """Replaces actions of an agent by random ones with a small probability.

    With probability epsilon an action is random: a function drawn from the available ones,
    and each argument, and the step multiplier if it is learned, from all choices.
    """

    _agent: Agent

    def __init__(self, agent: Agent, epsilons: Sequence[float], follows_episodes: bool = False):
        """Args:
        agent: `agents.agent.Agent` whose arguments are not conditioned.
        epsilons: one per environment; or one for any number of environments.
        follows_episodes: see `Agent.act`.
        """
        super().__init__(agent)
        self._follows_episodes = follows_episodes
        self._epsilons = np.asarray(epsilons, np.float32)

    def act(
        self,
        inputs: Tuple[Mapping[str, tf.Tensor], structs.EnvOutput],
        prev_state: Nest,
        greedy: bool = False,
        given: Optional[Mapping[str, tf.Tensor]] = None,
        seed: Optional[tf.Tensor] = None,
    ) -> Tuple[structs.AgentOutput, Nest]:
        """One step, see `Agent.act`.

        Args:
          inputs, prev_state: see `Agent.act`.
          greedy: never take a random action.
          given: None: there is no demonstrator.
          seed: see `Agent.act`.

        Raises:
          ValueError: if choices are given.
        """
        if given is not None:
            raise ValueError('an epsilon-greedy agent cannot be given choices')
        output, state = self._agent.act(
            inputs, prev_state, greedy=True, seed=seed, follows_episodes=self._follows_episodes
        )
        best = self._agent.action_values.greedy(output)
        best = Choice(best.action, self._own_step_mul(output, best.step_mul))
        if not greedy:
            best = self._explored(output, best, seed)
        return output._replace(action=best.action, step_mul=best.step_mul), state

    def _explored(
        self, output: structs.AgentOutput, best: Choice, seed: Optional[tf.Tensor]
    ) -> Choice:
        """The best choice, or a random one."""
        names = [*output.action_logits, 'step_mul', 'explores']
        seeds = {} if seed is None else policy_lib.seeds_of_heads(seed, sorted(names))
        explores = self._explores(tf.shape(output.baseline), seeds.get('explores'))

        def choose(name: str, logits: tf.Tensor, own: tf.Tensor) -> tf.Tensor:
            random = policy_lib.sample_categorical(logits, seeds.get(name))
            return tf.where(explores, random, own)

        logits = self._uniform(output.action_logits)
        action = {name: choose(name, logits[name], best.action[name]) for name in sorted(logits)}
        step_mul = choose('step_mul', tf.zeros_like(output.step_mul_logits), best.step_mul - 1) + 1
        return Choice(action, self._own_step_mul(output, step_mul))

    def _explores(self, shape: tf.Tensor, seed: Optional[tf.Tensor]) -> tf.Tensor:
        """Returns a mask of environments that take a random action now, bool [K]."""
        if seed is None:
            uniform = tf.random.uniform(shape)
        else:
            uniform = tf.random.stateless_uniform(shape, seed)
        return uniform < self._epsilons

    def _own_step_mul(self, output: structs.AgentOutput, step_mul: tf.Tensor) -> tf.Tensor:
        """The chosen step multiplier, or the fixed one."""
        return step_mul if self._agent.policy.learn_step_mul else output.step_mul

    def _uniform(self, action_logits: Mapping[str, tf.Tensor]) -> Dict[str, tf.Tensor]:
        """Logits of random choices by head; functions are masked by availability."""
        result = {name: tf.zeros_like(logits) for name, logits in action_logits.items()}
        function = action_logits['function']
        result['function'] = tf.where(
            is_available(function),
            result['function'],
            tf.fill(tf.shape(function), policy_lib.UNAVAILABLE_LOGIT),
        )
        return result
