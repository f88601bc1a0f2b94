"""The record of a game that is over, and the program that checks it."""

from functools import cache
from pathlib import Path

from litestar import get
from litestar.params import FromPath

from service import replays, verify
from service.operation import IF_NONE_MATCH, Operation, describes
from service.routes.content import Content, unchanging
from service.routes.games import GONE
from service.routes.http import PRIVATE, PUBLIC, Answer, AnyRequest, context_of, enter_game, holds, query

PYTHON = "text/x-python; charset=utf-8"
VERIFIER = {**PUBLIC, "X-Content-Type-Options": "nosniff", "Content-Disposition": 'inline; filename="verify.py"'}


@get(
    "/v1/games/{game_id:str}/replay",
    **describes(
        Operation(
            "getReplay",
            "Games",
            {200: replays.Replay, 304: None},
            access="optional",
            problems=(*GONE, "not_over"),
            parameters=(IF_NONE_MATCH,),
            answer_headers=("ETag",),
        )
    ),
)
async def get_replay(request: AnyRequest, game_id: FromPath[str]) -> Answer:
    """Read the whole record of a game that is over: every hand, every move, and the seed.

    Nothing in it must be believed. `/verify.py` of this service is a program of one file that computes everything
    again, and is meant to be read; `tapete verify` does the same and also plays the record again by the rules.

    - The seed is 32 bytes, drawn when the game was created. `commitment` is `sha256:` and the SHA-256 of the text
      `tapete/1:{game_id}:{seed}` in hex digits. It was shown before any `client_seed` could be given.
    - `client_seeds` are what claimed seats added, by seat, and then what the creator added at the start.
    - A stream of numbers belongs to a purpose: SHA-256 of `tapete/1:{seed}:{client_seeds}:{purpose}:{block}`, with
      commas between the client seeds, for block 0, 1, 2, ...; each gives four numbers of 8 bytes, high byte first.
    - A number below n is the next of the stream modulo n; numbers not below the largest multiple of n up to 2^64
      are skipped.
    - The pack of a deal starts in the order of the catalogue. From its last place down to its second each card is
      swapped with the one at a place drawn below the place's number, counted from 1, with the purpose
      `deal:{number}:{attempt}`.
    - `first_dealer` is the purpose of the first dealer, below the number of seats, where the options name none;
      `start_numbers:{colour}` of each start number of Elfer Raus that is drawn: 0 is 10, 1 is 12.

    What remains: without a client seed this protects against the players, and not against the operator, who drew
    the seed alone; an operator in league with the last to add one can search for a seed that suits them.
    """
    query(request)
    game, _ = await enter_game(request, game_id)
    replays.check_over(game)
    etag = f'"{game.cursor}.replay"'
    headers = {**PRIVATE, "ETag": etag}
    if holds(request, etag):
        return Answer(b"", 304, headers=headers)
    return Answer(await replays.replay(context_of(request), game), headers=headers)


@cache
def _verifier() -> Content:
    return Content.of(Path(verify.__file__).read_bytes(), PYTHON)


@get("/verify.py", opt={"page": True})
async def verifier(request: AnyRequest) -> Answer:
    """Answer with the program that checks a replay."""
    return unchanging(request, _verifier(), VERIFIER)


HANDLERS = (get_replay, verifier)
