"""The memory of played sequences: what to keep, what to sample, and how it survives a restart."""

from sc2impala.replay.replay import Replay, memory_bytes
from sc2impala.replay.storage import load, save

__all__ = ['Replay', 'load', 'memory_bytes', 'save']
