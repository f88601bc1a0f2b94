"""How often and how much everyone may ask, what they are told when it is too much, and what it costs nobody."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from service import redis_server
from service.access import neighbourhood
from service.rates import DEFAULTS, FIXED, LIMITS, LimitsError, Rate, parse_limits, text_of
from service.settings import Settings
from tests.service.players import AS_JSON, PASS, PLAYERS, Api, Table, bid, good, refused, running

CREATE = {"ruleset": "tarneeb", "seats": PLAYERS}
OPEN = [*PLAYERS[:3], {"kind": "open"}]
AN_HOUR = 3600
ADDRESSES = iter(f"198.51.100.{number}" for number in range(1, 255))


@contextmanager
def limited(settings: Settings, **counts: int | Rate) -> Iterator[Api]:
    """An API with these limits alone: so many in an hour, or at a time."""
    limits = {
        name: count if isinstance(count, Rate) else Rate(count, LIMITS[name].default.seconds and AN_HOUR)
        for name, count in counts.items()
    }
    with redis.Redis.from_url(settings.queue_redis_url) as client:
        for name in client.keys("tapete:limit:*"):
            client.delete(name)
    with running(replace(settings, limits=limits)) as api:
        yield api


def table_in(api: Api, **body: Any) -> Table:
    return api.create(options={"first_dealer": 0}, **body)


def from_address(api: Api, address: str) -> httpx.AsyncClient:
    """A client of the same API at another address."""
    transport = httpx.ASGITransport(api.app, client=(address, 4711))
    return httpx.AsyncClient(transport=transport, base_url="http://tapete.test")


def met(answer: httpx.Response, limit_key: str) -> int:
    """The seconds after which to come back, of an answer that refuses for this limit."""
    problem = refused(answer, "rate_limited")
    assert problem["limit_key"] == limit_key
    assert 1 <= int(answer.headers["retry-after"]) <= AN_HOUR
    return int(answer.headers["retry-after"])


# ---------------------------------------------------------------------------------------------------- what is counted


def test_games_are_counted_for_an_address(settings: Settings) -> None:
    with limited(settings, games=3) as api:
        for _ in range(3):
            good(api.post("/v1/games", CREATE))
        # A third of an hour until there is one again.
        assert met(api.post("/v1/games", CREATE), "games") == pytest.approx(AN_HOUR / 3, abs=60)
        elsewhere = api.run(from_address(api, next(ADDRESSES)).post("/v1/games", json=CREATE))
        assert elsewhere.status_code == 201


def test_a_refused_request_changes_nothing_and_is_good_later(settings: Settings, kept: redis.Redis) -> None:
    with limited(settings, games=Rate(1, 1)) as api:
        good(api.post("/v1/games", CREATE))
        before = set(kept.keys("tapete:{*}:game:*"))
        answer = api.post("/v1/games", CREATE)
        while answer.status_code == 429:
            assert set(kept.keys("tapete:{*}:game:*")) == before
            assert met(answer, "games") == 1
            api.run(asyncio.sleep(0.2))
            answer = api.post("/v1/games", CREATE)
        good(answer)


def test_moves_are_counted_for_their_token_and_for_nobody_elses(settings: Settings) -> None:
    """A seat that floods the service stops neither the others at the table nor what it may read."""
    with limited(settings, moves=2, reads=1000) as api:
        table = table_in(api)
        for _ in range(2):
            refused(table.send(0, bid(7), 1), "not_your_turn")
        met(table.send(0, bid(7), 1), "moves")
        good(table.send(3, PASS, 1))
        assert table.view(0)["version"] == 2
        assert table.events(who=0)["items"]


def test_a_repetition_after_a_refusal_is_still_made_exactly_once(settings: Settings) -> None:
    with limited(settings, moves=1) as api:
        table = table_in(api)
        good(table.send(3, PASS, 1))
        met(table.send(3, PASS, 1), "moves")
        assert table.version() == 2


@pytest.mark.parametrize("what", ["", "/events", "/deals", "/legal-moves"])
def test_reads_are_counted_for_the_token_and_without_one_for_the_address(settings: Settings, what: str) -> None:
    with limited(settings, reads=2) as api:
        table = table_in(api)
        for who in (3, 0):
            for _ in range(2):
                good(table.get(what, who))
            met(table.get(what, who), "reads")
        for path in ("/v1/rulesets", "/v1/bots"):
            good(api.get(path))
        met(api.get("/v1/errors"), "reads")
        met(table.get(), "reads")
        good(table.get(what, 1))


def test_health_metrics_and_pages_are_never_limited(settings: Settings) -> None:
    with limited(settings, reads=1) as api:
        good(api.get("/v1/bots"))
        for path in ("/health/live", "/health/ready", "/metrics", "/docs") * 5:
            assert api.get(path).status_code == 200


def test_other_changes_are_counted_too(settings: Settings) -> None:
    with limited(settings, changes=2) as api:
        table = table_in(api)
        for _ in range(2):
            good(api.post(f"{table.path}/return", {}, table.tokens[0]))
        met(api.post(f"{table.path}/return", {}, table.tokens[0]), "changes")
        good(api.post(f"{table.path}/return", {}, table.tokens[1]))


def test_a_new_token_has_what_the_old_one_has_used_up(settings: Settings) -> None:
    """Whoever stole a token that was renewed since cannot use up what its seat may do."""
    with limited(settings, reads=1) as api:
        table = table_in(api)
        good(table.get("", 0))
        old = table.tokens[0]
        table.tokens[0] = good(api.post(f"{table.path}/seats/0/token", {}, old))["token"]
        met(api.get(table.path, old), "reads")
        good(table.get("", 0))


def test_new_tokens_are_counted_for_their_seat_although_each_is_another(settings: Settings) -> None:
    with limited(settings, changes=2) as api:
        table = table_in(api)

        def renew(seat: int) -> httpx.Response:
            answer = api.post(f"{table.path}/seats/{seat}/token", {}, table.tokens[seat])
            if answer.status_code == 200:
                table.tokens[seat] = answer.json()["token"]
            return answer

        for _ in range(2):
            good(renew(0))
        met(renew(0), "changes")
        good(renew(1))
        refused(api.post(f"{table.path}/seats/2/token", {}, "letmein"), "unauthorized")
        good(renew(2))


def test_asked_bots_are_counted(settings: Settings) -> None:
    with limited(settings, jobs=2) as api:
        table = table_in(api)
        for _ in range(2):
            good(table.ask_bot(3))
        met(table.ask_bot(3), "jobs")


def test_so_many_jobs_of_a_seat_may_wait_and_an_answered_one_makes_room(settings: Settings) -> None:
    with limited(settings, waiting_jobs=2) as api:
        table = table_in(api)

        def ask(samples: int) -> httpx.Response:
            return table.ask_bot(3, bot={"bot": "rules", "budget": {"samples": samples}})

        first, second = good(ask(1)), good(ask(2))
        met(ask(3), "waiting_jobs")
        assert good(ask(2))["job_id"] == second["job_id"], "a repetition is no further job"
        assert api.run(api.context.store.answer(first["job_id"], "failed", b'{"code": "x", "detail": ""}'))
        good(ask(3))
        met(ask(4), "waiting_jobs")
        good(table_in(api).ask_bot(3))


@pytest.mark.parametrize("token", ["letmein", "seat0.0." + "A" * 43, "creator.0." + "A" * 43])
def test_guessed_tokens_are_counted_for_the_address_and_good_ones_are_not(settings: Settings, token: str) -> None:
    with limited(settings, guesses=2) as api:
        table = table_in(api)
        for _ in range(2):
            refused(api.get(table.path, token), "unauthorized")
        met(api.get(table.path, token), "guesses")
        for _ in range(5):
            good(table.get("", 0))
        good(table.get())


def test_guessed_invites_are_counted_and_the_right_one_is_not(settings: Settings) -> None:
    with limited(settings, guesses=2) as api:
        table = table_in(api, seats=OPEN)
        claim = f"{table.path}/seats/3/claim"
        for guess in ("invite3.0." + "A" * 43, "letmein"):
            refused(api.post(claim, {"invite": guess}), "unauthorized")
        met(api.post(claim, {"invite": "letmein"}), "guesses")
        good(api.post(claim, {"invite": api.tokens.of_invite(table.id, 3)}))


def test_waits_hold_a_place_until_they_end(settings: Settings) -> None:
    with limited(settings, streams=2, spectators=1) as api:
        table = table_in(api)
        after = table.view()["cursor"]
        polls = [f"{table.path}/events?after={after}&wait=1"] * 3

        def at_once(who: int | None) -> list[int]:
            answers = api.together(*(api.request("GET", path, table.token(who)) for path in polls))
            for answer in answers:
                if answer.status_code != 200:
                    met(answer, "spectators" if who is None else "streams")
            return sorted(answer.status_code for answer in answers)

        assert at_once(0) == [200, 200, 429]
        assert at_once(None) == [200, 429, 429]
        assert at_once(0) == [200, 200, 429], "the places are free again"
        assert good(table.get("/events", 0))["items"], "a page at once holds none"


def test_streams_hold_a_place_until_their_reader_goes(settings: Settings) -> None:
    with limited(settings, streams=1) as api:
        table = table_in(api)

        async def read_and_ask_for_another() -> httpx.Response:
            asked = {"accept": "text/event-stream"}
            reading = asyncio.create_task(api.request("GET", f"{table.path}/events", table.tokens[0], asked))
            while api.context.wakeups.count() == 0:
                await asyncio.sleep(0.01)
            second = await api.request("GET", f"{table.path}/events", table.tokens[0], asked)
            reading.cancel()
            await asyncio.wait({reading})
            return second

        met(api.run(read_and_ask_for_another()), "streams")
        stream = table.get("/events?max_items=1", 0, accept="text/event-stream")
        assert (stream.status_code, stream.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")


# ---------------------------------------------------------------------------------------------------- over processes


def test_a_limit_holds_over_all_processes(settings: Settings) -> None:
    """Each may give a tenth of it away unasked, so that honest requests cost no round trip; no more than that."""
    with limited(settings, games=20) as one, running(one.settings) as other:
        made = sum(api.post("/v1/games", CREATE).status_code == 201 for api in [one, other] * 25)
        assert 20 <= made <= 22


def test_whoever_stays_within_a_processs_share_makes_it_ask_nobody(settings: Settings) -> None:
    with limited(settings, moves=100, reads=100, games=100) as api, redis.Redis.from_url(settings.redis_url) as client:
        table = table_in(api)
        for _ in range(9):
            refused(table.send(0, PASS, 1), "not_your_turn")
            good(table.get("", 0))
        assert client.keys("tapete:limit:*") == []
        for _ in range(5):
            refused(table.send(0, PASS, 1), "not_your_turn")
        assert len(client.keys("tapete:limit:moves:*")) == 1


def test_buckets_name_nobody_and_end_by_themselves(settings: Settings) -> None:
    with limited(settings, games=5, reads=5) as api, redis.Redis.from_url(settings.redis_url) as client:
        table = table_in(api)
        table.view(0)
        table.view()
        names = client.keys("tapete:limit:*")
        assert len(names) == 3
        for name in names:
            assert 0 < client.pttl(name) <= AN_HOUR * 1000
            for told in (b"127.0.0.1", table.id.encode()):
                assert told not in name + client.get(name)


def test_while_the_buckets_cannot_be_reached_nobody_is_refused(settings: Settings, tmp_path: Path) -> None:
    """A limiter that fails must not make the service fail; games are in another server here."""
    server = redis_server.start(tmp_path)
    try:
        with limited(replace(settings, queue_redis_url=server.url), games=2) as api:
            for _ in range(2):
                good(api.post("/v1/games", CREATE))
            met(api.post("/v1/games", CREATE), "games")
            server.stop()
        with running(replace(settings, queue_redis_url=server.url, limits={"games": Rate(2, AN_HOUR)})) as api:
            for _ in range(6):
                good(api.post("/v1/games", CREATE))
    finally:
        server.stop()


# ---------------------------------------------------------------------------------------------------- who is who


@pytest.mark.parametrize(
    ("address", "counted_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::1", "::/64"),
        ("", "unknown"),
        ("a proxy's nonsense", "unknown"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_an_ipv6_address_counts_with_all_of_its_network(address: str, counted_as: str) -> None:
    assert neighbourhood(address) == counted_as


def test_a_network_of_ipv6_shares_one_limit(settings: Settings) -> None:
    with limited(settings, games=1) as api:
        answers = [
            api.run(from_address(api, address).post("/v1/games", json=CREATE))
            for address in ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1")
        ]
        assert [answer.status_code for answer in answers] == [201, 429, 201]


# ---------------------------------------------------------------------------------------------------- what is set


def test_every_limit_is_published_with_its_value(settings: Settings) -> None:
    with limited(settings, moves=7, streams=3) as api:
        answer = api.get("/v1/limits")
        listed = {each["limit_key"]: each for each in good(answer)["limits"]}
        assert listed.keys() == LIMITS.keys() | FIXED.keys()
        assert (listed["moves"]["value"], listed["moves"]["seconds"], listed["moves"]["per"]) == (7, AN_HOUR, "token")
        assert (listed["streams"]["value"], listed["streams"]["seconds"]) == (3, None)
        assert listed["games"]["value"] is None
        assert (listed["body_bytes"]["value"], listed["body_bytes"]["per"]) == (64 * 1024, None)
        assert all(each["description"].endswith(".") for each in listed.values())
        assert answer.headers["cache-control"].startswith("public")
        assert api.get("/v1/limits", if_none_match=answer.headers["etag"]).status_code == 304


def test_limits_are_set_by_one_text() -> None:
    assert parse_limits("") == DEFAULTS
    assert parse_limits(" off ") == {}
    changed = parse_limits("games=10/hour, moves=off streams=5")
    assert (changed["games"], changed["streams"], "moves" in changed) == (Rate(10, 3600), Rate(5, 0), False)
    assert changed["reads"] == DEFAULTS["reads"]
    for rates in (DEFAULTS, {}, changed):
        assert parse_limits(text_of(rates)) == rates


@pytest.mark.parametrize(
    "text",
    [
        *("games", "games=", "games=5", "games=5/day", "streams=5/hour", "games=0/hour", "streams=0", "moves=-1/hour"),
        *("cheats=1/hour", "games=off/hour", "games=9999999/hour", "games=1/hour;moves=off", "games=1.5/hour", "Off"),
    ],
)
def test_a_text_that_sets_no_limits_is_refused_by_its_word(text: str) -> None:
    with pytest.raises(LimitsError, match=text.split("=", maxsplit=1)[0]):
        parse_limits(text)


def test_the_defaults_leave_room_for_a_whole_match_as_fast_as_it_goes(settings: Settings) -> None:
    """An honest client may be a bot that plays without a pause."""
    with running(replace(settings, limits=DEFAULTS)) as api:
        table = api.create(options={"first_dealer": 0}, seats=PLAYERS)
        assert table.play_on(300)["version"] > 250
        assert {answer.status_code for answer in api.answers} == {200, 201}


def test_with_everything_off_nothing_is_counted(settings: Settings) -> None:
    with limited(settings) as api:
        table = table_in(api)
        for _ in range(50):
            refused(api.get(table.path, "letmein"), "unauthorized")
            good(table.get())
        headers = {**AS_JSON}
        answers = api.together(*(api.request("POST", "/v1/games", None, headers, json=CREATE) for _ in range(50)))
        assert {answer.status_code for answer in answers} == {201}
        with redis.Redis.from_url(settings.redis_url) as client:
            assert client.keys("tapete:limit:*") == []
