"""The match of Elfer Raus: from deal to deal, totals and the end, rule by rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from engine.cards import COLOURS
from engine.chance import Draws, first_dealer
from engine.rulesets.elfer_raus.observation import Terms
from engine.rulesets.elfer_raus.rules import ElferRausDeal

Reason = Literal["penalty_limit", "rounds", "extra_deal", "max_deals"]
"""Why a match has ended."""


class MatchTerms(Terms, Protocol):
    """The options that bear on the match."""

    start_number: str
    penalty_limit: int | None
    rounds: int | None
    max_deals: int
    first_dealer: int | None


class Play(Protocol):
    """What the rules of the match look at: an `engine.match.Match` of this ruleset."""

    deal: ElferRausDeal
    seats: int
    dealer: int
    participants: list[int]
    totals: list[int]
    deals_played: int
    carried: dict[str, Any]
    options: MatchTerms

    @property
    def source(self) -> Draws:
        """Where the match draws from."""


def forbidden(options: MatchTerms, seats: int) -> list[tuple[str, str]]:
    """What is wrong with these options together, as (JSON pointer, sentence) pairs (E3, E5, E34)."""
    wrong = []
    if options.start_number == "ten_or_twelve" and options.max_number < 12:
        wrong.append(("/options/start_number", "`ten_or_twelve` needs a `max_number` of 12 or more."))
    if options.penalty_limit is None and options.rounds is None:
        wrong.append(("/options/penalty_limit", "`penalty_limit` can be null only where `rounds` is set."))
    if options.first_dealer is not None and options.first_dealer >= seats:
        wrong.append(("/options/first_dealer", f"There is no seat {options.first_dealer} among {seats}."))
    return wrong


def start_numbers(match: Play) -> list[int]:
    """The number that starts each colour's row, the whole match through (E3)."""
    options = match.options
    colours = COLOURS[: options.colours]
    if options.start_number == "fixed":
        return [5 if options.max_number == 10 else 11] * len(colours)
    return [10 + 2 * match.source.below(f"start_numbers:{colour}", 2) for colour in colours]


def kinds(options: MatchTerms) -> int:
    """How many ways there are to draw the start numbers (E3)."""
    return 1 if options.start_number == "fixed" else 1 << options.colours


def begin(match: Play) -> None:
    """The first dealer, the option's seat or one drawn, and what the match keeps (E3, E5)."""
    match.dealer = first_dealer(match.source, match.options.first_dealer, match.seats)
    match.carried = {"start_numbers": start_numbers(match), "extra_deal": False}


def new_deal(options: Terms, seats: int, participants: Sequence[int], carried: Mapping[str, Any]) -> ElferRausDeal:
    """A deal of a match, not dealt yet."""
    return ElferRausDeal(options, seats, participants, carried["start_numbers"], carried["extra_deal"])


def misdealt(deal: ElferRausDeal) -> bool:
    """Whether no start card is in any hand: the same dealer deals again (E8)."""
    return deal.opener < 0


def settle(match: Play) -> list[int]:
    """Add the finished deal to the totals; answers what it was worth to each seat (E33)."""
    worth = match.deal.scores()
    match.totals[:] = map(sum, zip(match.totals, worth, strict=True))
    return worth


def leaders(match: Play) -> list[int]:
    """The seats with the lowest total (E34)."""
    return [seat for seat in range(match.seats) if match.totals[seat] == min(match.totals)]


def end_reached(match: Play) -> Reason | None:
    """The page's own end, if the last deal has brought it about (E34 to E36)."""
    limit, rounds = match.options.penalty_limit, match.options.rounds
    if limit is not None and max(match.totals) >= limit:
        return "penalty_limit"
    return "rounds" if rounds is not None and match.deals_played >= rounds else None


def ending(match: Play) -> tuple[list[int], Reason] | None:
    """Who has won the match and why, or None while it goes on (E34 to E41)."""
    if match.deal.extra_deal:
        return [match.deal.winner], "extra_deal"
    best, reason = leaders(match), end_reached(match)
    if reason and len(best) == 1:
        return best, reason
    return (best, "max_deals") if match.deals_played >= match.options.max_deals else None


def next_deal(match: Play) -> None:
    """The deal passes on clockwise; after the end it is an extra deal among the tied (E6, E37, E38)."""
    match.dealer = (match.dealer + 1) % match.seats
    if end_reached(match):
        match.participants = leaders(match)
        match.carried = {**match.carried, "extra_deal": True}
