"""The deep network of IMPALA (Espeholt et al. 2018, arXiv 1802.01561, figure 3, right).

Three sections of a convolution, a pooling and two residual blocks; a hidden layer; an LSTM, from
which all heads are read. Points are chosen as a row and a column, independent of each other, since
nothing spatial comes out of an LSTM.
"""

from typing import Any

from sc2impala.agents import heads, recurrent, resnet

CHANNELS = (16, 32, 32)
HIDDEN_SIZE = 256
LSTM_SIZE = 256


def make_parts(observation_spec: Any, action_spec: Any, num_step_muls: int) -> tuple:
    """Returns torso, core and heads."""
    return (
        resnet.ResidualTorso(observation_spec, CHANNELS, HIDDEN_SIZE),
        recurrent.LSTM(LSTM_SIZE),
        heads.Heads(action_spec, num_step_muls, heads.FactoredPointHead, hidden_size=None),
    )
