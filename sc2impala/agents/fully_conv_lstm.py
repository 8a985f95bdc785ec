"""FullyConv LSTM of the SC2LE paper (Vinyals et al. 2017, section 4.3).

FullyConv with a convolutional LSTM between the convolutions and the heads.
"""

from sc2impala.agents import heads, recurrent, torsos
from sc2impala.agents.fully_conv import CONVOLUTIONS
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec

LSTM_CHANNELS = 16


def make_parts(
    observation_spec: ObservationSpec, action_spec: ActionSpec, num_step_muls: int
) -> tuple:
    """Returns torso, core and heads."""
    width, height = observation_spec.screen_size
    return (
        torsos.ConvTorso(observation_spec, CONVOLUTIONS),
        recurrent.ConvLSTM(height, width, LSTM_CHANNELS),
        heads.Heads(action_spec, num_step_muls, heads.ConvPointHead),
    )
