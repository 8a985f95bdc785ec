"""Live pictures of games, in the style of the animated episodes."""

from typing import Any, Dict, List, Optional

import numpy as np

from sc2impala.envs.gym.games import Games, Outcome

Observation = Dict[str, np.ndarray]


class Renderer:
    """Draws the layers of a game, and as caption the last action, its reward and the return.

    The point of the last action is marked. The darkest color of a scalar layer is 0, and the
    brightest one the largest value that has been drawn so far.
    """

    def __init__(self, games: Games):
        """Args: games: K games."""
        # Imported for rendering only: colors come from matplotlib.
        from sc2impala.envs.pictures import colors, frames

        self._frames = frames
        self._palette = colors.PALETTE
        self._games = games
        self._panels = frames.choose_panels(games.observation_spec)
        num_layers = len(
            games.observation_spec.screen_layers + games.observation_spec.minimap_layers
        )
        self._num_hidden = num_layers - len(self._panels)
        self._highest = [1] * len(self._panels)
        self._observation: Observation = {}
        self._steps: List[Any] = [None] * games.num_envs

    def reset(self, observation: Observation, games: Optional[np.ndarray] = None) -> None:
        """Records the first observation of new episodes.

        Args:
          observation: of all games, arrays [K, ...].
          games: bool [K], where episodes begin; None for all games.
        """
        self._observation = observation
        for game in range(len(self._steps)):
            if games is None or games[game]:
                self._steps[game] = None

    def step(self, observation: Observation, actions: np.ndarray, outcome: Outcome) -> None:
        """Records the outcome of the last step.

        Args:
          observation: of all games, arrays [K, ...].
          actions: int [K, H], which led to it.
          outcome: of the step.
        """
        self._observation = observation
        heads, step_mul = self._games.decode(actions)
        for game in range(len(self._steps)):
            head = {name: value[game] for name, value in heads.items()}
            totals = {name: value[game] for name, value in outcome.totals.items()}
            self._steps[game] = (head, step_mul[game], outcome.reward[game], totals)

    def draw(self, game: int) -> np.ndarray:
        """Returns the picture of one game after `reset`, uint8 [height, width, 3]."""
        layers = [
            self._observation[f'{panel.group}_{panel.layer.name}'][game] for panel in self._panels
        ]
        self._highest = [max(high, int(layer.max())) for high, layer in zip(self._highest, layers)]
        painter = self._frames.FramePainter(
            self._panels, [(0, high) for high in self._highest], self._num_hidden
        )
        if self._steps[game] is None:
            number, elapsed_frames = 0, 0
            step = self._frames.Step(layers, 'reset', {}, self._games.step_mul, 0.0, 0.0)
        else:
            head, step_mul, reward, totals = self._steps[game]
            number, elapsed_frames = totals['episode_steps'], totals['episode_frames']
            function, arguments = self._games.action_spec.described(head)
            step = self._frames.Step(
                layers, function, arguments, step_mul, reward, totals['episode_return']
            )
        return self._palette[painter.draw(number, elapsed_frames, step)]
