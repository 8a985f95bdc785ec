"""The kernels: compiled functions that Python calls, each a loop over the games of a batch.

There is one set for a family of maps, and one for a map, made from the functions of its module.
"""

import functools
from typing import Any, Callable, NamedTuple, Tuple

from sc2impala.sim import actions, drawing, feature_units, observation, picking
from sc2impala.sim.compiler import compiled, kernel
from sc2impala.sim.counter_random import start_stream
from sc2impala.sim.economy import commands, economy_observation, ground, questions
from sc2impala.sim.games.game import Family, Game

Kernel = Callable[..., None]


class MapKernels(NamedTuple):
    """The kernels of a map.

    restart(games, rules, blank, chosen): starts the next episode of the games `chosen`, bool [K].
    advance(games, rules, frames): simulates int64 [K] frames, at most to the end of the episode.
    """

    restart: Kernel
    advance: Kernel


class FamilyKernels(NamedTuple):
    """The kernels of a family of maps.

    act(games, rules, calls, available): executes CALL [K]; available is uint8 [K, 573].
    list_actions(games, rules, available): sets `available`.
    observe(games, rules, observations): sets OBSERVATION [K].
    draw(games, rules, *arrays): updates the layers in the arrays of a `Drawing`.
    list_units(games, rules, rows): sets the rows of `feature_units`, int32 [K, 256, 46].
    describe_units(games, rules, rows, listed): sets the first entries of `listed`, int64 [K, U], to
      the slots of the units that player 1 sees, and their rows, float64 [K, U, 46], without their
      positions.
    """

    act: Kernel
    list_actions: Kernel
    observe: Kernel
    draw: Kernel
    list_units: Kernel
    describe_units: Kernel


class EconomyKernels(NamedTuple):
    """The kernels that answer questions about the ground of games with an economy.

    survey(games, rules): updates the ground where buildings or resources appeared or disappeared.
    check_site(games, rules, type_index, x, y, codes): sets `codes`, int64 [K], see `questions`.
    find_way(games, rules, x0, y0, x1, y1, lengths): sets `lengths`, float64 [K], see `questions`.
    """

    survey: Kernel
    check_site: Kernel
    find_way: Kernel


@functools.lru_cache(maxsize=None)
def build_player(game: Game) -> Kernel:
    """Returns a compiled function of (g, rules, frames) that simulates frames of one game of a map.

    `g._living_changed` must be set before the first frame after a change from outside.
    """
    play_frame = game.play_frame

    def play(g: Any, r: Any, frames: int) -> None:
        end = min(g.game_loop + frames, r.episode_loops)
        while g.game_loop < end and not g.ended:
            g.game_loop += 1
            for i in range(g.unit_end):
                g._died[i] = False
            play_frame(g, r)
            if g.game_loop == r.episode_loops:
                g.ended = True

    # Kernels that different processes compiled are linked by the names of their parts.
    play.__qualname__ = play.__name__ = f'play_{game.name}'
    return compiled(play)


def call_functions(family: Family) -> Tuple[Kernel, Kernel]:
    """Returns the compiled functions of one game of a family that list and execute function calls.

    Their arguments are (g, rules, available) and (g, rules, call, available).
    """
    one = _functions_of(family)
    return one.list_actions, one.execute


@functools.lru_cache(maxsize=None)
def build_map(game: Game) -> MapKernels:
    """Returns the kernels of a map."""
    start, play = game.start, build_player(game)

    @kernel(game.name + '.restart')
    def restart(games: Any, rules: Any, blank: Any, chosen: Any) -> None:
        r = rules[0]
        for k in range(len(games)):
            if chosen[k]:
                g = games[k]
                seed = g.seed
                episode = g.episode + 1
                games[k] = blank[0]
                g.seed = seed
                g.episode = episode
                g.camera_x = r.camera_x
                g.camera_y = r.camera_y
                start_stream(g)
                start(g, r)

    @kernel(game.name + '.advance')
    def advance(games: Any, rules: Any, frames: Any) -> None:
        r = rules[0]
        for k in range(len(games)):
            g = games[k]
            g._living_changed = True
            play(g, r, frames[k])

    return MapKernels(restart, advance)


