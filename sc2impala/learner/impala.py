"""IMPALA's actor-critic update, with CLEAR on the replayed columns.

Sources: IMPALA (Espeholt et al. 2018, arXiv 1802.01561) and CLEAR (Rolnick et al. 2018, arXiv
1811.11682). T is the unroll length, N the new and R the replayed sequences of a batch, B = N + R.
"""

import dataclasses
from typing import Any, ClassVar, Dict, Optional, Sequence, Tuple

from sc2impala.learner.algorithm import Algorithm, Update
from sc2impala.settings.fields import MAX_FRAMES, setting
from sc2impala.settings.learning import LARGE, AdamSettings, ReturnSettings


@dataclasses.dataclass(frozen=True)
class ImpalaSettings(ReturnSettings, AdamSettings):
    """Losses are summed over time and batch: costs of code that averages mean something else."""

    TITLE: ClassVar[str] = 'IMPALA and CLEAR'

    learning_rate: float = setting(7e-4, 'of Adam, at the start', between=(0.0, 10.0), tunable=True)
    final_learning_rate: float = setting(
        0.0, 'at the end, linearly in between', between=(0.0, 10.0), tunable=True
    )
    warmup_frames: int = setting(
        0,
        'the learning rate rises to that over so many frames first: without, the first steps of '
        'Adam change each weight by the whole learning rate, which a policy that already plays '
        'does not survive',
        between=(0, MAX_FRAMES),
        tunable=True,
    )
    baseline_cost: float = setting(
        0.5, 'weight of the loss of the baseline', between=(0.0, LARGE), tunable=True
    )
    entropy_cost: float = setting(
        0.01, 'weight of the entropy of the policy', between=(0.0, LARGE), tunable=True
    )
    final_entropy_cost: float = setting(
        0.0,
        'its weight at the end, linearly in between; -1 keeps it',
        between=(0.0, LARGE),
        or_else=-1.0,
        tunable=True,
    )
    entropy_decay: float = setting(
        1.0, 'the part of the training over which it reaches that', between=(0.0, 1.0), tunable=True
    )
    trace_decay: float = setting(
        1.0,
        'lambda of V-trace: below 1 targets and advantages bootstrap from the baseline earlier, '
        'with less variance and more bias',
        between=(0.0, 1.0),
        tunable=True,
    )
    upgo_cost: float = setting(
        0.0,
        'weight of another policy gradient, on the advantages of UPGO; 0 leaves it out',
        between=(0.0, LARGE),
        tunable=True,
    )
    clip_advantage: bool = setting(False, 'learn from positive advantages only', tunable=True)
    policy_cloning_cost: float = setting(
        0.01,
        'weight of KL(behaviour || policy) on replayed sequences',
        between=(0.0, LARGE),
        tunable=True,
    )
    value_cloning_cost: float = setting(
        0.005,
        'weight of the squared change of the baseline on them',
        between=(0.0, LARGE),
        tunable=True,
    )
    teacher_cost: float = setting(
        0.0,
        'weight of KL(teacher || policy) at the start; the teacher is the policy with which the '
        'training starts, from cloning or --init_checkpoint',
        between=(0.0, LARGE),
    )
    teacher_decay: float = setting(
        0.5, 'the part of the training over which that falls to 0', between=(0.0, 1.0), tunable=True
    )
    demonstration_cost: float = setting(
        0.0,
        'weight of - log pi(label) where the demonstrator has labelled an observation, or where a '
        'recording shows what was played',
        between=(0.0, LARGE),
    )

    @property
    def entropy_cost_at_end(self) -> float:
        """The entropy cost at the end of its schedule."""
        return self.entropy_cost if self.final_entropy_cost < 0 else self.final_entropy_cost


