"""The states of the protocol: which requests are allowed in which state, and their answers."""

import os
from typing import Any, Callable, Dict, Sequence, Tuple

from s2clientprotocol import sc2api_pb2

from sc2impala.sim import game_batch
from sc2impala.sim.api import data
from sc2impala.sim.api.match import Match, UnsupportedOptions, map_path

VERSION = '4.10.0'
BUILD = 75689
DATA_VERSION = 'B89B5D6FA7CBF6452E721311BFBC6CB2'
"""The version of the game that the stand-in reports. [S] F"""

MAX_NAME = 32
"""Largest length of a player's name in characters."""

_LAUNCHED, _INIT, _IN_GAME, _ENDED, _QUIT = (
    sc2api_pb2.launched,
    sc2api_pb2.init_game,
    sc2api_pb2.in_game,
    sc2api_pb2.ended,
    sc2api_pb2.quit,
)
_ANYTIME = (_LAUNCHED, _INIT, _IN_GAME, _ENDED)
_PLAYING, _LOOKING = (_IN_GAME,), (_IN_GAME, _ENDED)


class Refused(Exception):
    """The request is answered with an error and has no effect."""


class Session:
    """The protocol's view of a game process.

    status: a Status of the protocol.
    """

    def __init__(self) -> None:
        """Starts in the state `launched`, without a game."""
        self.status = _LAUNCHED
        self._created: Any = None
        self._match: Any = None
        self._handlers: Dict[str, Tuple[Sequence[int], Callable[[Any, Any], None]]] = {
            'ping': (_ANYTIME, self._ping),
            'quit': (_ANYTIME, self._quit),
            'available_maps': (_ANYTIME, self._available_maps),
            'create_game': ((_LAUNCHED, _IN_GAME, _ENDED), self._create),
            'join_game': ((_INIT,), self._join),
            'restart_game': (_LOOKING, self._restart),
            'leave_game': (_LOOKING, self._leave),
            'game_info': (_LOOKING, self._game_info),
            'data': (_LOOKING, self._data),
            'query': (_LOOKING, self._query),
            'observation': (_LOOKING, self._observe),
            'action': (_PLAYING, self._act),
            'step': (_PLAYING, self._step),
            'debug': (_LOOKING, self._debug),
            'save_replay': (_LOOKING, self._save_replay),
        }

    @property
    def has_quit(self) -> bool:
        """Returns whether the client has requested the process to end."""
        return self.status == _QUIT

    def answer(self, message: bytes) -> bytes:
        """Answers a serialised Request with a serialised Response, which is an error if invalid."""
        response = sc2api_pb2.Response()
        request = sc2api_pb2.Request()
        try:
            request.ParseFromString(message)
        except Exception:  # The type differs between versions of protobuf.
            response.error.append('The message is not a valid Request.')
        else:
            if request.HasField('id'):
                response.id = request.id
            try:
                self._handle(request, response)
            except Refused as refusal:
                response.error.append(str(refusal))
        response.status = self.status
        return response.SerializeToString()

    def _handle(self, request: Any, response: Any) -> None:
        request_type = request.WhichOneof('request')
        if request_type is None:
            raise Refused('The Request is empty.')
        if request_type not in self._handlers:
            raise Refused(f'{request_type} is not supported by this game.')
        allowed, handler = self._handlers[request_type]
        if self.status not in allowed:
            names = [sc2api_pb2.Status.Name(status) for status in allowed]
            status = sc2api_pb2.Status.Name(self.status)
            raise Refused(
                f'{request_type} is not allowed in state {status}, expected one of {names}.'
            )
        answer = getattr(response, request_type)
        # Marks the field as present, even if the answer remains empty.
        answer.SetInParent()
        handler(getattr(request, request_type), answer)

    def _ping(self, request: Any, response: Any) -> None:
        response.game_version, response.data_version = VERSION, DATA_VERSION
        response.data_build = response.base_build = BUILD

    def _quit(self, request: Any, response: Any) -> None:
        self.status = _QUIT

    def _available_maps(self, request: Any, response: Any) -> None:
        response.local_map_paths.extend(map_path(name) for name in game_batch.MAP_NAMES)

    def _create(self, request: Any, response: Any) -> None:
        def refuse(error: str, details: str) -> None:
            response.error = getattr(sc2api_pb2.ResponseCreateGame, error)
            response.error_details = details

        players = [setup.type for setup in request.player_setup]
        file_name = os.path.splitext(os.path.basename(request.local_map.map_path))[0]
        # An installed map begins with its name, which a copy of it keeps.
        content = request.local_map.map_data.partition(b',')[0].decode(errors='replace')
        map_name = content if content in game_batch.MAP_NAMES else file_name
        if request.WhichOneof('Map') is None:
            return refuse('MissingMap', 'No map is specified.')
        if not request.HasField('local_map') or not map_name:
            return refuse('InvalidMapPath', 'Only local maps can be played.')
        if map_name not in game_batch.MAP_NAMES:
            known = ', '.join(game_batch.MAP_NAMES)
            return refuse('InvalidMapName', f'The map is {map_name}, expected one of {known}.')
        if not players:
            return refuse('MissingPlayerSetup', 'There are no players.')
        # The game accepts a Computer on the mini-games, where it has no part; PySC2 1.x adds one.
        if [kind for kind in players if kind != sc2api_pb2.Computer] != [sc2api_pb2.Participant]:
            return refuse(
                'MultiplayerUnsupported',
                'A mini-game has one participant, and no other players than Computer.',
            )
        seed = request.random_seed if request.HasField('random_seed') else _random_seed()
        self._created = map_name, seed, request.realtime, request.disable_fog
        self._match = None
        self.status = _INIT

    def _join(self, request: Any, response: Any) -> None:
        def refuse(error: str, details: str) -> None:
            response.error = getattr(sc2api_pb2.ResponseJoinGame, error)
            response.error_details = details

        if not request.HasField('race'):
            return refuse('MissingParticipation', 'No race is specified; there are no observers.')
        if not request.HasField('options'):
            return refuse('MissingOptions', 'No interface options are specified.')
        map_name, seed, is_realtime, disable_fog = self._created
        try:
            self._match = Match(
                map_name,
                seed,
                request.options,
                request.player_name[:MAX_NAME],
                request.race,
                is_realtime,
                disable_fog,
            )
        except UnsupportedOptions as error:
            return refuse('FeatureUnsupported', str(error))
        response.player_id = 1
        self.status = _IN_GAME

    def _restart(self, request: Any, response: Any) -> None:
        self._match.restart()
        response.need_hard_reset = False
        self.status = _IN_GAME

    def _leave(self, request: Any, response: Any) -> None:
        self._match = self._created = None
        self.status = _LAUNCHED

    def _game_info(self, request: Any, response: Any) -> None:
        self._match.describe(response)

    def _data(self, request: Any, response: Any) -> None:
        if request.ability_id:
            data.write_abilities(response)
        if request.unit_type_id:
            data.write_units(response)
        if request.upgrade_id:
            data.write_upgrades(response)
        if request.buff_id:
            data.write_buffs(response)
        if request.effect_id:
            data.write_effects(response)

    def _query(self, request: Any, response: Any) -> None:
        self._match.query(request, response)

    def _observe(self, request: Any, response: Any) -> None:
        self._match.keep_time(request.game_loop if request.HasField('game_loop') else None)
        response.CopyFrom(self._match.observe())
        self._update_status()

    def _act(self, request: Any, response: Any) -> None:
        self._match.keep_time()
        response.result.extend(self._match.act(action) for action in request.actions)
        self._update_status()

    def _step(self, request: Any, response: Any) -> None:
        self._match.step(request.count if request.HasField('count') else 1)
        response.simulation_loop = self._match.game_loop
        self._update_status()

    def _debug(self, request: Any, response: Any) -> None:
        """Accepts commands that draw in the game's window, which does not exist here."""
        for command in request.debug:
            name = command.WhichOneof('command')
            if name not in (None, 'draw'):
                raise Refused(f'The debug command {name} is not supported by this game.')

    def _save_replay(self, request: Any, response: Any) -> None:
        response.data = self._match.record()

    def _update_status(self) -> None:
        if self._match.ended:
            self.status = _ENDED


def _random_seed() -> int:
    return int.from_bytes(os.urandom(4), 'little')
