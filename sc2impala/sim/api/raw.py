"""The protocol's raw interface: units and orders independent of camera and selection."""

from typing import Any, Iterable, List, NamedTuple, Tuple

import numpy as np

from sc2impala.sim import geometry, orders, protocol_codes, units
from sc2impala.sim.api import abilities, terrain
from sc2impala.sim.compiler import uncompiled
from sc2impala.sim.feature_units import COLUMNS
from sc2impala.sim.game_batch import GameBatch
from sc2impala.sim.unit_types import SELF
from sc2impala.sim.units import NO_TYPE, NO_UNIT

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
    'cargo_space_max',
    'assigned_harvesters',
    'ideal_harvesters',
    'weapon_cooldown',
)
_WITHOUT_TARGET = (orders.HOLD, orders.RETURN)
_FLAGS = {'is_selected': 'is_selected', 'active': 'is_active'}


class Failure(NamedTuple):
    """An order that failed: its ability, its result code, and the tag of a unit, or 0."""

    ability: int
    code: int
    tag: int = 0


class RawInterface:
    """Writes the raw observations of one game, and executes orders to units by their tags."""

    def __init__(self, game: GameBatch, is_cropped: bool = False, affects_selection: bool = True):
        """Args:

        game: a batch of one game.
        is_cropped: whether coordinates are relative to the playable area.
        affects_selection: whether the units of an order remain selected.
        """
        self._game = game
        self._is_cropped, self._affects_selection = is_cropped, affects_selection
        area = terrain.playable_area(game)
        self._origin = np.array([area.left, area.bottom], float) * is_cropped
        self._products = abilities.find_products(game.unit_types)
        self._alive = np.zeros([game.games.alive.shape[1]], bool)
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
        alive = self._game.games.alive[0] != 0
        self._generation += alive & ~self._alive
        self._alive = alive
        return (self._generation << 16) + np.arange(1, len(alive) + 1)

    def slots(self, tags: Iterable[int]) -> np.ndarray:
        """Returns the slots of the living units with these tags: int [n]; skips unknown tags."""
        known = np.isin(self.tags(), np.array(list(tags), np.uint64).astype(np.int64))
        return (known & self._alive).nonzero()[0]

    def write(self, message: Any) -> None:
        """Writes the units and cells that player 1 sees, and the camera, into an ObservationRaw.

        Units that were written before and have died since are listed as events.
        """
        game, rules = self._game.games[0], self._game.rules
        rows, listed = self._game.describe_units()
        terrain.write_state(message.map_state, self._game, self._is_cropped)
        camera = self.from_world(np.array([game.camera_x, game.camera_y]))
        message.player.camera.x, message.player.camera.y = camera.tolist()
        slots = listed[0, listed[0] != NO_UNIT]
        columns = dict(zip(COLUMNS, rows[0, : len(slots)].T.tolist()))
        points, on_screen = self._places(slots)
        types = game.type[slots]
        radius, health_max = rules.radius[types].tolist(), rules.health[types].tolist()
        positions, is_on_screen = points.T.tolist(), on_screen.tolist()
        all_tags = self.tags()
        dead = np.setdiff1d(self._shown, all_tags[self._alive])
        message.event.dead_units.extend(dead.tolist())
        self._shown = all_tags[slots]
        for row, tag in enumerate(self._shown.tolist()):
            unit = message.units.add()
            unit.tag = tag
            for name in _NUMBERS:
                if columns[name][row]:
                    _set(unit, name, columns[name][row])
            for name, field in _FLAGS.items():
                setattr(unit, field, bool(columns[name][row]))
            unit.pos.x, unit.pos.y = positions[row]
            unit.radius, unit.health_max = radius[row], health_max[row]
            unit.is_on_screen = is_on_screen[row]
            unit.build_progress = percent(columns['build_progress'][row])
            self._write_orders(unit.orders, int(slots[row]), all_tags)
            if len(unit.orders) and rules.has_economy:
                unit.orders[0].progress = percent(columns['order_progress_0'][row])

    def to_world(self, point: Any) -> np.ndarray:
        """Returns a Point2D of a client as float64 [2], on the map."""
        found = np.nan_to_num(np.array([point.x, point.y], float)) + self._origin
        return np.minimum(np.maximum(found, 0), geometry.MAP_EXTENT)

    def from_world(self, point: np.ndarray) -> np.ndarray:
        """Returns a point of the map, float64 [2], in the coordinates of the client."""
        return point - self._origin

    def order(self, command: Any) -> int:
        """Selects the units of an ActionRawUnitCommand and executes it; returns a result code."""
        before = self._game.games.selected.astype(bool)
        code = self._order(command)
        if not self._affects_selection:
            self._game.select(before)
        return code

    def _order(self, command: Any) -> int:
        game = self._game.games[0]
        slots = self.slots(command.unit_tags)
        if not (game.owner[slots] == SELF).any():
            return protocol_codes.ERROR
        chosen = np.zeros([1, len(game.owner)], bool)
        chosen[0, slots] = True
        target, point = NO_UNIT, np.zeros([2, 1])
        target_type = abilities.QUICK
        if command.HasField('target_unit_tag'):
            found = self.slots([command.target_unit_tag])
            if not len(found):
                return protocol_codes.ERROR
            target, target_type = int(found[0]), abilities.SCREEN
            point = np.array([[game.x[target]], [game.y[target]]])
        elif command.HasField('target_world_space_pos'):
            target_type = abilities.SCREEN
            point = self.to_world(command.target_world_space_pos)[:, None]
        function = abilities.function_of(command.ability_id, target_type)
        if function is None:
            return protocol_codes.NOT_SUPPORTED
        self._game.select(chosen)
        self._game.act(
            np.array([function]),
            {'queued': np.array([int(command.queue_command)])},
            (point, np.array([target])),
        )
        return int(self._game.games.action_result[0])

    def late_failures(self) -> List[Failure]:
        """Returns the orders to build that failed on arrival since the last call."""
        game = self._game.games[0]
        if not self._game.rules.has_economy or not game._num_failures:
            return []
        count, tags = int(game._num_failures), self.tags()
        game._num_failures = 0
        return [
            Failure(int(self._products[game._failed_type[k]]), int(code), int(tags[worker]))
            for k, (worker, code) in enumerate(
                zip(game._failed_worker[:count], game._failed_code[:count])
            )
        ]

    def look_at(self, move: Any) -> int:
        """Executes an ActionRawCameraMove: a code of `protocol_codes`."""
        rules = self._game.rules
        if rules.camera_moves:
            point = self.to_world(move.center_world_space)
            low = rules.playable_left, rules.playable_bottom
            high = rules.playable_right, rules.playable_top
            uncompiled(units.look_at)(self._game.games[0], *np.clip(point, low, high).tolist())
        return protocol_codes.OK

    def _write_orders(self, message: Any, slot: int, tags: np.ndarray) -> None:
        """Adds the current and the queued orders of a unit of player 1 to a list of UnitOrders."""
        game = self._game.games[0]
        if game.owner[slot] != SELF:
            return
        num_mobile = len(game.goal_x)
        if slot >= num_mobile:
            if self._game.rules.has_economy:
                trained = game.queue[slot - num_mobile]
                for ability in self._products[trained[trained != NO_TYPE]].tolist():
                    message.add(ability_id=ability)
            return
        busy = np.flatnonzero(game.order_kind[slot] != orders.IDLE)
        order_kinds = game.order_kind[slot, busy]
        products = self._products[game.order_type[slot, busy]]
        targets = game.order_target[slot, busy].tolist()
        points = zip(game.order_x[slot, busy].tolist(), game.order_y[slot, busy].tolist())
        known = abilities.find_orders(order_kinds, products)
        for ability, order_kind, target, point in zip(known, order_kinds, targets, points):
            order = message.add(ability_id=ability)
            if target != NO_UNIT:
                order.target_unit_tag = int(tags[target])
            elif order_kind not in _WITHOUT_TARGET:
                at = self.from_world(np.array(point)).tolist()
                order.target_world_space_pos.x, order.target_world_space_pos.y = at

    def _places(self, slots: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the positions of units for the client, in single precision.

        They are rounded such that a client that computes pixels from them, and from the camera in
        single precision, gets the same pixels as the feature layers show.

        Args:
          slots: of the units, int [n].

        Returns:
          positions: float32 [2, n].
          on_screen: bool [n], whether they are on the screen.
        """
        game, rules = self._game.games[0], self._game.rules
        camera = np.array([[game.camera_x], [game.camera_y]])
        scale = np.array([[rules.screen_across], [-rules.screen_down]])
        size = np.array([[rules.screen_width], [rules.screen_height]])
        points = np.stack([game.x[slots], game.y[slots]])
        wanted = np.floor((points - _corner(camera)) * scale)
        on_screen = ((wanted >= 0) & (wanted < size)).all(0)
        origin = self._origin[:, None]
        corner = _corner((camera - origin).astype(np.float32).astype(np.float64))
        inside = (corner + (wanted + 0.5) / scale).astype(np.float32)
        points = (points - origin).astype(np.float32)
        for _ in range(_MAX_NUDGES):
            pixels = np.floor((points.astype(np.float64) - corner) * scale)
            wrong = (pixels != wanted) & on_screen
            if not wrong.any():
                break
            points = np.where(wrong, np.nextafter(points, inside), points)
        return points, on_screen


def _corner(camera: np.ndarray) -> np.ndarray:
    """Returns the top left point of the screen, float64 [2, 1], for the centre of the camera."""
    return camera + np.array([[-0.5], [0.5]]) * geometry.CAMERA_EXTENT


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
