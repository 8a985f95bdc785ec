"""A client that sends requests to a session directly."""

from s2clientprotocol import common_pb2, sc2api_pb2

from sc2impala.sim.api.match import map_path
from sc2impala.sim.api.session import Session

SIZE = 16

OPTIONS = (
    'raw',
    'size',
    'raw_affects_selection',
    'raw_crop_to_playable_area',
    'crop_to_playable_area',
)
"""Arguments of `join` that `Client.start` takes."""


def create(map_name='MoveToBeacon', seed=1, **fields):
    setup = [sc2api_pb2.PlayerSetup(type=sc2api_pb2.Participant)]
    return sc2api_pb2.RequestCreateGame(
        local_map=sc2api_pb2.LocalMap(map_path=map_path(map_name)),
        player_setup=fields.pop('player_setup', setup),
        random_seed=seed,
        **fields,
    )


def join(raw=False, size=SIZE, **fields):
    request = sc2api_pb2.RequestJoinGame(race=common_pb2.Terran, player_name='someone')
    request.options.score = True
    request.options.raw = raw
    request.options.raw_affects_selection = True  # As PySC2 does.
    for name in ('raw_affects_selection', 'raw_crop_to_playable_area'):
        setattr(request.options, name, fields.pop(name, getattr(request.options, name)))
    if size:
        layer = request.options.feature_layer
        layer.width = fields.pop('width', 24)
        layer.crop_to_playable_area = fields.pop('crop_to_playable_area', False)
        layer.resolution.x = layer.resolution.y = size
        layer.minimap_resolution.x = layer.minimap_resolution.y = size
    return request


class Client:
    """Sends requests to a new session."""

    def __init__(self):
        self.session = Session()

    def raw(self, message):
        """Sends bytes; returns the parsed Response."""
        response = sc2api_pb2.Response()
        response.ParseFromString(self.session.answer(message))
        assert response.HasField('status')
        return response

    def ask(self, **request):
        """Sends a Request with one field; True stands for a message without content."""
        message = sc2api_pb2.Request(id=7)
        for name, value in request.items():
            if value is True:
                getattr(message, name).SetInParent()
            else:
                getattr(message, name).CopyFrom(value)
        response = self.raw(message.SerializeToString())
        assert response.id == 7
        return response

    def start(self, map_name='MoveToBeacon', seed=1, **fields):
        """Creates a game and joins it."""
        options = {name: fields.pop(name) for name in OPTIONS if name in fields}
        assert not self.ask(create_game=create(map_name, seed, **fields)).create_game.error_details
        response = self.ask(join_game=join(**options))
        assert response.join_game.player_id == 1, response
        return self

    def step(self, count):
        return self.ask(step=sc2api_pb2.RequestStep(count=count))

    def act(self, *actions):
        return self.ask(action=sc2api_pb2.RequestAction(actions=actions)).action.result

    def observe(self):
        return self.ask(observation=True).observation
