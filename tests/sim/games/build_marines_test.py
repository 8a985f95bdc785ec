import numpy as np

from sc2impala.sim import functions, orders, unit_types
from tests.sim import players
from tests.sim.economy import helpers

NAME = 'BuildMarines'


def test_what_stands_there_at_the_beginning():
    base = helpers.Base(NAME, workers=12)
    fields = base.slots(unit_types.MINERAL_FIELD)
    assert len(fields) == 8
    assert (base.g.x[fields] < 26).all()
    assert base.where(base.slots(unit_types.COMMAND_CENTER)[0]) == (30.5, 27.5)
    assert base.game.episode_loops == 14400
    # No worker is idle.
    assert base.offers() == [0, 1, 2, 3, 4]
    player = base.game.observe()['player'][0]
    np.testing.assert_array_equal(player, [1, 50, 0, 12, 15, 0, 12, 0, 0, 0, 0])


def test_all_workers_go_to_one_field_and_spread():
    base = helpers.Base(NAME, workers=12)
    field = base.slot_at(23, 26.5)
    assert (base.g.order_kind[:12, 0] == orders.GATHER).all()
    assert (base.g.order_target[:12, 0] == field).all()
    base.run(600)
    assert len(set(base.g.field[:12])) == 8
    assert base.g.minerals > 250


def test_new_workers_harvest_by_themselves():
    base = helpers.Base(NAME, workers=12)
    base.select(base.slot_at(*helpers.COMMAND_CENTER))
    base.act(functions.TRAIN_SCV_QUICK)
    base.run(400)
    assert base.order_kind(12) == orders.GATHER


def test_cards_are_reduced():
    base = helpers.Base(NAME, workers=1, minerals=1000)
    barracks = base.put(unit_types.BARRACKS, 37.5, 27.5)
    depot = base.put(unit_types.SUPPLY_DEPOT, 37, 31)
    marine = base.put(unit_types.MARINE, 36, 23)
    always = [0, 1, 2, 3, 4, 7]
    base.select(0)
    assert base.offers() == always + [42, 91, 264]
    base.select(base.slot_at(*helpers.COMMAND_CENTER))
    assert base.offers() == always + [343, 344, 490]
    base.select(barracks)
    assert base.offers() == always + [477]
    base.select(depot)
    assert base.offers() == always
    base.select(marine)
    assert base.offers() == always + [12, 13, 274, 331, 332, 333, 334, 453]


def test_every_marine_that_is_trained_counts_and_no_other():
    base = helpers.Base(NAME, workers=12, minerals=1000)
    base.put(unit_types.SUPPLY_DEPOT, 37, 31)
    base.put(unit_types.MARINE, 36, 23)
    barracks = [base.put(unit_types.BARRACKS, 37.5, y) for y in (24.5, 27.5)]
    base.select(*barracks)
    for _ in range(4):
        base.act(functions.TRAIN_MARINE_QUICK)
    base.select(base.slot_at(*helpers.COMMAND_CENTER))
    base.act(functions.TRAIN_SCV_QUICK)
    scores = []
    for _ in range(900):
        base.run(1)
        scores.append(int(base.game.score[0]))
    assert scores[399:402] == [0, 2, 2]
    assert scores[-1] == 4
    marines = base.slots(unit_types.MARINE)
    base.kill(*marines)
    base.run(1)
    assert base.game.score == 4


def test_marines_can_kill_each_other_to_make_room():
    base = helpers.Base(NAME, workers=12)
    victim = base.put(unit_types.MARINE, 36, 27)
    killers = [base.put(unit_types.MARINE, 34.5, 24 + i) for i in range(3)]
    base.select(*killers)
    base.act(functions.ATTACK_SCREEN, (36, 27))
    used = base.game.observe()['player'][0, 3]
    base.run_until(lambda: not base.g.alive[victim], 400)
    assert base.game.observe()['player'][0, 3] == used - 1
    assert base.game.score == 0
    assert base.g.alive[killers].all()


def test_a_trained_marine_that_is_killed_still_counts():
    """Killing own marines frees their supply and costs no points. [S] #129"""
    base = helpers.Base(NAME, workers=12, minerals=1000)
    base.select(base.put(unit_types.BARRACKS, 37.5, 27.5))
    for _ in range(2):
        base.act(functions.TRAIN_MARINE_QUICK)
    base.run(801)
    killer, victim = base.slots(unit_types.MARINE)
    food = int(base.game.observe()['player'][0, 3])
    base.select(killer)
    assert functions.ATTACK_SCREEN in base.offers()
    base.order(killer, orders.ATTACK, *base.where(victim), target=int(victim))
    base.run_until(lambda: not base.g.alive[victim], 400)
    base.run(1)
    assert base.game.observe()['player'][0, 3] == food - 1
    assert base.game.score == 2 and base.g.alive[killer]


def test_a_building_that_is_destroyed_is_gone():
    base = helpers.Base(NAME, workers=12)
    depot = base.put(unit_types.SUPPLY_DEPOT, 37, 27)
    base.g.health[depot] = 30
    base.select(*[base.put(unit_types.MARINE, 34.5, 24 + i) for i in range(3)])
    base.act(functions.ATTACK_SCREEN, (37, 27))
    base.run_until(lambda: not base.g.alive[depot], 400)
    base.run(1)
    assert not base.g.taken[26:28, 36:38].any()
    assert base.game.observe()['player'][0, 4] == 15


def test_minerals_come_by_themselves_and_are_no_points():
    game = players.make(NAME, [1, 2])
    game.reset()
    game.advance(np.full(2, 3000))
    assert not game.score.any()
    assert (game.games.minerals > 1300).all()
