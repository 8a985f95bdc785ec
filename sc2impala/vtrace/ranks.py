"""The rank check of all functions of this package."""

from typing import Optional

import tensorflow.compat.v1 as tf


def assert_rank(name: str, tensor: tf.Tensor, rank: Optional[int]) -> None:
    """Raises ValueError if `tensor` has another number of dimensions than `rank`.

    Either may be None, if it is not known before the graph runs.
    """
    if None not in (rank, tensor.shape.rank) and tensor.shape.rank != rank:
        raise ValueError(f'`{name}` must have rank {rank}, but its shape is {tensor.shape}.')
