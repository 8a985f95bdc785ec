import numpy as np
import pytest

from sc2impala import sim
from tests.sim.api import helpers

COMMAND_CENTER = 18


def grid(image):
    """An image of the protocol by y and x, y up."""
    values = np.frombuffer(image.data, np.uint8)
    values = np.unpackbits(values) if image.bits_per_pixel == 1 else values
    return values.reshape(image.size.y, image.size.x)


def test_buildings_leave_the_pathing_grid_but_not_the_placement_grid():
    client = helpers.Client().start('BuildMarines', raw=True)
    start = client.ask(game_info=True).game_info.start_raw
    pathing, placement = grid(start.pathing_grid), grid(start.placement_grid)
    shown = client.observe().observation.raw_data.units
    (home,) = (unit.pos for unit in shown if unit.unit_type == COMMAND_CENTER)
    x, y = int(home.x), int(home.y)
    assert not pathing[y - 2 : y + 3, x - 2 : x + 3].any()
    assert pathing[y + 4, x] and placement[y - 2 : y + 3, x - 2 : x + 3].all()
    rows, columns = placement.nonzero()
    inside = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
    assert pathing[inside].sum() > 300 and not grid(start.terrain_height).any()


@pytest.mark.long
@pytest.mark.parametrize('map_name', sim.MAP_NAMES)
def test_buildings_can_stand_in_the_playable_area(map_name):
    start = helpers.Client().start(map_name, raw=True).ask(game_info=True).game_info.start_raw
    rows, columns = grid(start.placement_grid).nonzero()
    area = start.playable_area
    assert (area.p0.x, area.p1.x) == (columns.min(), columns.max() + 1)
    assert (area.p0.y, area.p1.y) == (rows.min(), rows.max() + 1)
    assert len(rows) == (area.p1.x - area.p0.x) * (area.p1.y - area.p0.y)


def test_what_the_player_sees_of_the_map():
    client = helpers.Client().start('FindAndDefeatZerglings', raw=True)
    observation = client.observe().observation.raw_data
    visibility = grid(observation.map_state.visibility)
    for unit in observation.units:
        assert visibility[int(unit.pos.y), int(unit.pos.x)] == 2
    assert {0, 2} == set(np.unique(visibility).tolist())
    assert not grid(observation.map_state.creep).any()
    layer = np.frombuffer(
        client.observe().observation.feature_layer_data.minimap_renders.visibility_map.data,
        np.uint8,
    ).reshape(helpers.SIZE, helpers.SIZE)
    step = visibility.shape[0] // helpers.SIZE
    # Rows of layers are counted from the top; cells at the border of the view may differ.
    agree = visibility[::-1][step // 2 :: step, step // 2 :: step] == layer
    assert agree.mean() > 0.9
