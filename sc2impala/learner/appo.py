"""APPO: asynchronous proximal policy optimisation, with CLEAR on the replayed columns.

Sources: PPO (Schulman et al. 2017, arXiv 1707.06347) and Sample Factory (Petrenko et al. 2020,
arXiv 2006.11751), whose learner gets sequences from actors with older weights, as IMPALA's does.
T is the unroll length, N the new and R the replayed sequences of a batch, B = N + R.
"""

import dataclasses
import functools
from typing import Any, ClassVar, Sequence

from sc2impala.learner.actor_critic import ActorCritic
from sc2impala.learner.algorithm import Update
from sc2impala.settings.fields import setting
from sc2impala.settings.learning import LARGE, ActorCriticSettings, PolicyLagSettings

ADVANTAGES = ('vtrace', 'gae')
EXPLORATIONS = ('entropy', 'uniform_kl')


@dataclasses.dataclass(frozen=True)
class AppoSettings(ActorCriticSettings, PolicyLagSettings):
    """What APPO alone has, and the age of sequences."""

    TITLE: ClassVar[str] = 'APPO'

    appo_epochs: int = setting(
        1, 'how often an update goes over its batch', between=(1, 100), tunable=True
    )
    appo_minibatches: int = setting(
        1,
        'parts of the batch in each epoch, each with a step of the optimizer; of whole sequences, '
        'in a new order in each epoch',
        between=(1, 65536),
        tunable=True,
    )
    appo_clip: float = setting(
        0.4,
        'the ratio pi / mu is clipped to between 1 / (1 + this) and 1 + this; 0 does not clip',
        between=(0.0, LARGE),
        tunable=True,
    )
    appo_value_clip: float = setting(
        0.0,
        'the largest change of the baseline since the time of acting that its loss rewards; 0 '
        'allows any',
        between=(0.0, LARGE),
        tunable=True,
    )
    appo_advantage: str = setting(
        'vtrace',
        'vtrace corrects the targets for the age of the weights that played; gae does not. Lambda '
        'of both is --trace_decay',
        choices=ADVANTAGES,
        tunable=True,
    )
    appo_normalise_advantages: bool = setting(
        False,
        'advantages of mean 0 and standard deviation 1 over each batch; costs of other terms are '
        'then meant beside advantages of that size',
        tunable=True,
    )
    appo_max_kl: float = setting(
        0.0,
        'leave out the epochs that are left when the mean KL(behaviour || policy) over an epoch is '
        'larger; 0 runs all',
        between=(0.0, LARGE),
        tunable=True,
    )
    appo_exploration: str = setting(
        'entropy',
        'what --entropy_cost weighs: the entropy of the policy, or uniform_kl, the mean of its two '
        'divergences from a uniform choice of what is available, which also keeps small '
        'probabilities from vanishing',
        choices=EXPLORATIONS,
        tunable=True,
    )


class Appo(ActorCritic):
    """Clipped surrogate on advantages, baseline on their targets, exploration, CLEAR and teacher.

    The ratio is that of the policies pi, being trained, and mu, which acted and whose logits are in
    the sequences; it is that of joint actions. Targets and advantages are computed once for an
    update, with the weights before it, and stay the same over all epochs: the clipped surrogate is
    made for fixed advantages, they are normalised over the whole batch, and the result does not
    depend on how that is divided. It takes one more pass forward, unless there is only one
    minibatch and one epoch. The recurrent state of every minibatch is run again from the stored
    state at the start of its sequences.

    V-trace's rho and c are clipped at 1. The advantages lack IMPALA's own weight min(1, rho), since
    the ratio in the loss corrects the action already. With one epoch and one minibatch, no clipping
    and no normalisation the policy gradient is - rho * A * grad log pi, and on-policy IMPALA's.
    """

    settings_class = AppoSettings

    def build_update(
        self, agent: Any, batch: Any, variables: Sequence[Any], schedule: Any
    ) -> Update:
        """Builds the update of policy and baseline; see `Algorithm.build_update`.

        Raises:
          ValueError: if the columns cannot be divided into minibatches.
        """
        from sc2impala.learner import appo_update, gains

        costs = appo_update.Costs(
            self.learning_rate(schedule),
            self.entropy_cost(schedule),
            self.teacher_cost(schedule),
            gains.share(self.settings.gain_decay, schedule),
        )
        prioritise = functools.partial(self.prioritised, schedule=schedule)
        return appo_update.build(
            self.settings, agent, batch, variables, schedule.frames, costs, prioritise
        )
