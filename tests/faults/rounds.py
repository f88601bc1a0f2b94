"""One fault, done once to a service under load: what it cost, and whether everything that was promised holds."""

import asyncio
import time
from dataclasses import dataclass

from tests.faults.drive import Load
from tests.faults.faults import Fault
from tests.faults.promises import Examined, examine
from tests.faults.stand import Stand


@dataclass
class Tally:
    """What rounds of a fault came to. Times are in seconds."""

    rounds: int = 0
    kills: int = 0
    cuts: int = 0
    acknowledged: int = 0
    repeated: int = 0
    lost: int = 0
    doubled: int = 0
    stuck: int = 0
    stall: float = 0.0
    """The longest time between two moves of a game, while the fault lasted or after it."""
    bots_wait: float = 0.0
    """The longest time that a bot's turn took since everything was there that it needs."""

    def add(self, other: "Tally") -> None:
        """Count another one's rounds in."""
        for name in ("rounds", "kills", "cuts", "acknowledged", "repeated", "lost", "doubled", "stuck"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.stall, self.bots_wait = max(self.stall, other.stall), max(self.bots_wait, other.bots_wait)


def play(stand: Stand, fault: Fault) -> Tally:
    """Let a fault happen, wait until every game goes on, and examine the games."""
    load = stand.load
    stand.until_all_is_there()
    acknowledged, repeated, began = load.acknowledged, load.repeated, time.time()
    struck = fault.strike(stand)
    stuck = load.tables_that_stay_where_they_are()
    tally = Tally(
        rounds=1,
        kills=struck.kills,
        cuts=struck.cuts,
        acknowledged=load.acknowledged - acknowledged,
        repeated=load.repeated - repeated,
        stuck=len(stuck),
    )
    steps = [step for found in examine_all(load, tally) for step in found.steps if step.until > began]
    tally.stall = max((step.until - step.since for step in steps), default=0.0)
    waited = [step.until - max(step.since, struck.there) for step in steps if step.bots_turn]
    tally.bots_wait = max(0.0, *waited)
    return tally


def examine_all(load: Load, tally: Tally) -> list[Examined]:
    """Examine every game that there has been since the last time, and count what is lost or doubled."""

    async def all_of_them() -> list[Examined]:  # where the tables play, so that nothing happens between two lines
        games = list(load.games)
        over = {game.id for game in games if game.finished}
        found = await asyncio.gather(*(examine(load, game) for game in games))
        load.games = [game for game in load.games if game.id not in over]
        return found

    found = load.ask(all_of_them())
    tally.lost += sum(each.lost for each in found)
    tally.doubled += sum(each.doubled for each in found)
    return found
