"""The components of a run, one file each; `training.build.build_components` lists them."""

from typing import TYPE_CHECKING, Callable, List, Sequence

if TYPE_CHECKING:
    import tensorflow.compat.v1 as tf

    from sc2impala.training.run import Run

OWN: List[Callable[['Run'], 'Sequence[tf.train.SessionRunHook]']] = []
"""Functions `make(run)` of components outside of the package, called after the built-in ones."""
