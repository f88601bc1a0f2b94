"""What the examples tell: a first game from its creation to its replay, and then all else that can be done.

Each chapter has games of its own. Nobody moves by the clock while something is kept that shows it: bots play at once
and are waited for, or think for longer than a chapter takes.
"""

import random

import httpx

from engine.catalog import RULESETS
from tests.contract.examples import simulations
from tests.contract.examples.tape import Tape, key, stopped
from tests.contract.published import DOCUMENT
from tests.processes import wait_until
from tests.service.players import SEED, Json, Table, any_of, bid, good

BOT = {"kind": "bot", "bot": {"bot": "rules"}}
ANA = {"kind": "player", "name": "Ana"}
NAMES = ("Ana", "Bruno", "Carla", "Dario")
STREAM = {"accept": "text/event-stream"}
SLOW = 60
"""Seconds that a bot takes which shall not move at all."""
MOST_MOVES = 2000
OF_EACH: dict[str, tuple[int, Json]] = {
    "tarneeb": (4, {"preset": "tarneeb_31", "options": {"first_dealer": 1}}),
    "reihe": (3, {"preset": "nordic_60", "options": {"target": 20, "first_dealer": 0}}),
    "rosbiratschka": (3, {"preset": "classic", "options": {"first_dealer": 0}}),
    "elfer_raus": (3, {"preset": "classic", "options": {"first_dealer": 0}}),
}
"""How many play, and by which options, in the example of each ruleset."""


def tell(tape: Tape, worker: int, simulator: int) -> None:
    """Tell everything; these are the processes of the only bot worker and of the only one for simulations."""
    for chapter in (catalogue, health, every_ruleset, open_table, stand_in, endings):
        tape.api.begin(chapter.__name__)
        chapter(tape)
    simulations.tell(tape, simulator)
    tape.api.begin("first game")
    first_game(tape, worker)


# ---------------------------------------------------------------------------------------------------- what there is


def catalogue(tape: Tape) -> None:
    """Lists and pages that are the same for everyone, and that nothing has changed in them."""
    for path, summary in (
        ("/v1/rulesets", "Which games there are"),
        ("/v1/rulesets/tarneeb", "All about Tarneeb (lists and texts cut short here)"),
        ("/v1/bots", "Which bots there are, and how strong they are"),
        ("/v1/errors", "Every error code, and what to do about it"),
        ("/v1/limits", "Every limit"),
        *((path, "The document of this API (cut short here)") for path in DOCUMENT["paths"] if "openapi" in path),
    ):
        answer = tape.keep(tape.api.get(path), summary)
        tape.keep(tape.api.get(path, if_none_match=answer.headers["etag"]), "The caller still holds this answer")


def health(tape: Tape) -> None:
    """What load balancers ask."""
    tape.keep(tape.api.get("/health/live"), "The process answers")

    def all_there() -> bool:
        ready = good(tape.api.get("/health/ready"))
        return bool(ready["workers"] and ready["simulation_workers"])

    wait_until(all_there, lambda: "a worker of each kind")
    tape.keep(tape.api.get("/health/ready"), "Games can be played")


# ---------------------------------------------------------------------------------------------------- the first game


def first_game(tape: Tape, worker: int) -> None:
    """Ana plays one deal of Tarneeb with three bots."""
    options = {"first_dealer": 1, "max_deals": 1}
    body = {"seats": [ANA, BOT, BOT, BOT], "preset": "tarneeb_31", "options": options, "pace_seconds": 0}
    table = tape.api.create(**body)
    tape.keep(table.created, "Ana sits down with three bots (`seed` makes it the same game each time)", "first-game")
    again = tape.api.post(
        "/v1/games", {"ruleset": "tarneeb", "seed": SEED, **body}, idempotency_key=key("first game 1")
    )
    tape.keep(again, "The same request with the same key: the same game, not another one", "repeated")
    _look(tape, table)
    with stopped(worker):
        job = _ask_for_advice(tape, table)
    _read_advice(tape, table, job)
    _move(tape, table)
    _let_play(tape, table)
    _follow(tape, table)
    while (view := _ours(table))["result"] is None:
        good(table.send(0, view["you"]["legal_moves"][0], view["version"]))
    _look_back(tape, table)


