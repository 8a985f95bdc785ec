"""sc2impala: IMPALA with CLEAR replay for StarCraft II, on PySC2 or on the built-in simulator.

Importing the package itself loads neither TensorFlow nor Sonnet, so that environments in processes
of their own and the simulated game server start in a fraction of a second. No import changes the
mode of TensorFlow: a program calls `sc2impala.tf_setup.enable` before it builds an agent, as
`experiment` does.
"""

__version__ = '0.1.0'
