"""The neural network, and the threads that act with it."""

import dataclasses
from typing import ClassVar

from sc2impala import agents, extensions
from sc2impala.settings import fields
from sc2impala.settings.fields import MANY, setting


@dataclasses.dataclass(frozen=True)
class AgentSettings:
    """The neural network."""

    TITLE: ClassVar[str] = 'agent'
    SCOPE: ClassVar[str] = fields.WEIGHTS

    agent: str = setting(
        'fully_conv_lstm',
        'atari_net, fully_conv or fully_conv_lstm, the three of the SC2LE paper; impala_resnet, '
        "IMPALA's deep network with an LSTM; relational, with self-attention between entities, or "
        'relational_control, with convolutions in its place; unet_lstm, a U-Net with an LSTM, for '
        'points that depend on the whole screen; patch_lstm, which does the same on patches of '
        'pixels in half the time; units_lstm, an LSTM over the list of units, with pointers to '
        'them, which takes --vectors=player,feature_units; or an agent of your own as '
        'module:make_parts',
        choices=extensions.NamesOrSpecs(agents.AGENTS, 'make_parts'),
    )
    argument_conditioning: bool = setting(
        False,
        'choose the function first, and each argument given the function and the arguments before '
        'it, points last; otherwise all are chosen independently of each other',
    )
    related_points: bool = setting(
        False,
        'a point depends on the point chosen before it, by what is there and by the offset from '
        'it: where a unit goes depends on which one was selected in the same action. It takes '
        '--argument_conditioning',
    )
    unit_prior: float = setting(
        0.0,
        'initial logit, in nats, of the pixels that show what a function points at: own units for '
        'select_point, other units for orders, free ground for building sites if the layer '
        'buildable is observed; 0 for no such prior. It takes --argument_conditioning',
        between=(0.0, 20.0),
    )
    order_prior: float = setting(
        -1.0,
        'as --unit_prior, for functions other than select_point; -1 uses --unit_prior',
        between=(0.0, 20.0),
        or_else=-1.0,
    )
    unit_mask: str = setting(
        'none',
        'pixels that do not show what a function points at, see --unit_prior, have no probability '
        'as long as another pixel shows it: for select_point (selections), for all functions (all) '
        'or for none. Orders to the ground are then impossible with all, and labels must not point '
        'at masked pixels, so it takes no demonstrator. It takes --argument_conditioning',
        choices=agents.UNIT_MASKS,
    )
    point_logit_scale: float = setting(
        1.0,
        'factor on the logits of points: a larger one makes them change faster',
        between=(0.01, 100.0),
    )
    ratio_bins: int = setting(
        0,
        'number of one-hot bins for layers that show a fraction, such as unit_hit_points_ratio: '
        'a logarithm hides which unit has been hit; 0 uses the logarithm alone, as in the SC2LE '
        'paper',
        between=(0, 255),
    )
    value_normalisation: str = setting(
        'none',
        'popart learns returns in units of their running standard deviation, so that rewards of '
        'any size need no --reward_scaling and the same costs; none learns them as they are',
        choices=agents.VALUE_NORMALISATIONS,
    )
    separate_critic: bool = setting(
        False,
        'the baseline has a network of its own, as large as the policy, instead of a layer on that '
        'of the policy: critic pre-training and errors of the baseline then leave the policy as '
        'it is, and updates and steps take up to twice the time',
    )
    task_input: bool = setting(
        False,
        'with several maps: the agent observes on which of them it acts. Otherwise only the '
        'baseline depends on it, if returns are normalised',
    )


_NEW_GAMES = (
    'all games start new episodes; variables, optimizer, replay buffer, queue, schedules and the '
    'account of frames continue'
)


@dataclasses.dataclass(frozen=True)
class ActorSettings:
    """Number of actors and games, and the length of sequences."""

    TITLE: ClassVar[str] = 'actors'

    num_actors: int = setting(
        2,
        'actors in this process, each in a separate thread',
        between=(1, 1024),
        on_resume=_NEW_GAMES,
        scope=fields.ACTOR,
    )
    num_envs: int = setting(
        32,
        'number of games per actor',
        between=(1, 65536),
        on_resume=_NEW_GAMES,
        scope=fields.ACTOR,
    )
    unroll_length: int = setting(
        20, 'agent steps of a sequence', between=(1, 10000), scope=fields.LEARNING
    )
    queue_capacity: int = setting(
        0,
        'maximum number of sequences in the queue; 0 chooses',
        between=(0, MANY),
        free_on_resume=True,
    )
