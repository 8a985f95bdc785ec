"""The decision of a policy as one action of two calls: a selection, and the order after it.

A policy that gives one call per step selects units in one step and orders them in the next one. Its
decision for an action of both calls is found in a copy of the game: nothing is selected there, the
policy selects, and decides again.
"""

import functools
from typing import Any, Callable, Tuple

import numpy as np

from sc2impala.sim import counter_random, kernels
from sc2impala.sim.compiler import compiled, kernel
from sc2impala.sim.functions import (
    CALL,
    MOVE_CAMERA,
    NO_OP,
    NUM_FUNCTIONS,
    SELECT_ARMY,
    SELECT_IDLE_WORKER,
    SELECT_POINT,
    clear,
)
from sc2impala.sim.game_batch import GameBatch
from sc2impala.sim.games.game import Game
from sc2impala.sim.rollouts import NOTHING, RANDOM, Policy, digest

_STREAM = 4
"""Another one than those of `rollouts` and `planner`."""

_MAX_SELECTIONS = 3
"""A policy may select one unit after another to find one that needs an order."""


class Pairs:
    """Decisions of a policy in the games of a batch."""

    def __init__(self, batch: GameBatch, policy: Policy):
        """Args:
        batch: the games.
        policy: its calls are no_op, selections by a point, of the army or of idle workers, orders
          of the selected units, and calls that need no selection.

        Raises:
          ValueError: if the policy has a memory.
        """
        if policy.memory != NOTHING:
            raise ValueError(f'the policy {policy.name!r} has a memory.')
        self._batch = batch
        self._kernel = _build(batch.definition, policy)
        self._copy = np.repeat(batch.blank, 1)
        self._memory = np.zeros([1], np.dtype((np.record, NOTHING)))
        self._random = np.zeros([1], RANDOM)

    def decide(self, wanted: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Decides in some games.

        Args:
          wanted: bool [K]. In others, and in games that have ended, the calls are no_op.

        Returns:
          CALL [K], the selections, no_op where none comes first; and CALL [K], the calls after
          them.
        """
        batch = self._batch
        selections, calls = np.zeros([2, batch.num_games], CALL)
        chosen = np.flatnonzero(np.asarray(wanted) & ~batch.ended)
        seeds = batch.games.key + np.asarray(batch.games.game_loop).astype(np.uint64)
        self._kernel(
            batch.games.view(np.ndarray),
            batch.rules_array,
            chosen,
            counter_random.other_keys(seeds, _STREAM),
            self._copy,
            self._memory,
            self._random,
            selections,
            calls,
        )
        return selections, calls


@functools.lru_cache(maxsize=None)
def _build(game: Game, policy: Policy) -> Callable[..., None]:
    """Returns the kernel that decides in games of a map."""
    list_actions, execute = kernels.call_functions(game.family)
    decide_one = policy.decide

    @kernel(f'{game.name}.{policy.name}{digest(decide_one)}.pairs')
    def decide(
        games: Any,
        rules: Any,
        wanted: Any,
        keys: Any,
        copy: Any,
        memory: Any,
        random: Any,
        selections: Any,
        calls: Any,
    ) -> None:
        r, h, own, numbers = rules[0], copy[0], memory[0], random[0]
        available = np.zeros(NUM_FUNCTIONS, np.uint8)
        for k in wanted:
            copy[0] = games[k]
            for i in range(h.unit_end):
                h.selected[i] = False
            first, then = selections[k], calls[k]
            list_actions(h, r, available)
            _ask(decide_one, h, r, available, own, numbers, keys[k], then)
            for _ in range(_MAX_SELECTIONS):
                if not _selects(then):
                    break
                selections[k] = then
                execute(h, r, first, available)
                list_actions(h, r, available)
                clear(then)
                _ask(decide_one, h, r, available, own, numbers, keys[k], then)
            if _selects(then):
                clear(then)
            if then.function == NO_OP or then.function == MOVE_CAMERA:
                clear(first)

    return decide


@compiled
def _selects(call: Any) -> bool:
    return call.function in (SELECT_POINT, SELECT_ARMY, SELECT_IDLE_WORKER)


@compiled
def _ask(
    decide: Any, h: Any, r: Any, available: Any, memory: Any, random: Any, key: Any, call: Any
) -> None:
    """Writes the call of the policy; equal draws give equal decisions."""
    random.key = key
    random.counter = np.uint64(0)
    decide(h, r, available, memory, random, call)
    if not available[call.function]:
        clear(call)
