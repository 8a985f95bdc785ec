"""Common settings of algorithms, which inherit these groups."""

import dataclasses
from typing import Any, ClassVar, Dict, Mapping, Tuple

from sc2impala.errors import UserError
from sc2impala.settings import value_types
from sc2impala.settings.fields import LEARNING, MANY, MAX_FRAMES, RUN, setting

REWARD_CLIPPINGS = ('abs_one', 'soft_asymmetric', 'none')

REWARD_SHAPINGS = ('none', 'fixed', 'entropy', 'uncertainty')

LARGE = 1e9
"""Largest cost, or factor on a reward."""

NO_REPLAY, REPLAY_OPTIONAL, REPLAY_REQUIRED = 'none', 'optional', 'required'


_OF_VALUES: Dict[str, Tuple[Any, str]] = {
    'job_name': ('', 'none: its actors run in the process of the learner'),
    'num_learner_devices': (1, '1'),
    'demonstrator': ('none', 'none, as with --from_scratch'),
    'demonstrations': ((), 'none'),
    'num_cloning_frames': (0, '0, as with --from_scratch'),
    'num_critic_pretrain_frames': (0, '0, as with --from_scratch'),
    'argument_conditioning': (False, 'false'),
    'related_points': (False, 'false'),
    'unit_prior': (0.0, '0'),
    'order_prior': (-1.0, '-1'),
    'unit_mask': ('none', 'none'),
    'value_normalisation': ('none', 'none'),
    'separate_critic': (False, 'false'),
    'temperature': (1.0, '1, and perhaps --r2d2_evaluation_epsilon'),
}
"""For algorithms that learn action values: the only valid value by name of a setting, and
its text in errors."""


@dataclasses.dataclass(frozen=True)
class AlgorithmSettings:
    """Base of the settings of all algorithms, whose fields become flags.

    TITLE: heading under which `--help` lists the fields that the class declares.
    SCOPE: scope of the fields that it declares, one of `fields.SCOPES`.
    REPLAY: use of replayed columns in batches: NO_REPLAY, REPLAY_OPTIONAL or
        REPLAY_REQUIRED.
    LEARNS_VALUES: True if the outputs of the agent are values of actions, not a policy. It then
        acts epsilon-greedily.
    DEFAULTS: values by name of settings, of any group, used by the algorithm where the
        general defaults do not suit it. The defaults of a map have precedence.
    """

    TITLE: ClassVar[str]
    SCOPE: ClassVar[str] = LEARNING
    REPLAY: ClassVar[str] = REPLAY_OPTIONAL
    LEARNS_VALUES: ClassVar[bool] = False
    DEFAULTS: ClassVar[Mapping[str, Any]] = {}

    def check(self, values: Mapping[str, object]) -> None:
        """Checks the settings of the chosen algorithm; their ranges are checked already.

        Args:
          values: values of all settings by name.

        Raises:
          UserError: naming a flag, its value, and the expected one.
        """
        if self.LEARNS_VALUES:
            _check_without_policy(values)


@dataclasses.dataclass(frozen=True)
class PretrainingSettings(AlgorithmSettings):
    """Base of the settings of pre-training phases, with their own frames."""

    @property
    def num_frames(self) -> int:
        """Length of the phase in environment frames; 0 disables it."""
        raise NotImplementedError

    @property
    def batch_size(self) -> int:
        """Sequences of an update, or 0 for the same number as in the main phase."""
        return 0


