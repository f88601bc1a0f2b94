"""Games as whoever runs the service sees them: over HTTP while the API is there, and in Redis when it is not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
import redis

from service.store import SHARDS, key, shard_of
from tests.processes import PATIENCE, Running, wait_until

RULES = {"kind": "bot", "bot": {"bot": "rules"}}
SHORT = {"max_deals": 1, "all_pass": "dealer_bids"}
"""Options of a game that is over after one deal, which is played."""


@dataclass
class Api:
    """A running API."""

    running: Running
    url: str

    def create(self, **more: Any) -> str:
        """Create a game, of four bots and one deal unless it says more, and give its id."""
        game = {"ruleset": "tarneeb", "seats": [RULES] * 4, "options": SHORT, **more}
        answer = httpx.post(f"{self.url}/v1/games", json=game, timeout=PATIENCE)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["game"]["game_id"])

    def get(self, path: str) -> Any:
        """Give a document."""
        answer = httpx.get(self.url + path, timeout=PATIENCE)
        assert answer.status_code == 200, answer.text
        return answer.json()


@dataclass
class Parts:
    """Starts the parts of the service one by one, and knows how games stand without asking any."""

    start: Callable[..., Running]
    redis: redis.Redis

    def api(self) -> Api:
        """Start an API and wait until it answers."""
        running = self.start("api", "--port", "0")
        return Api(running, running.wait_for(r"^The API answers at (http://\S+)$")[1])

    def worker(self) -> Running:
        """Start a worker and wait until it listens."""
        before = self.redis.scard("rq:workers")
        running = self.start("worker", "bots")
        wait_until(lambda: self.redis.scard("rq:workers") > before, lambda: f"a worker in\n{running.output}")
        return running

    def field(self, game: str, name: str) -> str | None:
        """Give a field of a game."""
        return self.redis.hget(key("game", shard_of(game), game), name)

    def until_finished(self, *games: str) -> None:
        """Wait until games are over."""
        wait_until(
            lambda: all(self.field(game, "status") == "finished" for game in games),
            lambda: f"the end of {', '.join(map(self.stand, games))}",
        )

    def until_queued(self) -> str:
        """Wait until there is a job in the queue, and give its id."""
        return wait_until(lambda: self.redis.lindex("rq:queue:tapete-bots", 0), lambda: "a job in the queue")

    def stand(self, game: str) -> str:
        """Say how a game stands, for a test that fails."""
        queue = self.redis.lrange("rq:queue:tapete-bots", 0, -1)
        return f"{game} at {self.field(game, 'version')}; due {self.due()}, queued {queue}"

    def due(self) -> list[str]:
        """Give all due work."""
        return [member for shard in range(SHARDS) for member in self.redis.zrange(key("due", shard), 0, -1)]

    def traces(self) -> set[str]:
        """Give every key of the queue's."""
        return set(self.redis.scan_iter("rq:*"))
