"""Tarneeb: auction and partnership tricks for four."""

from msgspec import Struct

from engine.match import Match, Ruleset
from engine.rulesets.tarneeb import rules, view
from engine.wire import Bid, Pass, Play, Result, TrickTaken, Trump


def _settle(match: Match) -> Struct:
    worth, discarded = rules.settle(match)
    return view.last_deal(match, worth, discarded)


def _result(match: Match) -> Result | None:
    ended = rules.ending(match)
    return None if ended is None else Result(ended[0], list(match.totals), ended[1])


TARNEEB = Ruleset(
    name="tarneeb",
    version=1,
    title={"en": "Tarneeb", "es": "Tarneeb", "de": "Tarneeb"},
    seats=(4, 4),
    turn="counterclockwise",
    pack=view.PACK,
    options=view.TarneebOptions,
    presets=view.PRESETS,
    defaults=view.defaults,
    dependent_defaults=view.DEPENDENT_DEFAULTS,
    reasons=view.REASONS,
    move_types=(Bid, Pass, Trump, Play),
    last_deal=view.TarneebLastDeal,
    deal_type=view.TarneebDealView,
    match_type=view.TarneebMatchView,
    events=(TrickTaken, view.AuctionWon, view.TarneebDealScored),
    deal=rules.TarneebDeal,
    first_dealer=rules.first_dealer,
    next_dealer=rules.next_dealer,
    settle=_settle,
    scored=view.scored,
    result=_result,
    happened=view.happened,
    encode=view.encode,
    decode=view.decode,
    cards=view.cards,
    deal_view=view.deal_view,
    match_view=view.match_view,
    team=lambda seat: seat & 1,
)
