"""R2D2: recurrent Q learning from replayed sequences, for the dictionary action space.

Sources: R2D2 (Kapturowski et al. 2019, ICLR) and branching dueling Q (Tavakoli et al. 2018, arXiv
1711.08946); see `q_learning`, `prioritisation` and `agents.action_values` for the maths. T is the
unroll length, N the new and R the replayed sequences of a batch, B = N + R.
"""

import dataclasses
from typing import Any, Callable, ClassVar, Dict, List, Sequence, Tuple

from sc2impala.learner.algorithm import REPLAY_REQUIRED, Algorithm, Update
from sc2impala.settings.fields import MANY, setting
from sc2impala.settings.learning import AdamSettings, PrioritySettings, ReturnSettings


@dataclasses.dataclass(frozen=True)
class R2d2Settings(ReturnSettings, AdamSettings, PrioritySettings):
    """Losses are summed over time and the replayed sequences."""

    TITLE: ClassVar[str] = 'R2D2 (--algorithm=r2d2)'

    r2d2_learning_rate: float = setting(
        1e-3, 'of Adam, at the start', between=(0.0, 10.0), tunable=True
    )
    r2d2_final_learning_rate: float = setting(
        0.0, 'at the end, linearly in between', between=(0.0, 10.0), tunable=True
    )
    r2d2_num_steps: int = setting(
        5,
        'steps of rewards in a target, before the value of a state',
        between=(1, 10000),
        tunable=True,
    )
    r2d2_burn_in: int = setting(
        4,
        'first steps of a sequence that only bring its stored recurrent state up to date; they are '
        'the last ones of the sequence before it, which is learned from. 0 for agents without such '
        'a state',
        between=(0, 10000),
    )
    r2d2_target_period: int = setting(
        50,
        'updates from one copy of the weights to the target network to the next',
        between=(1, MANY),
        tunable=True,
    )
    r2d2_value_rescaling: bool = setting(
        True,
        'learn h(Q) = sign(Q) (sqrt(|Q| + 1) - 1) + Q / 1000 in the place of Q, so that returns of '
        'any size need no clipping of rewards',
    )
    r2d2_munchausen: float = setting(
        0.0,
        'weight of the scaled log-probability of an action under the softmax of its values, added '
        'to its reward, as in Munchausen DQN, whose weight is 0.9; targets then have soft values '
        'of the target network alone. 0 leaves it out',
        between=(0.0, 1.0),
        tunable=True,
    )
    r2d2_temperature: float = setting(
        0.03,
        'of that softmax, in the units of Q as it is learned',
        between=(1e-4, 1e4),
        tunable=True,
    )
    r2d2_bootstrap_heads: int = setting(
        0,
        'versions of all heads of the agent on one torso, each with targets of its own; one of '
        'them plays each episode, and their mean is evaluated. 0 or 1 for the heads alone',
        between=(0, 100),
    )
    r2d2_bootstrap_mask: float = setting(
        1.0,
        'probability with which one of these versions learns from a sequence; drawn once for each '
        'sequence in the replay buffer',
        between=(0.01, 1.0),
        tunable=True,
    )
    r2d2_epsilon: float = setting(
        0.4,
        'probability of a random action in the first game; in game i of N it is this number to the '
        'power of 1 + r2d2_epsilon_steepness * i / (N - 1)',
        between=(0.0, 1.0),
        tunable=True,
    )
    r2d2_epsilon_steepness: float = setting(
        7.0,
        'see --r2d2_epsilon; 0 is the same epsilon in all games',
        between=(0.0, 1000.0),
        tunable=True,
    )
    r2d2_evaluation_epsilon: float = setting(
        0.01,
        'probability of a random action with --policy=sampled; it is 0 with --policy=greedy',
        between=(0.0, 1.0),
        own_in_evaluation=True,
        free_on_resume=True,
    )


