"""A setting: a field of a frozen dataclass with its help, its range or choices, and its scope.

    @dataclasses.dataclass(frozen=True)
    class ActorSettings:
        TITLE = 'actors'
        num_envs: int = setting(32, 'number of games per actor', between=(1, 65536))

Each field becomes a flag of the same name. A name in several groups, e.g. from a base class
of two algorithms' settings, is one flag, and all of them get the value.
"""

import dataclasses
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type

from sc2impala.settings import value_types
from sc2impala.settings.value_types import ValueType

MANY = 2**31 - 1
"""Largest value of counts."""

MAX_FRAMES = 2**62
"""Largest number of environment frames."""

PROCESS, ACTOR, GAME, WEIGHTS, LEARNING, POLICY, RUN = SCOPES = (
    'process',
    'actor',
    'game',
    'weights',
    'learning',
    'policy',
    'run',
)
"""Scopes of settings: they determine the source of a value that is not given.

process: behaviour of one process; a run that resumes does not take it from its folder.
actor: settings of the actors of one process; they may differ from its learner's.
game: settings of the games of a backend; an evaluation may change them.
weights: network, observations and actions, which determine the weights. A run that starts
    from the weights of another one takes them over.
learning: learning after imitation. Such a run also takes them over if its map and its
    algorithm are the same.
policy: the evaluated policy of a run. Likewise, and evaluations take them from the run.
run: all others.
"""

_METADATA = 'sc2impala_setting'


class Setting(NamedTuple):
    """Declaration of a setting.

    name: name of the field, the flag, and the entry in the manifest.
    title: heading under which `--help` lists it.
    default: general default; maps and backends may have others, see `resolve`. None where every map
        has its own.
    help: its meaning.
    type: parser and formatter of its values.
    between: the smallest and the largest allowed value, or None.
    or_else: an additional allowed value with a special meaning, or None.
    choices: allowed values, e.g. the keys of a registry, or None.
    free_on_resume: True if a run may continue with another value; others determine past
        learning.
    own_in_evaluation: True if an evaluation sets it independently of its run.
    tunable: True if --may_change can name it, and a population can change it when the run resumes:
        learning depends on it, the variables of the graph and the form of sequences do not.
    on_resume: effect of another value on a resumed run, as a clause; empty if
        there is nothing to report or another value is not allowed.
    scope: one of `SCOPES`.
    """

    name: str
    title: str
    default: Any
    help: str
    type: ValueType
    between: Optional[Tuple[float, float]]
    or_else: Optional[float]
    choices: Optional[Iterable[str]]
    free_on_resume: bool
    own_in_evaluation: bool
    tunable: bool
    on_resume: str
    scope: str


def setting(
    default: object,
    help: str,
    type: Optional[ValueType] = None,
    between: Optional[Tuple[float, float]] = None,
    or_else: Optional[float] = None,
    choices: Optional[Iterable[str]] = None,
    free_on_resume: bool = False,
    own_in_evaluation: bool = False,
    tunable: bool = False,
    on_resume: str = '',
    scope: Optional[str] = None,
) -> Any:
    """Declares a field of a group of settings; the arguments are as in `Setting`.

    The default scope is the attribute `SCOPE` of its class, or else `RUN`.

    Folders of older versions lack newer settings, which then have their general
    defaults: the default of a new setting must preserve the old behaviour, unless it
    is free on resume.
    """
    value_type = type or value_types.BY_PYTHON_TYPE[default.__class__]
    metadata = dict(
        help=help,
        type=value_type,
        between=between,
        or_else=or_else,
        choices=choices,
        free_on_resume=free_on_resume,
        own_in_evaluation=own_in_evaluation,
        tunable=tunable,
        on_resume=on_resume,
        scope=scope,
    )
    return dataclasses.field(default=default, metadata={_METADATA: metadata})


def settings_of(groups: Sequence[Type]) -> Dict[str, Setting]:
    """All settings of some groups by name, in the order of their declaration.

    Raises:
      ValueError: if two groups declare the same name; inherit it to share it.
    """
    result: Dict[str, Setting] = {}
    declared_by: Dict[str, Any] = {}
    for group in groups:
        for name, declaring_class in _declarations(group):
            if declared_by.setdefault(name, declaring_class) is not declaring_class:
                raise ValueError(
                    f'{name} is declared by {declared_by[name].__name__} and by '
                    f'{declaring_class.__name__}, expected one of them'
                )
            field = group.__dataclass_fields__[name]
            metadata = field.metadata[_METADATA]
            result[name] = Setting(
                name=name,
                title=declaring_class.TITLE,
                default=field.default,
                **dict(metadata, scope=metadata['scope'] or getattr(declaring_class, 'SCOPE', RUN)),
            )
    return result


def build(group: type, values: Mapping[str, object]) -> Any:
    """Builds a group from the values of all settings."""
    return group(**{field.name: values[field.name] for field in dataclasses.fields(group)})


def _declarations(group: type) -> List[Tuple[str, type]]:
    """Names of the fields of a group with the class that declares each, base classes first."""
    names = {field.name for field in dataclasses.fields(group)}
    return [
        (name, base)
        for base in reversed(group.__mro__)
        for name in base.__dict__.get('__annotations__', {})
        if name in names
    ]
