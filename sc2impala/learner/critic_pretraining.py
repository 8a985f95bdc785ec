"""Critic pre-training: the baseline learns the returns of a policy that stays fixed.

For agents that start from a loaded policy: their critic is untrained, and its errors would
otherwise be the first thing that the policy learns from.
"""

import dataclasses
from typing import Any, ClassVar, Sequence

from sc2impala.learner.algorithm import PretrainingAlgorithm, Update
from sc2impala.settings.fields import MAX_FRAMES, setting
from sc2impala.settings.learning import AdamSettings, ReturnSettings


@dataclasses.dataclass(frozen=True)
class CriticPretrainingSettings(ReturnSettings, AdamSettings):
    """How long the baseline is trained alone, and how."""

    TITLE: ClassVar[str] = 'critic pre-training'

    num_critic_pretrain_frames: int = setting(
        0,
        'first train the baseline alone for this many frames, which are not part of '
        '--total_environment_frames',
        between=(0, MAX_FRAMES),
    )
    critic_learning_rate: float = setting(7e-4, 'of that phase', between=(0.0, 10.0))
    critic_pretrain_all_variables: bool = setting(
        False,
        'train all variables that the baseline depends on, and so change the policy, instead of '
        'its own layers only',
    )


class CriticPretraining(PretrainingAlgorithm):
    """Regression of the baseline on discounted returns, with an optimizer of its own.

    The target is the discounted return to the end of the unroll plus the bootstrap value,
    G_t = r_t + gamma_t G_{t+1}; the loss 1/2 (G - V)^2 is summed over time and batch. Only
    variables on which no output of the policy depends are trained, unless the settings say
    otherwise.
    """

    title = 'critic pre-training'
    settings_class = CriticPretrainingSettings
    frames_variable = 'critic_pretrain_frames'

    @property
    def num_frames(self) -> int:
        """Length of the phase in environment frames."""
        return self.settings.num_critic_pretrain_frames

    def build_update(
        self, agent: Any, batch: Any, variables: Sequence[Any], schedule: Any
    ) -> Update:
        """Builds the update of the baseline alone; see `Algorithm.build_update`.

        Raises:
          ValueError: if every variable of the critic is one of the policy as well.
        """
        from sc2impala.learner import (
            losses,
            optimization,
            sequences,
            targets,
            value_normalisation,
        )

        settings = self.settings
        steps = sequences.unroll(agent, batch)
        returns = targets.return_targets(agent.policy, steps, settings)
        normalisation = value_normalisation.ValueNormalisation(
            agent, settings.value_normalisation_rate
        )
        loss = losses.baseline_loss(returns, steps.learner.baseline)
        terms = {'baseline_loss': (1.0, normalisation.divided(loss, power=2))}
        _, loss = optimization.weighted_sum(terms, steps.mask)
        if not settings.critic_pretrain_all_variables:
            variables = optimization.critic_variables(steps.learner, variables)
        train, grad_norm = optimization.adam_step(
            loss, variables, settings.critic_learning_rate, settings, name='critic_adam'
        )
        train = normalisation.followed(train, returns, steps.mask)
        metrics = {'critic_pretrain/baseline_loss': loss, 'critic_pretrain/grad_norm': grad_norm}
        metrics.update(normalisation.metrics())
        done, infos = sequences.countable(steps)
        return Update(train, sequences.count_frames(steps), done, infos, metrics)