def _look(tape: Tape, table: Table) -> None:
    view = tape.keep(table.get("", 0), "The game as Ana sees it: her hand, and nobody else's", "first-game")
    tape.keep(table.get(), "The game as anyone sees it: no hand at all", "spectator")
    known = table.get("", 0, if_none_match=view.headers["etag"])
    tape.keep(known, "Nothing has happened since Ana last looked")
    tape.keep(table.get("/legal-moves", 0), "What Ana may do now", "first-game")


def _ask_for_advice(tape: Tape, table: Table) -> str:
    asked = tape.keep(table.ask_bot(0, expected_version=1), "Ana asks a bot what it would do in her place", "advice")
    tape.keep(tape.api.get(asked.headers["location"], table.tokens[0]), "The bot has not answered yet", "queued")
    return asked.headers["location"]


def _read_advice(tape: Tape, table: Table, job: str) -> None:
    def done() -> bool:
        return bool(good(tape.api.get(job, table.tokens[0]))["state"] == "done")

    wait_until(done, lambda: "a bot's advice")
    tape.keep(tape.api.get(job, table.tokens[0]), "The bot's advice", "done")


def _move(tape: Tape, table: Table) -> None:
    tape.keep(table.send(0, bid(7), 1), "Ana bids 7", "first-game")
    _ours(table)
    repeated = table.send(0, bid(7), 1)
    tape.keep(repeated, "The same bytes after a time-out: the move is made once, `game` is as it is now", "repeated")


def _let_play(tape: Tape, table: Table) -> None:
    version = _ours(table)["version"]
    played = table.ask_bot(0, "wait=25", expected_version=version, play=True)
    tape.keep(played, "Ana lets a bot move for her, and waits for it", "played")
    _ours(table)


def _follow(tape: Tape, table: Table) -> None:
    page = tape.keep(table.get("/events?limit=3", 0), "The log from its start, with what Ana was dealt", "page")
    after = good(page)["next"]
    tape.keep(
        table.get(f"/events?after={after}&limit=2"), "The log goes on from `next`; this is a spectator", "goes-on"
    )
    stream = table.get(f"/events?after={after}&max_items=2", 0, **STREAM)
    tape.keep(stream, "The same entries as a stream of server-sent events", "stream")
    now = table.view()["cursor"]
    tape.keep(table.get(f"/events?after={now}&wait=1", 0), "A long poll in which nothing has happened", "nothing-new")


def _look_back(tape: Tape, table: Table) -> None:
    """What can be read when the game is over."""
    view = tape.keep(table.get("", 0), "The game is over", "finished")
    tape.keep(table.get("/deals"), "What the deal was worth")
    over = table.get("/events", 0, last_event_id=good(view)["cursor"], **STREAM)
    tape.keep(over, "The game is over, and this reader knows all of it")
    replay = tape.keep(table.get("/replay"), "The whole record: every hand, every move, and the seed")
    tape.keep(table.get("/replay", None, if_none_match=replay.headers["etag"]), "The caller holds this record")


def _ours(table: Table) -> Json:
    """The game when the bots have moved: as seat 0 sees it, to move, or after the end."""

    def ours() -> Json:
        view = table.view(0)
        return view if view["to_move"] in (0, None) else None

    return wait_until(ours, lambda: "the bots' moves")


# ---------------------------------------------------------------------------------------------------- every ruleset


def every_ruleset(tape: Tape) -> None:
    """Each ruleset: created, looked at, and each type of its moves made once, by friends without bots."""
    for ruleset in RULESETS:
        name = ruleset.name
        seats, more = OF_EACH[name]
        players = [{"kind": "player", "name": each} for each in NAMES[:seats]]
        tape.api.begin(f"every ruleset {name}")
        table = tape.api.create(ruleset=name, seats=players, **more)
        mover = table.to_move()
        tape.keep(table.created, f"Friends play {ruleset.title['en']}", name)
        tape.keep(table.get("", mover), f"{ruleset.title['en']}, as {NAMES[mover]} sees it, who is to move", name)
        tape.keep(table.get("/legal-moves", mover), f"What {NAMES[mover]} may do", name)
        _every_move(tape, table, {each.__struct_config__.tag for each in ruleset.move_types})