@dataclasses.dataclass(frozen=True)
class ReturnSettings(AlgorithmSettings):
    """Settings of rewards and returns."""

    TITLE: ClassVar[str] = 'returns'

    discounting: float = setting(0.95, 'discount per agent step', between=(0.0, 1.0), tunable=True)
    discounting_per_frame: bool = setting(
        False,
        'use discounting ** (step_mul / 8) per step, so that long steps are not favoured',
        tunable=True,
    )
    reward_scaling: float = setting(
        1.0, 'factor on the rewards, before clipping', between=(-LARGE, LARGE), tunable=True
    )
    reward_clipping: str = setting(
        'none', 'none, abs_one or soft_asymmetric', choices=REWARD_CLIPPINGS, tunable=True
    )
    reward_shaping: str = setting(
        'none',
        'quantity that is multiplied by --reward_shaping_cost and subtracted from rewards after '
        'scaling and clipping: fixed, 1 per environment frame; entropy, the entropy of the '
        'policy in nats when it acted; uncertainty, the absolute temporal difference error; or '
        'none',
        choices=REWARD_SHAPINGS,
    )
    reward_shaping_cost: float = setting(
        0.0,
        'cost of --reward_shaping; a negative one is a bonus',
        between=(-LARGE, LARGE),
        tunable=True,
    )
    gain_rewards: Tuple[Tuple[str, float], ...] = setting(
        (),
        'reward per unit increase of a game counter (negative for a decrease), such as '
        'food_used=20,food_cap=2, or explored=0.5 per percent of the minimap; added after '
        'scaling and clipping. Names are columns of the vectors player and score_cumulative',
        type=value_types.WEIGHTS,
    )
    gain_decay: float = setting(
        0.0,
        'fraction of the main phase over which --gain_rewards decay linearly to 0; 0 keeps them',
        between=(0.0, 1.0),
        tunable=True,
    )
    value_normalisation_rate: float = setting(
        0.01,
        'with --value_normalisation=popart: weight of a batch in the running mean and variance of '
        'the returns',
        between=(0.0, 1.0),
        tunable=True,
    )

    def check(self, values: Mapping[str, object]) -> None:
        """See `AlgorithmSettings`: a kind of reward shaping requires a cost."""
        super().check(values)
        kind, cost = self.reward_shaping, self.reward_shaping_cost
        if (kind == 'none') != (cost == 0):
            raise UserError(
                f'--reward_shaping={kind} and --reward_shaping_cost={cost} belong together, '
                'expected none and 0, or another kind with another cost.'
            )


@dataclasses.dataclass(frozen=True)
class AdamSettings(AlgorithmSettings):
    """The optimizer, except for the learning rate, which each algorithm declares."""

    TITLE: ClassVar[str] = 'optimizer'

    adam_beta1: float = setting(
        0.9, 'decay of the first moment', between=(0.0, 0.999999), tunable=True
    )
    adam_beta2: float = setting(
        0.999, 'decay of the second moment', between=(0.0, 0.999999), tunable=True
    )
    adam_epsilon: float = setting(
        1e-5, 'added to the root of the second moment', between=(1e-20, 1.0), tunable=True
    )
    clip_grad_norm: float = setting(
        40.0,
        'largest global norm of the gradient; 0 does not clip',
        between=(0.0, LARGE),
        tunable=True,
    )


@dataclasses.dataclass(frozen=True)
class PrioritySettings(AlgorithmSettings):
    """Settings of prioritized replay; no effect with other samplers."""

    TITLE: ClassVar[str] = 'priorities (--replay_sampler=prioritised)'

    priority_max_share: float = setting(
        0.9,
        'weight of the maximum in the priority of a sequence, the rest is of the mean: eta of '
        'R2D2, over the errors of its steps',
        between=(0.0, 1.0),
        tunable=True,
    )
    importance_exponent: float = setting(
        0.6,
        'losses of a replayed sequence with sampling probability P are weighted with '
        'P^-exponent, normalised by the largest weight of the batch (beta of prioritised '
        'replay); 0 does not correct',
        between=(0.0, 1.0),
        tunable=True,
    )
    final_importance_exponent: float = setting(
        -1.0,
        'this exponent at the end of the main phase, linear in between; -1 keeps it',
        between=(0.0, 1.0),
        or_else=-1.0,
        tunable=True,
    )

    @property
    def importance_exponent_at_end(self) -> float:
        """The exponent at the end of its schedule."""
        final = self.final_importance_exponent
        return self.importance_exponent if final < 0 else final


