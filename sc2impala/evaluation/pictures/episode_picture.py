"""An animated picture of one episode: the observations and the actions of the agent."""

from typing import List, Mapping, Sequence

import numpy as np
from PIL import Image

from sc2impala.envs import checks
from sc2impala.envs.actions import ActionSpec
from sc2impala.envs.pictures import colors, frames
from sc2impala.envs.specs import ObservationSpec
from sc2impala.structs import Nest

FRAMES_PER_SECOND = 16
"""Environment frames (StarCraft II game loops) in one second of game time."""

MIN_FRAME_MS = 20
"""Viewers replace shorter durations by 100 ms."""

LAST_FRAME_MS = 1500


class EpisodePicture:
    """Records the agent steps of one environment and draws one picture for each.

    A picture shows the feature layers of the observation side by side, screen before minimap, each
    enlarged and with its name above it. The point or the rectangle of the chosen action is marked
    on the layers. The caption below them shows the action, the reward that followed, and the return
    including that reward. The background of the caption is green for a positive and red for a
    negative reward. The colors of a scalar layer cover the range of its values in the episode,
    shown after its name.

    If there are more than `frames.MAX_PANELS` layers, the most informative ones are shown, and the
    caption shows the number of the others.
    """

    def __init__(self, observation_spec: ObservationSpec, action_spec: ActionSpec):
        """Args: observation_spec, action_spec: the specs of the environment."""
        self._action_spec = action_spec
        self._panels = frames.choose_panels(observation_spec)
        num_layers = len(observation_spec.screen_layers) + len(observation_spec.minimap_layers)
        self._num_hidden = num_layers - len(self._panels)
        self._steps: List[frames.Step] = []

    def add(
        self,
        observation: Mapping[str, Nest],
        action: Mapping[str, int],
        step_mul: int,
        reward: float,
        episode_return: float,
    ) -> None:
        """Records one agent step.

        Args:
          observation: nested dict of arrays as in `ObservationSpec.structure`; the layers are
            copied.
          action: dict from head name to scalar int, the action chosen for this observation.
          step_mul: environment frames until the next agent step.
          reward: the reward that followed the action.
          episode_return: sum of the rewards of the episode, including this one.

        Raises:
          ValueError: if a layer is missing or has another shape than its spec, if the action does
            not match the spec, or if `step_mul` is not a positive integer.
        """
        function, arguments = self._action_spec.described(action)
        self._steps.append(
            frames.Step(
                layers=[_copy_layer(observation, panel) for panel in self._panels],
                function=function,
                arguments=arguments,
                step_mul=checks.check_positive('step_mul', step_mul),
                reward=float(reward),
                episode_return=float(episode_return),
            )
        )

    def save(self, path: str, speed: float = 4.0) -> None:
        """Writes the recorded steps as an animated GIF that repeats indefinitely.

        While it is written, one byte for each pixel of each picture is in memory.

        Args:
          path: the file; an existing file is replaced.
          speed: playback speed relative to game time. A step is shown for step_mul / (16 * speed)
            seconds, but not for less than MIN_FRAME_MS; the last one is shown for LAST_FRAME_MS.

        Raises:
          ValueError: if there are no steps, or if the speed is not positive.
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
            # Without this argument every picture of the file has its own copy of the palette.
            palette=colors.PALETTE.tobytes(),
            optimize=True,
            loop=0,
        )


def _copy_layer(observation: Mapping[str, Nest], panel: frames.Panel) -> np.ndarray:
    """Returns a copy of the layer of a panel, unsigned int [H, W]."""
    name, (width, height) = panel.layer.name, panel.size
    layer = np.array(observation.get(panel.group, {}).get(name))
    if layer.shape != (height, width):
        raise ValueError(
            f'observation[{panel.group!r}][{name!r}] has shape {layer.shape}, expected '
            f'{(height, width)}.'
        )
    return layer


def _durations_ms(step_muls: Sequence[int], speed: float) -> List[int]:
    """Returns the duration of each step, in multiples of 10 ms; rounding does not accumulate."""
    ends = np.cumsum(step_muls) * (100 / (FRAMES_PER_SECOND * speed))
    durations = 10 * np.diff(np.round(ends).astype(np.int64), prepend=0)
    return np.maximum(durations, MIN_FRAME_MS).tolist()[:-1] + [LAST_FRAME_MS]


def _to_image(pixels: np.ndarray) -> Image.Image:
    image = Image.fromarray(pixels)
    image.putpalette(colors.PALETTE.tobytes())
    return image
