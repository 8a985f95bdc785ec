"""The settings of a population."""

import dataclasses
from typing import Any, ClassVar, Dict, Mapping, Tuple

from sc2impala.errors import UserError
from sc2impala.settings import fields, validation, value_types
from sc2impala.settings.fields import MAX_FRAMES, Setting, setting
from sc2impala.settings.value_types import ValueType


def _parse_factors(text: str) -> Tuple[float, ...]:
    """'0.8,1.25' -> (0.8, 1.25)."""
    factors = tuple(value_types.NUMBER.parse(part) for part in text.split(','))
    if not all(0.0 < factor < float('inf') for factor in factors):
        raise ValueError(text)
    return factors


FACTORS = ValueType(
    'FACTORS',
    'positive numbers separated by commas, as 0.8,1.25',
    _parse_factors,
    lambda factors: ','.join(f'{factor:g}' for factor in factors),
    (str,),
)


@dataclasses.dataclass(frozen=True)
class PopulationSettings:
    """Settings of a population."""

    TITLE: ClassVar[str] = 'population'

    logdir: str = setting(
        'runs/population',
        'folder of the population; member K is the run in its folder member-K',
        type=value_types.PATH,
    )
    members: int = setting(4, 'how many runs there are', between=(2, 1000))
    seed: int = setting(
        0, 'of what is drawn; member K is a run with --seed of this and K', between=(0, 2**62)
    )
    ranges: str = setting(
        '',
        'what settings are drawn from, separated by commas: learning_rate=1e-5..1e-2:log with an '
        'even distribution of the logarithm, discounting=0.9..0.99, or values as '
        'reward_clipping=none|abs_one',
    )
    reference: bool = setting(
        False,
        'member 0 has the settings of the command, and takes nothing over; others may take over '
        'from it',
    )
    exploit_every_frames: int = setting(
        1000000,
        'environment frames, of all phases together, from one decision to the next',
        between=(1, MAX_FRAMES),
    )
    exploit_fraction: float = setting(
        0.25,
        'the part of the members that may take over weights and settings, and the part that these '
        'come from; 0 for members that never change',
        between=(0.0, 0.5),
    )
    exploit_threshold: float = setting(
        0.1,
        'a member takes over if the score of the other one is higher by more than this part of its '
        'own score',
        between=(0.0, 1e9),
    )
    exploit_threshold_absolute: float = setting(0.0, 'and by more than this', between=(0.0, 1e9))
    perturb_factors: Tuple[float, ...] = setting(
        (0.8, 1.25),
        'a setting that was taken over is multiplied with one of these, within its range; of '
        'values in a list a neighbouring one is taken',
        type=FACTORS,
    )
    resample_probability: float = setting(
        0.25, 'or, with this probability, sampled again from its range', between=(0.0, 1.0)
    )
    keep_games: bool = setting(
        True,
        'a member that copies another keeps its own games and its queue; '
        'otherwise all games start new episodes',
    )
    keep_replay: bool = setting(
        True,
        'a member that copies another keeps its own replay buffer; otherwise it starts empty',
    )
    num_episodes: int = setting(
        50, 'episodes of an evaluation; their mean return is the score', between=(1, 10**6)
    )
    parallel: int = setting(
        1,
        'members that run at the same time; the others wait for their turn',
        between=(1, 1000),
        free_on_resume=True,
    )
    max_restarts: int = setting(
        3,
        'how often a member that has died is started again until the next decision; after that it '
        'has failed',
        between=(0, 1000),
        free_on_resume=True,
    )


def all_settings() -> Dict[str, Setting]:
    """Returns the settings of a population by name."""
    return fields.settings_of([PopulationSettings])


def complete(given: Mapping[str, object]) -> PopulationSettings:
    """Returns the settings, with defaults for missing ones.

    Raises:
      UserError: if a value is out of range, or `--ranges` is empty.
    """
    values = {name: each.default for name, each in all_settings().items()}
    values.update(given)
    validation.check_ranges(values, all_settings())
    if not values['ranges']:
        raise UserError(
            '--ranges is empty, expected what settings are drawn from, such as '
            '--ranges=learning_rate=1e-5..1e-2:log.'
        )
    return PopulationSettings(**values)


def to_json(settings: PopulationSettings) -> Dict[str, Any]:
    """Returns the settings that must not change when a population resumes, for its state."""
    return {
        name: each.type.to_json(getattr(settings, name))
        for name, each in all_settings().items()
        if not each.free_on_resume and name != 'logdir'
    }
