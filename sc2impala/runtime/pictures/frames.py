"""The frames of an animated episode, drawn from its recorded steps."""

import collections
from typing import Iterator, List, Sequence

import numpy as np

from sc2impala.envs.specs import ObservationSpec
from sc2impala.runtime.pictures import colors, drawing, layout

Step = collections.namedtuple(
    'Step', ['layers', 'function', 'arguments', 'step_mul', 'reward', 'episode_return']
)
"""One agent step.

layers: unsigned int [H, W] for each panel, what the agent saw.
function: name of the PySC2 function that it chose; arguments: dict from the names of the arguments
    that the function takes to lists of ints, [x, y] for points.
step_mul: game loops until its next step.
reward: what followed; episode_return: with this reward.
"""

Panel = collections.namedtuple('Panel', ['group', 'layer', 'size'])
"""group: 'screen' or 'minimap'. layer: its LayerSpec. size: (width, height) of the layer."""

MAX_PANELS = 12

_MOST_TELLING = (
    'player_relative',
    'selected',
    'unit_type',
    'unit_hit_points',
    'unit_density',
    'visibility_map',
    'camera',
    'unit_hit_points_ratio',
    'height_map',
    'active',
    'build_progress',
)
"""Which layers come first where there are too many."""


def choose_panels(observation_spec: ObservationSpec) -> List[Panel]:
    """The layers to show: all in their order, or the MAX_PANELS most telling ones."""
    panels = [
        Panel(group, layer, size)
        for group, layers, size in (
            ('screen', observation_spec.screen_layers, observation_spec.screen_size),
            ('minimap', observation_spec.minimap_layers, observation_spec.minimap_size),
        )
        for layer in layers
    ]
    ranks = {name: rank for rank, name in enumerate(_MOST_TELLING)}
    by_rank = sorted(panels, key=lambda panel: ranks.get(panel.layer.name, len(ranks)))
    return [panel for panel in panels if panel in by_rank[:MAX_PANELS]]


def draw_frames(
    panels: Sequence[Panel], steps: Sequence[Step], num_hidden: int
) -> Iterator[np.ndarray]:
    """Draws one frame for each step.

    Args:
      panels: what the layers of the steps are.
      steps: at least one.
      num_hidden: how many layers have no panel, for the caption.

    Yields:
      uint8 [height, width], indices into `colors.PALETTE`.
    """
    plan = layout.make_layout([panel.size for panel in panels])
    ranges = [_value_range(layers) for layers in zip(*(step.layers for step in steps))]
    titled = np.full(plan.size[::-1], colors.PLAIN, np.uint8)
    for panel, value_range, (x, y) in zip(panels, ranges, plan.corners):
        size = (plan.cell_width, layout.TITLE_HEIGHT)
        title = drawing.draw_text([_title(panel, *value_range)], size, font_size=12)
        _paste(titled, title, (x, y - layout.TITLE_HEIGHT))

    loop = 0
    for number, step in enumerate(steps):
        frame = titled.copy()
        for i, panel in enumerate(panels):
            pixels = colors.color_layer(panel.layer, step.layers[i], *ranges[i])
            pixels = drawing.enlarge(pixels, plan.factors[i])
            pixels = _mark(pixels, panel.group, step.arguments, plan.factors[i])
            _paste(frame, pixels, plan.corners[i])
        caption = drawing.draw_text(
            _caption(number, loop, step, num_hidden),
            (plan.size[0], layout.CAPTION_HEIGHT),
            font_size=13,
            margin=(layout.GAP, layout.GAP // 2),
            background=_background(step.reward),
        )
        _paste(frame, caption, (0, plan.caption_top))
        loop += step.step_mul
        yield frame


def _value_range(layers):
    return min(int(layer.min()) for layer in layers), max(int(layer.max()) for layer in layers)


def _title(panel, low, high):
    name = panel.layer.name if panel.group == 'screen' else 'minimap ' + panel.layer.name
    return name if panel.layer.categorical else f'{name}  {low}..{high}'


def _mark(pixels, group, arguments, factor):
    """Draws the points among the arguments that lie on this group of layers."""
    if group == 'screen' and 'screen2' in arguments:
        return drawing.mark_rectangle(pixels, arguments['screen'], arguments['screen2'], factor)
    if group in arguments:
        return drawing.mark_point(pixels, arguments[group], factor)
    return pixels


def _caption(number, loop, step, num_hidden):
    arguments = ', '.join(
        f'{name}={value if len(value) > 1 else value[0]}' for name, value in step.arguments.items()
    )
    lines = [
        f'{step.function}({arguments})',
        f'step {number}    loop {loop}    step_mul {step.step_mul}',
        f'reward {step.reward:g}    return {step.episode_return:g}',
    ]
    if num_hidden:
        lines[-1] += f'    ({num_hidden} more layers are not shown)'
    return lines


def _background(reward):
    if reward == 0:
        return colors.PLAIN
    return colors.GAIN if reward > 0 else colors.LOSS


def _paste(frame, pixels, corner):
    x, y = corner
    height, width = pixels.shape
    frame[y : y + height, x : x + width] = pixels
