"""Requests and answers as JSON. Requests are closed; answers are open, and clients ignore what they do not know.

The unions over rulesets are built from the catalog, so that a new ruleset needs no line here.
"""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from engine.bots import BOTS
from engine.catalog import RULESETS
from engine.wire import AllPassed, Card, DealScored, Dealt, GameOver, GameStarted, Move, Result
from service.errors import PROBLEMS


class Closed(Struct, forbid_unknown_fields=True, kw_only=True):
    """A request: a field that the document does not name is refused."""


class Answer(Struct, kw_only=True):
    """An answer: it may grow."""


def _union(types: list[Any]) -> Any:
    return reduce(or_, dict.fromkeys(types))


Kind = Literal["player", "bot", "open"]
Due = Literal["", "bot", "deadline"]
"""What must happen next in a game: a bot moves, a player's time ends, or nothing."""
StartMode = Literal["auto", "manual"]
Controller = Literal["player", "bot", "stand_in"]
By = Literal["player", "bot", "stand_in", "creator", "service"]
Status = Literal["waiting", "playing", "finished", "abandoned"]
JobState = Literal["queued", "done", "failed"]


class SeatClaimed(Struct, tag_field="type", tag="seat_claimed"):
    """Somebody has taken an open seat."""

    seat: int
    name: str | None


class ControllerChanged(Struct, tag_field="type", tag="controller_changed"):
    """Somebody else moves for a seat from now on: its stand-in, or its player again."""

    seat: int
    controller: Controller


class TokenRotated(Struct, tag_field="type", tag="token_rotated"):
    """A seat has a new token; the one before it is dead."""

    seat: int


class Resigned(Struct, tag_field="type", tag="resigned"):
    """A seat's player has left it to a bot for good."""

    seat: int


class Abandoned(Struct, tag_field="type", tag="abandoned"):
    """The creator has ended the game."""


if TYPE_CHECKING:  # mypy cannot read types that are built from the catalog
    RulesetName: TypeAlias = str
    BotName: TypeAlias = str
    DealView: TypeAlias = Any
    MatchView: TypeAlias = Any
    LastDeal: TypeAlias = Any
    Event: TypeAlias = Any
    Code: TypeAlias = str
else:
    RulesetName = Literal[tuple(ruleset.name for ruleset in RULESETS)]
    Code = Literal[tuple(PROBLEMS)]
    BotName = Literal[tuple(dict.fromkeys(bot.name for bot in BOTS))]
    DealView = _union([ruleset.deal_type for ruleset in RULESETS])
    MatchView = _union([ruleset.match_type for ruleset in RULESETS])
    LastDeal = _union([ruleset.last_deal for ruleset in RULESETS])
    Event = _union(
        [
            GameStarted,
            Dealt,
            AllPassed,
            DealScored,
            GameOver,
            SeatClaimed,
            ControllerChanged,
            TokenRotated,
            Resigned,
            Abandoned,
            *(each for ruleset in RULESETS for each in ruleset.events),
        ]
    )

# Control characters and the marks that turn text round would let a name disturb the tables it is shown in.
NAME_PATTERN = "^[^\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]+$(?!\\n)"
CURSOR_PATTERN = "^(?:0|[1-9][0-9]{0,15})-[0-9a-f]{0,12}$(?!\\n)"
Name = Annotated[str, Meta(min_length=1, max_length=40, pattern=NAME_PATTERN, description="Shown to everyone.")]
SeatNumber = Annotated[int, Meta(ge=0, le=7)]
Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]


class Budget(Closed):
    """How much a bot may think. The bots that exist now need none and ignore it."""

    samples: Annotated[int, Meta(ge=1, le=100_000)]


class BotSpec(Closed):
    """Which bot; `version` null means the latest, and answers name it."""

    bot: BotName
    version: Annotated[int, Meta(ge=1, le=1000)] | None = None
    budget: Budget | None = None


