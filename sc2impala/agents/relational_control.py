"""The control agent of the relational one (Zambaldi et al. 2018, arXiv 1806.01830, section 4.2).

Everything is as in `relational`, but with residual blocks of convolutions instead of attention:
entities see their neighbours only.
"""

from sc2impala.agents import attention, entities
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec

NUM_BLOCKS = 2


def make_parts(
    observation_spec: ObservationSpec, action_spec: ActionSpec, num_step_muls: int
) -> tuple:
    """Returns torso, core and heads."""
    module = attention.ResidualModule(NUM_BLOCKS, entities.CHANNELS)
    return entities.make_parts(observation_spec, action_spec, num_step_muls, module)
