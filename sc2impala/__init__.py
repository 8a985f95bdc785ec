"""sc2impala: IMPALA with CLEAR replay for StarCraft II, on PySC2 or on the built-in simulator.

Importing the package itself loads neither TensorFlow nor Sonnet, so that environments in processes
of their own and the simulated game server start in a fraction of a second. Every subpackage that
builds a graph imports `sc2impala.tf_setup` first.
"""

__version__ = '0.1.0'
