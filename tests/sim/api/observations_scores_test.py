import pytest
from s2clientprotocol import score_pb2

from sc2impala import sim
from sc2impala.sim import unit_types
from sc2impala.sim.api import observations
from tests.sim.api import helpers

NAMES = ('none', 'army', 'economy', 'technology', 'upgrade')


def row(field):
    return [getattr(field, name) for name in NAMES]


def test_the_score_of_an_observation_has_categories():
    client = helpers.Client().start('BuildMarines')
    details = client.observe().observation.score.score_details
    assert row(details.food_used) == [0, 0, 12, 0, 0]
    assert row(details.used_minerals) == [0, 0, 12 * 50 + 400, 0, 0]
    assert row(details.used_vespene) == [0] * 5


def test_complete_units_of_the_player_count_in_their_category():
    game = sim.make('BuildMarines', [1], (8, 8), (8, 8))
    game.reset()
    g = game.games[0]
    types = list(game.unit_types)
    added = [
        (unit_types.BARRACKS, unit_types.SELF, 0),
        (unit_types.BARRACKS, unit_types.SELF, 3),
        (unit_types.SUPPLY_DEPOT, unit_types.SELF, 0),
        (unit_types.SUPPLY_DEPOT, unit_types.ENEMY, 0),
        (unit_types.MARINE, unit_types.SELF, 0),
        (unit_types.MARINE, unit_types.SELF, 0),
    ]
    for slot, (unit_type, owner, unfinished) in enumerate(added, start=int(g.unit_end)):
        g.alive[slot], g.owner[slot], g.unfinished[slot] = True, owner, unfinished
        g.type[slot] = [t.unit_type for t in types].index(unit_type.unit_type)
    details = score_pb2.ScoreDetails()
    observations.write_category_scores(details, game)
    assert row(details.food_used) == [0, 2, 12, 0, 0]
    assert row(details.used_minerals) == [0, 100, 1000 + 100, 150, 0]


@pytest.mark.long
def test_maps_without_an_economy_have_an_army():
    client = helpers.Client().start('DefeatRoaches')
    details = client.observe().observation.score.score_details
    assert row(details.food_used) == [0, 9, 0, 0, 0]
    assert row(details.used_minerals) == [0, 450, 0, 0, 0]
