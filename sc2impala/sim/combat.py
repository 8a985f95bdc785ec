"""Combat: target acquisition, attacks and their timing, and the response of units that are hit.

Units that are idle, hold position, patrol or attack-move acquire targets by themselves; units with
an order to attack a unit follow it until it is dead; all others do not fight. The timeline of an
attack is

    start --damage_point--> hit --backswing--> free to walk again
    start --weapon_period and a random delay--> next start

An attack that is interrupted before its damage point, by another order or because its target is
gone, is cancelled and starts no cooldown. After the hit the cooldown runs whatever the unit does.
"""

import collections
from typing import Any, List, Optional, Tuple

import numpy as np

from sc2impala.sim import damage, fighter_table, geometry, orders, unit_types
from sc2impala.sim.mechanic import Mechanic
from sc2impala.sim.units import NO_UNIT, Units
from sc2impala.sim.world import World

RANGE_SLOP = 1.0  # Beyond the weapon's range an attack that has started still hits. [S] GD
MIN_DELAY, MAX_DELAY = -1.0, 2.0  # Random offset of the cooldown, in frames. [S] GD
CALL_RADIUS = 4.0  # From edge to edge; a unit that is hit calls idle units in this range. [S] GD
CALL_PERIOD = 2 * unit_types.LOOPS_PER_SECOND  # Frames between two calls of a unit. [S] GD
LEASH = 21.0  # Distance from its home up to which an idle unit follows a target. [S] GD
LEASH_RESET = 5.0  # Distance from home at which it acquires targets again. [S] GD
PURSUIT_RANGE = 11.0  # From edge to edge; a unit drops targets that are farther. [U]
REACTION_LOOPS = 8  # Frames between two target searches of an idle unit. [U]
HOME_RADIUS = 0.5  # Distance from home at which a unit has returned. [U]
INWARD = 0.7
"""Cells towards the target per cell sideways, of a unit that walks around others. [U]"""

_CHOOSES = np.zeros([orders.NUM_KINDS], bool)
_CHOOSES[[orders.IDLE, orders.HOLD, orders.ATTACK, orders.PATROL]] = True
"""Orders during which a unit acquires targets by itself."""
_NEVER = 2**30

_LEFT = np.array([[-1], [1]])  # (y, x) times this is (x, y) rotated to the left by 90 degrees.
_Aim = collections.namedtuple('_Aim', ['target', 'gap', 'body', 'now'])
"""Targets of the fighters, arrays [n] each.

target: slot, or NO_UNIT. gap: distance from edge to edge, infinite without a target. body: flat
index game * U + slot of the target, arbitrary without one. now: current frame of the game."""


