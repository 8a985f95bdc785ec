"""A setting: a field of a frozen dataclass with its help, its range or choices, and its scope.

    @dataclasses.dataclass(frozen=True)
    class ActorSettings:
        TITLE = 'actors'
        num_envs: int = setting(32, 'games that each actor plays at once', between=(1, 65536))

Each field becomes a flag of the same name. A name that appears in several groups, as a base class
of two algorithms' settings does, is one flag, and the value goes to all of them.
"""

import dataclasses
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type

from sc2impala.settings import value_types
from sc2impala.settings.value_types import ValueType

MANY = 2**31 - 1
"""Largest value of settings that count something."""

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
"""Scopes of settings: they decide where the value comes from if it is not given.

process: what one process does; a run that resumes does not take it from its folder.
actor: of the actors of one process, which may differ from those of its learner.
game: how the games of a backend are played, which an evaluation may change.
weights: what the weights of an agent are for: network, observations and actions. A run that starts
    from the weights of another one takes them over.
learning: how a run learns after imitation. Such a run takes them over as well if its map and its
    algorithm are the same.
policy: how the policy of a run is evaluated. Likewise, and evaluations take them from the run.
run: all else.
"""

_METADATA = 'sc2impala_setting'


class Setting(NamedTuple):
    """Declaration of a setting.

    name: of the field, the flag, and the entry in the manifest.
    title: heading under which `--help` lists it.
    default: general default; maps and backends may have others, see `resolve`. None where every map
        has its own.
    help: what it means.
    type: how its values are read and written.
    between: the smallest and the largest allowed value, or None.
    or_else: one more allowed value, which means something special, or None.
    choices: allowed values, e.g. the keys of a registry, or None.
    free_on_resume: whether a run may be continued with another value; others are part of what was
        learned.
    own_in_evaluation: whether an evaluation chooses it independently of the run it evaluates.
    tunable: whether --may_change can name it, and a population can change it when the run resumes:
        learning depends on it, the variables of the graph and the form of sequences do not.
    on_resume: what a resumed run does with another value, which it may have, in a clause; empty if
        there is nothing to report or it may not have another one.
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
    default: Any,
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
    """Declares a field of a group of settings; the arguments are those of `Setting`.

    Without a scope it has that of the class that declares it, its attribute `SCOPE`, or else `RUN`.

    Folders of older versions lack the settings that came later, and count as having their general
    defaults: the default of a new setting has to be what was done before there was one, unless it
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


def settings_of(groups: Sequence[Type[Any]]) -> Dict[str, Setting]:
    """All settings of some groups by name, in the order of their declaration.

    Raises:
      ValueError: if two groups declare the same name; to inherit it is the way to share it.
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


def build(group: Type[Any], values: Mapping[str, Any]) -> Any:
    """Makes a group from the values of all settings."""
    return group(**{field.name: values[field.name] for field in dataclasses.fields(group)})


def _declarations(group: Type[Any]) -> List[Tuple[str, Any]]:
    """Names of the fields of a group with the class that declares each, base classes first."""
    names = {field.name for field in dataclasses.fields(group)}
    return [
        (name, base)
        for base in reversed(group.__mro__)
        for name in base.__dict__.get('__annotations__', {})
        if name in names
    ]
