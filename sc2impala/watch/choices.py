"""Distributions of the heads of a policy, in few bytes."""

from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy as np

from sc2impala.envs.actions import ActionSpec
from sc2impala.watch import trace

STEP_MUL = 'step_mul'
"""The head of the step multiplier; it is not one of an action."""

MAX_CELLS = 32
"""Cells on each side of a heat map; pixels of larger screens are added up."""

_LOWEST_LOGIT = -1e8
"""Logits below it are of functions that are not available."""

_POINTS = {'screen': 'screen_size', 'screen2': 'screen_size', 'minimap': 'minimap_size'}


def heads_of(spec: ActionSpec, max_step_mul: int) -> List[trace.Head]:
    """Returns the heads of an action.

    Args:
      spec: the action space.
      max_step_mul: the largest step multiplier that is chosen; 0 if none is.
    """
    heads = [
        trace.Head(name, count, tuple(getattr(spec, _POINTS[name])) if name in _POINTS else ())
        for name, count in spec.heads.items()
    ]
    if max_step_mul:
        heads.append(trace.Head(STEP_MUL, max_step_mul, ()))
    return heads


def probabilities(logits: np.ndarray, temperature: float) -> np.ndarray:
    """Returns softmax(logits / temperature), float64 [..., choices]."""
    scaled = np.asarray(logits, np.float64) / temperature
    scaled = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    return scaled / scaled.sum(axis=-1, keepdims=True)


def of_candidates(
    spec: ActionSpec, action: Mapping[str, np.ndarray], weights: np.ndarray
) -> Dict[str, np.ndarray]:
    """Returns a distribution for each head from one over candidates, float64 [K, choices].

    That of an argument is over the candidates whose function uses it; uniform if none does.

    Args:
      spec: the action space.
      action: int32 [K, M] by head.
      weights: float32 [K, M].
    """
    used = dict(zip(spec.argument_heads, spec.head_used.T))
    result = {}
    for head, count in spec.heads.items():
        of_head = weights.astype(np.float64)
        if head in used:
            of_head = of_head * used[head][action['function']]
        table = np.zeros([len(weights), count])
        np.add.at(table, (np.arange(len(weights))[:, np.newaxis], action[head]), of_head)
        total = table.sum(axis=1, keepdims=True)
        result[head] = np.where(total > 0, table / np.maximum(total, 1e-30), 1.0 / count)
    return result


def relative_values(logits: np.ndarray) -> np.ndarray:
    """Returns values from 0 to 1 between the lowest and the highest one that is available."""
    logits = np.asarray(logits, np.float64)
    available = logits > _LOWEST_LOGIT
    low = np.where(available, logits, np.inf).min(axis=-1, keepdims=True)
    high = logits.max(axis=-1, keepdims=True)
    return np.where(available, (logits - low) / np.maximum(high - low, 1e-12), 0)


def capped(distribution: np.ndarray, choices: int) -> np.ndarray:
    """Adds the probabilities of larger step multipliers to the largest one that is executed."""
    result = distribution[..., :choices].copy()
    result[..., -1] += distribution[..., choices:].sum(axis=-1)
    return result


def entropy(distribution: np.ndarray) -> np.ndarray:
    """Returns the entropy in nats, float64 [...]."""
    return -(distribution * np.log(np.maximum(distribution, 1e-300))).sum(axis=-1)


def heat_map(distribution: np.ndarray, size: Sequence[int]) -> Tuple[np.ndarray, float]:
    """Draws the distribution of a point.

    Args:
      distribution: float [height * width].
      size: (width, height).

    Returns:
      uint8 [h, w], see `trace.Choices`, and the largest probability of a cell.
    """
    width, height = size
    factor = -(-max(size) // MAX_CELLS)
    padded = np.zeros([-(-height // factor) * factor, -(-width // factor) * factor])
    padded[:height, :width] = np.reshape(distribution, [height, width])
    rows, columns = padded.shape[0] // factor, padded.shape[1] // factor
    cells = padded.reshape(rows, factor, columns, factor).sum(axis=(1, 3))
    peak = cells.max()
    return np.round(255 * np.sqrt(cells / max(peak, 1e-30))).astype(np.uint8), float(peak)


class ChoiceRecorder:
    """Collects the choices of one episode.

    A step is a mapping from head to the distribution over its choices, float64 [choices].
    """

    def __init__(self, player: trace.Player):
        """Args: player: the player with its heads."""
        self._player = player
        self._chosen: List[Mapping[str, int]] = []
        self._available: List[np.ndarray] = []
        self._steps: List[Dict[str, Any]] = []

    def add(
        self,
        chosen: Mapping[str, int],
        available: np.ndarray,
        distributions: Mapping[str, np.ndarray],
    ) -> None:
        """Adds a step.

        Args:
          chosen: the choice of every head, and 'step_mul' in frames.
          available: bool [F].
          distributions: by head; empty for a script.
        """
        used = self._player.head_used[chosen['function']]
        step: Dict[str, Any] = {}
        for head in self._player.heads if distributions else ():
            distribution = distributions[head.name]
            index = chosen[head.name] - (head.name == STEP_MUL)
            step[head.name] = found = {
                'probability': distribution[index],
                'entropy': entropy(distribution) if self._player.kind == trace.POLICY else np.nan,
            }
            if not head.size:
                found['all'] = np.round(65535 * distribution).astype(np.uint16)
            else:
                heat, found['peak'] = heat_map(distribution, head.size)
                if head.name in used:
                    found['heat'] = heat
        self._chosen.append(dict(chosen))
        self._available.append(np.array(available, bool))
        self._steps.append(step)

    def result(self) -> trace.Choices:
        """Returns the choices of all steps."""
        heads = self._player.heads if self._steps[0] else ()
        points = [head.name for head in heads if head.size]
        return trace.Choices(
            {name: _array(self._chosen, name, np.int32) for name in self._chosen[0]},
            np.stack(self._available),
            {head.name: self._of('all', head.name) for head in heads if not head.size},
            {head.name: self._of('probability', head.name, np.float32) for head in heads},
            {name: self._heat(name) for name in points},
            {name: self._of('peak', name, np.float32) for name in points},
            {head.name: self._of('entropy', head.name, np.float32) for head in heads},
        )

    def _of(self, what: str, head: str, dtype: Any = None) -> np.ndarray:
        return np.array([step[head][what] for step in self._steps], dtype)

    def _heat(self, head: str) -> np.ndarray:
        maps = [step[head]['heat'] for step in self._steps if 'heat' in step[head]]
        return np.stack(maps) if maps else np.zeros([0, 1, 1], np.uint8)


def _array(steps: Sequence[Mapping[str, int]], name: str, dtype: Any) -> np.ndarray:
    return np.array([step[name] for step in steps], dtype)