class PlayerSeat(Closed, tag_field="kind", tag="player"):
    """A seat for whoever gets its token."""

    name: Name | None = None


class BotSeat(Closed, tag_field="kind", tag="bot"):
    """A seat that a bot plays."""

    bot: BotSpec
    name: Name | None = None


class OpenSeat(Closed, tag_field="kind", tag="open"):
    """A seat for whoever claims it with its invite."""


NewSeat = PlayerSeat | BotSeat | OpenSeat
MetadataKey = Annotated[str, Meta(min_length=1, max_length=40)]
MetadataText = Annotated[str, Meta(max_length=500)]
Seed = Annotated[str, Meta(pattern="^[0-9a-f]{64}$(?!\\n)", min_length=64, max_length=64)]


class CreateGame(Closed):
    """A game to create: a ruleset with its options, and who sits where.

    `options` override `preset`, which overrides the ruleset's defaults. `seed` makes the deals reproducible and
    marks the game as not fair. `pace_seconds` is how long a bot waits at least before it moves; without it, half
    a second with a player at the table, else nothing. With `move_seconds` a player who has not moved by then is
    replaced by the bot `stand_in`, until it comes back; `deal_pause_seconds` more are given after each dealing. A
    game with open seats waits until they are claimed, and with `start` `manual` until it is started.
    """

    ruleset: RulesetName
    seats: Annotated[list[NewSeat], Meta(min_length=2, max_length=8)]
    preset: Annotated[str, Meta(max_length=40)] | None = None
    options: dict[str, Any] = {}
    pace_seconds: Annotated[float, Meta(ge=0, le=60)] | None = None
    start: StartMode = "auto"
    move_seconds: Annotated[float, Meta(ge=1, le=259_200)] | None = None
    deal_pause_seconds: Annotated[float, Meta(ge=0, le=60)] = 0
    stand_in: BotSpec = msgspec.field(default_factory=lambda: BotSpec(bot="rules"))
    advice: bool = True
    seed: Seed | None = None
    metadata: Annotated[dict[MetadataKey, MetadataText], Meta(max_length=16)] = {}


ClientSeed = Annotated[
    str, Meta(pattern="^[0-9A-Za-z_-]{1,64}$(?!\\n)", description="What a player adds to the seed of the deals.")
]


class ClaimSeat(Closed):
    """An open seat to take, with its invite."""

    invite: Annotated[str, Meta(max_length=200)]
    name: Name | None = None
    client_seed: ClientSeed | None = None


class StartGame(Closed):
    """A game to start. `client_seed` is what the creator adds to the seed of the deals."""

    client_seed: ClientSeed | None = None


class ApplyMove(Closed):
    """A move, and the version of the game that it was decided on. After a time-out, send the same bytes again."""

    expected_version: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    move: Move


class ProposeTarget(Closed):
    """A target for the match. It counts when every player's latest proposal is the same."""

    target: Annotated[int, Meta(ge=1, le=500)]


class AskBot(Closed):
    """Let a bot choose for the caller's seat: as advice, or with `play` to be made as its move."""

    expected_version: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    bot: BotSpec
    play: bool = False


class SeatView(Answer):
    """A seat as everyone sees it. `controller` is who moves for it now, `bot` that bot's name and version."""

    seat: int
    kind: Kind
    name: str | None
    controller: Controller
    bot: BotSpec | None
    team: int | None
    cards: int
    score: int
    resigned: bool
    timeouts: int
    playing: bool


class You(Answer):
    """What only the reader's own seat sees."""

    seat: int
    hand: list[Card]
    legal_moves: list[Move]


