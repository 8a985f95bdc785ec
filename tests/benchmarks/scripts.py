"""The benchmarks as modules, and a training that is small enough for a test."""

import importlib
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, 'benchmarks')

TINY = (
    '--map_name=MoveToBeacon',
    '--screen_size=4',
    '--minimap_size=4',
    '--agent=atari_net',
    '--fixed_step_mul',
    '--num_actors=1',
    '--num_envs=2',
    '--unroll_length=3',
    '--batch_size=4',
)


def load(name):
    """A script as a module: benchmarks are no package, but import each other."""
    sys.path.insert(0, FOLDER)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(FOLDER)


def last_json(capsys):
    """The last line of what was printed."""
    return json.loads(capsys.readouterr().out.splitlines()[-1])