class R2D2(Algorithm):
    """Double Q learning with n-step targets over sequences from the replay buffer.

    New sequences are put into the replay buffer and learned from when they are drawn from it; their
    first priority is made of the values by which they were played. Until the buffer holds as many
    sequences as it must, nothing is learned.
    """

    settings_class = R2d2Settings
    agent_needs = ('unroll', 'action_values', 'policy', 'make_copy')
    replay = REPLAY_REQUIRED
    learns_values = True
    # Learns MoveToBeacon, see docs/r2d2.md.
    defaults = {
        'agent': 'fully_conv',
        'fixed_step_mul': True,
        'step_mul': 6,
        'discounting': 0.9,
        'num_actors': 1,
        'replay_proportion': 0.75,
        'replay_buffer_size': 5000,
        'replay_sampler': 'prioritised',
        'replay_min_size': 100,
    }

    @property
    def bootstrap_heads(self) -> int:
        """See `Algorithm.bootstrap_heads`."""
        return self.settings.r2d2_bootstrap_heads

    def epsilons(self, count: int) -> List[float]:
        """A ladder, as that of Ape-X (Horgan et al. 2018, arXiv 1803.00933, section 4).

        See `Algorithm.epsilons`.
        """
        base, steepness = self.settings.r2d2_epsilon, self.settings.r2d2_epsilon_steepness
        return [base ** (1 + steepness * index / max(1, count - 1)) for index in range(count)]

    def evaluation_epsilon(self) -> float:
        """See `Algorithm.evaluation_epsilon`."""
        return self.settings.r2d2_evaluation_epsilon

    def overlap(self, agent: Any) -> int:
        """The steps of the burn-in. See `Algorithm.overlap`."""
        from sc2impala.learner import burn_in

        return burn_in.num_steps(agent.state_spec(), self.settings.r2d2_burn_in)

    def new_priorities(self, agent: Any) -> Callable[[Any], Any]:
        """The priorities of new sequences by the values that the actor recorded.

        The actor has not valued the last observation of a sequence yet, so the last step has no
        error. Of bootstrapped heads these are the values of those that played. See
        `Algorithm.new_priorities`.
        """

        def priorities(sequences: Any) -> Any:
            import tensorflow.compat.v1 as tf

            from sc2impala.learner import batch as batch_lib
            from sc2impala.learner import burn_in, prioritisation
            from sc2impala.learner import sequences as sequences_lib

            batch = batch_lib.make_batch(sequences)
            skipped = burn_in.num_steps(batch.agent_state, self.settings.r2d2_burn_in)
            env_outputs, outputs = tf.nest.map_structure(
                lambda t: t[skipped:-1], (batch.env_outputs, batch.agent_outputs)
            )
            values = burn_in.after(batch.agent_outputs, skipped + 1)
            steps = sequences_lib.shift(env_outputs, outputs, values, batch.is_replay)
            targets, q_values = self._targets(agent, steps, values, values)
            return prioritisation.sequence_priorities(
                targets - q_values, steps.mask, self.settings.priority_max_share
            )

        return priorities

    def build_update(
        self, agent: Any, batch: Any, variables: Sequence[Any], schedule: Any
    ) -> Update:
        """Builds the update of the Q function; see `Algorithm.build_update`.

        Raises:
          ValueError: if no column of the batch is replayed.
        """
        import tensorflow.compat.v1 as tf

        from sc2impala.learner import batch as batch_lib
        from sc2impala.learner import (
            burn_in,
            gains,
            optimization,
            prioritisation,
            q_learning,
            sequences,
            summaries,
        )
        from sc2impala.learner import targets as targets_lib

        if not batch.num_replay:
            raise ValueError('R2D2 needs a batch with replayed columns')
        settings = self.settings
        replayed = batch_lib.last_columns(batch, batch.num_replay)
        gain_share = gains.share(settings.gain_decay, schedule)
        steps, targets, q_values, target = self._unroll(agent, replayed, gain_share)
        weights = prioritisation.batch_weights(replayed, settings, schedule)
        # Until there is something to replay these columns are new ones.
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
        metrics.update(targets_lib.shaping_metrics(agent.policy, steps, settings))
        metrics.update(summaries.action_histograms(agent.policy, played.behaviour, played.is_new))
        return Update(
            target.counted(train, learns),
            sequences.count_frames(played),
            done,
            infos,
            metrics,
            priorities,
            tf.where(replayed.is_replay, replayed.keys, -tf.ones_like(replayed.keys)),
        )

    def _unroll(self, agent: Any, batch: Any, gain_share: Any) -> Tuple[Any, Any, Any, Any]:
        """Both networks over a batch, of which no step is one of the burn-in.

        Args:
          agent: with the maths of its action values.
          batch: of replayed columns.
          gain_share: see `sequences.Steps`.

        Returns:
          `Steps` of [T, B], with a column for each version of bootstrapped heads; targets and Q
          values as `_targets` returns them; the `TargetNetwork`.
        """
        import tensorflow.compat.v1 as tf

        from sc2impala.learner import bootstrap, burn_in, gains, sequences
        from sc2impala.learner.target_network import TargetNetwork

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
            observation = gains.observed(env_outputs.observation)
            columns = env_outputs._replace(observation=observation), agent_outputs
            env_outputs, agent_outputs = bootstrap.repeat(columns, self._num_versions, axis=1)
            is_replay = bootstrap.repeat(is_replay, self._num_versions, axis=0)
        steps = sequences.shift(env_outputs, agent_outputs, outputs, is_replay)
        steps = steps._replace(gain_share=gain_share)
        targets, q_values = self._targets(agent, steps, outputs, target_outputs)
        return steps, targets, q_values, target

    def _targets(
        self, agent: Any, steps: Any, outputs: Any, target_outputs: Any
    ) -> Tuple[Any, Any]:
        """Double Q targets, or those of Munchausen DQN, and the values of what was played.

        Args:
          agent: with the maths of its action values.
          steps: `Steps` of [T, B].
          outputs, target_outputs: `AgentOutput` of [T + 1, B], of the network that chooses and of
            the one that values its choice.

        Returns:
          h(G) and Q(a), float32 [T, B]; no gradient flows through the first.
        """
        import tensorflow.compat.v1 as tf

        from sc2impala.learner import q_learning
        from sc2impala.learner import targets as targets_lib

        values, rescales = agent.action_values, self.settings.r2d2_value_rescaling
        rewards, discounts = targets_lib.rewards_and_discounts(agent.policy, steps, self.settings)
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
            discounts,
            q_learning.unscale(best) if rescales else best,
            tf.logical_or(steps.infos.aborted, steps.resets),
            self.settings.r2d2_num_steps,
        )
        targets = q_learning.rescale(returns) if rescales else returns
        return tf.stop_gradient(targets), values.value(steps.learner, steps.behaviour)

    @property
    def _num_versions(self) -> int:
        """Of the heads; each has columns of its own."""
        return max(1, self.settings.r2d2_bootstrap_heads)

    def _per_version(self, weights: Any, keys: Any) -> Any:
        """The weights of all columns of the loss, from those of the sequences with these keys."""
        from sc2impala.learner import bootstrap

        if self._num_versions == 1:
            return weights
        weights = bootstrap.repeat(weights, self._num_versions, axis=0)
        probability = self.settings.r2d2_bootstrap_mask
        return weights * bootstrap.shares(keys, self._num_versions, probability)

    def _priorities(self, errors: Any, mask: Any) -> Any:
        """The priorities of sequences, float32 [B], from the errors of all columns."""
        from sc2impala.learner import bootstrap, prioritisation

        priorities = prioritisation.sequence_priorities(
            errors, mask, self.settings.priority_max_share
        )
        if self._num_versions > 1:
            priorities = bootstrap.mean(priorities, self._num_versions)
        return priorities

    def _diagnostics(
        self, steps: Any, targets: Any, q_values: Any, priorities: Any
    ) -> Dict[str, Any]:
        """Measures of the Q function over the steps that are learned from: float32 [] by tag."""
        import tensorflow.compat.v1 as tf

        from sc2impala.learner import bootstrap, diagnostics

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