class GameView(Answer):
    """A game as one seat, or a spectator, may know it. What does not apply is null; what is hidden is a count."""

    game_id: str
    ruleset: str
    ruleset_version: int
    options: dict[str, Any] | Any
    status: Status
    version: int
    cursor: str
    to_move: int | None
    deadline_at: Moment | None
    seats: list[SeatView]
    match: MatchView | None
    deal: DealView | None
    you: You | None
    result: Result | None
    fair: bool
    commitment: str
    client_seeds: list[str]
    start: StartMode
    pace_seconds: float
    move_seconds: float | None
    deal_pause_seconds: float
    stand_in: BotSpec
    advice: bool
    metadata: dict[str, str] | None
    created_at: Moment
    expires_at: Moment


class SeatAccess(Answer):
    """What opens a seat, shown in this answer only: the token of a player's, or the invite to an open one."""

    seat: int
    token: str | UnsetType = UNSET
    invite: str | UnsetType = UNSET


class SeatToken(Answer):
    """The token of a seat. It is shown in this answer only."""

    seat: int
    token: str


class ClaimedSeat(Answer):
    """The token of a seat that was open, and the game as it sees it."""

    seat: int
    token: str
    game: GameView


class CreatedGame(Answer):
    """The game as its creator sees it, without any hand, and the tokens and invites of its seats."""

    game: GameView
    seats: list[SeatAccess]
    creator_token: str


class LegalMoves(Answer):
    """Every move open to the caller's seat: an empty list when another seat is to move."""

    version: int
    seat: int
    to_move: int | None
    moves: list[Move]


class MoveApplied(Answer):
    """The version that the move made, what it brought about, and the game as it is now."""

    version: int
    events: list[Event]
    game: GameView


class Item(Answer):
    """One entry of the log: a move or another change, by whom, and what it brought about."""

    version: int
    cursor: str
    at: Moment
    seat: int | None
    by: By
    bot: BotSpec | None
    move: Move | None
    events: list[Event]


class EventsPage(Answer):
    """Entries of the log in order. Read on from `next`; versions have no gaps."""

    items: list[Item]
    next: str
    has_more: bool


class DealsPage(Answer):
    """Finished deals in order: scores and how they came about. Read on with `after` set to `next`."""

    items: list[LastDeal]
    next: int
    has_more: bool


class CandidateMove(Answer):
    """A move that the bot weighed: what it expects to score, with a 95 % interval."""

    move: Move
    estimate: float
    low: float
    high: float


class BotMove(Answer):
    """What a bot chose, after how many samples and seconds; `played_version` is the version it made, if played."""

    move: Move
    bot: BotSpec
    samples: int
    seconds: float
    candidates: list[CandidateMove]
    played_version: int | None


class JobFailure(Answer):
    """Why a job came to nothing, as a problem document's code and detail."""

    code: str
    detail: str


class Job(Answer):
    """A bot move that somebody asked for. `answer` is set when `state` is `done`, `failure` when it is `failed`."""

    job_id: str
    game_id: str
    seat: int
    state: JobState
    play: bool
    expected_version: int
    answer: BotMove | None
    failure: JobFailure | None


class Live(Answer):
    """The process answers."""

    status: Literal["ok"]


class Ready(Answer):
    """Whether the service can do its work, and what it runs on. `workers` are those of bots."""

    status: Literal["ok", "unavailable"]
    redis: str | None
    engine: Literal["compiled", "pure"]
    workers: int
    simulation_workers: int


class ProblemPlace(Answer):
    """A place in the request that is wrong: a JSON pointer into the body, or the name of a query parameter."""

    detail: str
    pointer: str | None = None
    parameter: str | None = None


class Problem(Answer):
    """An error as RFC 9457 has it; `code` is stable. `/v1/errors` says what to do about each."""

    type: str
    title: str
    status: int
    code: Code
    detail: str
    request_id: str
    errors: list[ProblemPlace] | msgspec.UnsetType = msgspec.UNSET
    reason: str | msgspec.UnsetType = msgspec.UNSET
    current_version: int | msgspec.UnsetType = msgspec.UNSET
    by: Controller | msgspec.UnsetType | None = msgspec.UNSET
    limit_key: str | msgspec.UnsetType = msgspec.UNSET
