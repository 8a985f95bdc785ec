"""Behaviour cloning: the agent learns to play as a demonstrator labels its observations.

T is the unroll length, B the batch size. The labels are in the observation,

    observation['demonstration'] = {'action': {head: int32 []}, 'step_mul': int32 [],
                                    'plays': bool [], 'valid': bool []},

the choice that the demonstrator makes on this observation. Who plays does not matter: labels of
observations that the agent has reached itself (DAgger, Ross et al. 2011, arXiv 1011.0686) are
learned from in the same way.
"""

import dataclasses
from typing import Any, ClassVar, Dict, NamedTuple, Sequence

from sc2impala.learner.algorithm import PretrainingAlgorithm, Update
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
        0.0, 'that part when cloning ends, linearly in between', between=(0.0, 1.0)
    )


class Labels(NamedTuple):
    """What the demonstrator would play; a `choice` for `agents.policy.JointPolicy`.

    action: dict of int32 [T, B]; 0 where there is no label.
    step_mul: int32 [T, B]; 1 where there is no label.
    mask: float32 [T, B], 0 for steps without a label, or with one that was not available.
    """

    action: Dict[str, Any]
    step_mul: Any
    mask: Any


class Cloning(PretrainingAlgorithm):
    """Maximises the log-probability of the labels; the baseline learns the returns meanwhile.

    The loss of a step is -log pi(label) over function, the arguments that the label's function
    uses, and the step multiplier unless it is fixed. Labels whose function is not available carry
    no loss. The target of the baseline is the discounted return to the end of the unroll plus the
    bootstrap value, of whoever played. Losses are summed over time and batch.
    """

    title = 'cloning'
    settings_class = CloningSettings
    frames_variable = 'cloning_frames'

    @property
    def num_frames(self) -> int:
        """Length of the phase in environment frames."""
        return self.settings.num_cloning_frames

    def demonstrator_share(self, frames: int) -> float:
        """Falls linearly over the phase, see `Algorithm.demonstrator_share`."""
        first, last = self.settings.demonstrator_share, self.settings.final_demonstrator_share
        return first + (last - first) * min(1.0, frames / max(1, self.num_frames))

    def build_update(
        self, agent: Any, batch: Any, variables: Sequence[Any], schedule: Any
    ) -> Update:
        """Builds the update of policy and baseline; see `Algorithm.build_update`.

        Raises:
          ValueError: if the observations have no labels.
        """
        from sc2impala.learner import losses, optimization, sequences, targets

        settings = self.settings
        labels = read_labels(batch.env_outputs.observation)
        steps = sequences.unroll(agent, batch, with_demonstrations=True)
        log_probs = agent.policy.log_prob(steps.learner, labels)
        returns = targets.return_targets(steps, settings)
        terms = {
            'loss': (1.0, losses.demonstration_loss(log_probs, labels.mask)),
            'baseline_loss': (
                settings.cloning_baseline_cost,
                losses.baseline_loss(returns, steps.learner.baseline),
            ),
        }
        weighted, total_loss = optimization.weighted_sum(terms, steps.mask)
        learning_rate = schedule.linear(
            settings.cloning_learning_rate, settings.final_cloning_learning_rate
        )
        train, grad_norm = optimization.adam_step(
            total_loss, variables, learning_rate, settings, name='cloning_adam'
        )
        metrics = dict(
            weighted,
            learning_rate=learning_rate,
            grad_norm=grad_norm,
            **agreement(agent.policy, steps.learner, labels),
        )
        done, infos = sequences.countable(steps)
        metrics = {'cloning/' + name: value for name, value in metrics.items()}
        return Update(train, sequences.count_frames(steps), done, infos, metrics)


def read_labels(observation: Any) -> Labels:
    """The labels of the first T of T + 1 observations of [T + 1, B].

    Raises:
      ValueError: if the observations have none.
    """
    import tensorflow.compat.v1 as tf

    if 'demonstration' not in observation:
        raise ValueError('cloning needs observations with labels, but there is no demonstrator')
    labels = tf.nest.map_structure(lambda t: t[:-1], observation['demonstration'])
    available = observation['available_actions'][:-1]
    valid = labels['valid']
    # What is not valid may hold anything, also numbers that are no choice.
    action = {
        name: tf.where(valid, choice, tf.zeros_like(choice))
        for name, choice in labels['action'].items()
    }
    is_label = tf.one_hot(action['function'], available.shape[-1], True, False, dtype=tf.bool)
    is_available = tf.reduce_any(tf.logical_and(available, is_label), axis=-1)
    return Labels(
        action=action,
        step_mul=tf.where(valid, labels['step_mul'], tf.ones_like(labels['step_mul'])),
        mask=tf.cast(tf.logical_and(valid, is_available), tf.float32),
    )


def agreement(policy: Any, parameters: Any, labels: Labels) -> Dict[str, Any]:
    """How often the most probable choices of a policy are those of the labels.

    Args:
      policy: `agents.policy.JointPolicy`.
      parameters: its logits, of [T, B].
      labels: of [T, B].

    Returns:
      float32 []: `accuracy/<head>`, over the labels whose function uses the head; `agreement`, over
      all labels, that every used head agrees; and `labelled`, the part of the steps with a label.
      What is over no label at all is 0.
    """
    import tensorflow.compat.v1 as tf

    agrees = {
        name: tf.equal(choice, labels.action[name])
        for name, choice in policy.mode(parameters.action_logits).items()
    }
    used = policy.used_heads(labels)
    if policy.learn_step_mul:
        best = tf.argmax(parameters.step_mul_logits, axis=-1, output_type=tf.int32) + 1
        agrees['step_mul'] = tf.equal(best, labels.step_mul)
        used['step_mul'] = tf.ones_like(agrees['step_mul'])
    in_all = tf.reduce_all(
        tf.stack([agrees[name] | tf.logical_not(used[name]) for name in sorted(agrees)]), axis=0
    )
    result = {
        'accuracy/' + name: _mean(agrees[name], labels.mask * tf.cast(used[name], tf.float32))
        for name in sorted(agrees)
    }
    result['agreement'] = _mean(in_all, labels.mask)
    result['labelled'] = tf.reduce_mean(labels.mask)
    return result


def _mean(condition: Any, weight: Any) -> Any:
    """The part of the weight for which the condition holds, float32 []; 0 without any weight."""
    import tensorflow.compat.v1 as tf

    return tf.math.divide_no_nan(
        tf.reduce_sum(tf.cast(condition, tf.float32) * weight), tf.reduce_sum(weight)
    )
