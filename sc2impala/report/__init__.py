"""A report of runs: one HTML file with curves, settings, speed and remarks that needs no network.

    python -m sc2impala.report runs/beacon

`run` reads the folder of a run, `page` makes the file, and `sections` has a file for each part of
it. TensorFlow is not loaded.
"""
