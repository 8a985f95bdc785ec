"""Search by roll-outs in copies of the games: one improvement step on a compiled policy.

    search = Search(game, problem, frames=4)
    decisions = search.decide(np.ones([game.num_games], bool))
    decisions.calls

Each candidate, a plan of a few calls, is tried in copies of the game and continued by the policy
(Tesauro and Galperin 1996, "On-line policy improvement using Monte-Carlo search"; Bertsekas et al.
1997, rollout algorithms). The candidate with the best mean of score and value of the last state is
chosen.

The copies draw other random numbers than the game will. The seeds of these are a function of the
game and its frame, so that equal games get equal decisions, and there is no state to be saved.
"""

import concurrent.futures
import functools
import os
from typing import Any, Callable, NamedTuple, Optional, Tuple

import numpy as np

from sc2impala.sim import counter_random, kernels
from sc2impala.sim.compiler import compiled, kernel
from sc2impala.sim.functions import CALL, NUM_FUNCTIONS, clear
from sc2impala.sim.game_batch import GameBatch
from sc2impala.sim.games.game import Game
from sc2impala.sim.rollouts import NOTHING, RANDOM, digest
from sc2impala.sim.search import plans as plans_lib
from sc2impala.sim.search.plans import MAX_PLANS
from sc2impala.sim.search.problem import Problem

_STREAM_OF_GAME, _STREAM_OF_POLICY = 2, 3
"""Others than those of `rollouts`."""

_SEEDS_PER_FRAME = 1 << 12


