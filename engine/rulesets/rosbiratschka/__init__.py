"""Rosbiratschka: six contracts for three to six players, of tricks, of adding up, of building rows."""

from msgspec import Struct

from engine.match import Match, Ruleset
from engine.rulesets.rosbiratschka import match_rules, packs, rules, view
from engine.wire import Out, Pass, Play, TrickTaken


def _deal(match: Match) -> rules.RosbiratschkaDeal:
    contract = rules.CONTRACTS.index(match_rules.contract_of(match))
    deal = rules.RosbiratschkaDeal(match.options, match.seats, contract)
    deal.totals = tuple(match.totals)
    return deal


def _begin(match: Match) -> list[Struct]:
    match_rules.begin(match)
    return []


def _next_deal(match: Match) -> None:
    match.dealer = match_rules.next_dealer(match)


def _settle(match: Match) -> Struct:
    return view.last_deal(match, match_rules.settle(match))


ROSBIRATSCHKA = Ruleset(
    name="rosbiratschka",
    version=1,
    title={"en": "Rosbiratschka", "es": "Rosbiratschka", "de": "Rosbiratschka"},
    seats=(3, 6),
    turn="clockwise",
    packs={setting.name: setting.pack for setting in packs.SETTINGS.values()},
    chosen_by={setting.name: {"seats": seats} for seats, setting in packs.SETTINGS.items()},
    start_cards={
        setting.name: [setting.pack.cards[card] for card in setting.unters] for setting in packs.SETTINGS.values()
    },
    options=view.RosbiratschkaOptions,
    presets=view.PRESETS,
    defaults=view.defaults,
    dependent_defaults={},
    reasons=view.REASONS,
    move_types=(Play, Pass),
    last_deal=view.RosbiratschkaLastDeal,
    deal_type=view.RosbiratschkaDealView,
    match_type=view.RosbiratschkaMatchView,
    events=(TrickTaken, Out, view.ThresholdPassed),
    codec=lambda _options, seats: view.CODECS[seats],
    deal=_deal,
    begin=_begin,
    next_deal=_next_deal,
    settle=_settle,
    scored=view.scored,
    ending=match_rules.ending,
    happened=view.happened,
    deal_view=view.deal_view,
    match_view=view.match_view,
    team=lambda _seat: None,
    counts=rules.COUNTS,
    kinds=lambda options: len(options.contracts),
    check=view.check,
    penalties=True,
)
