"""Agreeing on a target during a match, where the rules allow it."""

from engine.errors import DealOver
from service.access import Seated
from service.errors import NoTarget, Unavailable
from service.games import TRIES, Context, check_seat, commit, is_playing, load
from service.store import Entry, Loaded
from service.views import match_of


async def propose(context: Context, game: Loaded, caller: Seated, target: int) -> Loaded:
    """Let a seat propose a target; the game afterwards. What the seat had proposed already is no entry.

    Raises NoTarget where the ruleset knows no agreement, DealOver after the end.
    """
    for _ in range(TRIES):
        check_seat(game, caller.seat)
        match = match_of(game).copy()
        if match.ruleset.propose is None:
            raise NoTarget("The target of this game is fixed.")
        if not is_playing(game):
            raise DealOver
        events = match.propose(caller.seat, target)
        if not events:
            return game
        entry = Entry(caller.seat, "player", None, None, None, events, target)
        if (after := await commit(context, game, match, entry)) is not None:
            return after
        game = await load(context, game.id)
    raise Unavailable("The game is changing too fast; repeat the same bytes.")
