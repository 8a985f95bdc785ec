"""Benchmarks of speed. `performance` runs all of them and writes docs/performance.md."""

from sc2impala import tf_setup

tf_setup.set_environment()  # Modules of this package import TensorFlow first.
