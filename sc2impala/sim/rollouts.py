"""Roll-outs: copies of games that a compiled policy plays, without observations and without Python.

A `Policy` is a compiled function that decides for one game: it reads the record of the game and
writes a function call, or gives orders to units itself. `Rollouts.run` advances all copies by many
steps in one call, without Python's interpreter lock.

    policy = Policy('attack', decide)
    rollouts = Rollouts(game, policy, num_copies=4 * 28)
    rollouts.copy(np.repeat(np.arange(4), 28), draws=...)
    rollouts.run(steps=50, frames=4, first=calls)
    rollouts.games.score
"""

import functools
import hashlib
import inspect
import pathlib
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np

from sc2impala.sim import counter_random, kernels
from sc2impala.sim.compiler import kernel
from sc2impala.sim.functions import CALL, NUM_FUNCTIONS, clear
from sc2impala.sim.game_batch import GameBatch
from sc2impala.sim.games.game import Game

NOTHING = np.dtype([('unused', np.uint8)])
"""Memory of a policy that remembers nothing."""

RANDOM = np.dtype((np.record, [('key', np.uint64), ('counter', np.uint64)]))
"""Random numbers of a policy, for the functions of `counter_random`."""

_STREAM_OF_GAME, _STREAM_OF_POLICY = range(2)


class Policy(NamedTuple):
    """A compiled policy.

    name: unique; names the policy's functions in the cache of compiled functions. Those of a policy
      that is not part of `sc2impala.sim` are compiled again when the file that defines it changes.
      It must not call functions of other files outside of `sc2impala.sim`.
    decide: compiled function of (g, rules, available, memory, random, call), once per step. g: the
      record of the game. rules: that of the map. available: uint8 [573], whether each function can
      be called, if `calls`. memory: record of the type `memory`, kept between steps. random: record
      RANDOM, as in `counter_random.uniform(random)`. call: record of `functions.CALL`, no_op unless
      it is written.
    memory: the type of what the policy remembers of a game.
    calls: whether it calls functions. Otherwise `call` is ignored, `available` is not known, and
      the policy gives its orders by functions of the simulator, such as `orders.give`.
    """

    name: str
    decide: Callable[..., None]
    memory: np.dtype = NOTHING
    calls: bool = True


class Rollouts:
    """Copies of the games of a batch, played by a policy to the end of their episode at most.

    games: the records of the copies, see `GameBatch.games`. memory: those of the policy, of its
      type `memory` [C]; zeros after `copy`.
    """

    def __init__(self, batch: GameBatch, policy: Policy, num_copies: int):
        """Args:
        batch: the games; the copies use its rules.
        policy: what plays them.
        num_copies: C.

        Raises:
          ValueError: if `num_copies` is not positive.
        """
        if num_copies < 1:
            raise ValueError(f'num_copies is {num_copies}; expected at least 1.')
        self._batch = batch
        self._games = np.repeat(batch.blank, num_copies)
        self._memory = np.zeros([num_copies], np.dtype((np.record, policy.memory)))
        self._random = np.zeros([num_copies], RANDOM)
        self._kernel = _build(batch.definition, policy)

    @property
    def games(self) -> np.recarray:
        """The records of the copies [C]."""
        return self._games.view(np.recarray)

    @property
    def memory(self) -> np.recarray:
        """The records of the memory of the policy [C]."""
        return self._memory.view(np.recarray)

    def copy(self, sources: np.ndarray, draws: Optional[np.ndarray] = None) -> None:
        """Copies games of the batch.

        Args:
          sources: int [C], the index of the game of each copy.
          draws: uint64 [C], seeds of the random numbers of each copy from here on, those of the
            policy too; copies of a game with equal draws and equal calls play equally. None: the
            copies draw the random numbers that the games will draw, and the policies those of seed
            0.

        Raises:
          ValueError: if an argument has another shape or type, or there is no such game.
        """
        num_copies = len(self._games)
        sources = _integers('sources', sources, num_copies)
        if sources.min() < 0 or sources.max() >= self._batch.num_games:
            raise ValueError(
                f'sources holds {sources.min()} to {sources.max()}; '
                f'expected 0 to {self._batch.num_games - 1}.'
            )
        seeds = np.zeros([num_copies], np.uint64)
        if draws is not None:
            seeds = _integers('draws', draws, num_copies).astype(np.uint64)
        self._memory[:] = np.zeros([], self._memory.dtype)
        # Whole records: NumPy would copy field by field.
        raw = self._batch.games.view(np.ndarray).view(np.uint8).reshape(self._batch.num_games, -1)
        self._games.view(np.uint8).reshape(num_copies, -1)[:] = raw[sources]
        if draws is not None:
            self._games['key'] = counter_random.other_keys(seeds, _STREAM_OF_GAME)
            self._games['counter'] = 0
        self._random['key'] = counter_random.other_keys(seeds, _STREAM_OF_POLICY)
        self._random['counter'] = 0

    def run(
        self,
        steps: Union[int, np.ndarray],
        frames: Union[int, np.ndarray],
        first: Optional[np.ndarray] = None,
    ) -> np.ndarray:
        """Plays the copies.

        Args:
          steps: decisions of each copy, an int or int [C].
          frames: environment frames of a step, an int or int [C].
          first: CALL [C] of `functions.calls`, executed in the first step instead of the policy's
            decision; None for none.

        Returns:
          int64 [C], the number of steps made, less than `steps` where an episode has ended.

        Raises:
          ValueError: if an argument has another shape or type, or is negative.
        """
        num_copies = len(self._games)
        made = _counts('steps', steps, num_copies)
        of_step = _counts('frames', frames, num_copies)
        has_first = first is not None
        calls = np.zeros([num_copies], CALL) if first is None else np.array(first)
        if calls.shape != (num_copies,) or calls.dtype != CALL:
            raise ValueError(
                f'first is an array of {calls.dtype} {list(calls.shape)}; '
                f'expected function calls [{num_copies}].'
            )
        self._kernel(
            self._games,
            self._batch.rules_array,
            self._memory,
            self._random,
            calls,
            has_first,
            made,
            of_step,
        )
        return made


