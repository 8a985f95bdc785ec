"""An animated picture of one episode: what the agent saw, and what it did about it."""

from typing import Any, List, Mapping, Sequence

import numpy as np
from PIL import Image

from sc2impala.envs import checks
from sc2impala.envs.actions import FUNCTIONS, ActionSpec
from sc2impala.envs.specs import ObservationSpec
from sc2impala.runtime.pictures import colors, frames

LOOPS_PER_SECOND = 16
"""Game loops in a second of game time."""

MIN_FRAME_MS = 20
"""Viewers show for 100 ms what asks for less than this."""

LAST_FRAME_MS = 1500


class EpisodePicture:
    """Records the agent steps of one environment and draws one frame for each.

    A frame shows the feature layers that the agent saw side by side, screen before minimap, each
    enlarged and under its name; on them the point or the rectangle of the action it chose; below
    them the action, the reward that followed, and the return with it. The caption turns green under
    a positive reward and red under a negative one. Amounts are colored over the range that they
    have in the episode, which stands behind the layer's name.

    Of more layers than `frames.MAX_PANELS` the most telling ones are shown, and the caption says
    how many are not.
    """

    def __init__(self, observation_spec: ObservationSpec, action_spec: ActionSpec):
        """Starts without steps; the specs are those of the environment."""
        self._action_spec = action_spec
        self._panels = frames.choose_panels(observation_spec)
        num_layers = len(observation_spec.screen_layers) + len(observation_spec.minimap_layers)
        self._num_hidden = num_layers - len(self._panels)
        self._steps = []

    def add(
        self,
        observation: Mapping[str, Any],
        action: Mapping[str, int],
        step_mul: int,
        reward: float,
        episode_return: float,
    ) -> None:
        """Records one agent step.

        Args:
          observation: nested dict of arrays as `ObservationSpec.structure`, what the agent saw; its
            layers are copied.
          action: a scalar int for every head, what it chose.
          step_mul: game loops until its next step.
          reward: what followed.
          episode_return: sum of the rewards of the episode, this one included.

        Raises:
          ValueError: if a layer is missing or has another shape than the spec's, the action is none
            of the spec, or `step_mul` is not a positive integer.
        """
        function_id, arguments = self._action_spec.to_function_call(action)
        function = FUNCTIONS[function_id]
        self._steps.append(
            frames.Step(
                layers=[_copy_layer(observation, panel) for panel in self._panels],
                function=function.name,
                arguments=dict(zip([argument.name for argument in function.args], arguments)),
                step_mul=checks.check_positive('step_mul', step_mul),
                reward=float(reward),
                episode_return=float(episode_return),
            )
        )

    def save(self, path: str, speed: float = 4.0) -> None:
        """Writes the steps so far as an animated GIF that repeats for ever.

        Meanwhile memory holds one byte for each pixel of each frame.

        Args:
          path: the file, replaced if it is there.
          speed: how many times faster than game time it plays. A step lasts step_mul / (16 * speed)
            seconds, but no less than MIN_FRAME_MS; the last one stays for LAST_FRAME_MS.

        Raises:
          ValueError: if there are no steps, or the speed is not positive.
        """
        if not self._steps:
            raise ValueError('The picture has 0 steps, expected at least one to save.')
        if not speed > 0:
            raise ValueError(f'speed is {speed!r}, expected a positive number.')
        images = map(_to_image, frames.draw_frames(self._panels, self._steps, self._num_hidden))
        next(images).save(
            path,
            format='GIF',
            save_all=True,
            append_images=images,
            duration=_durations_ms([step.step_mul for step in self._steps], speed),
            # Without it, every frame would bring its own copy of the palette.
            palette=colors.PALETTE.tobytes(),
            optimize=True,
            loop=0,
        )


def _copy_layer(observation, panel):
    name, (width, height) = panel.layer.name, panel.size
    layer = np.array(observation.get(panel.group, {}).get(name))
    if layer.shape != (height, width):
        raise ValueError(
            f'observation[{panel.group!r}][{name!r}] has shape {layer.shape}, expected '
            f'{(height, width)}.'
        )
    return layer


def _durations_ms(step_muls: Sequence[int], speed: float) -> List[int]:
    """How long to show each step, in the GIF's unit of 10 ms; rounding does not add up."""
    ends = np.cumsum(step_muls) * (100 / (LOOPS_PER_SECOND * speed))
    durations = 10 * np.diff(np.round(ends).astype(np.int64), prepend=0)
    return np.maximum(durations, MIN_FRAME_MS).tolist()[:-1] + [LAST_FRAME_MS]


def _to_image(pixels):
    image = Image.fromarray(pixels)
    image.putpalette(colors.PALETTE.tobytes())
    return image
