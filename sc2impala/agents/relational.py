"""The relational agent (Zambaldi et al. 2018, arXiv 1806.01830, section 4.2), in a smaller size.

The screen is reduced to a map of entities, followed by a convolutional LSTM and
self-attention. The paper conditions the arguments on the function: use
`--argument_conditioning` for it. Channels, heads and blocks are chosen for a few CPU cores
and are smaller than the paper's.
"""

from sc2impala.agents import attention, entities
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.specs import ObservationSpec

NUM_BLOCKS = 2
NUM_HEADS = 2
HEAD_SIZE = 16


def make_parts(
    observation_spec: ObservationSpec, action_spec: ActionSpec, num_step_muls: int
) -> tuple:
    """Returns torso, core and heads."""
    module = attention.RelationalModule(NUM_BLOCKS, NUM_HEADS, HEAD_SIZE, entities.CHANNELS)
    return entities.make_parts(observation_spec, action_spec, num_step_muls, module)
