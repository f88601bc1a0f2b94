"""What the service refuses, and the one table from errors to HTTP: status, title, and what to do next."""

from dataclasses import dataclass
from http import HTTPStatus

from engine import errors as engine


class ServiceError(Exception):
    """Something a caller asked for that the service does not do; `code` is stable and part of the API.

    `more` are further members of the problem document, `headers` further headers of the answer.
    """

    code = "internal_error"

    def __init__(self, detail: str = "", *, more: dict[str, object] | None = None, **headers: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.more = more or {}
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class InvalidRequest(ServiceError):
    """Not JSON, or not the shape that the published document gives; `errors` name each place."""

    code = "invalid_request"

    def __init__(self, detail: str, errors: list[dict[str, str]] | None = None) -> None:
        super().__init__(detail, more={"errors": errors or []})


class Unauthorized(ServiceError):
    """No token where one is needed, or one that is unknown here."""

    code = "unauthorized"


class Forbidden(ServiceError):
    """A good token that may not do this."""

    code = "forbidden"


class NotFound(ServiceError):
    """No such page."""

    code = "not_found"


class GameNotFound(ServiceError):
    """No game has this id."""

    code = "game_not_found"


class GameExpired(ServiceError):
    """The game was kept for its time and is gone."""

    code = "game_expired"


class GameDeleted(ServiceError):
    """The game's creator has erased it."""

    code = "game_deleted"


GONE = (GameNotFound, GameExpired, GameDeleted)
"""All that a game can be that is not there."""


class JobNotFound(ServiceError):
    """No job has this id, or it is not the caller's."""

    code = "job_not_found"


class SimulationNotFound(ServiceError):
    """No simulation has this id, or it is another key's."""

    code = "simulation_not_found"


class NoRows(ServiceError):
    """The simulation keeps no row for each game."""

    code = "no_rows"


class NotAcceptable(ServiceError):
    """The caller accepts nothing that this resource can answer."""

    code = "not_acceptable"


class HeadersTooLarge(ServiceError):
    """The request is too large before its body begins."""

    code = "headers_too_large"


class UnsupportedMediaType(ServiceError):
    """The body is not declared as JSON."""

    code = "unsupported_media_type"


class VersionConflict(ServiceError):
    """A move has been made after the version that the caller knew."""

    code = "version_conflict"


class SeatTaken(ServiceError):
    """The seat is not open, or not any more."""

    code = "seat_taken"


class SeatsOpen(ServiceError):
    """The game cannot start while a seat is open."""

    code = "seats_open"


class NotStarted(ServiceError):
    """The game is waiting for its seats."""

    code = "not_started"


class NotOver(ServiceError):
    """The game goes on, so its seed and its hands stay hidden."""

    code = "not_over"


class NoTarget(ServiceError):
    """Nobody agrees on a target in this game."""

    code = "no_target"


class HistoryLost(ServiceError):
    """The cursor names a point of another history."""

    code = "history_lost"


class AdviceForbidden(ServiceError):
    """The game was created without advice."""

    code = "advice_forbidden"


class IdempotencyMismatch(ServiceError):
    """The idempotency key came with another request before."""

    code = "idempotency_mismatch"


class RateLimited(ServiceError):
    """The caller asks for more than its limit; `limit_key` names it."""

    code = "rate_limited"

    def __init__(self, limit_key: str, seconds: int) -> None:
        super().__init__("", more={"limit_key": limit_key}, Retry_After=str(seconds))


class Unavailable(ServiceError):
    """The store cannot be reached now, or does not take the write."""

    code = "unavailable"


@dataclass(frozen=True)
class Problem:
    """How an error is told over HTTP."""

    status: HTTPStatus
    title: str
    advice: str


PROBLEMS: dict[str, Problem] = {
    "invalid_request": Problem(
        HTTPStatus.BAD_REQUEST,
        "The request does not have the shape that the document gives",
        "Mend the places that `errors` names; the document says what each operation takes.",
    ),
    "unauthorized": Problem(
        HTTPStatus.UNAUTHORIZED,
        "A token is needed",
        "Send the token of the seat or of the creator, or an API key where one will do, as `Authorization: Bearer`.",
    ),
    "forbidden": Problem(
        HTTPStatus.FORBIDDEN,
        "This token may not do that",
        "Use the token of the seat that moves; the creator's token sees and moves nobody's cards.",
    ),
    "advice_forbidden": Problem(
        HTTPStatus.FORBIDDEN, "This game gives no advice", "It was created with `advice` false; play by yourself."
    ),
    "not_found": Problem(HTTPStatus.NOT_FOUND, "There is nothing here", "`/docs` lists every resource."),
    "game_not_found": Problem(
        HTTPStatus.NOT_FOUND, "There is no such game", "Check the id; `POST /v1/games` creates a game."
    ),
    "game_expired": Problem(
        HTTPStatus.NOT_FOUND, "The game has expired", "Games are kept until their `expires_at`; create another."
    ),
    "game_deleted": Problem(HTTPStatus.NOT_FOUND, "The game was erased", "Nothing of it is left; create another."),
    "job_not_found": Problem(
        HTTPStatus.NOT_FOUND,
        "There is no such job of yours",
        "A job is readable with the token that asked for it, for an hour.",
    ),
    "simulation_not_found": Problem(
        HTTPStatus.NOT_FOUND,
        "There is no such simulation of yours",
        "A simulation is kept until its `expires_at`, and is there for the API key that created it.",
    ),
    "unknown_ruleset": Problem(
        HTTPStatus.NOT_FOUND, "There is no such ruleset", "`GET /v1/rulesets` lists what there is."
    ),
    "method_not_allowed": Problem(
        HTTPStatus.METHOD_NOT_ALLOWED, "This resource has other methods", "`Allow` lists them."
    ),
    "not_acceptable": Problem(
        HTTPStatus.NOT_ACCEPTABLE, "Nothing acceptable can be answered", "Accept `application/json`."
    ),
    "headers_too_large": Problem(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        "The headers are too large",
        "Send fewer or shorter ones; `GET /v1/limits` says how much a request may hold before its body.",
    ),
    "too_large": Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The body is too large", "A body may hold up to 64 KiB."),
    "unsupported_media_type": Problem(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body is not JSON", "Send `Content-Type: application/json`."
    ),
    "invalid_options": Problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "What is asked for does not go together",
        "Mend the places that `errors` names; the ruleset's catalogue page lists each option's values.",
    ),
    "idempotency_mismatch": Problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "This key belongs to another request",
        "Repeat the very body that was sent with the key first, or choose a new key.",
    ),
    "unknown_bot": Problem(
        HTTPStatus.UNPROCESSABLE_ENTITY, "There is no such bot", "`GET /v1/bots` lists bots and versions."
    ),
    "illegal_move": Problem(
        HTTPStatus.CONFLICT,
        "The rules do not allow this move now",
        "`reason` says why; `GET …/legal-moves` lists every move that is open.",
    ),
    "match_over": Problem(HTTPStatus.CONFLICT, "The match is over", "`result` in the view says how it ended."),
    "not_over": Problem(
        HTTPStatus.CONFLICT,
        "The game is not over",
        "A replay shows every hand: read it when `status` is `finished` or `abandoned`.",
    ),
    "not_started": Problem(HTTPStatus.CONFLICT, "The game has not started", "It waits for its seats to be taken."),
    "seat_taken": Problem(
        HTTPStatus.CONFLICT,
        "The seat is taken",
        "An invite is good for one claim; ask the creator for another seat. Repeat a claim with its `Idempotency-Key`.",
    ),
    "seats_open": Problem(
        HTTPStatus.CONFLICT, "A seat is still open", "The game can start when every open seat has been claimed."
    ),
    "version_conflict": Problem(
        HTTPStatus.CONFLICT,
        "Somebody has moved since",
        "Read the view again and decide anew; never repeat the same move with a newer `expected_version` blindly.",
    ),
    "not_your_turn": Problem(HTTPStatus.CONFLICT, "Another seat is to move", "`to_move` in the view says whose turn."),
    "no_target": Problem(
        HTTPStatus.CONFLICT,
        "This game has no target to agree on",
        "Only rulesets whose rules let players agree on a target take proposals.",
    ),
    "no_rows": Problem(
        HTTPStatus.CONFLICT,
        "This simulation keeps no rows",
        "Ask for them with `rows` when you create a simulation; `results` are there in any case.",
    ),
    "history_lost": Problem(
        HTTPStatus.CONFLICT, "The cursor is of another history", "Read the view again and go on from its cursor."
    ),
    "rate_limited": Problem(
        HTTPStatus.TOO_MANY_REQUESTS,
        "This is more than the limit",
        "Wait for `Retry-After` seconds, then send the same bytes; `GET /v1/limits` says what `limit_key` counts.",
    ),
    "unavailable": Problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "The service cannot reach its store",
        "Repeat the same bytes after `Retry-After`: nothing was changed, or it is found done.",
    ),
    "internal_error": Problem(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "Something went wrong here",
        "Repeat the same bytes later; tell the operator the `request_id` if it stays.",
    ),
}
"""Every code that a problem document can carry."""


def code_of(error: Exception) -> str:
    """The code of an error; anything that is no refusal is an internal error."""
    if isinstance(error, (ServiceError, engine.EngineError)):
        return error.code
    return "internal_error"
