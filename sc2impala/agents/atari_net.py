"""Atari-net of the SC2LE paper (Vinyals et al. 2017, section 4.3).

Two strided convolutions over screen and minimap, then one hidden layer over the flattened result.
The row and the column of a point are chosen independently of each other.
"""

from sc2impala.agents import heads, recurrent, torsos
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec

CONVOLUTIONS = [(16, 8, 4), (32, 4, 2)]


def make_parts(
    observation_spec: ObservationSpec, action_spec: ActionSpec, num_step_muls: int
) -> tuple:
    """Returns torso, core and heads."""
    return (
        torsos.ConvTorso(observation_spec, CONVOLUTIONS),
        recurrent.FeedForwardCore(),
        heads.Heads(action_spec, num_step_muls, heads.FactoredPointHead),
    )
