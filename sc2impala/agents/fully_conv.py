"""FullyConv of the SC2LE paper (Vinyals et al. 2017, section 4.3).

The convolutions keep the resolution, and the logits of a point are a 1 x 1 convolution of their
output. The paper also broadcasts the non-spatial features over the screen. A constant plane adds
the same number to every logit of the 1 x 1 convolution, which does not change the distribution, so
here the non-spatial features enter the hidden layer only.
"""

from sc2impala.agents import heads, recurrent, torsos
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec

CONVOLUTIONS = [(16, 5, 1), (32, 3, 1)]


def make_parts(
    observation_spec: ObservationSpec, action_spec: ActionSpec, num_step_muls: int
) -> tuple:
    """Returns torso, core and heads."""
    return (
        torsos.ConvTorso(observation_spec, CONVOLUTIONS),
        recurrent.FeedForwardCore(),
        heads.Heads(action_spec, num_step_muls, heads.ConvPointHead),
    )
