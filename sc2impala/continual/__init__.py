"""Metrics of continual learning, see `python -m sc2impala.continual --help`."""
