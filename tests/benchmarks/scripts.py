"""Shared by the tests of the benchmarks: flags of a tiny training, and the JSON they print."""

import json
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

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


def last_json(capsys):
    """Returns the JSON in the last line of the output."""
    return json.loads(capsys.readouterr().out.splitlines()[-1])
