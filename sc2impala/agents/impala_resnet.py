"""The deep network of IMPALA (Espeholt et al. 2018, arXiv 1802.01561, figure 3, right).

Three sections of a convolution, a pooling layer and two residual blocks, then a hidden layer and an
LSTM. Its output is the input of all heads. The row and the column of a point are chosen
independently of each other, since the output of the LSTM is not spatial.
"""

from sc2impala.agents import heads, recurrent, resnet
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec

CHANNELS = (16, 32, 32)
HIDDEN_SIZE = 256
LSTM_SIZE = 256


def make_parts(
    observation_spec: ObservationSpec, action_spec: ActionSpec, num_step_muls: int
) -> tuple:
    """Returns torso, core and heads."""
    return (
        resnet.ResidualTorso(observation_spec, CHANNELS, HIDDEN_SIZE),
        recurrent.LSTM(LSTM_SIZE),
        heads.Heads(action_spec, num_step_muls, heads.FactoredPointHead, hidden_size=None),
    )
