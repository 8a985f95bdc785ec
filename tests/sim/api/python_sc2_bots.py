"""Bots for python-sc2 (burnysc2), as its users write them; run as a program, plays one game.

    SC2PATH=... python -m tests.sim.api.python_sc2_bots BuildMarines 0

The second argument ends the game after this number of seconds; 0 plays the whole episode. The last
two lines of the output are the number of lost units and the score.
"""

import sys

from sc2 import maps
from sc2.bot_ai import BotAI
from sc2.data import Difficulty, Race
from sc2.ids.ability_id import AbilityId
from sc2.ids.unit_typeid import UnitTypeId
from sc2.ids.upgrade_id import UpgradeId
from sc2.main import run_game
from sc2.player import Bot, Computer


class Scored(BotAI):
    """A bot that remembers its score, and the units that died."""

    points = 0
    losses = 0

    async def on_start(self):
        self.client.game_step = 8

    async def on_step(self, iteration):
        self.points = self.state.score.score
        await self.play(iteration)

    async def on_unit_destroyed(self, unit_tag):
        self.losses += 1


class MoveToBeacon(Scored):
    """Sends its marine to the beacon when it has nothing else to do."""

    async def play(self, iteration):
        beacons = self.all_units.select_type(UnitTypeId.BEACON_TERRAN)
        for marine in self.units(UnitTypeId.MARINE).idle:
            marine.move(beacons.closest_to(marine).position)


class DefeatRoaches(Scored):
    """Attacks the weakest roach in reach."""

    async def play(self, iteration):
        for marine in self.units(UnitTypeId.MARINE):
            in_range = self.enemy_units.in_attack_range_of(marine)
            if in_range:
                marine.attack(min(in_range, key=lambda roach: roach.health))
            elif self.enemy_units:
                marine.attack(self.enemy_units.closest_to(marine))


class BuildMarines(Scored):
    """Supply depots, up to eight barracks, marines from all of them."""

    max_workers = 20
    max_barracks = 8

    async def play(self, iteration):
        await self.distribute_workers()
        self.look_up_and_draw()
        home = self.townhalls.first
        if self.supply_workers < self.max_workers and home.is_idle:
            if self.can_afford(UnitTypeId.SCV):
                home.train(UnitTypeId.SCV)
        barracks = self.structures(UnitTypeId.BARRACKS)
        for building in barracks.ready.idle:
            if self.can_afford(UnitTypeId.MARINE) and self.supply_left > 0:
                building.train(UnitTypeId.MARINE)
        place = home.position.towards(self.game_info.map_center, 6)
        short = self.supply_left < 2 + 2 * len(barracks)
        if short and self.already_pending(UnitTypeId.SUPPLYDEPOT) < 2:
            if self.can_afford(UnitTypeId.SUPPLYDEPOT):
                await self.build(UnitTypeId.SUPPLYDEPOT, near=place)
        elif len(barracks) + self.already_pending(UnitTypeId.BARRACKS) < self.max_barracks:
            has_depot = self.tech_requirement_progress(UnitTypeId.BARRACKS) == 1
            if has_depot and self.can_afford(UnitTypeId.BARRACKS):
                await self.build(UnitTypeId.BARRACKS, near=place, placement_step=1)
        if iteration == 100:
            await self.ask_everything()

    def look_up_and_draw(self):
        """Costs and upgrades of bots for ladder games, and drawings for their authors."""
        for item in (UnitTypeId.FACTORY, UnitTypeId.ORBITALCOMMAND, UpgradeId.STIMPACK):
            self.can_afford(item)
        assert not self.already_pending(UnitTypeId.MARAUDER)
        assert not self.already_pending_upgrade(UpgradeId.STIMPACK)
        self.client.debug_text_screen(str(self.points), (0.1, 0.1))
        self.client.debug_sphere_out(self.townhalls.first, 3)

    async def ask_everything(self):
        """The queries that bots for ladder games make."""
        worker, home = self.workers.gathering.first, self.townhalls.first
        offers = await self.client.query_available_abilities_with_tag([worker, home])
        assert AbilityId.HARVEST_GATHER_SCV in offers[worker.tag]
        assert AbilityId.RALLY_COMMANDCENTER in offers[home.tag]
        near = worker.position.towards(home.position, 0.5)
        assert await self.client.query_pathing(worker, near) is not None
        assert self.state.visibility[home.position.rounded] == 2
        assert not self.in_pathing_grid(home.position)


if __name__ == '__main__':
    bot = globals()[sys.argv[1]]()
    run_game(
        maps.get(sys.argv[1]),
        [Bot(Race.Terran, bot), Computer(Race.Zerg, Difficulty.VeryEasy)],
        realtime=False,
        random_seed=3,
        game_time_limit=int(sys.argv[2]) or None,
    )
    print(bot.losses)
    print(bot.points)
