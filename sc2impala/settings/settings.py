"""All settings of a run, as groups and as one flat mapping."""

import dataclasses
from typing import Any, Dict, Mapping

from sc2impala import learner
from sc2impala.settings import fields, groups
from sc2impala.settings.fields import Setting

GROUPS = {
    'run': groups.RunSettings,
    'environment': groups.EnvironmentSettings,
    'tasks': groups.TaskSettings,
    'starcraft': groups.StarCraftSettings,
    'agent': groups.AgentSettings,
    'actors': groups.ActorSettings,
    'training': groups.TrainingSettings,
    'replay': groups.ReplaySettings,
    'demonstrations': groups.DemonstrationSettings,
    'start': groups.StartSettings,
    'output': groups.OutputSettings,
    'cluster': groups.ClusterSettings,
    'evaluation': groups.EvaluationSettings,
}
"""Groups by the name of the field of `Settings`."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """All settings of a run. Only the command uses all of them; other code gets groups.

    algorithms: the settings of every algorithm, by its name in `learner`.
    """

    run: groups.RunSettings
    environment: groups.EnvironmentSettings
    tasks: groups.TaskSettings
    starcraft: groups.StarCraftSettings
    agent: groups.AgentSettings
    actors: groups.ActorSettings
    training: groups.TrainingSettings
    replay: groups.ReplaySettings
    demonstrations: groups.DemonstrationSettings
    start: groups.StartSettings
    output: groups.OutputSettings
    cluster: groups.ClusterSettings
    evaluation: groups.EvaluationSettings
    algorithms: Mapping[str, Any]

    @classmethod
    def from_values(cls, values: Mapping[str, object]) -> 'Settings':
        """Builds the groups from the values of all settings by name."""
        made = {name: fields.build(group, values) for name, group in GROUPS.items()}
        algorithms = {
            name: fields.build(group, values) for name, group in learner.settings_groups().items()
        }
        return cls(algorithms=algorithms, **made)

    def values(self) -> Dict[str, Any]:
        """All settings by name; the inverse of `from_values`."""
        all_groups = [getattr(self, name) for name in GROUPS] + list(self.algorithms.values())
        return {
            field.name: getattr(group, field.name)
            for group in all_groups
            for field in dataclasses.fields(group)
        }


def all_settings() -> Dict[str, Setting]:
    """Returns the declaration of every setting by name, in the order of `--help`.

    Settings of algorithms come before settings of replay.
    """
    of_algorithms = list(learner.settings_groups().values())
    position = list(GROUPS).index('replay')
    of_groups = list(GROUPS.values())
    return fields.settings_of(of_groups[:position] + of_algorithms + of_groups[position:])


def settings_with(algorithm: str) -> Dict[str, Setting]:
    """Returns the settings that apply to an algorithm: all but other algorithms' settings."""
    others = set(learner.ALGORITHMS) - {algorithm}
    of_algorithms = [g for name, g in learner.settings_groups().items() if name not in others]
    return fields.settings_of([*GROUPS.values(), *of_algorithms])


def general_defaults() -> Dict[str, Any]:
    """Returns the general default of every setting; None where maps have their own."""
    return {name: setting.default for name, setting in all_settings().items()}
