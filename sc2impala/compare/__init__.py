"""The comparison of two groups of runs, see `python -m sc2impala.compare --help`."""