def _every_move(tape: Tape, table: Table, kinds: set[str]) -> None:
    name = table.view()["ruleset"]
    chance = random.Random(f"example of {name}")
    for _ in range(MOST_MOVES):
        mover = table.to_move()
        move = any_of(chance, table.legal_moves(mover))
        answer = table.send(mover, move)
        if (kind := move["type"]) in kinds:
            kinds.remove(kind)
            tape.keep(answer, f"{NAMES[mover]} moves: {kind}", f"{name}-{kind.replace('_', '-')}")
        if not kinds:
            return
    raise AssertionError(f"no {kinds} in {MOST_MOVES} moves of {name}")


# ---------------------------------------------------------------------------------------------------- who sits where


def open_table(tape: Tape) -> None:
    """Ana invites Bruno to Reihe; they agree on a target, and Ana renews her token."""
    seats = [ANA, {"kind": "open"}, BOT]
    options = {"target": None, "first_dealer": 0}
    table = tape.api.create(ruleset="reihe", seats=seats, options=options, start="manual", pace_seconds=SLOW)
    tape.keep(table.created, "Ana keeps a seat open for whoever has the invite, and will start the game", "open-seat")
    claim = {"invite": good(table.created)["seats"][1]["invite"], "name": "Bruno", "client_seed": "brunos-own-luck"}
    for summary, slug in (("Bruno takes the seat", ""), ("The same claim again: the same token", "repeated")):
        claimed = tape.api.post(f"{table.path}/seats/1/claim", claim, idempotency_key=key("Bruno's claim"))
        table.tokens[1] = good(tape.keep(claimed, summary, slug))["token"]
    start = tape.api.post(f"{table.path}/start", {"client_seed": "anas-own-luck"}, table.creator)
    tape.keep(start, "Ana starts the game")
    for seat, slug in ((0, "proposed"), (1, "agreed")):
        answer = _sent(table, "PUT", "/target", seat, json={"target": 20})
        tape.keep(answer, f"{NAMES[seat]} proposes a match to 20{'' if seat == 0 else ': both agree'}", slug)
    _news(tape, table)
    renewed = _sent(table, "POST", "/seats/0/token", 0)
    tape.keep(renewed, "Ana gets a new token; the one that she lost is dead")


def _news(tape: Tape, table: Table) -> None:
    """A long poll that is answered by what happens meanwhile."""
    poll = tape.api.request("GET", f"{table.path}/events?after={table.view()['cursor']}&wait=25", table.tokens[1])
    propose = tape.api.request("PUT", f"{table.path}/target", table.tokens[0], json={"target": 30})
    tape.keep(
        tape.api.together(poll, propose)[0], "A long poll, answered when Ana proposed another target", "long-poll"
    )


def stand_in(tape: Tape) -> None:
    """Ana has a second for her move and is late; a bot moves for her until she comes back, and she leaves for good."""
    table = tape.api.create(
        seats=[ANA, BOT, BOT, BOT], options={"first_dealer": 1}, move_seconds=1, pace_seconds=SLOW
    )  # fmt: skip

    def replaced() -> bool:
        return bool(table.view()["seats"][0]["controller"] == "stand_in")

    wait_until(replaced, lambda: "a stand-in for seat 0")
    tape.keep(_sent(table, "POST", "/return", 0), "Ana takes her seat back from the stand-in")
    tape.keep(_sent(table, "POST", "/resignation", 0), "Ana leaves her seat to a bot for good")


def endings(tape: Tape) -> None:
    """The creator ends a game, and erases it."""
    table = tape.api.create(options={"first_dealer": 0})
    tape.keep(_sent(table, "POST", "/abandonment", "creator"), "The creator ends the game")
    tape.keep(_sent(table, "DELETE", "", "creator"), "The creator erases the game")


def _sent(table: Table, method: str, what: str, who: int | str, **body: Json) -> httpx.Response:
    return table.api.run(table.api.request(method, table.path + what, table.token(who), **body))
