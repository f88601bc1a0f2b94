"""Elfer Raus: rows of numbers built up and down, a stock to draw from, for two to six."""

from msgspec import Struct

from engine.match import Match, Ruleset
from engine.rulesets.elfer_raus import match_rules, rules, view
from engine.wire import Draw, Drew, EndTurn, Pass, Play, Redealt


def _deal(match: Match) -> rules.ElferRausDeal:
    deal = match_rules.new_deal(match.options, match.seats, match.participants, match.carried)
    deal.totals = tuple(match.totals)
    return deal


def _begin(match: Match) -> list[Struct]:
    match_rules.begin(match)
    return []


def _settle(match: Match) -> Struct:
    return view.last_deal(match, match_rules.settle(match))


ELFER_RAUS = Ruleset(
    name="elfer_raus",
    version=1,
    title={"en": "Elfer Raus!", "es": "¡Elfer Raus!", "de": "Elfer Raus!"},
    seats=(2, 6),
    turn="clockwise",
    packs=view.PACKS,
    chosen_by=view.CHOSEN_BY,
    extras=view.EXTRAS,
    options=view.ElferRausOptions,
    presets=view.PRESETS,
    defaults=view.defaults,
    dependent_defaults={},
    reasons=view.REASONS,
    move_types=(Play, Draw, EndTurn, Pass),
    last_deal=view.ElferRausLastDeal,
    deal_type=view.ElferRausDealView,
    match_type=view.ElferRausMatchView,
    events=(Redealt, Drew, view.TurnEnded, view.Skipped, view.DirectionChanged),
    codec=view.codec,
    deal=_deal,
    begin=_begin,
    next_deal=match_rules.next_deal,
    settle=_settle,
    scored=view.scored,
    ending=match_rules.ending,
    happened=view.happened,
    deal_view=view.deal_view,
    match_view=view.match_view,
    team=lambda _seat: None,
    counts=rules.COUNTS,
    kinds=match_rules.kinds,
    check=match_rules.forbidden,
    misdealt=match_rules.misdealt,
    penalties=True,
)
