"""The protocol's raw interface: units and orders independent of camera and selection."""

from typing import Any, Iterable, Tuple

import numpy as np

from sc2impala.sim import appearance, feature_units, geometry, orders, results
from sc2impala.sim.api import abilities, terrain
from sc2impala.sim.game_batch import GameBatch
from sc2impala.sim.units import NO_UNIT

GAME = np.array([0])
"""The only game of a batch."""

_FULL_PERCENT = 100
_MAX_NUDGES = 8  # Changes of a coordinate by one unit in the last place.
_NUMBERS = (
    'display_type',
    'alliance',
    'unit_type',
    'owner',
    'facing',
    'cloak',
    'health',
    'mineral_contents',
    'vespene_contents',
    'assigned_harvesters',
    'ideal_harvesters',
    'weapon_cooldown',
)
_WITHOUT_TARGET = (orders.HOLD, orders.RETURN)
_FLAGS = {'is_selected': 'is_selected', 'active': 'is_active'}


class RawInterface:
    """Writes the raw observations of one game, and executes orders to units by their tags."""

    def __init__(self, game: GameBatch):
        """Args: game: a batch of one game."""
        self._game = game
        units = game.world.units
        self._products = abilities.of_products(units.types)
        self._alive = np.zeros_like(units.alive[0])
        self._generation = np.zeros(self._alive.shape, np.int64)
        self._shown = np.zeros([0], np.int64)

    def restart(self) -> None:
        """Forgets the units of the last episode: they have not died."""
        self._shown = np.zeros([0], np.int64)

    def tags(self) -> np.ndarray:
        """Returns the tags of the units in all slots: int64 [U], none of them 0.

        A unit that enters a slot has another tag than the slot's last unit, if the slot was empty
        in a call of this method in between.
        """
        alive = self._game.world.units.alive[0]
        self._generation += alive & ~self._alive
        self._alive = alive.copy()
        return (self._generation << 16) + np.arange(1, len(alive) + 1)

    def slots(self, tags: Iterable[int]) -> np.ndarray:
        """Returns the slots of the living units with these tags: int [n]; skips unknown tags."""
        known = np.isin(self.tags(), np.array(list(tags), np.uint64).astype(np.int64))
        return (known & self._alive).nonzero()[0]

    def write(self, message: Any) -> None:
        """Writes the units and cells that player 1 sees, and the camera, into an ObservationRaw.

        Units that were written before and have died since are listed as events.
        """
        world = self._game.world
        units = world.units
        message.player.camera.x, message.player.camera.y = world.camera[:, 0].tolist()
        terrain.write_state(message.map_state, world)
        games, slots = appearance.shown(world)[:1].nonzero()
        at = games, slots
        columns = {
            name: np.broadcast_to(np.asarray(values, float), slots.shape).tolist()
            for name, values in feature_units.columns_of(world, at).items()
        }
        points, on_screen = self._places(at)
        stats, types = units.stats, units.type[at]
        radius, health_max = stats.radius[types].tolist(), stats.health[types].tolist()
        positions, is_on_screen = points.T.tolist(), on_screen.tolist()
        all_tags = self.tags()
        dead = np.setdiff1d(self._shown, all_tags[self._alive])
        message.event.dead_units.extend(dead.tolist())
        self._shown = all_tags[slots]
        for row, tag in enumerate(self._shown.tolist()):
            unit = message.units.add()
            unit.tag = tag
            for name in _NUMBERS:
                value = columns[name][row] if name in columns else 0.0
                if value:
                    _set(unit, name, value)
            for name, field in _FLAGS.items():
                setattr(unit, field, bool(columns[name][row]))
            unit.pos.x, unit.pos.y = positions[row]
            unit.radius, unit.health_max = radius[row], health_max[row]
            unit.is_on_screen = is_on_screen[row]
            unit.build_progress = percent(columns['build_progress'][row])
            self._write_orders(unit.orders, int(slots[row]), all_tags)
            if len(unit.orders) and 'order_progress_0' in columns:
                unit.orders[0].progress = percent(columns['order_progress_0'][row])

    def order(self, command: Any) -> int:
        """Selects the units of an ActionRawUnitCommand and executes it: a code of `results`."""
        slots = self.slots(command.unit_tags)
        chosen = np.zeros_like(self._game.world.units.own)
        chosen[0, slots] = True
        if not (chosen & self._game.world.units.own).any():
            return results.ERROR
        target, point = NO_UNIT, np.zeros([2, 1])
        target_type = abilities.QUICK
        if command.HasField('target_unit_tag'):
            found = self.slots([command.target_unit_tag])
            if not len(found):
                return results.ERROR
            target, target_type = int(found[0]), abilities.SCREEN
            point = self._game.world.units.position[:, :1, target]
        elif command.HasField('target_world_space_pos'):
            target_type = abilities.SCREEN
            position = command.target_world_space_pos
            point = np.nan_to_num(np.array([[position.x], [position.y]], float))
            point = np.minimum(np.maximum(point, 0), geometry.MAP_EXTENT)
        function = abilities.function_of(command.ability_id, target_type)
        if function is None:
            return results.NOT_SUPPORTED
        self._game.select(chosen)
        self._game.act(
            np.array([function]),
            {'queued': np.array([int(command.queue_command)])},
            (point, np.array([target])),
        )
        return int(self._game.world.action_result[0])

    def look_at(self, move: Any) -> int:
        """Executes an ActionRawCameraMove: a code of `results`."""
        world = self._game.world
        if world.arena.camera_moves:
            centre = move.center_world_space
            point = np.nan_to_num(np.array([[centre.x], [centre.y]], float))
            world.look_at(GAME, geometry.clamp(point, world.arena.playable))
        return results.OK

    def _write_orders(self, message: Any, slot: int, tags: np.ndarray) -> None:
        """Adds the current and the queued orders of a unit of player 1 to a list of UnitOrders."""
        world = self._game.world
        units = world.units
        if not units.own[0, slot]:
            return
        if slot >= units.num_mobile:
            production: Any = world.mechanics.get('production')
            if production is not None:
                trained = production.queue[0, slot - units.num_mobile]
                for ability in self._products[trained[trained >= 0]].tolist():
                    message.add(ability_id=ability)
            return
        busy = np.flatnonzero(units.order_kind[0, slot] != orders.IDLE)
        order_kinds = units.order_kind[0, slot, busy]
        products = self._products[units.order_type[0, slot, busy]]
        targets = units.order_target[0, slot, busy].tolist()
        points = units.order_point[:, 0, slot, busy].T.tolist()
        for index, ability in enumerate(abilities.of_orders(order_kinds, products)):
            order = message.add(ability_id=ability)
            if targets[index] != NO_UNIT:
                order.target_unit_tag = int(tags[targets[index]])
            elif order_kinds[index] not in _WITHOUT_TARGET:
                order.target_world_space_pos.x, order.target_world_space_pos.y = points[index]

    def _places(self, at: Tuple[np.ndarray, np.ndarray]) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the positions of units in single precision.

        They are rounded such that a client that computes pixels from them, and from the camera in
        single precision, gets the same pixels as the feature layers show.

        Args:
          at: indices (games, slots) of the units, int [n] each.

        Returns:
          positions: float32 [2, n].
          on_screen: bool [n], whether they are on the screen.
        """
        world = self._game.world
        screen, camera = world.screen, world.camera[:, GAME]
        points = world.units.position[(slice(None),) + at]
        wanted = np.floor(screen.to_pixels(points, geometry.screen_corner(camera)))
        on_screen = ((wanted >= 0) & (wanted < np.array(screen.size)[:, None])).all(0)
        corner = geometry.screen_corner(camera.astype(np.float32).astype(np.float64))
        inside = screen.to_world(wanted, corner).astype(np.float32)
        points = points.astype(np.float32)
        for _ in range(_MAX_NUDGES):
            pixels = np.floor(screen.to_pixels(points.astype(np.float64), corner))
            wrong = (pixels != wanted) & on_screen
            if not wrong.any():
                break
            points = np.where(wrong, np.nextafter(points, inside), points)
        return points, on_screen


def percent(value: float) -> float:
    """Converts a percentage to the protocol's fraction, in single precision.

    PySC2 multiplies by 100 and truncates: the fraction is rounded such that the result is the same
    integer percentage.
    """
    fraction = float(np.float32(value / _FULL_PERCENT))
    if int(fraction * _FULL_PERCENT) != int(value):
        fraction = float(np.float32((int(value) + 0.5) / _FULL_PERCENT))
    return fraction


def single(value: float) -> float:
    """Rounds a non-negative number to single precision without changing its integer part."""
    rounded = np.float32(value)
    if int(rounded) != int(value):
        rounded = np.nextafter(rounded, np.float32(0))
    return float(rounded)


def _set(unit: Any, name: str, value: float) -> None:
    """Sets a number; most fields are integers, the others are of single precision."""
    whole = name not in ('facing', 'health', 'weapon_cooldown')
    setattr(unit, name, int(value) if whole else single(value))