class Impala(Algorithm):
    """Policy gradient on V-trace advantages, baseline on V-trace targets, entropy bonus.

    Replayed columns are cloned as well: the policy is held near the behaviour policy by
    KL(mu || pi), the baseline near the recorded one. With R = 0 the graph is plain IMPALA.
    A teacher, if there is one, holds the policy near the one with which the training started
    (kickstarting).
    """

    settings_class = ImpalaSettings

    def teacher_cost(self, schedule: Any) -> Optional[Any]:
        """Falls linearly to 0; None if it is 0 from the start. See `Algorithm.teacher_cost`."""
        if not self.settings.teacher_cost:
            return None
        return schedule.linear(self.settings.teacher_cost, 0.0, part=self.settings.teacher_decay)

    def demonstrator_share(self, frames: int) -> Optional[float]:
        """The agent plays all episodes; see `Algorithm.demonstrator_share`."""
        return 0.0 if self.settings.demonstration_cost else None

    def build_update(
        self, agent: Any, batch: Any, variables: Sequence[Any], schedule: Any
    ) -> Update:
        """Builds the update of policy and baseline; see `Algorithm.build_update`."""
        from sc2impala.learner import (
            diagnostics,
            losses,
            optimization,
            sequences,
            summaries,
            targets,
            value_normalisation,
        )

        settings = self.settings
        steps = sequences.unroll(agent, batch)
        pi, mu = steps.learner, steps.behaviour
        normalisation = value_normalisation.ValueNormalisation(
            agent, settings.value_normalisation_rate
        )
        log_probs, vtrace = targets.vtrace_targets(
            agent.policy, steps, settings, settings.trace_decay
        )
        advantages = normalisation.divided(
            targets.clip_advantages(vtrace.pg_advantages, settings.clip_advantage)
        )
        entropy_cost = schedule.linear(
            settings.entropy_cost, settings.entropy_cost_at_end, part=settings.entropy_decay
        )

        # Cost and loss of [T, B]; another term is one more line.
        terms = self._policy_terms(agent.policy, steps, log_probs, advantages, normalisation)
        terms['entropy'] = (entropy_cost, losses.entropy_loss(agent.policy.entropy(pi, mu)))
        terms.update(self._anchor_terms(agent.policy, batch, steps, normalisation, schedule))
        baseline = normalisation.divided(losses.baseline_loss(vtrace.vs, pi.baseline), power=2)
        terms['baseline'] = (settings.baseline_cost, baseline)
        weighted, total_loss = optimization.weighted_sum(terms, steps.mask)
        if settings.demonstration_cost:
            weighted['demonstration'] = self._label_loss(agent.policy, batch, steps)
            total_loss += weighted['demonstration']

        first, last = settings.learning_rate, settings.final_learning_rate
        learning_rate = schedule.linear(first, last, warmup=settings.warmup_frames)
        train, grad_norm = optimization.adam_step(
            total_loss, variables, learning_rate, settings, name='adam'
        )
        train = normalisation.followed(train, vtrace.vs, steps.mask)
        metrics = {'loss/total_loss': total_loss, 'learning_rate': learning_rate}
        metrics.update({'entropy_cost': entropy_cost, 'grad_norm': grad_norm})
        metrics.update(('loss/' + name, value) for name, value in weighted.items())
        metrics.update(normalisation.metrics())
        if 'teacher' in terms:
            metrics['teacher_cost'] = terms['teacher'][0]
        metrics.update(summaries.action_histograms(agent.policy, mu, steps.is_new))
        metrics.update(diagnostics.diagnostics(agent.policy, steps, vtrace.vs, advantages))
        done, infos = sequences.countable(steps)
        return Update(train, sequences.count_frames(steps), done, infos, metrics)

    def _policy_terms(
        self, policy: Any, steps: Any, log_probs: Any, advantages: Any, normalisation: Any
    ) -> Dict[str, Tuple[Any, Any]]:
        """The policy gradients by name: cost, and loss of [T, B]."""
        from sc2impala.learner import losses, targets

        terms = {'policy_gradient': (1.0, losses.policy_gradient_loss(log_probs, advantages))}
        if self.settings.upgo_cost:
            upgo = targets.upgo_advantages(policy, steps, self.settings)
            loss = losses.policy_gradient_loss(log_probs, normalisation.divided(upgo))
            terms['upgo'] = (self.settings.upgo_cost, loss)
        return terms

    def _anchor_terms(
        self, policy: Any, batch: Any, steps: Any, normalisation: Any, schedule: Any
    ) -> Dict[str, Tuple[Any, Any]]:
        """What holds the agent near what it was, or near a teacher: cost, and loss of [T, B]."""
        terms = {}
        if batch.num_replay:
            terms.update(self._cloning_terms(policy, batch, steps, normalisation))
        if batch.teacher_logits and self.settings.teacher_cost:
            terms['teacher'] = self._teacher_term(policy, batch, steps, schedule)
        return terms

    def _cloning_terms(
        self, policy: Any, batch: Any, steps: Any, normalisation: Any
    ) -> Dict[str, Tuple[float, Any]]:
        """The cloning losses of CLEAR by name: cost, and loss of [T, B], 0 in new columns."""
        from sc2impala.learner import losses, sequences

        pi, mu, replayed = steps.learner, steps.behaviour, sequences.replayed(batch)
        policy_cloning = losses.policy_cloning_loss(policy.kl(mu, pi, mu))
        value_cloning = losses.value_cloning_loss(pi.baseline, mu.baseline)
        value_cloning = normalisation.divided(value_cloning, power=2)
        return {
            'policy_cloning': (self.settings.policy_cloning_cost, replayed * policy_cloning),
            'value_cloning': (self.settings.value_cloning_cost, replayed * value_cloning),
        }

    def _teacher_term(self, policy: Any, batch: Any, steps: Any, schedule: Any) -> Tuple[Any, Any]:
        """The divergence from the teacher: cost and loss of [T, B]."""
        from sc2impala.learner import losses, sequences

        teacher = sequences.teacher_logits(batch)
        kl = policy.kl(teacher, steps.learner, steps.behaviour)
        return self.teacher_cost(schedule), losses.teacher_loss(kl, teacher.valid)

    def _label_loss(self, policy: Any, batch: Any, steps: Any) -> Any:
        """The loss of labels, summed; also of steps that a demonstrator played. float32 []."""
        import tensorflow.compat.v1 as tf

        from sc2impala.learner import labels as labels_lib
        from sc2impala.learner import losses

        labels = labels_lib.read(batch.env_outputs.observation)
        log_probs = policy.log_prob(steps.learner, labels)
        loss = losses.demonstration_loss(log_probs, labels.mask)
        return self.settings.demonstration_cost * tf.reduce_sum(loss)
