"""The memory of played sequences: what to keep, what to sample, and how it survives a restart."""

from sc2impala.replay.replay import Replay, least_compressed_bytes, memory_bytes
from sc2impala.replay.storage import load, save

__all__ = ['Replay', 'least_compressed_bytes', 'load', 'memory_bytes', 'save']