@functools.lru_cache(maxsize=None)
def _build(game: Game, policy: Policy) -> Callable[..., None]:
    """Returns the kernel that plays the games of a map.

    Its argument `made` holds the steps to make, and afterwards those that were made.
    """
    play = kernels.build_player(game)
    list_actions, execute = kernels.call_functions(game.family)
    decide, makes_calls = policy.decide, policy.calls

    @kernel(f'{game.name}.{policy.name}{digest(decide)}.rollout')
    def rollout(
        games: Any,
        rules: Any,
        memory: Any,
        random: Any,
        calls: Any,
        has_first: bool,
        made: Any,
        frames: Any,
    ) -> None:
        r = rules[0]
        available = np.zeros(NUM_FUNCTIONS, np.uint8)
        for k in range(len(games)):
            g = games[k]
            call = calls[k]
            g._living_changed = True
            steps = 0
            while steps < made[k] and not g.ended:
                given = has_first and steps == 0
                if makes_calls or given:
                    list_actions(g, r, available)
                if not given:
                    clear(call)
                    decide(g, r, available, memory[k], random[k], call)
                if makes_calls or given:
                    execute(g, r, call, available)
                play(g, r, frames[k])
                steps += 1
            made[k] = steps

    return rollout


def digest(function: Callable[..., Any]) -> str:
    """Returns a digest of the file of a function that is not part of the simulator, else ''.

    Kernels that call the function have it in their names.
    """
    file = inspect.getsourcefile(getattr(function, 'py_func', function))
    path = pathlib.Path(file or '').resolve()
    if pathlib.Path(__file__).resolve().parent in path.parents or not path.is_file():
        return ''
    return '.' + hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def _integers(name: str, value: Any, size: int) -> np.ndarray:
    array = np.asarray(value)
    if array.shape != (size,) or array.dtype.kind not in 'iu':
        raise ValueError(
            f'{name} is an array of {array.dtype} {list(array.shape)}; expected integers [{size}].'
        )
    return array


def _counts(name: str, value: Any, size: int) -> np.ndarray:
    """Returns int64 [size] of one count, or of one per copy."""
    array = np.asarray(value)
    if array.shape == ():
        array = np.full([size], array)
    array = _integers(name, array, size)
    if array.min() < 0:
        raise ValueError(f'{name} holds {array.min()}; expected at least 0.')
    return array.astype(np.int64)
