"""Reihe: four rows built up and down from a start rank, for two to eight."""

from msgspec import Struct

from engine.match import Match, Ruleset
from engine.rulesets.reihe import match_rules, rules, view
from engine.wire import Out, Pass, Play


def _begin(match: Match) -> list[Struct]:
    return [view.Paid(*payment) for payment in match_rules.begin(match)]


def _next_deal(match: Match) -> None:
    match.dealer = match_rules.next_dealer(match)


def _happened(match: Match, before: rules.ReiheObservation, move: int) -> list[Struct]:
    if isinstance(match.codec.encode(move), Pass):
        return [view.Paid(*payment) for payment in match_rules.pay(match, before.to_move, match.options.pass_fee)]
    return view.went_out(before, match.observe(-1))


def _settle(match: Match) -> Struct:
    return view.last_deal(match, match_rules.settle(match))


def _propose(match: Match, seat: int, target: int) -> list[Struct]:
    if not match_rules.propose(match, seat, target):
        return []
    agreed = match_rules.agree(match)
    told = view.TargetProposed(seat, target)
    return [told] if agreed is None else [told, view.TargetAgreed(agreed)]


def _left(match: Match) -> list[Struct]:
    before = match.carried["target"]
    agreed = match_rules.agree(match)
    return [] if agreed in (None, before) else [view.TargetAgreed(agreed)]


REIHE = Ruleset(
    name="reihe",
    version=1,
    title={"en": "Reihe", "es": "Reihe", "de": "Reihe"},
    seats=(2, 8),
    turn="counterclockwise",
    packs={name: deck.pack for name, deck in rules.DECKS.items()},
    chosen_by={name: {"deck": name} for name in rules.DECKS},
    start_cards={name: [deck.pack.cards[card] for card in deck.start_cards] for name, deck in rules.DECKS.items()},
    options=view.ReiheOptions,
    presets=view.PRESETS,
    defaults=view.defaults,
    dependent_defaults=view.DEPENDENT_DEFAULTS,
    check=view.check,
    reasons=view.REASONS,
    move_types=(Play, Pass),
    last_deal=view.ReiheLastDeal,
    deal_type=view.ReiheDealView,
    match_type=view.ReiheMatchView,
    events=(Out, view.Paid, view.TargetProposed, view.TargetAgreed),
    codec=lambda options, _seats: view.CODECS[options.deck],
    deal=match_rules.new_deal,
    begin=_begin,
    next_deal=_next_deal,
    settle=_settle,
    scored=view.scored,
    ending=match_rules.ending,
    happened=_happened,
    propose=_propose,
    left=_left,
    deal_view=view.deal_view,
    match_view=view.match_view,
    team=lambda _seat: None,
    counts=rules.COUNTS,
)
