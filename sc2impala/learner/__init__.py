"""Learners: algorithms, sources of batches, losses and optimization.

An algorithm is a folder with two files, `settings` and `update`, and a line in `ALGORITHMS` or
`PRETRAINING`. Importing this package or the settings of an algorithm does not load TensorFlow.
"""

from typing import TYPE_CHECKING, Dict, Optional, Sequence, Type, Union, cast

from sc2impala.learner.registry import Folder, OneFile
from sc2impala.settings.learning import AlgorithmSettings

if TYPE_CHECKING:
    import tensorflow.compat.v1 as tf

    from sc2impala.agents.agent import Agent
    from sc2impala.learner.algorithm import Algorithm, PretrainingAlgorithm
    from sc2impala.learner.batch import Batch
    from sc2impala.learner.build import LearnerOutput
    from sc2impala.learner.critic_pretraining.settings import CriticPretrainingSettings
    from sc2impala.learner.impala.settings import ImpalaSettings

ALGORITHMS: Dict[str, Union[Folder, OneFile]] = {
    'impala': Folder('sc2impala.learner.impala', 'ImpalaSettings', 'Impala'),
    'appo': Folder('sc2impala.learner.appo', 'AppoSettings', 'Appo'),
    'r2d2': Folder('sc2impala.learner.r2d2', 'R2d2Settings', 'R2D2'),
}
"""Algorithms that `--algorithm` can name."""

PRETRAINING: Dict[str, Union[Folder, OneFile]] = {
    'cloning': Folder('sc2impala.learner.cloning', 'CloningSettings', 'Cloning'),
    'critic_pretraining': Folder(
        'sc2impala.learner.critic_pretraining', 'CriticPretrainingSettings', 'CriticPretraining'
    ),
}
"""Phases before the training, in this order. `PretrainingSettings.num_frames` is the length of
each, 0 by default."""


def load(name: str) -> 'Type[Algorithm]':
    """The class of an algorithm in `ALGORITHMS`; imports TensorFlow.

    Raises:
      KeyError: if the algorithm is unknown.
    """
    return ALGORITHMS[name].load()


def load_pretraining(name: str) -> 'Type[PretrainingAlgorithm]':
    """The class of an algorithm in `PRETRAINING`; imports TensorFlow.

    Raises:
      KeyError: if the algorithm is unknown.
    """
    return cast('Type[PretrainingAlgorithm]', PRETRAINING[name].load())


def load_settings(name: str) -> Type[AlgorithmSettings]:
    """The settings class of an algorithm in `ALGORITHMS`.

    Raises:
      KeyError: if the algorithm is unknown.
    """
    return ALGORITHMS[name].load_settings()


def settings_groups() -> Dict[str, Type[AlgorithmSettings]]:
    """The settings class of every algorithm, by the name of the algorithm."""
    return {
        name: entry.load_settings()
        for registry in (PRETRAINING, ALGORITHMS)
        for name, entry in registry.items()
    }


def build_learner(
    agent: 'Agent',
    batch: 'Batch',
    total_environment_frames: float,
    settings: 'Optional[ImpalaSettings]' = None,
    variables: 'Optional[Sequence[tf.Variable]]' = None,
) -> 'LearnerOutput':
    """Builds the update of IMPALA with CLEAR; see `build.build_learner`."""
    from sc2impala.learner import build

    return build.build_learner(agent, batch, total_environment_frames, settings, variables)


def build_critic_learner(
    agent: 'Agent',
    batch: 'Batch',
    settings: 'Optional[CriticPretrainingSettings]' = None,
    variables: 'Optional[Sequence[tf.Variable]]' = None,
) -> 'LearnerOutput':
    """Builds the update of the baseline alone; see `build.build_critic_learner`."""
    from sc2impala.learner import build

    return build.build_critic_learner(agent, batch, settings, variables)
