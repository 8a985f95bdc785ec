"""R2D2: recurrent Q learning from replayed sequences, for the dictionary action space.

Sources: R2D2 (Kapturowski et al. 2019, ICLR) and branching dueling Q (Tavakoli et al. 2018, arXiv
1711.08946); see `q_learning`, `prioritisation` and `agents.action_values` for the maths. T is the
unroll length, N the new and R the replayed sequences of a batch, B = N + R.
"""

import functools
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.agents.wrapper import ActingAgent, EpsilonGreedy
from sc2impala.learner import batch as batch_lib
from sc2impala.learner import diagnostics, optimization, prioritisation, sequences
from sc2impala.learner import targets as targets_lib
from sc2impala.learner.algorithm import Algorithm, Sequences, Update
from sc2impala.learner.batch import Batch
from sc2impala.learner.optimization import Schedule
from sc2impala.learner.r2d2 import bootstrap, burn_in, q_learning
from sc2impala.learner.r2d2.settings import R2d2Settings
from sc2impala.learner.r2d2.target_network import TargetNetwork
from sc2impala.learner.sequences import Steps
from sc2impala.structs import AgentOutput


class R2D2(Algorithm):
    """Double Q learning with n-step targets over sequences from the replay buffer.

    New sequences enter the replay buffer, and are trained on when they are sampled; their
    first priority is computed from the values recorded by the actor. Until the buffer has its
    minimum size, nothing is learned.
    """

    settings: R2d2Settings
    agent_needs = ('unroll', 'action_values', 'policy', 'make_copy')

    def agent_options(self) -> Mapping[str, Any]:
        """See `Algorithm.agent_options`."""
        return {'bootstrap_heads': self.settings.r2d2_bootstrap_heads}

    def acting_agents(self, agent: Agent, num_actors: int, num_envs: int) -> List[ActingAgent]:
        """Epsilon-greedy agents, with an epsilon for each game; see `Algorithm.acting_agents`."""
        epsilons = self.epsilons(num_actors * num_envs)
        return [
            EpsilonGreedy(agent, epsilons[first : first + num_envs], follows_episodes=True)
            for first in range(0, len(epsilons), num_envs)
        ]

    def epsilons(self, count: int) -> List[float]:
        """The probability of a random action in each of `count` games.

        A ladder, as in Ape-X (Horgan et al. 2018, arXiv 1803.00933, section 4).
        """
        base, steepness = self.settings.r2d2_epsilon, self.settings.r2d2_epsilon_steepness
        return [base ** (1 + steepness * index / max(1, count - 1)) for index in range(count)]

    def evaluated_agent(self, agent: Agent) -> ActingAgent:
        """An epsilon-greedy agent; see `Algorithm.evaluated_agent`."""
        return EpsilonGreedy(agent, [self.settings.r2d2_evaluation_epsilon])

    def sequences(self, agent: Agent) -> Sequences:
        """Sequences overlap by the burn-in; see `Algorithm.sequences`."""
        overlap = burn_in.num_steps(agent.state_spec(), self.settings.r2d2_burn_in)
        return Sequences(overlap, functools.partial(self._new_priorities, agent))

    def _new_priorities(self, agent: Agent, batch: Batch) -> tf.Tensor:
        """Priorities of new sequences from the values recorded by the actor, float32 [N].

        The actor has not valued the last observation of a sequence yet, so the last step has no
        error. With bootstrapped heads these are the values of the versions that acted.
        """
        skipped = burn_in.num_steps(batch.agent_state, self.settings.r2d2_burn_in)
        env_outputs, outputs = tf.nest.map_structure(
            lambda t: t[skipped:-1], (batch.env_outputs, batch.agent_outputs)
        )
        values = burn_in.after(batch.agent_outputs, skipped + 1)
        steps = sequences.shift(env_outputs, outputs, values, batch.is_replay)
        targets, q_values = self._targets(agent, steps, values, values)
        return prioritisation.sequence_priorities(
            targets - q_values, steps.mask, self.settings.priority_max_share
        )

    def build_update(
        self, agent: Agent, batch: Batch, variables: Sequence[tf.Variable], schedule: Schedule
    ) -> Update:
        """Builds the update of the Q function; see `Algorithm.build_update`.

        Raises:
          ValueError: if no column of the batch is replayed.
        """
        if not batch.num_replay:
            raise ValueError('R2D2 needs a batch with replayed columns')
        settings = self.settings
        replayed = batch_lib.last_columns(batch, batch.num_replay)
        steps, targets, q_values, target = self._unroll(agent, replayed)
        weights = prioritisation.batch_weights(replayed, settings, schedule)
        # These columns are new ones before replay starts.
        shares = self._per_version(weights * tf.cast(replayed.is_replay, tf.float32), replayed.keys)
        terms = {'q_learning': (1.0, q_learning.q_loss(targets, q_values))}
        weighted, total_loss = optimization.weighted_sum(terms, steps.mask * shares)
        first, last = settings.r2d2_learning_rate, settings.r2d2_final_learning_rate
        learning_rate = schedule.linear(first, last)
        learns = tf.reduce_any(replayed.is_replay)
        train, grad_norm = optimization.adam_step(
            total_loss, variables, learning_rate, settings, name='adam', when=learns
        )
        priorities = self._priorities(targets - q_values, steps.mask)
        skipped = burn_in.num_steps(batch.agent_state, settings.r2d2_burn_in)
        env_outputs, outputs = burn_in.after((batch.env_outputs, batch.agent_outputs), skipped)
        played = sequences.shift(env_outputs, outputs, outputs, batch.is_replay)
        done, infos = sequences.countable(played)
        metrics = {'loss/total_loss': total_loss, 'learning_rate': learning_rate}
        metrics.update({'grad_norm': grad_norm, 'importance_weight/min': tf.reduce_min(weights)})
        metrics.update(('loss/' + name, value) for name, value in weighted.items())
        metrics.update(self._diagnostics(steps, targets, q_values, priorities))
        metrics.update(diagnostics.action_histograms(agent.policy, played.behaviour, played.is_new))
        return Update(
            target.counted(train, learns),
            sequences.count_frames(played),
            done,
            infos,
            metrics,
            priorities,
            tf.where(replayed.is_replay, replayed.keys, -tf.ones_like(replayed.keys)),
            grad_norm,
        )

    def _unroll(
        self, agent: Agent, batch: Batch
    ) -> Tuple[Steps, tf.Tensor, tf.Tensor, TargetNetwork]:
        """Unrolls both networks over a batch without burn-in.

        Args:
          agent: agent with `action_values`.
          batch: batch of replayed columns.

        Returns:
          `Steps` of [T, B], with a column for each version of bootstrapped heads; targets and Q
          values as `_targets` returns them; the `TargetNetwork`.
        """
        target = TargetNetwork(agent, self.settings.r2d2_target_period)
        skipped = burn_in.num_steps(batch.agent_state, self.settings.r2d2_burn_in)
        outputs = burn_in.unroll(agent, batch, skipped)
        with tf.control_dependencies([target.refreshed()]):
            target_outputs = burn_in.unroll(target.agent, batch, skipped)
        env_outputs, agent_outputs = burn_in.after(
            (batch.env_outputs, batch.agent_outputs), skipped
        )
        is_replay = batch.is_replay
        if self._num_versions > 1:
            # Without the observations, which are large.
            columns = env_outputs._replace(observation={}), agent_outputs
            env_outputs, agent_outputs = bootstrap.repeat(columns, self._num_versions, axis=1)
            is_replay = bootstrap.repeat(is_replay, self._num_versions, axis=0)
        steps = sequences.shift(env_outputs, agent_outputs, outputs, is_replay)
        targets, q_values = self._targets(agent, steps, outputs, target_outputs)
        return steps, targets, q_values, target

    def _targets(
        self, agent: Agent, steps: Steps, outputs: AgentOutput, target_outputs: AgentOutput
    ) -> Tuple[tf.Tensor, tf.Tensor]:
        """Double Q or Munchausen targets, and the values of the executed actions.

        Args:
          agent: agent with `action_values`.
          steps: `Steps` of [T, B].
          outputs, target_outputs: `AgentOutput` of [T + 1, B], of the network that chooses and of
            the network that evaluates the choice.

        Returns:
          h(G) and Q(a), float32 [T, B]; no gradient flows through the first.
        """
        values, rescales = agent.action_values, self.settings.r2d2_value_rescaling
        rewards = steps.rewards
        if self.settings.r2d2_munchausen:
            best = values.soft_value(target_outputs, self.settings.r2d2_temperature)
            played = values.value(
                tf.nest.map_structure(lambda t: t[:-1], target_outputs), steps.behaviour
            )
            rewards += q_learning.munchausen_bonus(played, best[:-1], self.settings.r2d2_munchausen)
        else:
            best = values.value(target_outputs, values.greedy(outputs))
        returns = q_learning.n_step_returns(
            rewards,
            targets_lib.discounts(steps, self.settings),
            q_learning.unscale(best) if rescales else best,
            tf.logical_or(steps.infos.aborted, steps.resets),
            self.settings.r2d2_num_steps,
        )
        targets = q_learning.rescale(returns) if rescales else returns
        return tf.stop_gradient(targets), values.value(steps.learner, steps.behaviour)

    @property
    def _num_versions(self) -> int:
        """The versions of the heads; each has separate columns."""
        return max(1, self.settings.r2d2_bootstrap_heads)

    def _per_version(self, weights: tf.Tensor, keys: tf.Tensor) -> tf.Tensor:
        """Weights of all columns of the loss, from the weights of sequences with these keys."""
        if self._num_versions == 1:
            return weights
        weights = bootstrap.repeat(weights, self._num_versions, axis=0)
        probability = self.settings.r2d2_bootstrap_mask
        return weights * bootstrap.shares(keys, self._num_versions, probability)

    def _priorities(self, errors: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
        """The priorities of sequences, float32 [B], from the errors of all columns."""
        priorities = prioritisation.sequence_priorities(
            errors, mask, self.settings.priority_max_share
        )
        if self._num_versions > 1:
            priorities = bootstrap.mean(priorities, self._num_versions)
        return priorities

    def _diagnostics(
        self, steps: Steps, targets: tf.Tensor, q_values: tf.Tensor, priorities: tf.Tensor
    ) -> Dict[str, tf.Tensor]:
        """Measures of the Q function over the included steps: float32 [] by tag."""
        count = tf.reduce_sum(steps.mask)
        result = {
            'q/mean': tf.math.divide_no_nan(tf.reduce_sum(steps.mask * q_values), count),
            'q/explained_variance': diagnostics.explained_variance(targets, q_values, steps.mask),
            'td_error/mean': tf.math.divide_no_nan(
                tf.reduce_sum(steps.mask * tf.abs(targets - q_values)), count
            ),
            'priority/mean': tf.reduce_mean(priorities),
            'priority/max': tf.reduce_max(priorities),
        }
        if self._num_versions > 1:
            result.update(bootstrap.metrics(q_values, steps.mask, self._num_versions))
        return result