class Combat(Mechanic):
    """The fights of K games with M units that can move.

    Attributes, [K, M] each unless another shape is given:
      target: int16, slot of the unit that it attacks, or NO_UNIT.
      engaged: bool, whether combat controls its movement.
      away: bool, whether an idle unit has left its home to fight. home: float64 [2, K, M], the
        position that it left. homing: bool, whether it exceeded the leash and ignores targets
        on its way back.
      strike_at: int32, frame of the next hit; _NEVER if no attack has started.
      ready_at, rest_until, call_at: int32, first frames in which it may attack, walk, call.
      missile_at: int32, frame in which its missile lands, _NEVER if there is none;
        missile_target: int16; missile_damage: float64.
    """

    name = 'combat'
    FIELDS = (
        'target',
        'engaged',
        'away',
        'home',
        'homing',
        'strike_at',
        'ready_at',
        'rest_until',
        'call_at',
        'missile_at',
        'missile_target',
        'missile_damage',
    )

    def __init__(self, num_games: int, num_mobile: int):
        """Creates the mechanic for K games with M units that can move."""
        shape = [num_games, num_mobile]
        self.target = np.full(shape, NO_UNIT, np.int16)
        self.engaged = np.zeros(shape, bool)
        self.away = np.zeros(shape, bool)
        self.home = np.zeros([2] + shape)
        self.homing = np.zeros(shape, bool)
        self.strike_at = np.full(shape, _NEVER, np.int32)
        self.ready_at = np.zeros(shape, np.int32)
        self.rest_until = np.zeros(shape, np.int32)
        self.call_at = np.zeros(shape, np.int32)
        self.missile_at = np.full(shape, _NEVER, np.int32)
        self.missile_target = np.full(shape, NO_UNIT, np.int16)
        self.missile_damage = np.zeros(shape)
        self._fighter_table: Optional[fighter_table.FighterTable] = None

    def restart(self, world: World, games: np.ndarray) -> None:
        """See Mechanic."""
        self._clear(games)
        self.missile_at[games] = _NEVER
        self.missile_target[games] = NO_UNIT
        self.missile_damage[games] = 0

    def forget(self, games: np.ndarray, slots: np.ndarray) -> None:
        """See Mechanic. Missiles of a dead unit still land; missiles at a dead unit are removed."""
        mobile = slots < self.target.shape[1]
        self._clear((games[mobile], slots[mobile]))
        rows, columns = np.nonzero(self.target[games] == slots[:, None])
        at = games[rows], columns
        self.target[at] = NO_UNIT
        self.strike_at[at] = _NEVER
        self.rest_until[at] = 0
        rows, columns = np.nonzero(self.missile_target[games] == slots[:, None])
        at = games[rows], columns
        self.missile_at[at] = _NEVER
        self.missile_target[at] = NO_UNIT

    def step(self, world: World, running: np.ndarray) -> None:
        """Resolves one frame: missiles, healing, targets, attacks, movement, deaths."""
        units = world.units
        fighters = self._fighters(units, running)
        hits = self._land_missiles(world, running)
        if fighters.size:
            _heal(units, fighters)
            aim = self._choose(world, fighters)
            hits += self._strike(world, fighters, aim)
            self._steer(world, fighters, aim)
        if hits:
            self._settle(world, *(np.concatenate(parts) for parts in zip(*hits)))

    def _clear(self, at: Any) -> None:
        for values in (self.engaged, self.away, self.homing):
            values[at] = False
        for values in (self.ready_at, self.rest_until, self.call_at):
            values[at] = 0
        self.target[at] = NO_UNIT
        self.strike_at[at] = _NEVER
        at = at if isinstance(at, tuple) else (at,)
        self.home[(slice(None),) + at] = 0

    def _fighters(self, units: Units, running: np.ndarray) -> fighter_table.FighterTable:
        """Returns the table of fighters, rebuilt if units have changed.

        It lists the armed units with enemies and those that `_wanted` selects.
        """
        fighters = self._fighter_table
        if fighters is not None and fighters.serves(units, running):
            if fighters.is_complete:
                return fighters
            wanted = self._wanted(units)
            if not (wanted > fighters.listed).any():
                return fighters
        self._fighter_table = fighter_table.FighterTable(units, running, self._wanted(units))
        return self._fighter_table

    def _wanted(self, units: Units) -> np.ndarray:
        """Returns the units that are listed even without enemies: bool [K, M]."""
        attacks = units.order_kind[:, :, 0] == orders.ATTACK
        return self.engaged | (attacks & (units.order_target[:, :, 0] != NO_UNIT))

    def _land_missiles(
        self, world: World, running: np.ndarray
    ) -> List[Tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Applies the damage of missiles that land; returns games, attackers and victims."""
        landing = (self.missile_at <= world.game_loop[:, None]) & running[:, None]
        games, slots = landing.nonzero()
        if not games.size:
            return []
        victims = self.missile_target[games, slots]
        np.subtract.at(world.units.health, (games, victims), self.missile_damage[games, slots])
        self.missile_at[games, slots] = _NEVER
        self.missile_target[games, slots] = NO_UNIT
        return [(games, slots, victims)]

    def _choose(self, world: World, fighters: fighter_table.FighterTable) -> _Aim:
        """Acquires, keeps or drops the target of every fighter."""
        units, mobile = world.units, fighters.mobile
        x, y = fighter_table.sight(units)
        order_kind = units.order_kind.reshape(-1).take(fighters.queue)
        ordered = units.order_target.reshape(-1).take(fighters.queue)
        obeys = (order_kind == orders.ATTACK) & (ordered != NO_UNIT)
        chooses = _CHOOSES.take(order_kind) & ~obeys
        before = self.target.reshape(-1).take(mobile)
        interrupted = self.engaged.reshape(-1).take(mobile) & ~units.busy.reshape(-1).take(mobile)
        if interrupted.any():
            self._interrupt(mobile[interrupted])
        target = np.where(chooses & ~interrupted, before, NO_UNIT)
        np.copyto(target, ordered, where=obeys)
        gap = _gap(fighters, target, x, y)

        looks = chooses & (gap > fighters.weapon_range)
        looks &= ~self.homing.reshape(-1).take(mobile)
        winds_up = self.strike_at.reshape(-1).take(mobile) < _NEVER
        looks &= ~(winds_up & (target != NO_UNIT))
        # A unit follows a target that left its range but is in sight, unless another is nearer.
        holds = order_kind == orders.HOLD
        target[looks & (holds | (gap > PURSUIT_RANGE))] = NO_UNIT
        idle = order_kind == orders.IDLE
        waits = idle & (target == NO_UNIT) & ~self.away.reshape(-1).take(mobile)
        now = world.game_loop.take(fighters.games)
        waits &= (now + fighters.slots) % REACTION_LOOPS != 0
        looks &= ~waits
        limit = fighters.scan_range
        if holds.any():
            limit = np.where(holds, fighters.weapon_range, limit)
        for side in fighters.sides:
            index = looks.take(side.members).nonzero()[0]
            if index.size:
                seekers = side.members.take(index)
                found, distance = side.nearest(index, limit.take(seekers), x, y)
                sees = found != NO_UNIT
                seekers = seekers[sees]
                target[seekers] = found[sees]
                gap[seekers] = distance[sees]

        self._stay_near_home(units, fighters, idle, target)
        gap[target == NO_UNIT] = np.inf
        changed = mobile[target != before]
        if changed.size:
            self.target.reshape(-1)[mobile] = target
            self.strike_at.reshape(-1)[changed] = _NEVER
            self.rest_until.reshape(-1)[changed] = 0
        return _Aim(target, gap, fighters.first + np.maximum(target, 0), now)

    def _interrupt(self, at: np.ndarray) -> None:
        """Clears the combat state of units with a new order, flat indices int [n]."""
        for values in (self.engaged, self.away, self.homing):
            values.reshape(-1)[at] = False
        self.rest_until.reshape(-1)[at] = 0

    def _stay_near_home(
        self,
        units: Units,
        fighters: fighter_table.FighterTable,
        idle: np.ndarray,
        target: np.ndarray,
    ) -> None:
        """Keeps idle units on their leash; clears `target` of those that exceeded it."""
        away, homing = self.away.reshape(-1), self.homing.reshape(-1)
        position, home = units.position.reshape(2, -1), self.home.reshape(2, -1)
        was_away = away.take(fighters.mobile)
        leaving = idle & (target != NO_UNIT) & ~was_away
        if leaving.any():
            away[fighters.mobile[leaving]] = True
            home[:, fighters.mobile[leaving]] = position[:, fighters.body[leaving]]
        index = was_away.nonzero()[0]
        if not index.size:
            return
        at = fighters.mobile.take(index)
        distance = geometry.length(
            position.take(fighters.body.take(index), axis=1) - home.take(at, axis=1)
        )
        strays = distance > np.where(homing.take(at), LEASH_RESET, LEASH)
        homing[at] = strays
        target[index[strays]] = NO_UNIT
        away[at[(distance <= HOME_RADIUS) & (target.take(index) == NO_UNIT)]] = False

    def _strike(
        self, world: World, fighters: fighter_table.FighterTable, aim: _Aim
    ) -> List[Tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Starts attacks and resolves hits that are due; returns as `_land_missiles`."""
        units, mobile = world.units, fighters.mobile
        health, strike_at = units.health.reshape(-1), self.strike_at.reshape(-1)
        planned = strike_at.take(mobile)
        starts = (aim.gap <= fighters.weapon_range) & (planned == _NEVER)
        starts &= self.ready_at.reshape(-1).take(mobile) <= aim.now
        starts = starts.nonzero()[0]
        planned[starts] = aim.now.take(starts) + fighters.damage_point.take(starts)
        strike_at[mobile.take(starts)] = planned.take(starts)
        due = ((planned <= aim.now) & (aim.target != NO_UNIT)).nonzero()[0]
        # A unit that was killed by a missile in this frame no longer hits.
        due = due[health.take(fighters.body.take(due)) > 0]
        if not due.size:
            return []

        gap, body = aim.gap.take(due), aim.body.take(due)
        hits = gap <= fighters.weapon_range.take(due) + RANGE_SLOP
        explodes = hits & (fighters.splash_radius.take(due) > 0)
        flies = hits & (fighters.missile_speed.take(due) > 0)
        flies &= gap >= fighters.missile_min_range.take(due)
        amount = damage.of_hits(units.stats, fighters.unit_type.take(due), units.type.take(body))
        direct = (hits & ~explodes & ~flies).nonzero()[0]
        dealt = damage.find_victim_alive(health, body.take(direct), amount.take(direct))
        spent = np.ones([len(due)], bool)
        spent[direct[~dealt]] = False
        direct = direct[dealt]
        struck = body.take(direct)
        np.subtract.at(health, struck, amount.take(direct))
        self._recover(world, fighters, due[spent])
        strike_at[mobile.take(due)] = _NEVER
        if flies.any():
            self._launch(fighters, aim, due[flies], amount[flies])
        direct = due.take(direct)
        hits = fighters.games.take(direct), fighters.slots.take(direct), aim.target.take(direct)
        return [hits] + self._explode(units, fighters, due[explodes], struck)

    def _recover(
        self, world: World, fighters: fighter_table.FighterTable, index: np.ndarray
    ) -> None:
        """Starts the cooldown of fighters int [n] that have hit."""
        at = fighters.mobile.take(index)
        delay = MIN_DELAY + (MAX_DELAY - MIN_DELAY) * world.random.each(fighters.games.take(index))
        # Ready in the frame in which the period ends, not in the next one. [U]
        pause = np.floor(fighters.weapon_period.take(index) + delay).astype(np.int32)
        strike_at = self.strike_at.reshape(-1).take(at)
        self.ready_at.reshape(-1)[at] = strike_at - fighters.damage_point.take(index) + pause
        self.rest_until.reshape(-1)[at] = strike_at + fighters.backswing.take(index)

    def _launch(
        self, fighters: fighter_table.FighterTable, aim: _Aim, index: np.ndarray, amount: np.ndarray
    ) -> None:
        """Launches missiles of fighters int [n] with damage float64 [n]."""
        at = fighters.mobile.take(index)
        flight = np.ceil(aim.gap.take(index) / fighters.missile_speed.take(index))
        self.missile_at.reshape(-1)[at] = aim.now.take(index) + flight.astype(np.int32)
        self.missile_target.reshape(-1)[at] = aim.target.take(index)
        self.missile_damage.reshape(-1)[at] = amount

    def _explode(
        self,
        units: Units,
        fighters: fighter_table.FighterTable,
        attackers: np.ndarray,
        struck: np.ndarray,
    ) -> List[Tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Resolves the splash damage of units that attack or die.

        Args:
          units: changed in place.
          fighters: of this frame.
          attackers: int [n], indices of fighters.
          struck: int [m], flat indices of units that were hit; those killed explode too.

        Returns:
          the same as `_land_missiles`.
        """
        num_units = units.alive.shape[1]
        health = units.health.reshape(-1)
        splashes = units.stats.splash_radius.take(units.type.take(struck)) > 0
        bodies = struck[splashes & (health.take(struck) <= 0)]
        if attackers.size or bodies.size:
            bodies = np.unique(np.concatenate([fighters.body.take(attackers), bodies]))
            games, slots = np.divmod(bodies, num_units)
            health[bodies] = 0
            rows, victims = damage.explode(units, games, slots)
            # An exploding unit is its own victim: it dies.
            return [(games[rows], slots[rows], victims), (games, slots, slots)]
        return []

    def _steer(self, world: World, fighters: fighter_table.FighterTable, aim: _Aim) -> None:
        """Sets the goals of fighters: towards their targets, their own position, or home."""
        units, mobile = world.units, fighters.mobile
        fights = aim.target != NO_UNIT
        engaged = fights | self.away.reshape(-1).take(mobile)
        released = self.engaged.reshape(-1).take(mobile) & ~engaged
        released &= units.busy.reshape(-1).take(mobile)
        if released.any():
            orders.resume(units, (fighters.games[released], fighters.slots[released]))
        self.engaged.reshape(-1)[mobile] = engaged

        index = engaged.nonzero()[0]
        at, fights = mobile.take(index), fights.take(index)
        rests = self.strike_at.reshape(-1).take(at) < _NEVER
        rests |= self.rest_until.reshape(-1).take(at) > aim.now.take(index)
        walks = (aim.gap.take(index) > fighters.weapon_range.take(index)) & ~rests
        # A unit that is blocked by standing units walks around them. [U]
        side = units.side.reshape(-1).take(at)
        position = units.position.reshape(2, -1)
        here = position.take(fighters.body.take(index), axis=1)
        offset = position.take(aim.body.take(index), axis=1) - here
        around = INWARD * offset + side * (offset[::-1] * _LEFT)
        goal = here + np.where(side == 0, offset, around) * walks
        np.copyto(goal, self.home.reshape(2, -1).take(at, axis=1), where=~fights)
        units.goal.reshape(2, -1)[:, at] = geometry.clamp(goal, world.arena.playable)
        units.busy.reshape(-1)[at] = True

    def _settle(
        self, world: World, games: np.ndarray, attackers: np.ndarray, victims: np.ndarray
    ) -> None:
        """Removes dead units and lets survivors respond; all arguments are int [n]."""
        units = world.units
        dead = units.alive[games, victims] & (units.health[games, victims] <= 0)
        if dead.any():
            num_units = units.alive.shape[1]
            bodies = np.unique(games[dead] * num_units + victims[dead])
            world.kill(bodies // num_units, bodies % num_units)
        hostile = units.owner[games, attackers] != units.owner[games, victims]
        answered = hostile & units.alive[games, attackers]
        if answered.any():
            self._answer(world, games[answered], attackers[answered], victims[answered])

    def _answer(
        self, world: World, games: np.ndarray, attackers: np.ndarray, victims: np.ndarray
    ) -> None:
        """Makes idle units target their attackers or those of a calling neighbour."""
        units = world.units
        mobile = victims < units.num_mobile
        games, attackers, victims = games[mobile], attackers[mobile], victims[mobile]
        now = world.game_loop.take(games)
        free = self._is_free(units, games, victims)
        self.target[games[free], victims[free]] = attackers[free]

        calls = self.call_at[games, victims] <= now
        games, attackers, victims = games[calls], attackers[calls], victims[calls]
        if not games.size:
            return
        self.call_at[games, victims] = now[calls] + CALL_PERIOD
        rows, victims = games[:, None], victims[:, None]
        slots = np.arange(units.num_mobile)
        free = self._is_free(units, rows, slots)
        free &= units.owner[rows, slots] == units.owner[rows, victims]
        if not free.any():
            return
        offset = units.position[:, rows, slots] - units.position[:, rows, victims]
        radius = units.stats.radius
        reach = radius[units.type[rows, slots]] + radius[units.type[rows, victims]] + CALL_RADIUS
        row, slot = (free & (geometry.length(offset) <= reach)).nonzero()
        self.target[games[row], slot] = attackers[row]

    def _is_free(self, units: Units, games: np.ndarray, slots: np.ndarray) -> np.ndarray:
        """Whether units, given by indices that broadcast, are idle, armed and without a target."""
        free = (units.order_kind[games, slots, 0] == orders.IDLE) & units.alive[games, slots]
        free &= (self.target[games, slots] == NO_UNIT) & ~self.homing[games, slots]
        return free & (units.stats.damage[units.type[games, slots]] > 0)


def _gap(
    fighters: fighter_table.FighterTable, target: np.ndarray, x: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Distances from fighters to targets, from edge to edge; infinite for NO_UNIT."""
    body = fighters.first + np.maximum(target, 0)
    across = x.take(body) - x.take(fighters.body)
    up = y.take(body) - y.take(fighters.body)
    gap = np.sqrt(across * across + up * up) - (fighters.radius + fighters.radius_of.take(body))
    gap[target == NO_UNIT] = np.inf
    return gap


def _heal(units: Units, fighters: fighter_table.FighterTable) -> None:
    """Heals the units that regenerate."""
    health = units.health.reshape(-1)
    before = health.take(fighters.healing)
    after = np.minimum(before + fighters.regeneration, fighters.full_health)
    health[fighters.healing] = np.where(before > 0, after, before)
