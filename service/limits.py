"""Counting what everyone asks for: buckets that fill at a rate, and places that are held for a while.

A limit holds over all processes, and no honest request pays for it with a round trip: of every bucket a process may
give away a tenth by itself, and only who asks for more makes it ask the one bucket that all share, for a hundredth of
it at a time. Buckets are in the queue's Redis, which waits for no disk: nothing is lost with them but a count. While
it does not answer, nobody is refused.
"""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from redis.exceptions import RedisError

from service.errors import RateLimited
from service.rates import Rate, Rates
from service.store import Script

if TYPE_CHECKING:
    from redis.asyncio import Redis

MOST_BUCKETS = 20_000
"""How many askers a process remembers; whoever is forgotten has the process's share again."""
LOOK_AGAIN = 1.0
"""Seconds for which a Redis that did not answer is not asked again."""
HELD_SECONDS = 5
"""When to come back for a place that is held by others: nobody knows, so soon and not at once."""


class _Bucket:
    """What this process may give to one asker: its own share, and what it took from the shared bucket."""

    __slots__ = ("at", "closed_until", "share", "taken")

    def __init__(self, share: float, now: float) -> None:
        self.share = share
        self.at = now
        self.taken = 0
        self.closed_until = 0.0

    def spend(self, share: int, seconds: int, now: float) -> bool:
        """Take one where there is one."""
        self.share = min(share, self.share + (now - self.at) * share / seconds)
        self.at = now
        if self.share >= 1:
            self.share -= 1
            return True
        if self.taken > 0:
            self.taken -= 1
            return True
        return False


class Limiter:
    """Everything that is counted in this process. `hide` makes names of askers that tell nothing about them."""

    def __init__(self, redis: Redis, rates: Rates, hide: Callable[[str], str]) -> None:
        self.rates = rates
        self._redis = redis
        self._hide = hide
        self._script = Script("limit")
        self._buckets: OrderedDict[tuple[str, str], _Bucket] = OrderedDict()
        self._held: Counter[tuple[str, str]] = Counter()
        self._away_until = 0.0

    async def spend(self, name: str, who: str, own: Rate | None = None) -> None:
        """Count one request of an asker, at its own rate where it has one. Raises RateLimited."""
        rate = own or self.rates.get(name)
        if rate is None:
            return
        now = time.monotonic()
        share = rate.count // 10
        bucket = self._bucket((name, who), share, now)
        if bucket.spend(share, rate.seconds, now):
            return
        if now < bucket.closed_until:
            raise _refusal(name, bucket.closed_until - now)
        taken, wait = await self._ask(name, who, rate, now)
        if taken < 1:
            bucket.closed_until = now + wait
            raise _refusal(name, wait)
        bucket.taken += taken - 1

    async def spend_cost(self, name: str, who: str, cost: int, own: Rate | None = None) -> None:
        """Count something that costs as much as many requests, at once and in full. Raises RateLimited.

        What costs more than the bucket holds needs a full one and leaves it in debt: so everything can be had, and
        nobody has more than the rate in the long run.
        """
        rate = own or self.rates.get(name)
        if rate is None:
            return
        taken, wait = await self._ask(name, who, rate, time.monotonic(), cost)
        if taken < 1:
            raise _refusal(name, wait)

    def hold(self, name: str, who: str, own: Rate | None = None) -> Callable[[], None]:
        """Hold a place until what this answers is called. Raises RateLimited where the asker holds all it may."""
        rate = own or self.rates.get(name)
        held = (name, who)
        if rate is not None and self._held[held] >= rate.count:
            raise _refusal(name, HELD_SECONDS)
        self._held[held] += 1

        def release() -> None:
            self._held[held] -= 1
            if not self._held[held]:
                del self._held[held]

        return release

    def _bucket(self, about: tuple[str, str], share: int, now: float) -> _Bucket:
        bucket = self._buckets.get(about)
        if bucket is None:
            bucket = self._buckets[about] = _Bucket(share, now)
            if len(self._buckets) > MOST_BUCKETS:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(about)
        return bucket

    async def _ask(self, name: str, who: str, rate: Rate, now: float, cost: int = 0) -> tuple[int, float]:
        """Take some from the bucket that all processes share; how many, and else the seconds until there is one.

        With `cost` it is that much or nothing, and no process has a share of its own.
        """
        wanted, all_of_it = cost or max(1, rate.count // 100), rate.count - (0 if cost else rate.count // 10)
        needed = min(cost, all_of_it) or ""
        if now < self._away_until:
            return wanted, 0.0
        where = f"tapete:limit:{name}:{self._hide(who)}"
        try:
            taken, wait_ms = await self._script(
                self._redis, [where], [wanted, all_of_it, all_of_it, rate.seconds, needed]
            )
        except (RedisError, OSError):
            self._away_until = now + LOOK_AGAIN
            return wanted, 0.0
        return int(taken), int(wait_ms) / 1000


def _refusal(name: str, seconds: float) -> RateLimited:
    return RateLimited(name, max(1, math.ceil(seconds)))
