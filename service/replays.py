"""The whole record of a game that is over: the seed that was kept back, every pack, every hand, every entry.

Nothing in it is a claim that a reader has to believe: service/verify.py computes the deals from the seed, the
cursors from the entries and the scores from the cards. How the deals are told here stands in one place, so that
service/referee.py can play a record again and compare it with what the rules of this process come to.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Annotated, Any, Literal, cast

import msgspec
from msgspec import Meta, Raw
from msgspec.structs import asdict, replace

from engine.match import Match, MatchState, recorded
from engine.wire import Card, Move, Result
from service.errors import NotOver, Unavailable
from service.games import Context, load, match_from
from service.schemas import (
    Answer,
    BotSpec,
    By,
    DealView,
    Event,
    Kind,
    LastDeal,
    MatchView,
    Moment,
    RulesetName,
    Status,
)
from service.store import Loaded
from service.views import SPECTATOR, client_seeds, moment

PAGE = 1000
"""How many entries, or deals, are read from the store at a time."""

Milliseconds = Annotated[int, Meta(description="Milliseconds since 1970, as the cursor is made of them.")]


class ReplaySeat(Answer):
    """A seat as everyone saw it."""

    seat: int
    kind: Kind
    name: str | None
    bot: BotSpec | None


class ReplayDeal(Answer):
    """A deal with all its cards.

    `order` is the pack from the top as it was shuffled, `hands` what each seat was dealt of it, sorted, `stock` the
    rest. `start` is how everyone saw the deal before the first move, `record` what came of it; null where the game
    was abandoned first. `attempt` is 1 unless the same deal had to be dealt again.
    """

    number: int
    attempt: int
    dealer: int
    participants: list[int]
    order: list[Card]
    hands: list[list[Card]]
    stock: list[Card]
    start: DealView
    record: LastDeal | None


class ReplayEntry(Answer):
    """An entry of the log as it was kept. `target` is what the seat proposed, `left` whether its say ended here.

    Its cursor is `version`, a dash, and the first 12 digits of the SHA-1 of three texts in a row: the cursor before
    it (`0-` before the first entry of a game that waited for its seats, else the game's id), this object as compact
    JSON in the order given here without `version`, `cursor` and `at`, and `at`.
    """

    version: int
    cursor: str
    at: Milliseconds
    seat: int | None
    by: By
    bot: BotSpec | None
    move: Move | None
    expected_version: int | None
    events: list[Event]
    target: int | None
    left: bool


class Replay(Answer):
    """Everything about a game that is over.

    `digest` is the SHA-256 of everything but `log` and itself, as compact JSON with sorted keys; `cursor` is the last
    of the log. Who has the same two has the same record. `match` and `result` are as in the view.
    """

    format: Literal["tapete-replay/1"]
    game_id: str
    ruleset: RulesetName
    ruleset_version: int
    options: dict[str, Any] | Any
    status: Status
    fair: bool
    seats: list[ReplaySeat]
    seed: str
    commitment: str
    client_seeds: list[str]
    created_at: Moment
    deals: list[ReplayDeal]
    match: MatchView | None
    result: Result | None
    cursor: str
    digest: str
    log: list[ReplayEntry]


def check_over(game: Loaded) -> None:
    """Raise NotOver while anything can still happen: a replay shows what a running game hides."""
    if game.status not in ("finished", "abandoned"):
        raise NotOver("The game goes on.")


async def replay(context: Context, game: Loaded) -> bytes:
    """The whole record of a game that is over, as JSON. Raises NotOver."""
    check_over(game)
    log = await _whole_log(context, game)
    starts = await _whole_starts(context, game)
    # A long match is some megabytes and tenths of a second: other requests are answered meanwhile.
    return await asyncio.to_thread(_written, context, game, starts, log)


async def _whole_log(context: Context, game: Loaded) -> list[bytes]:
    log: list[bytes] = []
    while len(log) < game.version:
        page = await context.store.log_as_kept(game.id, len(log), min(PAGE, game.version - len(log)))
        if not page:
            await load(context, game.id)  # says where it was erased meanwhile
            raise Unavailable("The log has not come in whole.")
        log += page
    return log


async def _whole_starts(context: Context, game: Loaded) -> list[MatchState]:
    starts: list[MatchState] = []
    while page := await context.store.deals(game.id, len(starts) + 1, PAGE):
        starts += page
    return starts


def _written(context: Context, game: Loaded, starts: list[MatchState], log: list[bytes]) -> bytes:
    made = Replay(
        format="tapete-replay/1",
        game_id=game.id,
        ruleset=game.header.ruleset,
        ruleset_version=game.header.rules_version,
        options=game.header.options,
        status=game.status,
        fair=game.header.fair,
        seats=_seats(game),
        seed=game.header.seed,
        commitment=game.header.commitment,
        client_seeds=client_seeds(game),
        created_at=moment(game.created_at),
        deals=_deals(context, game, starts),
        match=game.match.ruleset.match_view(game.match) if game.match else None,
        result=game.match.result if game.match else None,
        cursor=game.cursor,
        digest="",
        log=[],
    )
    # The entries go out as the very bytes that the cursors were made of.
    return msgspec.json.encode(replace(made, digest=digest(made), log=cast(list[ReplayEntry], list(map(Raw, log)))))


def digest(made: Replay) -> str:
    """What two records share if and only if they are the same, their logs aside."""
    covered = {name: value for name, value in asdict(made).items() if name not in ("log", "digest")}
    return hashlib.sha256(msgspec.json.encode(covered, order="sorted")).hexdigest()


def _seats(game: Loaded) -> list[ReplaySeat]:
    return [
        ReplaySeat(seat=number, kind="player", name=now.name, bot=None) if now.claim else
        ReplaySeat(seat=number, kind=made_for.kind, name=made_for.name, bot=made_for.bot)
        for number, (made_for, now) in enumerate(zip(game.header.seats, game.seats, strict=True))
    ]  # fmt: skip


def _deals(context: Context, game: Loaded, starts: list[MatchState]) -> list[ReplayDeal]:
    """Every deal. What one came to stands in what the next one started from; of the last, in the match as it is."""
    if game.match is None:
        return []
    records = [recorded(game.match.ruleset, start) for start in starts[1:]]
    records.append(game.match.last_deal if game.match.result else None)
    return [deal_of(match_from(context, game, start), record) for start, record in zip(starts, records, strict=True)]


def deal_of(match: Match, record: Any) -> ReplayDeal:
    """The running deal of a match in which no move has been made, and what came of it."""
    cards = match.codec.pack.cards
    order = [cards[card] for card in match.source.order(match.number, match.attempt, len(cards))]
    seen = match.observe(SPECTATOR)
    return ReplayDeal(
        number=match.number,
        attempt=match.attempt,
        dealer=match.dealer,
        participants=list(match.participants),
        order=order,
        hands=[match.codec.cards(match.observe(seat).hand) for seat in range(match.seats)],
        stock=order[len(order) - seen.stock :],
        start=match.ruleset.deal_view(seen, match),
        record=record,
    )
