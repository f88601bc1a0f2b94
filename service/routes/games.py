"""Games: create, look, move, read the log, ask a bot."""

import re

import msgspec
from litestar import get, post, put
from litestar.params import FromPath
from litestar.types import ASGIApp

from service import bot_moves, creation, following, games, targets
from service.access import Caller
from service.operation import IDEMPOTENCY_KEY, IF_NONE_MATCH, Operation, Parameter, describes
from service.rates import MOST_PAGE, MOST_WAIT
from service.routes.admission import Held, hold_a_place
from service.routes.http import (
    NO_STORE,
    PRIVATE,
    VARIED,
    Answer,
    AnyRequest,
    answer,
    bearer,
    body,
    context_of,
    enter_game,
    holds,
    idempotency_key,
    key_to_create,
    query,
    sent_as,
    whole,
)
from service.routes.streams import EVENT_STREAM, PING_SECONDS, EventStream, wants_stream, while_there
from service.schemas import (
    CURSOR_PATTERN,
    ApplyMove,
    AskBot,
    CreatedGame,
    CreateGame,
    DealsPage,
    EventsPage,
    GameView,
    Job,
    LegalMoves,
    MoveApplied,
    ProposeTarget,
)
from service.store import Loaded

REPLAYED = {"Idempotency-Replayed": "true"}
PAGE = 100
GONE = ("game_not_found", "game_expired", "game_deleted")
TAG = "Games"

_create = msgspec.json.Decoder(CreateGame)
_move = msgspec.json.Decoder(ApplyMove)
_target = msgspec.json.Decoder(ProposeTarget)
_ask = msgspec.json.Decoder(AskBot)

LIMIT = Parameter(
    "limit",
    "query",
    f"The most entries to answer with; {PAGE} without it.",
    {"type": "integer", "minimum": 1, "maximum": MOST_PAGE},
)


@post(
    "/v1/games",
    status_code=201,
    **describes(
        Operation(
            "createGame",
            TAG,
            {201: CreatedGame},
            access="key",
            body=CreateGame,
            limit="games",
            problems=("game_deleted", "invalid_options", "unknown_bot", "idempotency_mismatch"),
            parameters=(IDEMPOTENCY_KEY,),
            answer_headers=("Location", "Idempotency-Replayed"),
        )
    ),
)
async def create_game(request: AnyRequest) -> Answer:
    """Create a game, and start it where every seat is taken.

    A seat is a player's, a bot's, or open. The answer holds the token of each player's seat, the invite to each open
    one, and the creator's token: they are shown here only, so keep them. Bots move by themselves.

    Send an `Idempotency-Key`, a new UUID, and no game is created twice: after a time-out or a 503 repeat the same
    body with the same key, and the first answer comes again. A key is known for as long as its game is kept; the key of
    a game that was erased creates no other. Whoever knows key and body gets the tokens, so treat the key as a secret.

    Where the service has API keys this needs one, and `Idempotency-Key` is that key's own.
    """
    query(request)
    api_key = await key_to_create(request)
    owner = api_key.name if api_key else ""
    asked = await body(request, _create)
    again = {}
    if (key := idempotency_key(request, api_key)) is None:
        created = await creation.create_game(context_of(request), asked, owner)
    else:
        created, replayed = await creation.create_once(context_of(request), asked, key, owner)
        again = REPLAYED if replayed else {}
    return answer(created, 201, {**NO_STORE, **again, "Location": f"/v1/games/{created.game.game_id}"})


