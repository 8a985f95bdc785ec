"""Atari-net of the SC2LE paper (Vinyals et al. 2017, section 4.3).

Two strided convolutions over screen and minimap, then one hidden layer over the flattened result.
The row and the column of a point are chosen independently of each other.
"""

from typing import Any

from sc2impala.agents import heads, recurrent, torsos

CONVOLUTIONS = [(16, 8, 4), (32, 4, 2)]


def make_parts(observation_spec: Any, action_spec: Any, num_step_muls: int) -> tuple:
    """Returns torso, core and heads."""
    return (
        torsos.ConvTorso(observation_spec, CONVOLUTIONS),
        recurrent.FeedForwardCore(),
        heads.Heads(action_spec, num_step_muls, heads.FactoredPointHead),
    )
