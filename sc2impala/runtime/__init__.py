"""Everything that runs: settings, sessions, checkpoints, logs, pictures."""

from sc2impala import tf_setup  # noqa: F401
