"""Behaviour cloning: the agent learns to play as a demonstrator labels its observations.

The labels say what the demonstrator would play on an observation, see `labels`. Which policy
plays does not matter: labels of observations that the agent has reached itself (DAgger, Ross et al.
2011, arXiv 1011.0686) are learned from in the same way. T is the unroll length, B the batch size.
"""

import dataclasses
from typing import Any, ClassVar, Optional, Sequence

from sc2impala.learner.algorithm import NO_REPLAY, PretrainingAlgorithm, Update
from sc2impala.settings.fields import MAX_FRAMES, setting
from sc2impala.settings.learning import LARGE, AdamSettings, ReturnSettings


@dataclasses.dataclass(frozen=True)
class CloningSettings(ReturnSettings, AdamSettings):
    """How long the agent imitates the demonstrator, and how."""

    TITLE: ClassVar[str] = 'cloning'

    num_cloning_frames: int = setting(
        0,
        'first imitate the demonstrator for this many frames, which are not part of '
        '--total_environment_frames',
        between=(0, MAX_FRAMES),
    )
    cloning_batch_size: int = setting(
        0,
        'sequences of an update of that phase, 0 for --batch_size: many small steps imitate sooner '
        'than few large ones, and learning from rewards needs larger ones',
        between=(0, 65536),
        on_resume='each update of cloning is of that many sequences, over which losses are summed; '
        'learning rate and costs are unchanged',
    )
    cloning_learning_rate: float = setting(7e-4, 'of that phase, at the start', between=(0.0, 10.0))
    final_cloning_learning_rate: float = setting(
        0.0, 'at its end, linearly in between', between=(0.0, 10.0)
    )
    cloning_baseline_cost: float = setting(
        0.5, 'weight of the loss of the baseline in that phase', between=(0.0, LARGE)
    )
    demonstrator_share: float = setting(
        1.0,
        'the part of the episodes that the demonstrator plays when cloning starts; the agent plays '
        'the others, and learns what the demonstrator would do there',
        between=(0.0, 1.0),
    )
    final_demonstrator_share: float = setting(
        0.0,
        'that part when cloning ends, linearly in between; -1 keeps it',
        between=(0.0, 1.0),
        or_else=-1.0,
    )
    phase_evaluations: int = setting(
        10,
        'evaluate the agent so many times while it clones, on the simulator; the model with the '
        'best mean return goes on. 0 goes on with the last one',
        between=(0, 10000),
    )
    phase_evaluation_episodes: int = setting(
        32, 'episodes of such an evaluation, played at once', between=(1, 10000)
    )


class Cloning(PretrainingAlgorithm):
    """Maximises the log-probability of the labels; the baseline learns the returns meanwhile.

    The loss of a step is -log pi(label) over function, the arguments that the label's function
    uses, and the step multiplier unless it is fixed. Labels whose function is not available carry
    no loss. The target of the baseline is the discounted return to the end of the unroll plus the
    bootstrap value, of whoever played. Losses are summed over time and batch.

    Nothing is replayed, and nothing that was played meanwhile enters the replay buffer: CLEAR would
    later hold the agent near policies that had not learned yet.
    """

    title = 'cloning'
    settings_class = CloningSettings
    replay = NO_REPLAY
    frames_variable = 'cloning_frames'
    from_demonstrations = True

    @property
    def num_frames(self) -> int:
        """Length of the phase in environment frames."""
        return self.settings.num_cloning_frames

    @property
    def batch_size(self) -> int:
        """See `PretrainingAlgorithm.batch_size`."""
        return self.settings.cloning_batch_size

    def demonstrator_share(self, frames: int) -> Optional[float]:
        """Changes linearly over the phase, see `Algorithm.demonstrator_share`."""
        first, last = self.settings.demonstrator_share, self.settings.final_demonstrator_share
        if last < 0:
            return first
        return first + (last - first) * min(1.0, frames / max(1, self.num_frames))

    def build_update(
        self, agent: Any, batch: Any, variables: Sequence[Any], schedule: Any
    ) -> Update:
        """Builds the update of policy and baseline; see `Algorithm.build_update`.

        Raises:
          ValueError: if the observations have no labels.
        """
        from sc2impala.learner import labels as labels_lib
        from sc2impala.learner import (
            losses,
            optimization,
            sequences,
            targets,
            value_normalisation,
        )

        settings = self.settings
        observation = batch.env_outputs.observation
        labels = labels_lib.read(observation)
        steps = sequences.unroll(agent, batch, True, labels_lib.given(observation))
        normalisation = value_normalisation.ValueNormalisation(
            agent, settings.value_normalisation_rate
        )
        log_probs = agent.policy.log_prob(steps.learner, labels)
        returns = targets.return_targets(agent.policy, steps, settings)
        terms = {
            'loss': (1.0, losses.demonstration_loss(log_probs, labels.mask)),
            'baseline_loss': (
                settings.cloning_baseline_cost,
                normalisation.divided(
                    losses.baseline_loss(returns, steps.learner.baseline), power=2
                ),
            ),
        }
        weighted, total_loss = optimization.weighted_sum(terms, steps.mask)
        learning_rate = schedule.linear(
            settings.cloning_learning_rate, settings.final_cloning_learning_rate
        )
        train, grad_norm = optimization.adam_step(
            total_loss, variables, learning_rate, settings, name='cloning_adam'
        )
        train = normalisation.followed(train, returns, steps.mask)
        metrics = dict(
            weighted,
            learning_rate=learning_rate,
            grad_norm=grad_norm,
            **labels_lib.agreement(agent.policy, steps.learner, labels),
        )
        done, infos = sequences.countable(steps)
        metrics = {'cloning/' + name: value for name, value in metrics.items()}
        return Update(train, sequences.count_frames(steps), done, infos, metrics)
