"""Self-imitation as an auxiliary loss of IMPALA, from outside of the package.

Self-imitation learning (Oh et al. 2018, arXiv:1806.05635) imitates past actions whose return G was
better than expected. It adds to the loss of each step

    self_imitation_cost * (- log pi(a) * max(G - V, 0) + 1/2 max(G - V, 0)^2)

The fields of the settings are flags:

    python -m sc2impala.experiment --logdir=runs/self_imitation --from_scratch \
        --algorithm=examples.auxiliary_loss:SelfImitation --self_imitation_cost=0.1
"""

import dataclasses
from typing import ClassVar

import tensorflow.compat.v1 as tf

from sc2impala.agents.agent import Agent
from sc2impala.learner import losses, targets
from sc2impala.learner.batch import Batch
from sc2impala.learner.impala.settings import ImpalaSettings
from sc2impala.learner.impala.update import Impala
from sc2impala.learner.optimization import Schedule, Terms
from sc2impala.learner.sequences import Steps
from sc2impala.settings.fields import setting


@dataclasses.dataclass(frozen=True)
class SelfImitationSettings(ImpalaSettings):
    """The settings of IMPALA, and the cost of the auxiliary loss."""

    TITLE: ClassVar[str] = 'self-imitation'

    self_imitation_cost: float = setting(
        0.1, 'cost of the self-imitation loss', between=(0.0, 100.0), tunable=True
    )


class SelfImitation(Impala):
    """IMPALA with the loss of self-imitation."""

    settings_class = SelfImitationSettings
    settings: SelfImitationSettings

    def own_terms(self, agent: Agent, batch: Batch, steps: Steps, schedule: Schedule) -> Terms:
        """Returns the term; see `ActorCritic.own_terms`."""
        settings, pi = self.settings, steps.learner
        log_probs = agent.policy.log_prob(pi, steps.behaviour)
        # The auxiliary loss: steps whose return exceeds the baseline are imitated.
        gain = tf.nn.relu(targets.returns(steps, settings) - pi.baseline)
        imitation = losses.policy_gradient_loss(log_probs, gain) + 0.5 * tf.square(gain)
        return {'self_imitation': (settings.self_imitation_cost, imitation)}
