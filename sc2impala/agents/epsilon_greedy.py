"""An agent that plays the action of the highest value, and now and then a random one.

K is the number of environments of an actor.
"""

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

from sc2impala import structs
from sc2impala.agents import policy as policy_lib
from sc2impala.agents.action_values import Choice, is_available
from sc2impala.agents.agent import Agent
from sc2impala.agents.wrapper import AgentWrapper
from sc2impala.structs import Nest


class EpsilonGreedy(AgentWrapper):
    """Acts instead of an agent, with its variables.

    With probability epsilon an action is random: a function drawn from those that are available,
    and each argument, and the step multiplier if it is learned, from all choices.
    """

    _agent: Agent

    def __init__(self, agent: Agent, epsilons: Sequence[float], follows_episodes: bool = False):
        """Args:
        agent: `agents.agent.Agent` whose arguments are not conditioned.
        epsilons: of each of K environments; or one, for any number of them.
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
    ) -> Tuple[structs.AgentOutput, Any]:
        """One step, see `Agent.act`.

        Args:
          inputs, prev_state: as there.
          greedy: never play a random action.
          given: None: there is no demonstrator.
          seed: as there.

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
        """The chosen step multiplier, or the one that is fixed."""
        return step_mul if self._agent.policy.learn_step_mul else output.step_mul

    def _uniform(self, action_logits: Mapping[str, tf.Tensor]) -> Dict[str, tf.Tensor]:
        """Logits of random choices by head, of the function of what is available."""
        result = {name: tf.zeros_like(logits) for name, logits in action_logits.items()}
        function = action_logits['function']
        result['function'] = tf.where(
            is_available(function),
            result['function'],
            tf.fill(tf.shape(function), policy_lib.UNAVAILABLE_LOGIT),
        )
        return result
