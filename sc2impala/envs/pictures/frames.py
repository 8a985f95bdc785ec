"""The pictures (frames) of an animated episode, drawn from its recorded steps."""

from typing import Any, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from sc2impala.envs.actions import SELECT_POINT
from sc2impala.envs.pictures import colors, drawing, layout
from sc2impala.envs.specs import ObservationSpec


class Step(NamedTuple):
    """One agent step.

    layers: for each panel unsigned int [H, W], the observation of the agent.
    function: name of the chosen function.
    arguments: dict from the names of its arguments to lists of ints; [x, y] for points. See
      `ActionSpec.described`.
    step_mul: environment frames (StarCraft II game loops) until the next agent step.
    reward: the reward that followed the action.
    episode_return: the return of the episode, including this reward.
    """

    layers: Any
    function: str
    arguments: Any
    step_mul: Any
    reward: Any
    episode_return: Any


class Panel(NamedTuple):
    """One feature layer of the picture.

    group: 'screen' or 'minimap'.
    layer: its LayerSpec.
    size: (width, height) of the layer.
    """

    group: str
    layer: Any
    size: Tuple[int, int]


MAX_PANELS = 12

_MOST_INFORMATIVE = (
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
"""The layers that are preferred if there are more than MAX_PANELS, best first."""


def choose_panels(observation_spec: ObservationSpec) -> List[Panel]:
    """Returns the layers to show, in order: all, or the MAX_PANELS most informative ones."""
    panels = [
        Panel(group, layer, size)
        for group, layers, size in (
            ('screen', observation_spec.screen_layers, observation_spec.screen_size),
            ('minimap', observation_spec.minimap_layers, observation_spec.minimap_size),
        )
        for layer in layers
    ]
    ranks = {name: rank for rank, name in enumerate(_MOST_INFORMATIVE)}
    by_rank = sorted(panels, key=lambda panel: ranks.get(panel.layer.name, len(ranks)))
    return [panel for panel in panels if panel in by_rank[:MAX_PANELS]]


class FramePainter:
    """Draws pictures of one size, with the same layers and the same ranges of colors."""

    def __init__(self, panels: Sequence[Panel], ranges: Sequence[Tuple[int, int]], num_hidden: int):
        """Draws the titles.

        Args:
          panels: the layers to show.
          ranges: for each panel the values with the darkest and the brightest color.
          num_hidden: number of layers without a panel, for the caption.
        """
        self._panels = panels
        self._ranges = ranges
        self._num_hidden = num_hidden
        self._plan = layout.make_layout([panel.size for panel in panels])
        self._titled = np.full(self._plan.size[::-1], colors.PLAIN, np.uint8)
        for panel, value_range, (x, y) in zip(panels, ranges, self._plan.corners):
            size = (self._plan.cell_width, layout.TITLE_HEIGHT)
            title = drawing.draw_text([_title(panel, *value_range)], size, font_size=12)
            _paste(self._titled, title, (x, y - layout.TITLE_HEIGHT))

    def draw(self, number: int, elapsed_frames: int, step: Step) -> np.ndarray:
        """Draws one agent step.

        Args:
          number: number of the step in its episode.
          elapsed_frames: environment frames of the episode, for the caption.
          step: the step.

        Returns:
          uint8 [height, width], indices into `colors.PALETTE`.
        """
        plan = self._plan
        frame = self._titled.copy()
        for i, panel in enumerate(self._panels):
            pixels = colors.color_layer(panel.layer, step.layers[i], *self._ranges[i])
            pixels = drawing.enlarge(pixels, plan.factors[i])
            pixels = _mark(pixels, panel.group, step.arguments, plan.factors[i])
            _paste(frame, pixels, plan.corners[i])
        caption = drawing.draw_text(
            _caption(number, elapsed_frames, step, self._num_hidden),
            (plan.size[0], layout.CAPTION_HEIGHT),
            font_size=13,
            margin=(layout.GAP, layout.GAP // 2),
            background=_background(step.reward),
        )
        _paste(frame, caption, (0, plan.caption_top))
        return frame


def draw_frames(
    panels: Sequence[Panel], steps: Sequence[Step], num_hidden: int
) -> Iterator[np.ndarray]:
    """Draws one picture for each step.

    Args:
      panels: the panels of the layers of the steps.
      steps: at least one.
      num_hidden: number of layers without a panel, for the caption.

    Yields:
      uint8 [height, width], indices into `colors.PALETTE`.
    """
    ranges = [value_range(layers) for layers in zip(*(step.layers for step in steps))]
    painter = FramePainter(panels, ranges, num_hidden)
    elapsed_frames = 0
    for number, step in enumerate(steps):
        yield painter.draw(number, elapsed_frames, step)
        elapsed_frames += step.step_mul


def value_range(layers: Sequence[np.ndarray]) -> Tuple[int, int]:
    """Returns the smallest and the largest value of all arrays."""
    return min(int(layer.min()) for layer in layers), max(int(layer.max()) for layer in layers)


def _title(panel: Panel, low: int, high: int) -> str:
    name = panel.layer.name if panel.group == 'screen' else 'minimap ' + panel.layer.name
    return name if panel.layer.categorical else f'{name}  {low}..{high}'


def _mark(pixels: np.ndarray, group: str, arguments: Mapping[str, Any], factor: int) -> np.ndarray:
    """Draws the point arguments on this group of layers."""
    if group == 'screen' and SELECT_POINT in arguments:
        pixels = drawing.mark_point(pixels, arguments[SELECT_POINT], factor)
    if group == 'screen' and 'screen2' in arguments:
        return drawing.mark_rectangle(pixels, arguments['screen'], arguments['screen2'], factor)
    if group in arguments:
        return drawing.mark_point(pixels, arguments[group], factor)
    return pixels


def _caption(number: int, elapsed_frames: int, step: Step, num_hidden: int) -> List[str]:
    """Returns the lines of the caption of one step."""
    arguments = ', '.join(
        f'{name}={value if len(value) > 1 else value[0]}' for name, value in step.arguments.items()
    )
    lines = [
        f'{step.function}({arguments})',
        f'step {number}    frame {elapsed_frames}    step_mul {step.step_mul}',
        f'reward {step.reward:g}    return {step.episode_return:g}',
    ]
    if num_hidden:
        lines[-1] += f'    ({num_hidden} more layers are not shown)'
    return lines


def _background(reward: float) -> int:
    if reward == 0:
        return colors.PLAIN
    return colors.GAIN if reward > 0 else colors.LOSS


def _paste(frame: np.ndarray, pixels: np.ndarray, corner: Tuple[int, int]) -> None:
    x, y = corner
    height, width = pixels.shape
    frame[y : y + height, x : x + width] = pixels