@get(
    "/v1/games/{game_id:str}",
    **describes(
        Operation(
            "getGame",
            TAG,
            {200: GameView, 304: None},
            access="optional",
            problems=GONE,
            parameters=(IF_NONE_MATCH,),
            answer_headers=("ETag",),
        )
    ),
)
async def get_game(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """Look at a game.

    With a seat's token the view holds that seat's hand and legal moves; without a token it is a spectator's, with
    no hand, and so it is with the creator's, who sees the `metadata` besides. Reading changes nothing, not even how
    long the game is kept.

    To follow a game, read its log from `cursor` on (`listEvents`) instead of asking for the view again and again;
    whoever asks all the same sends the `ETag` as `If-None-Match` and gets 304 while nothing has changed.
    """
    query(request)
    game, caller = await enter_game(request, game_id)
    reader = "spectator" if caller is None else "creator" if caller.seat is None else f"seat{caller.seat}"
    etag = f'"{game.cursor}.{reader}"'
    headers = {**PRIVATE, "ETag": etag}
    if holds(request, etag):
        return Answer(b"", 304, headers=headers)
    return answer(games.view(game, caller), headers=headers)


@get(
    "/v1/games/{game_id:str}/legal-moves",
    **describes(
        Operation(
            "listLegalMoves",
            TAG,
            {200: LegalMoves},
            access="seat",
            problems=("forbidden", *GONE, "not_started"),
        )
    ),
)
async def list_legal_moves(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """List every move that is open to the token's seat.

    The list is empty while another seat is to move. A move is legal if and only if it is in this list, until `version`
    has risen. `you.legal_moves` of the view is the same list, so whoever has just read that need not ask here.
    """
    query(request)
    game, caller = await enter_game(request, game_id)
    return answer(games.list_legal_moves(game, games.seat_of(caller)), headers=PRIVATE)


@post(
    "/v1/games/{game_id:str}/moves",
    status_code=200,
    **describes(
        Operation(
            "applyMove",
            TAG,
            {200: MoveApplied},
            access="seat",
            limit="moves",
            body=ApplyMove,
            problems=(
                "forbidden",
                *GONE,
                "match_over",
                "not_started",
                "version_conflict",
                "not_your_turn",
                "illegal_move",
            ),
            answer_headers=("Idempotency-Replayed",),
        )
    ),
)
async def apply_move(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """Make a move, exactly once.

    `expected_version` is the version of the view that the move was decided on. After a time-out or a 503 send the
    same bytes again: a move that had been made is answered as it was then, with `Idempotency-Replayed: true`. A
    refused move changes nothing. An answer means that the move survives the death of any process.

    `version_conflict` says that somebody has moved since `expected_version`, or has taken the seat's turn: read the
    view and decide anew. `illegal_move` has a `reason`, which the ruleset's page explains. Everything that the move
    triggers (a trick, a score, the next deal) is in `events`, and done.
    """
    query(request)
    context = context_of(request)
    game, caller = await games.enter_to_move(context, game_id, bearer(request))
    mover = games.seated(caller)
    applied, replayed = await games.apply_move(context, game, mover, await body(request, _move))
    return answer(applied, headers={**PRIVATE, **REPLAYED} if replayed else PRIVATE)


@put(
    "/v1/games/{game_id:str}/target",
    **describes(
        Operation(
            "proposeTarget",
            TAG,
            {200: GameView},
            access="seat",
            limit="changes",
            body=ProposeTarget,
            problems=("forbidden", *GONE, "match_over", "not_started", "no_target"),
        )
    ),
)
async def propose_target(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """Propose a target for the match, where the rules let players agree on one (Reihe).

    A proposal stands until the seat makes another; `match.target_proposals` of the view shows them all. When every
    player's is the same, it becomes the target at once. Proposing the same again changes nothing.
    """
    query(request)
    context = context_of(request)
    game, caller = await enter_game(request, game_id)
    proposer = games.seated(caller)
    asked = await body(request, _target)
    return answer(games.view(await targets.propose(context, game, proposer, asked.target), caller), headers=PRIVATE)


@post(
    "/v1/games/{game_id:str}/bot-moves",
    status_code=202,
    **describes(
        Operation(
            "askBot",
            TAG,
            {202: Job, 200: Job},
            access="seat",
            limit="jobs",
            body=AskBot,
            problems=(
                "forbidden",
                "advice_forbidden",
                *GONE,
                "match_over",
                "not_started",
                "version_conflict",
                "not_your_turn",
                "unknown_bot",
            ),
            parameters=(
                Parameter(
                    "Prefer",
                    "header",
                    f"`wait=N`: wait up to N seconds ({MOST_WAIT} at most), and answer 200 when the job is finished.",
                    {"type": "string"},
                ),
            ),
            answer_headers=("Location", "Preference-Applied"),
        )
    ),
)
async def ask_bot(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """Let a bot choose a move for the caller's seat.

    As advice, or with `play` true as the move itself. The bot knows what the seat knows and nothing else. It has to be
    the seat's turn. The same request is the same job, so it may be repeated.

    202 while the job waits: look at it where `Location` says. With `Prefer: wait=N` the answer is held back for up to N
    seconds, and is 200 when the job is done or failed by then. A failed job says why in `failure`:
    `version_conflict` where somebody moved before the bot did.
    """
    query(request)
    context = context_of(request)
    game, caller = await enter_game(request, game_id)
    seat = games.seat_of(caller)
    asked = await body(request, _ask)
    job_id = await bot_moves.ask(context, game, seat, asked)
    wait = _preferred_wait(request)
    with hold_a_place(request, wait or 0):
        job = await bot_moves.wait_for_job(context, job_id, bearer(request), wait or 0)
    finished = wait is not None and job.state != "queued"
    headers = {**PRIVATE, "Location": f"/v1/jobs/{job_id}"}
    if wait is not None:
        headers["Preference-Applied"] = f"wait={wait}"
    return answer(job, 200 if finished else 202, headers)


def _preferred_wait(request: AnyRequest) -> int | None:
    """How many seconds the caller prefers to wait; what else `Prefer` may say is ignored, as RFC 7240 has it."""
    sent = request.headers.get("prefer", "")
    found = re.search(r"(?:^|[,;\s])wait\s*=\s*\"?([0-9]{1,6})\"?", sent, re.ASCII | re.IGNORECASE)
    return min(int(found[1]), MOST_WAIT) if found else None


@get(
    "/v1/games/{game_id:str}/events",
    **describes(
        Operation(
            "listEvents",
            TAG,
            {200: EventsPage, 204: None},
            access="optional",
            stream=True,
            problems=(*GONE, "history_lost"),
            parameters=(
                Parameter(
                    "after",
                    "query",
                    "A cursor from an answer; without it the log is read from its start.",
                    {"type": "string", "pattern": CURSOR_PATTERN},
                ),
                LIMIT,
                Parameter(
                    "wait",
                    "query",
                    "Seconds that an empty page is held back until there is something in it.",
                    {"type": "integer", "minimum": 0, "maximum": MOST_WAIT},
                ),
                Parameter(
                    "max_items",
                    "query",
                    "End a stream after this many entries.",
                    {"type": "integer", "minimum": 1, "maximum": MOST_PAGE},
                ),
                Parameter(
                    "Last-Event-ID",
                    "header",
                    "The cursor that a stream goes on after; counts more than `after`.",
                    {"type": "string", "pattern": CURSOR_PATTERN},
                ),
            ),
        ),
        stream=EVENT_STREAM,
    ),
)
async def list_events(request: AnyRequest, game_id: FromPath[str]) -> ASGIApp:
    """Read the log of a game from a cursor on.

    Every entry says who did what, when, and what followed. Folding the entries gives the view. Entries are told
    to the reader's seat: its own hand is in what it was dealt, nobody else's is anywhere.

    Three ways to follow a game. A page, at once. A long poll: with `wait` an empty page is held back until there is
    news. A stream: with `Accept: text/event-stream` every entry is sent as it happens, as a server-sent event whose
    `id` is its cursor; a reader who comes back with `Last-Event-ID` misses nothing. 204 says that the game is over
    and everything has been told. A stream that has to end early sends an event `problem` with a problem document.
    """
    sent = query(request, ("after", "limit", "wait", "max_items"))
    limit = whole(sent.get("limit"), "limit", 1, MOST_PAGE, PAGE)
    seconds = whole(sent.get("wait"), "wait", 0, MOST_WAIT, 0)
    most = whole(sent.get("max_items"), "max_items", 1, MOST_PAGE, 0) or None
    place = _place(request, sent.get("after"), streamed := wants_stream(request))
    game, caller = await enter_game(request, game_id)
    if streamed:
        return await _stream(request, game, caller, place, most)
    with hold_a_place(request, seconds):
        reading = following.events_page(context_of(request), game, caller, place, limit, seconds=seconds)
        page = await (while_there(request.receive, reading) if seconds else reading)
    return answer(page, headers=VARIED)


def _place(request: AnyRequest, after: str | None, streamed: bool) -> following.Place:
    """Where the caller stands. A browser comes back with the address it began with, so `Last-Event-ID` counts more."""
    place = following.place_at(following.START if after is None else after, "after")
    if not (last := sent_as(request, b"last-event-id")):
        return place
    told_last = following.place_at(", ".join(last), "Last-Event-ID")
    return told_last if streamed else place


async def _stream(
    request: AnyRequest, game: Loaded, caller: Caller | None, place: following.Place, most: int | None
) -> ASGIApp:
    """The log as it grows; nothing more where the game is over and all of it is known."""
    context = context_of(request)
    await following.check(context, game, place)
    if games.is_over(game) and place.cursor == game.cursor:
        return Answer(b"", 204, headers=VARIED)
    batches = following.follow(context, game, caller, place, PING_SECONDS)
    stream = EventStream(batches, 0 if request.scope["head"] else most)  # type: ignore[typeddict-item] # the edge puts it there
    return Held(stream, request)


@get(
    "/v1/games/{game_id:str}/deals",
    **describes(
        Operation(
            "listDeals",
            TAG,
            {200: DealsPage},
            access="optional",
            problems=GONE,
            parameters=(
                Parameter(
                    "after",
                    "query",
                    "The number of a deal: answer with those after it.",
                    {"type": "integer", "minimum": 0, "maximum": 9_999_999},
                ),
                LIMIT,
            ),
        )
    ),
)
async def list_deals(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """Read the finished deals: what each was worth and how that came about.

    The same for everyone, and at any time; hands are in the replay, when the game is over.
    """
    sent = query(request, ("after", "limit"))
    game, _ = await enter_game(request, game_id)
    after = whole(sent.get("after"), "after", 0, 9_999_999, 0)
    limit = whole(sent.get("limit"), "limit", 1, MOST_PAGE, PAGE)
    return answer(await games.finished_deals(context_of(request), game, after, limit), headers=PRIVATE)


HANDLERS = (create_game, get_game, list_legal_moves, apply_move, propose_target, ask_bot, list_events, list_deals)
