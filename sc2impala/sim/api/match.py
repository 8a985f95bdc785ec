"""One game of one player: the options requested at joining, actions, steps and observations."""

import json
import time
from typing import Any, List, Optional, Tuple

import numpy as np
from s2clientprotocol import common_pb2, sc2api_pb2

from sc2impala.sim import game_batch, geometry, layers, protocol_codes
from sc2impala.sim.api import calls, observations, queries, terrain
from sc2impala.sim.api.raw import Failure, RawInterface

MAX_PIXELS = 1024
"""Largest width and height of an image."""

FRAMES_PER_REAL_SECOND = 22.4
"""Speed of a real-time game, the game's speed "faster". A frame is one game loop. [S] GD"""

PLAYER, TERRAN = 1, 1

_UNDECIDED = 4
_UNUSED_SIZE = (1, 1)
"""The size of images that the player has not requested."""


class UnsupportedOptions(ValueError):
    """The player requests interface options that are not supported."""


class Match:
    """A game of one player, from joining to leaving; it may be restarted."""

    def __init__(
        self,
        map_name: str,
        seed: int,
        options: sc2api_pb2.InterfaceOptions,
        name: str = '',
        race: int = TERRAN,
        is_realtime: bool = False,
        disable_fog: bool = False,
    ):
        """Starts the first episode.

        Args:
          map_name: one of `game_batch.MAP_NAMES`.
          seed: the episodes are those of a `GameBatch` with this seed.
          options: the requested interfaces and image sizes.
          name, race: the player's name and requested race.
          is_realtime: whether the game advances in real time.
          disable_fog: whether the player observes the whole map.

        Raises:
          UnsupportedOptions: if the options are not supported.
        """
        self.options = options
        self._map_name, self._name, self._race = map_name, name, race
        self._seed, self._is_realtime = seed, is_realtime
        wants_layers = options.HasField('feature_layer')
        setup = options.feature_layer
        _check(options)
        self._game = game_batch.make(
            map_name,
            [seed],
            _size(setup.resolution) if wants_layers else _UNUSED_SIZE,
            _size(setup.minimap_resolution) if wants_layers else _UNUSED_SIZE,
            tuple(layers.SCREEN_SCALES) if wants_layers else (),
            tuple(layers.MINIMAP_SCALES) if wants_layers else (),
        )
        if disable_fog:
            self._game.lift_fog()
        if wants_layers and setup.crop_to_playable_area:
            self._game.crop_minimap(terrain.playable_area(self._game))
        self._raw = RawInterface(
            self._game, options.raw_crop_to_playable_area, options.raw_affects_selection
        )
        self.restart()

    @property
    def ended(self) -> bool:
        """Returns whether the episode is over."""
        return bool(self._game.ended[0])

    @property
    def game_loop(self) -> int:
        """Number of frames since the start of the episode."""
        return int(self._game.game_loop[0])

    def restart(self) -> None:
        """Starts the next episode."""
        self._game.reset()
        self._raw.restart()
        self._executed: List[sc2api_pb2.Action] = []
        self._failed: List[Failure] = []
        self._began, self._last_loop = time.monotonic(), 0

    def step(self, count: int) -> None:
        """Advances the game by `count` frames, at most to the end of the episode."""
        self._game.advance(np.array([min(count, self._game.episode_loops)]))
        self._failed.extend(self._raw.late_failures())

    def keep_time(self, loop: Optional[int] = None) -> None:
        """Advances a real-time game to the current time; first waits for a game loop, if given."""
        if not self._is_realtime or self.ended:
            return
        if loop is not None:
            loop = min(loop, self._game.episode_loops)
            time.sleep(max(0.0, self._began + loop / FRAMES_PER_REAL_SECOND - time.monotonic()))
        due = int((time.monotonic() - self._began) * FRAMES_PER_REAL_SECOND)
        self.step(max(due, loop or 0) - self.game_loop if due > self.game_loop else 0)

    def act(self, action: sc2api_pb2.Action) -> int:
        """Executes an action.

        Returns:
          `queries.SUCCESS`, or the ActionResult of its first part that failed.
        """
        codes = [self._call(call) for call in calls.read(action)]
        ability, tags = _ability(action), []
        if action.HasField('action_raw'):
            code, ability = self._act_raw(action.action_raw)
            codes.append(code)
            tags = action.action_raw.unit_command.unit_tags[:1]
        failed = [code for code in codes if code != protocol_codes.OK]
        if failed:
            self._failed.append(Failure(max(ability, 0), failed[0], tags[0] if tags else 0))
            return failed[0]
        is_reported = action.ListFields() and not action.HasField('action_raw')
        if is_reported:
            self._executed.append(action)
        return queries.SUCCESS

    def observe(self) -> sc2api_pb2.ResponseObservation:
        """Returns the observation, with the actions executed and failed since the last one."""
        response = sc2api_pb2.ResponseObservation()
        observations.write(response.observation, self._game.observe())
        observations.write_category_scores(response.observation.score.score_details, self._game)
        if self.options.raw:
            self._raw.write(response.observation.raw_data)
        response.actions.extend(self._executed)
        for failure in self._failed:
            error = response.action_errors.add(ability_id=failure.ability, result=failure.code)
            # As in the game, only the raw interface names units.
            if failure.tag and self.options.raw:
                error.unit_tag = failure.tag
        self._executed, self._failed = [], []
        if self.ended:
            response.player_result.add(player_id=PLAYER, result=_UNDECIDED)
        return response

    def describe(self, response: sc2api_pb2.ResponseGameInfo) -> None:
        """Writes the properties of the game; only its pathing grid changes during an episode."""
        response.map_name = self._map_name
        response.local_map_path = map_path(self._map_name)
        response.player_info.add(
            player_id=PLAYER,
            type=sc2api_pb2.Participant,
            race_requested=self._race,
            race_actual=common_pb2.Terran,
            player_name=self._name,
        )
        response.options.CopyFrom(self.options)
        is_cropped = self.options.raw_crop_to_playable_area
        terrain.write_grids(response.start_raw, self._game, is_cropped)

    def query(self, request: sc2api_pb2.Request, response: sc2api_pb2.Response) -> None:
        """Answers a RequestQuery; the game remains as it is."""
        queries.answer(request, response, self._game, self._raw)

    def record(self) -> bytes:
        """Returns a JSON summary of the game instead of a replay, which only the real game has."""
        return json.dumps(
            {
                'game': 'sc2impala simulator',
                'map_name': self._map_name,
                'seed': self._seed,
                'episode': int(self._game.episode[0]),
                'game_loops': self.game_loop,
                'score': int(self._game.score[0]),
            }
        ).encode()

    def _call(self, call: calls.Call) -> int:
        """Executes a function call: a code of `protocol_codes`."""
        if call is calls.UNKNOWN:
            return protocol_codes.NOT_SUPPORTED
        self._game.act(np.array([call.function]), call.arguments)
        return self._result()

    def _result(self) -> int:
        """Returns the error code of the last action, or 0."""
        return int(self._game.games.action_result[0])

    def _act_raw(self, action: Any) -> Tuple[int, int]:
        """Executes an ActionRaw: a code of `protocol_codes`, and the ability."""
        action_type = action.WhichOneof('action')
        if action_type == 'unit_command':
            return self._raw.order(action.unit_command), action.unit_command.ability_id
        if action_type == 'camera_move':
            return self._raw.look_at(action.camera_move), 0
        if action_type == 'toggle_autocast':
            return protocol_codes.NOT_SUPPORTED, action.toggle_autocast.ability_id
        return self._call(calls.NO_OP), 0


def map_path(map_name: str) -> str:
    """Returns the path of a map in the folder Maps."""
    return f'mini_games/{map_name}.SC2Map'


def _ability(action: sc2api_pb2.Action) -> int:
    """Returns the ability of an order through the user interface, or 0."""
    for name in ('action_feature_layer', 'action_render'):
        if action.HasField(name):
            return getattr(action, name).unit_command.ability_id
    return 0


def _check(options: sc2api_pb2.InterfaceOptions) -> None:
    if options.HasField('render'):
        raise UnsupportedOptions('render is not supported, expected feature layers or raw data.')
    if not options.HasField('feature_layer'):
        return
    setup = options.feature_layer
    if setup.width and setup.width != geometry.CAMERA_EXTENT:
        raise UnsupportedOptions(f'width is {setup.width:g}, expected {geometry.CAMERA_EXTENT}.')
    for name in ('resolution', 'minimap_resolution'):
        size = _size(getattr(setup, name))
        if not all(1 <= side <= MAX_PIXELS for side in size):
            raise UnsupportedOptions(f'{name} is {size}, expected sides in 1..{MAX_PIXELS}.')


def _size(message: Any) -> Tuple[int, int]:
    return message.x, message.y
