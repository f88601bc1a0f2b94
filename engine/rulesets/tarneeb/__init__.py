"""Tarneeb: auction and partnership tricks for four."""

from msgspec import Struct

from engine.match import Match, Ruleset
from engine.rulesets.tarneeb import match_rules, rules, view
from engine.wire import Bid, Pass, Play, TrickTaken, Trump


def _deal(match: Match) -> rules.TarneebDeal:
    deal = rules.TarneebDeal(match.options)
    deal.totals = tuple(match.totals)
    return deal


def _begin(match: Match) -> list[Struct]:
    match_rules.begin(match)
    return []


def _next_deal(match: Match) -> None:
    match.dealer = match_rules.next_dealer(match)


def _settle(match: Match) -> Struct:
    worth, discarded = match_rules.settle(match)
    return view.last_deal(match, worth, discarded)


TARNEEB = Ruleset(
    name="tarneeb",
    version=1,
    title={"en": "Tarneeb", "es": "Tarneeb", "de": "Tarneeb"},
    seats=(4, 4),
    turn="counterclockwise",
    packs={"french_52": view.PACK},
    chosen_by={"french_52": {}},
    options=view.TarneebOptions,
    presets=view.PRESETS,
    defaults=view.defaults,
    dependent_defaults=view.DEPENDENT_DEFAULTS,
    reasons=view.REASONS,
    move_types=(Bid, Pass, Trump, Play),
    last_deal=view.TarneebLastDeal,
    deal_type=view.TarneebDealView,
    match_type=view.TarneebMatchView,
    events=(TrickTaken, view.AuctionWon),
    codec=lambda _options, _seats: view.CODEC,
    deal=_deal,
    begin=_begin,
    next_deal=_next_deal,
    settle=_settle,
    scored=view.scored,
    ending=match_rules.ending,
    happened=view.happened,
    deal_view=view.deal_view,
    match_view=view.match_view,
    team=lambda seat: seat & 1,
    counts=rules.COUNTS,
)
