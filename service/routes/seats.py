"""Who sits where: claims, the start, new tokens, coming back, leaving, and the creator's ending of a game."""

import msgspec
from litestar import delete, post
from litestar.params import FromPath

from service import games, seating
from service.access import Seated
from service.errors import NotFound, Unauthorized
from service.operation import IDEMPOTENCY_KEY, Operation, describes
from service.routes.admission import count_a_guess, count_a_rotation
from service.routes.games import GONE, REPLAYED
from service.routes.http import (
    NO_STORE,
    PRIVATE,
    Answer,
    AnyRequest,
    answer,
    body,
    context_of,
    enter_game,
    idempotency_key,
    key_of,
    query,
)
from service.schemas import ClaimedSeat, ClaimSeat, GameView, SeatToken, StartGame
from service.store import Loaded

TAG = "Seats"
_claim = msgspec.json.Decoder(ClaimSeat)
_start = msgspec.json.Decoder(StartGame)


def _seat(game: Loaded, number: str) -> int:
    """A seat of the game from the path. NotFound."""
    if not (len(number) == 1 and number in "01234567" and int(number) < len(game.seats)):
        raise NotFound("The game has no such seat.")
    return int(number)


@post(
    "/v1/games/{game_id:str}/seats/{seat:str}/claim",
    status_code=200,
    **describes(
        Operation(
            "claimSeat",
            TAG,
            {200: ClaimedSeat},
            access="invite",
            limit="changes",
            body=ClaimSeat,
            problems=("not_found", *GONE, "seat_taken", "match_over", "idempotency_mismatch"),
            parameters=(IDEMPOTENCY_KEY,),
            answer_headers=("Idempotency-Replayed",),
        )
    ),
)
async def claim_seat(request: AnyRequest, game_id: FromPath[str], seat: FromPath[str]) -> Answer:
    """Take an open seat with its invite, once.

    The creator hands the invite on. The answer holds the seat's token, and is the only one that does, so send an
    `Idempotency-Key`: the same request with the same key gets the token again. `client_seed` becomes part of what
    decides the deals. The game starts with the last claim, unless it waits for its creator.
    """
    query(request)
    context, api_key = context_of(request), await key_of(request)
    asked = await body(request, _claim)
    game = await games.load(context, game_id) if api_key else (await enter_game(request, game_id))[0]
    number = _seat(game, seat)
    key = idempotency_key(request, api_key)
    mine = f"{api_key.name}:{key}" if api_key and key else key
    try:
        claimed, again = await seating.claim(context, game, number, asked, mine)
    except Unauthorized:
        await count_a_guess(request)
        raise
    return answer(claimed, headers={**NO_STORE, **REPLAYED} if again else NO_STORE)


@post(
    "/v1/games/{game_id:str}/start",
    status_code=200,
    **describes(
        Operation(
            "startGame",
            TAG,
            {200: GameView},
            access="creator",
            limit="changes",
            body=StartGame,
            problems=("forbidden", *GONE, "seats_open", "match_over"),
        )
    ),
)
async def start_game(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """Start a game that was created with `start` `manual`, when its open seats are claimed.

    With the creator's token, or the API key that created the game. `client_seed` becomes part of what decides the
    deals. A game that has started stays as it is.
    """
    query(request)
    asked = await body(request, _start)
    game, caller = await enter_game(request, game_id)
    seating.creator_only(caller)
    return answer(await seating.start_game(context_of(request), game, asked.client_seed), headers=PRIVATE)


@post(
    "/v1/games/{game_id:str}/seats/{seat:str}/token",
    status_code=200,
    **describes(
        Operation(
            "rotateToken",
            TAG,
            {200: SeatToken},
            access="seat",
            limit="changes",
            problems=("forbidden", "not_found", *GONE, "match_over"),
        )
    ),
)
async def rotate_token(request: AnyRequest, game_id: FromPath[str], seat: FromPath[str]) -> Answer:
    """Give a seat a new token; the one before it is dead at once, and its streams end.

    With the seat's own token, or the creator's. Everyone sees that it happened. Where the answer is lost, only the
    creator can ask again.
    """
    query(request)
    game, caller = await enter_game(request, game_id)
    if caller is None:
        raise Unauthorized("Send the token of the seat, or the creator's, as `Authorization: Bearer`.")
    number = _seat(game, seat)
    await count_a_rotation(request, game.id, number)
    rotated = await seating.rotate(context_of(request), game, number, caller)
    return answer(rotated, headers=NO_STORE)


async def _seated(request: AnyRequest, game_id: str) -> tuple[Loaded, Seated]:
    query(request)
    game, caller = await enter_game(request, game_id)
    return game, games.seated(caller)


@post(
    "/v1/games/{game_id:str}/return",
    status_code=200,
    **describes(
        Operation(
            "returnToSeat",
            TAG,
            {200: GameView},
            access="seat",
            limit="changes",
            problems=("forbidden", *GONE, "not_started", "match_over"),
        )
    ),
)
async def return_to_seat(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """Take one's seat back from the stand-in, with the whole time for the running move.

    The stand-in has moved for the seat since its player let a deadline pass: `controller` of the seat is `stand_in`.
    An accepted move does the same as this. A player who has not been away changes nothing.
    """
    game, caller = await _seated(request, game_id)
    return answer(await seating.come_back(context_of(request), game, caller), headers=PRIVATE)


@post(
    "/v1/games/{game_id:str}/resignation",
    status_code=200,
    **describes(
        Operation(
            "resignSeat",
            TAG,
            {200: GameView},
            access="seat",
            limit="changes",
            problems=("forbidden", *GONE, "not_started", "match_over"),
        )
    ),
)
async def resign_seat(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """Leave one's seat to the stand-in for good.

    The token still looks on with its own hand, and moves no more.
    """
    game, caller = await _seated(request, game_id)
    return answer(await seating.resign(context_of(request), game, caller), headers=PRIVATE)


@post(
    "/v1/games/{game_id:str}/abandonment",
    status_code=200,
    **describes(
        Operation("abandonGame", TAG, {200: GameView}, access="creator", limit="changes", problems=("forbidden", *GONE))
    ),
)
async def abandon_game(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """End a game for good, without a result.

    With the creator's token, or the API key that created the game. It can still be read, its replay too. A game that is
    over stays as it is.
    """
    query(request)
    game, caller = await enter_game(request, game_id)
    seating.creator_only(caller)
    return answer(await seating.abandon(context_of(request), game), headers=PRIVATE)


@delete(
    "/v1/games/{game_id:str}",
    status_code=200,  # litestar lets no handler answer with 204 itself, and ours does
    **describes(
        Operation("deleteGame", TAG, {204: None}, access="creator", limit="changes", problems=("forbidden", *GONE))
    ),
)
async def delete_game(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """End a game and erase everything of it: log, deals, names.

    With the creator's token, or the API key that created the game. Afterwards its id answers 404 `game_deleted`, to
    whoever asks.
    """
    query(request)
    game, caller = await enter_game(request, game_id)
    seating.creator_only(caller)
    await seating.erase(context_of(request), game)
    return Answer(b"", 204, headers=PRIVATE)


HANDLERS = (
    claim_seat,
    start_game,
    rotate_token,
    return_to_seat,
    resign_seat,
    abandon_game,
    delete_game,
)
