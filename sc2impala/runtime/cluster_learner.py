"""The learner of actors in other processes, see docs/cluster.md."""

from typing import Sequence

import tensorflow.compat.v1 as tf

from sc2impala.runtime import training
from sc2impala.runtime.remote_actors import RemoteActors
from sc2impala.settings.settings import Settings


def train(settings: Settings, own_hooks: Sequence[tf.train.SessionRunHook] = ()) -> int:
    """Trains from what actors in other processes play; as `training.train` in all else.

    Raises:
      UserError: also if the port cannot be used.
    """
    remote = RemoteActors(settings)
    exit_code = training.train(settings, own_hooks, remote)
    remote.wait_for_farewells()
    return exit_code
