"""The control agent of the relational one (Zambaldi et al. 2018, arXiv 1806.01830, section 4.2).

Everything is as in `relational`, but residual blocks of convolutions are in the place of attention:
entities see their neighbours only.
"""

from typing import Any

from sc2impala.agents import attention, entities

NUM_BLOCKS = 2


def make_parts(observation_spec: Any, action_spec: Any, num_step_muls: int) -> tuple:
    """Returns torso, core and heads."""
    module = attention.ResidualModule(NUM_BLOCKS, entities.CHANNELS)
    return entities.make_parts(observation_spec, action_spec, num_step_muls, module)
