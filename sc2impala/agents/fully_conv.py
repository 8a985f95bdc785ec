"""FullyConv of the SC2LE paper (Vinyals et al. 2017, section 4.3).

Convolutions that keep the resolution, so that a point is chosen by a 1 x 1 convolution. The paper
also broadcasts the non-spatial features over the screen; a plane that is the same everywhere adds
the same number to every logit of that 1 x 1 convolution, which changes nothing, so here they enter
the hidden layer alone.
"""

from typing import Any

from sc2impala.agents import heads, recurrent, torsos

CONVOLUTIONS = [(16, 5, 1), (32, 3, 1)]


def make_parts(observation_spec: Any, action_spec: Any, num_step_muls: int) -> tuple:
    """Returns torso, core and heads."""
    return (
        torsos.ConvTorso(observation_spec, CONVOLUTIONS),
        recurrent.NoMemory(),
        heads.Heads(action_spec, num_step_muls, heads.ConvPointHead),
    )
