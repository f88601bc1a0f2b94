"""Every fault once, under load: no acknowledged move is lost or doubled, no game is stuck, every answer is clear.

`make faults` does the same for many rounds and writes README.md.
"""

from collections.abc import Iterator

import pytest
import redis
from rq.worker_registration import REDIS_WORKER_KEYS

from tests.faults.faults import FAULTS, Fault
from tests.faults.report import README
from tests.faults.rounds import Tally, examine_all, play
from tests.faults.stand import Stand, stand, stand_behind_a_proxy

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    """The service as `tapete up` runs it, under load."""
    with stand(tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture(scope="module")
def behind_a_proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    """The service on somebody else's Redis, under load."""
    with stand_behind_a_proxy(tmp_path_factory.mktemp("data")) as running:
        yield running


def check(tally: Tally) -> None:
    """See that a round kept every promise, and that it was one."""
    assert (tally.lost, tally.doubled, tally.stuck) == (0, 0, 0)
    assert tally.acknowledged > 0


@pytest.mark.parametrize(
    "fault", [each for each in FAULTS[1:] if not each.behind_a_proxy], ids=lambda fault: fault.name
)
def test_after_a_fault_every_promise_is_kept_and_every_game_goes_on(ours: Stand, fault: Fault) -> None:
    check(play(ours, fault))


def test_in_the_end_every_game_is_played_to_its_end(ours: Stand) -> None:
    tally = Tally()
    ours.load.finish()
    examine_all(ours.load, tally)
    assert not ours.load.games
    assert (tally.lost, tally.doubled) == (0, 0)


def test_there_are_as_many_games_as_were_asked_for(ours: Stand) -> None:
    """A create whose answer was lost was repeated with its key."""
    with redis.Redis.from_url(ours.games_url) as client:
        assert len(list(client.scan_iter("tapete:{s??}:game:*"))) == ours.load.created


def test_there_was_something_to_lose(ours: Stand) -> None:
    """Otherwise nothing was killed under load, and the other tests say nothing."""
    assert ours.load.client.refused > 0
    assert ours.load.client.unanswered > 0


def test_what_killed_workers_leave_in_the_queue_is_swept_away(ours: Stand) -> None:
    """It ends by itself, or is where RQ's maintenance looks, which every worker does every ten minutes."""
    with redis.Redis.from_url(ours.queue_url, decode_responses=True) as queue:
        kept = {name: queue.ttl(name) for name in queue.scan_iter("rq:*")}
        for_ever = {name for name, ttl in kept.items() if ttl == -1}
        watched = {"rq:queues", REDIS_WORKER_KEYS, "rq:queue:tapete-bots:intermediate"}
        watched |= {f"rq:{kind}:tapete-bots" for kind in ("workers", "queue", "wip", "failed")}
        started = [entry.partition(":")[0] for entry in queue.zrange("rq:wip:tapete-bots", 0, -1)]
        popped = queue.lrange("rq:queue:tapete-bots:intermediate", 0, -1)
        assert for_ever - watched <= {f"rq:job:{job_id}" for job_id in (*started, *popped)}


@pytest.mark.parametrize("fault", [each for each in FAULTS if each.behind_a_proxy], ids=lambda fault: fault.name)
def test_behind_a_proxy_too(behind_a_proxy: Stand, fault: Fault) -> None:
    tally = play(behind_a_proxy, fault)
    check(tally)
    assert tally.cuts > 0 or tally.repeated > 0, "nothing was cut, or nobody noticed"


def test_the_table_names_every_fault_and_says_that_nothing_was_lost() -> None:
    """README.md is what `make faults` found when it was last run."""
    rows = [line.strip("| ").split(" | ") for line in README.read_text().splitlines() if line.startswith("| ")]
    head, *found, total = rows
    assert [row[0] for row in found] == [fault.name for fault in FAULTS]
    for row in (*found, total):
        assert [row[head.index(name)] for name in ("lost", "doubled", "stuck")] == ["0", "0", "0"]
    assert int(total[head.index("kills")]) >= 200