@dataclasses.dataclass(frozen=True)
class ActorCriticSettings(ReturnSettings, AdamSettings, PrioritySettings):
    """Settings common to IMPALA and APPO.

    Losses are summed over time and batch: costs for averaged losses have another scale.
    """

    TITLE: ClassVar[str] = 'actor and critic (IMPALA, APPO), with CLEAR'

    learning_rate: float = setting(
        7e-4, 'initial learning rate of Adam', between=(0.0, 10.0), tunable=True
    )
    final_learning_rate: float = setting(
        0.0, 'final learning rate, linear in between', between=(0.0, 10.0), tunable=True
    )
    warmup_frames: int = setting(
        0,
        'frames of linear learning-rate warm-up; needed when fine-tuning a trained policy, since '
        "Adam's first steps have the size of the learning rate",
        between=(0, MAX_FRAMES),
        tunable=True,
    )
    baseline_cost: float = setting(
        0.5, 'cost of the baseline loss', between=(0.0, LARGE), tunable=True
    )
    entropy_cost: float = setting(
        0.01, 'cost of the entropy bonus', between=(0.0, LARGE), tunable=True
    )
    final_entropy_cost: float = setting(
        0.0,
        'this cost at the end, linear in between; -1 keeps it',
        between=(0.0, LARGE),
        or_else=-1.0,
        tunable=True,
    )
    entropy_decay: float = setting(
        1.0,
        'fraction of the main phase after which --final_entropy_cost is reached',
        between=(0.0, 1.0),
        tunable=True,
    )
    trace_decay: float = setting(
        1.0,
        'lambda of V-trace and of GAE: below 1 targets and advantages bootstrap earlier, with '
        'less variance and more bias',
        between=(0.0, 1.0),
        tunable=True,
    )
    policy_cloning_cost: float = setting(
        0.01,
        'cost of KL(behaviour || policy) on replayed sequences',
        between=(0.0, LARGE),
        tunable=True,
    )
    value_cloning_cost: float = setting(
        0.005,
        'cost of the squared change of the baseline on replayed sequences',
        between=(0.0, LARGE),
        tunable=True,
    )
    teacher_cost: float = setting(
        0.0,
        'initial cost of KL(teacher || policy); the teacher is the policy at the start of the '
        'main phase, from cloning or --init_checkpoint',
        between=(0.0, LARGE),
    )
    teacher_decay: float = setting(
        0.5,
        'fraction of the main phase over which --teacher_cost decays to 0',
        between=(0.0, 1.0),
        tunable=True,
    )
    demonstration_cost: float = setting(
        0.0,
        'cost of -log pi(label) on observations that the demonstrator has labelled, and on '
        'recordings',
        between=(0.0, LARGE),
        scope=RUN,
    )

    @property
    def entropy_cost_at_end(self) -> float:
        """The entropy cost at the end of its schedule."""
        return self.entropy_cost if self.final_entropy_cost < 0 else self.final_entropy_cost


@dataclasses.dataclass(frozen=True)
class PolicyLagSettings(AlgorithmSettings):
    """Limit on policy lag."""

    TITLE: ClassVar[str] = 'policy lag'

    max_policy_lag: int = setting(
        0,
        'maximum policy lag in updates: the learner of a cluster discards older sequences, and '
        'APPO masks those that became older in the queue; 0 disables it',
        between=(0, MANY),
        free_on_resume=True,
    )


def _check_without_policy(values: Mapping[str, object]) -> None:
    """Raises: UserError: for settings that need a policy, or more than one process or device."""
    name = values['algorithm']
    for flag, (only, expected) in _OF_VALUES.items():
        value = values[flag]
        if value != only:
            text = ','.join(value) if isinstance(value, tuple) else value
            raise UserError(
                f'--{flag}={text} cannot be used with --algorithm={name}, which learns the values '
                f'of actions, expected {expected}.'
            )
    if values.get('reward_shaping', 'none') not in ('none', 'fixed'):
        raise UserError(
            f'--reward_shaping={values["reward_shaping"]} needs the policy and the baseline of an '
            f'actor-critic, and --algorithm={name} has none, expected none or fixed.'
        )
