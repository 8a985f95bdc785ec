"""Whether single values are allowed, whatever the others are."""

import math
from typing import Any, Mapping

from sc2impala import agents, extensions, learner
from sc2impala.errors import UserError
from sc2impala.settings import settings as settings_lib
from sc2impala.settings.fields import MANY, MAX_FRAMES, Setting
from sc2impala.settings.groups import TrainingSettings


def check_given(given: Mapping[str, Any], chosen: str) -> None:
    """Whether the settings that were given have to do with the algorithm.

    Those of phases before the training belong to every algorithm.

    Args:
      given: typed values by name, without defaults.
      chosen: `--algorithm`; an unknown one is refused elsewhere.
    """
    if chosen not in learner.ALGORITHMS:
        return
    settings, allowed = settings_lib.all_settings(), settings_lib.settings_with(chosen)
    for name in [name for name in given if name not in allowed]:
        owners = [o for o in learner.ALGORITHMS if name in settings_lib.settings_with(o)]
        raise UserError(
            f'--{name}={settings[name].type.to_text(given[name])} is a setting of '
            f'--algorithm={" and ".join(owners)}, expected none of it with --algorithm={chosen}.'
        )


def check_choices(values: Mapping[str, Any], settings: Mapping[str, Setting]) -> None:
    """Settings with a list of allowed values.

    Args:
      values: by name; others than those of `settings` are not looked at.
      settings: by name.
    """
    for name, setting in settings.items():
        if setting.choices is not None and values[name] not in setting.choices:
            raise unknown(name, values[name], setting.choices)


def check_ranges(values: Mapping[str, Any], settings: Mapping[str, Setting]) -> None:
    """Settings with a smallest and a largest value; the arguments are those of `check_choices`."""
    for name, setting in settings.items():
        if setting.between is None:
            continue
        smallest, largest = setting.between
        # Written so that a NaN is refused as well.
        if not smallest <= values[name] <= largest and values[name] != setting.or_else:
            or_else = '' if setting.or_else is None else f', or {setting.or_else:g}'
            raise UserError(
                f'--{name}={values[name]} is out of range, expected '
                f'{_range_text(values[name], smallest, largest)}{or_else}.'
            )


def check_agent(name: str) -> None:
    """Imports an agent outside of the package; those of the package need no check."""
    if extensions.is_spec(name):
        agents.load_make_parts(name)


def check_may_change(training: TrainingSettings) -> None:
    """Which settings may change while a run goes on."""
    if training.may_change == 'all':
        return
    tunable = [n for n, setting in settings_lib.all_settings().items() if setting.tunable]
    for name in training.may_change:
        if name not in tunable:
            raise UserError(
                f'--may_change={name} cannot change while a run goes on, expected some of: '
                f'{", ".join(tunable)}.'
            )


def unknown(name: str, value: Any, choices: Any) -> UserError:
    """The error for a value that is not one of `choices`."""
    return UserError(
        '--{}={} is unknown, expected one of: {}.'.format(
            name, value, ', '.join(choice or 'empty' for choice in choices)
        )
    )


def _range_text(value: float, smallest: float, largest: float) -> str:
    """The range, without a largest value that only a computer knows unless it was exceeded."""
    if largest in (math.inf, MANY, MAX_FRAMES, 2**63 - 1) and not value > largest:
        return f'at least {smallest}'
    return f'{smallest} to {largest}'
