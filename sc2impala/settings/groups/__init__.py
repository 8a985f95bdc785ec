"""The settings of a run by group; `learner/` declares the algorithms' settings.

Functions get the group, or the few numbers, that they use. The general defaults are here; defaults
that depend on the map are in `envs/maps.py`.
"""

from sc2impala.settings.groups.agent import ActorSettings, AgentSettings
from sc2impala.settings.groups.cluster import ClusterSettings
from sc2impala.settings.groups.demonstrations import DemonstrationSettings
from sc2impala.settings.groups.games import EnvironmentSettings, StarCraftSettings
from sc2impala.settings.groups.run import EvaluationSettings, OutputSettings, RunSettings
from sc2impala.settings.groups.tasks import TaskSettings
from sc2impala.settings.groups.training import ReplaySettings, StartSettings, TrainingSettings

POLICIES = ('sampled', 'greedy', 'random', 'scripted')
"""Names of players on every map, in addition to the scripts of a map."""

__all__ = [
    'POLICIES',
    'ActorSettings',
    'AgentSettings',
    'ClusterSettings',
    'DemonstrationSettings',
    'EnvironmentSettings',
    'EvaluationSettings',
    'OutputSettings',
    'ReplaySettings',
    'RunSettings',
    'StarCraftSettings',
    'StartSettings',
    'TaskSettings',
    'TrainingSettings',
]
