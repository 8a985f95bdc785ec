"""Plays BuildMarines with a bot for version 0.11 of the package sc2, the last one on Python 3.7.

    python3.7 -m venv old && old/bin/pip install sc2==0.11.2 protobuf==3.20.3
    SC2PATH=~/standin old/bin/python -m tests.sim.api.old_python_sc2_bot [SECONDS]

The bot draws, looks up costs and upgrades, and builds. Without an argument it plays the whole
episode. The last line of the output is the score.
"""

import sys

import sc2
from sc2 import maps
from sc2.data import Race
from sc2.ids.unit_typeid import UnitTypeId
from sc2.ids.upgrade_id import UpgradeId
from sc2.player import Bot

MAX_WORKERS = 20
MAX_BARRACKS = 7


class BuildMarines(sc2.BotAI):
    """Supply depots, barracks, and marines from all of them."""

    score = 0

    async def on_step(self, iteration):
        """Draws, asks and builds."""
        self.score = self.state.score.score
        await self._ask_and_draw()
        await self.distribute_workers()
        home = self.units(UnitTypeId.COMMANDCENTER).first
        barracks = self.units(UnitTypeId.BARRACKS)
        if self.workers.amount < MAX_WORKERS and home.is_idle and self.can_afford(UnitTypeId.SCV):
            await self.do(home.train(UnitTypeId.SCV))
        for building in barracks.ready.idle:
            if self.can_afford(UnitTypeId.MARINE):
                await self.do(building.train(UnitTypeId.MARINE))
        place = home.position.towards(self.game_info.map_center, 7)
        if self.supply_left < 2 + barracks.amount:
            if not self.already_pending(UnitTypeId.SUPPLYDEPOT):
                if self.can_afford(UnitTypeId.SUPPLYDEPOT):
                    await self.build(UnitTypeId.SUPPLYDEPOT, near=place)
        elif barracks.amount + self.already_pending(UnitTypeId.BARRACKS) < MAX_BARRACKS:
            if self.units(UnitTypeId.SUPPLYDEPOT).ready and self.can_afford(UnitTypeId.BARRACKS):
                await self.build(UnitTypeId.BARRACKS, near=place, placement_step=1)

    async def _ask_and_draw(self):
        for item in (UnitTypeId.FACTORY, UnitTypeId.ORBITALCOMMAND, UpgradeId.STIMPACK):
            self.can_afford(item)
        assert not self.already_pending(UnitTypeId.MARAUDER)
        assert not self.already_pending_upgrade(UpgradeId.STIMPACK)
        self._client.debug_text_screen(str(self.score), (0.1, 0.1))
        await self._client.send_debug()


def main():
    """Plays, and prints the score."""
    bot = BuildMarines()
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    sc2.run_game(
        maps.get('BuildMarines'),
        [Bot(Race.Terran, bot)],
        realtime=False,
        random_seed=3,
        game_time_limit=seconds or None,
    )
    print(bot.score)


if __name__ == '__main__':
    main()
