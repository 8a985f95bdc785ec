"""Units and orders without camera, mouse and selection: the protocol's raw interface."""

from typing import List

import numpy as np

from sc2impala.sim import appearance, feature_units, geometry, orders, results
from sc2impala.sim.api import abilities
from sc2impala.sim.game_batch import GameBatch
from sc2impala.sim.units import NO_UNIT

GAME = np.array([0])
"""The only game of a batch."""

_FULL_PERCENT = 100
_MAX_NUDGES = 8  # By the last bit each.
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
_FLAGS = {'is_selected': 'is_selected', 'active': 'is_active'}


class RawInterface:
    """What one game shows of its units, and what can be ordered by their tags."""

    def __init__(self, game: GameBatch):
        """game: a batch of one."""
        self._game = game
        units = game.world.units
        self._products = abilities.of_products(units.types)
        self._alive = np.zeros_like(units.alive[0])
        self._generation = np.zeros(self._alive.shape, np.int64)

    def tags(self) -> np.ndarray:
        """The tags of what stands in the slots: int64 [U].

        None is zero, and what comes into a slot that was seen empty has another one than what was
        there before.
        """
        alive = self._game.world.units.alive[0]
        self._generation += alive & ~self._alive
        self._alive = alive.copy()
        return (self._generation << 16) + np.arange(1, len(alive) + 1)

    def write(self, message) -> None:
        """Writes the units that player 1 sees, and the camera, into an ObservationRaw."""
        world = self._game.world
        units = world.units
        message.player.camera.x, message.player.camera.y = world.camera[:, 0].tolist()
        at = appearance.shown(world)[:1].nonzero()
        columns = {
            name: np.broadcast_to(np.asarray(values, float), at[1].shape).tolist()
            for name, values in feature_units.columns_of(world, at).items()
        }
        points, on_screen = self._places(at)
        stats, kinds = units.stats, units.type[at]
        radius, most = stats.radius[kinds].tolist(), stats.health[kinds].tolist()
        places, on_screen = points.T.tolist(), on_screen.tolist()
        tags = self.tags()[at[1]].tolist()
        queues = [self._queue(slot) for slot in at[1].tolist()]
        for row, tag in enumerate(tags):
            unit = message.units.add()
            unit.tag = tag
            for name in _NUMBERS:
                value = columns[name][row] if name in columns else 0.0
                if value:
                    _set(unit, name, value)
            for name, field in _FLAGS.items():
                setattr(unit, field, bool(columns[name][row]))
            unit.pos.x, unit.pos.y = places[row]
            unit.radius, unit.health_max = radius[row], most[row]
            unit.is_on_screen = on_screen[row]
            unit.build_progress = percent(columns['build_progress'][row])
            for ability in queues[row]:
                unit.orders.add().ability_id = ability
            if queues[row] and 'order_progress_0' in columns:
                unit.orders[0].progress = percent(columns['order_progress_0'][row])

    def order(self, command) -> int:
        """Carries out an ActionRawUnitCommand, whose units it selects: a code of `results`."""
        slots = self._slots(command.unit_tags)
        chosen = np.zeros_like(self._game.world.units.own)
        chosen[0, slots] = True
        if not (chosen & self._game.world.units.own).any():
            return results.ERROR
        target, point = NO_UNIT, np.zeros([2, 1])
        way = abilities.QUICK
        if command.HasField('target_unit_tag'):
            found = self._slots([command.target_unit_tag])
            if not len(found):
                return results.ERROR
            target, way = int(found[0]), abilities.SCREEN
            point = self._game.world.units.position[:, :1, target]
        elif command.HasField('target_world_space_pos'):
            way = abilities.SCREEN
            place = command.target_world_space_pos
            point = np.nan_to_num(np.array([[place.x], [place.y]], float))
            point = np.minimum(np.maximum(point, 0), geometry.MAP_EXTENT)
        function = abilities.function_of(command.ability_id, way)
        if function is None:
            return results.NOT_SUPPORTED
        self._game.select(chosen)
        self._game.act(
            np.array([function]),
            {'queued': np.array([int(command.queue_command)])},
            (point, np.array([target])),
        )
        return int(self._game.world.action_result[0])

    def look_at(self, move) -> int:
        """Carries out an ActionRawCameraMove: a code of `results`."""
        world = self._game.world
        if world.arena.camera_moves:
            place = move.center_world_space
            point = np.nan_to_num(np.array([[place.x], [place.y]], float))
            world.look_at(GAME, geometry.clamp(point, world.arena.playable))
        return results.OK

    def _slots(self, tags) -> np.ndarray:
        """The slots of living units with some tags: int [n]; tags that nobody has are left out."""
        known = np.isin(self.tags(), np.array(list(tags), np.uint64).astype(np.int64))
        return (known & self._alive).nonzero()[0]

    def _queue(self, slot) -> List[int]:
        """The abilities that a unit of player 1 carries out, and will."""
        world = self._game.world
        units = world.units
        if not units.own[0, slot]:
            return []
        if slot < units.num_mobile:
            kinds = units.order_kind[0, slot]
            busy = kinds != orders.IDLE
            made = self._products[units.order_type[0, slot]]
            return abilities.of_orders(kinds[busy], made[busy])
        production = world.mechanics.get('production')
        if production is None:
            return []
        trained = production.queue[0, slot - units.num_mobile]
        return self._products[trained[trained >= 0]].tolist()

    def _places(self, at):
        """Where units are in single precision, float32 [2, n], and whether on the screen, bool [n].

        Who finds their pixels from this, and a camera in single precision too, finds the same.
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
    """A part in per cent as the protocol has it, a number up to 1 of single precision.

    PySC2 multiplies it by 100 and cuts: the number is such that the same per cent come out.
    """
    part = float(np.float32(value / _FULL_PERCENT))
    if int(part * _FULL_PERCENT) != int(value):
        part = float(np.float32((int(value) + 0.5) / _FULL_PERCENT))
    return part


def single(value: float) -> float:
    """A number that is not negative in single precision, with the same integer part."""
    rounded = np.float32(value)
    if int(rounded) != int(value):
        rounded = np.nextafter(rounded, np.float32(0))
    return float(rounded)


def _set(unit, name, value):
    """Sets a number; most fields are integers, the others of single precision."""
    whole = name not in ('facing', 'health', 'weapon_cooldown')
    setattr(unit, name, int(value) if whole else single(value))