class Decisions(NamedTuple):
    """The results of a search in K games; P is the largest number of candidates.

    calls: CALL [K], the first calls of the chosen plans.
    chosen: int64 [K], their indices; 0 is the call of the policy.
    candidates: CALL [K, P], the first calls of all plans.
    values: float64 [K, P], mean values of the plans in points: those of the roll-out and of its
      last state; NaN for plans that were not tried, as their function is not available or another
      plan is the same.
    draws: int64 [K, P], their roll-outs; 1 for a plan that is the only one, which has the value 0
      and is not rolled out.
    steps: int64 [K], steps that were made in the roll-outs of the game.
    """

    calls: np.ndarray
    chosen: np.ndarray
    candidates: np.ndarray
    values: np.ndarray
    draws: np.ndarray
    steps: np.ndarray

    def distribution(
        self, count: int, temperature: float, margin: float
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the best first calls and a softmax of their values.

        Of plans with the same first call the best one counts.

        Args:
          count: M, the number of calls.
          temperature: of the softmax, in points; positive.
          margin: points that are added to the value of the policy's call.

        Returns:
          CALL [K, M], the best calls first, no_op in place of missing ones; float32 [K, M], their
          probabilities, 0 for missing ones, and in games without a search.
        """
        values = np.where(self.draws > 0, self.values, -np.inf)
        values[:, 0] += margin
        order = np.argsort(-values, axis=1, kind='stable')
        values = np.take_along_axis(values, order, 1)
        calls = np.take_along_axis(self.candidates, order, 1)
        same = calls[:, :, np.newaxis] == calls[:, np.newaxis]
        values[np.tril(same, -1).any(axis=2)] = -np.inf
        order = np.argsort(-values, axis=1, kind='stable')[:, :count]
        values = np.take_along_axis(values, order, 1)
        calls = np.take_along_axis(calls, order, 1)
        found = values > -np.inf
        best = np.where(found[:, :1], values[:, :1], 0.0)
        weights = np.where(found, np.exp((values - best) / temperature), 0.0)
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
        calls[~found] = np.zeros([], CALL)
        return calls, weights.astype(np.float32)


class _Workspace(NamedTuple):
    """Buffers of one thread: copy, the game of a roll-out [1]; plans, call, memory and random."""

    copy: np.ndarray
    plans: plans_lib.Plans
    call: np.ndarray
    memory: np.ndarray
    random: np.ndarray


class Search:
    """Searches in the games of a batch, in several threads. problem: the map."""

    def __init__(
        self,
        batch: GameBatch,
        problem: Problem,
        frames: int,
        allowed: Optional[np.ndarray] = None,
        num_threads: Optional[int] = None,
    ):
        """Args:
        batch: the games.
        problem: the map.
        frames: environment frames of a step, in the games and in the roll-outs.
        allowed: bool [573], the functions that candidates may begin with; None for all.
        num_threads: None for one per core. Decisions do not depend on it.

        Raises:
          ValueError: if the policy of the problem has a memory, or an argument is out of range.
        """
        if problem.policy.memory != NOTHING:
            raise ValueError(f'the policy {problem.policy.name!r} of a search has a memory.')
        if frames < 1:
            raise ValueError(f'frames is {frames}; expected at least 1.')
        self._batch = batch
        self.problem = problem
        self._frames = frames
        self._steps = -(-problem.horizon // frames)
        every = np.ones([NUM_FUNCTIONS], np.uint8)
        self._allowed = every if allowed is None else np.asarray(allowed).astype(np.uint8)
        self._kernel = _build(batch.definition, problem)
        self._num_draws = _num_draws(problem)
        self._num_threads = min(num_threads or os.cpu_count() or 1, batch.num_games)
        self._spaces = [_make_workspace(batch) for _ in range(self._num_threads)]
        self._pool: Optional[concurrent.futures.ThreadPoolExecutor] = None

    def decide(self, wanted: np.ndarray) -> Decisions:
        """Searches in some games.

        Args:
          wanted: bool [K]. Games that are not wanted, or that have ended, have calls of no_op and
            no candidates.

        Returns:
          `Decisions` of all K games.
        """
        batch = self._batch
        num_games = batch.num_games
        results = Decisions(
            np.zeros([num_games], CALL),
            np.zeros([num_games], np.int64),
            np.zeros([num_games, MAX_PLANS], CALL),
            np.full([num_games, MAX_PLANS], np.nan),
            np.zeros([num_games, MAX_PLANS], np.int64),
            np.zeros([num_games], np.int64),
        )
        chosen = np.flatnonzero(np.asarray(wanted) & ~batch.ended)
        if not len(chosen):
            return results
        seeds = _seeds(batch, self._num_draws, self.problem.frames_of_draws)
        keys = counter_random.other_keys(seeds, _STREAM_OF_GAME)
        policy_keys = counter_random.other_keys(seeds, _STREAM_OF_POLICY)
        problem = self.problem

        def search(space: _Workspace, games: np.ndarray) -> None:
            self._kernel(
                batch.games.view(np.ndarray),
                batch.rules_array,
                games,
                self._allowed,
                keys,
                policy_keys,
                space,
                results,
                self._steps,
                self._frames,
                problem.draws,
                problem.halvings,
                problem.frame_cost,
                problem.margin,
                problem.has_candidates,
            )

        # Neighbours need about the same time; each thread gets every n-th game.
        # Copies: the kernel would be compiled again for slices that are not contiguous.
        parts = [chosen[i :: self._num_threads].copy() for i in range(self._num_threads)]
        work = [(space, part) for space, part in zip(self._spaces, parts) if len(part)]
        if len(work) == 1:
            search(*work[0])
            return results
        if self._pool is None:
            self._pool = concurrent.futures.ThreadPoolExecutor(self._num_threads)
        for done in [self._pool.submit(search, *part) for part in work]:
            done.result()
        return results


def _num_draws(problem: Problem) -> int:
    """Returns the draws of a candidate that survives all halvings."""
    return problem.draws * (2 ** (problem.halvings + 1) - 1)


def _seeds(batch: GameBatch, num_draws: int, frames: int) -> np.ndarray:
    """Returns seeds that differ between games, periods of frames, and draws: uint64 [K, draws]."""
    games = batch.games
    period = games.key + np.uint64(_SEEDS_PER_FRAME) * (games.game_loop // frames).astype(np.uint64)
    return period[:, np.newaxis] + np.arange(num_draws, dtype=np.uint64)


def _make_workspace(batch: GameBatch) -> _Workspace:
    return _Workspace(
        np.repeat(batch.blank, 1),
        plans_lib.make(),
        np.zeros([1], CALL),
        np.zeros([1], np.dtype((np.record, NOTHING))),
        np.zeros([1], RANDOM),
    )


@compiled
def _sort(order: np.ndarray, count: int, means: np.ndarray) -> None:
    """Sorts the first `count` plans in `order` by their means, the best first; keeps ties."""
    for place in range(1, count):
        plan = order[place]
        before = place - 1
        while before >= 0 and means[order[before]] < means[plan]:
            order[before + 1] = order[before]
            before -= 1
        order[before + 1] = plan


@compiled
def _keep_better_half(order: np.ndarray, count: int) -> int:
    """Returns how many of the sorted plans remain; the policy's call, plan 0, is always one."""
    kept = max(2, (count + 1) // 2)
    if kept >= count:
        return count
    for place in range(kept, count):
        if order[place] == 0:
            order[place] = order[kept - 1]
            order[kept - 1] = 0
    return kept


@functools.lru_cache(maxsize=None)
def _build(game: Game, problem: Problem) -> Callable[..., None]:
    """Returns the kernel that searches in games of a map."""
    play = kernels.build_player(game)
    list_actions, execute = kernels.call_functions(game.family)
    decide, calls_functions = problem.policy.decide, problem.policy.calls
    propose, value_of, stage_of = problem.propose, problem.value, problem.stage
    hide = _hide_nothing if problem.hide is None else problem.hide

    parts = (decide, propose, value_of, stage_of, hide)
    sources = ''.join(sorted({digest(part) for part in parts}))

    @kernel(f'{game.name}.{problem.name}.{problem.policy.name}{sources}.search')
    def search(
        games: Any,
        rules: Any,
        wanted: Any,
        allowed: Any,
        keys: Any,
        policy_keys: Any,
        space: Any,
        results: Any,
        num_steps: int,
        frames: int,
        num_draws: int,
        num_halvings: int,
        frame_cost: float,
        margin: float,
        has_candidates: bool,
    ) -> None:
        r = rules[0]
        h = space.copy[0]
        plans = space.plans
        call = space.call[0]
        memory = space.memory[0]
        random = space.random[0]
        available = np.zeros(NUM_FUNCTIONS, np.uint8)
        now_available = np.zeros(NUM_FUNCTIONS, np.uint8)
        order = np.zeros(MAX_PLANS, np.int64)
        means = np.zeros(MAX_PLANS)
        for k in wanted:
            g = games[k]
            list_actions(g, r, available)
            plans.size[0] = 0
            random.key = policy_keys[k, 0]
            random.counter = np.uint64(0)
            own = plans_lib.add(plans, 0)
            decide(g, r, available, memory, random, own)
            if not available[own.function]:
                clear(own)
            if has_candidates:
                propose(g, r, available, plans)
            count = 0
            for plan in range(plans.size[0]):
                first = plans.calls[plan, 0]
                tried = available[first.function] != 0 and allowed[first.function] != 0
                if plan > 0 and plans.lengths[plan] == 1:
                    for other in range(plan):
                        if plans.lengths[other] == 1 and plans_lib.are_equal(
                            plans.calls[other, 0], first
                        ):
                            tried = False
                if tried or plan == 0:
                    order[count] = plan
                    count += 1
                results.candidates[k, plan] = plans.calls[plan, 0]
                means[plan] = 0.0
            if count == 1:
                results.calls[k] = plans.calls[0, 0]
                results.values[k, 0] = 0.0
                results.draws[k, 0] = 1
                continue
            stage = stage_of(g, r)
            draw = 0
            for halving in range(num_halvings + 1):
                for _ in range(num_draws << halving):
                    for place in range(count):
                        plan = order[place]
                        space.copy[0] = g
                        h.key = keys[k, draw]
                        h.counter = np.uint64(0)
                        h._living_changed = True
                        random.key = policy_keys[k, draw]
                        random.counter = np.uint64(0)
                        hide(h, r, random)
                        last_stage = stage
                        step = 0
                        while step < num_steps and not h.ended:
                            given = step < plans.lengths[plan]
                            if given or calls_functions:
                                list_actions(h, r, now_available)
                            if given:
                                execute(h, r, plans.calls[plan, step], now_available)
                            else:
                                clear(call)
                                decide(h, r, now_available, memory, random, call)
                                if calls_functions:
                                    execute(h, r, call, now_available)
                            play(h, r, frames)
                            step += 1
                            new_stage = stage_of(h, r)
                            if new_stage > last_stage:
                                break
                            last_stage = new_stage
                        results.steps[k] += step
                        value = float(h.score - g.score)
                        end = r.episode_loops if h.ended else h.game_loop
                        value -= frame_cost * (end - g.game_loop)
                        if not h.ended:
                            value += value_of(h, r)
                        means[plan] += (value - means[plan]) / (draw + 1)
                        results.draws[k, plan] = draw + 1
                    draw += 1
                _sort(order, count, means)
                if halving < num_halvings:
                    count = _keep_better_half(order, count)
            chosen = order[0]
            if means[chosen] <= means[0] + margin:
                chosen = 0
            results.chosen[k] = chosen
            results.calls[k] = plans.calls[chosen, 0]
            for plan in range(plans.size[0]):
                if results.draws[k, plan] > 0:
                    results.values[k, plan] = means[plan]

    return search


@compiled
def _hide_nothing(g: Any, rules: Any, random: Any) -> None:
    """Leaves a game as it is."""