@functools.lru_cache(maxsize=None)
def build_family(family: Family) -> FamilyKernels:
    """Returns the kernels of a family."""
    one = _functions_of(family)
    execute_one, list_actions_of_one, fill_one = one.execute, one.list_actions, one.fill
    draw_one, list_units_of_one, describe_one = one.draw, one.fill_feature_units, one.describe

    @kernel(family.name + '.act')
    def act(games: Any, rules: Any, calls: Any, available: Any) -> None:
        for k in range(len(games)):
            execute_one(games[k], rules[0], calls[k], available[k])

    @kernel(family.name + '.list_actions')
    def list_actions(games: Any, rules: Any, available: Any) -> None:
        for k in range(len(games)):
            list_actions_of_one(games[k], rules[0], available[k])

    @kernel(family.name + '.observe')
    def observe(games: Any, rules: Any, observations: Any) -> None:
        for k in range(len(games)):
            fill_one(games[k], rules[0], observations[k])

    @kernel(family.name + '.draw')
    def draw(games: Any, rules: Any, *arrays: Any) -> None:
        buffers = drawing.buffers_of(arrays, rules[0], len(games[0].alive))
        for k in range(len(games)):
            draw_one(games[k], rules[0], k, buffers)

    @kernel(family.name + '.list_units')
    def list_units(games: Any, rules: Any, rows: Any) -> None:
        for k in range(len(games)):
            picking.look(games[k], rules[0])
            list_units_of_one(games[k], rules[0], rows[k])

    @kernel(family.name + '.describe_units')
    def describe_units(games: Any, rules: Any, rows: Any, listed: Any) -> None:
        r = rules[0]
        for k in range(len(games)):
            g = games[k]
            picking.look(g, r)
            for row in range(feature_units.list_units(g, r, False)):
                listed[k, row] = g._listed[row]
                describe_one(g, r, g._listed[row], rows[k, row])

    return FamilyKernels(act, list_actions, observe, draw, list_units, describe_units)


@functools.lru_cache(maxsize=None)
def build_economy() -> EconomyKernels:
    """Returns the kernels for games with an economy."""

    @kernel('economy.survey')
    def survey(games: Any, rules: Any) -> None:
        for k in range(len(games)):
            ground.survey(games[k], rules[0])

    @kernel('economy.check_site')
    def check_site(games: Any, rules: Any, type_index: int, x: float, y: float, codes: Any) -> None:
        for k in range(len(games)):
            codes[k] = questions.check_site(games[k], rules[0], type_index, x, y)

    @kernel('economy.find_way')
    def find_way(
        games: Any, rules: Any, x0: float, y0: float, x1: float, y1: float, lengths: Any
    ) -> None:
        for k in range(len(games)):
            lengths[k] = questions.way_length(games[k], rules[0], x0, y0, x1, y1)

    return EconomyKernels(survey, check_site, find_way)


class _Functions(NamedTuple):
    """The functions of one game that depend on whether its record has an economy."""

    execute: Kernel
    list_actions: Kernel
    fill: Kernel
    draw: Kernel
    fill_feature_units: Kernel
    describe: Kernel


def _functions_of(family: Family) -> _Functions:
    if family.has_economy:
        return _Functions(
            commands.execute,
            economy_observation.list_actions,
            economy_observation.fill,
            economy_observation.draw,
            economy_observation.fill_feature_units,
            economy_observation.describe,
        )
    return _Functions(
        actions.execute,
        observation.list_actions,
        observation.fill,
        drawing.draw,
        feature_units.fill_feature_units,
        feature_units.describe,
    )
