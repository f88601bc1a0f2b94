"""The match of Tarneeb: from deal to deal, totals and the end, rule by rule."""

from __future__ import annotations

from typing import Literal, Protocol

from engine.chance import Draws, first_dealer
from engine.rulesets.tarneeb.rules import TarneebDeal, Terms

SEATS = 4

Reason = Literal["full_bid", "target", "max_deals"]
"""Why a match has ended."""


class MatchTerms(Terms, Protocol):
    """The options that bear on the match."""

    target: int
    finish: str
    max_deals: int
    first_dealer: int | None


class Play(Protocol):
    """What the rules of the match look at: an `engine.match.Match` of this ruleset."""

    deal: TarneebDeal
    dealer: int
    totals: list[int]
    deals_played: int
    options: MatchTerms

    @property
    def source(self) -> Draws:
        """Where the match draws from."""


def begin(match: Play) -> None:
    """The first dealer is the option's seat, or one drawn (T4)."""
    match.dealer = first_dealer(match.source, match.options.first_dealer, SEATS)


def next_dealer(match: Play) -> int:
    """The deal passes on counterclockwise, except after a deal thrown in under `same_dealer` (T5, T15)."""
    if match.options.all_pass == "same_dealer" and match.deal.auction.declarer < 0:
        return match.dealer
    return (match.dealer + 3) % SEATS


def settle(match: Play) -> tuple[list[int], list[int]]:
    """Add the finished deal to the totals (T2, T33, T35).

    Answers what it was worth to each seat, and what of it each side could not count because it went beyond an
    exact target.
    """
    worth = match.deal.scores()
    discarded = [0, 0]
    for side in range(2):
        total = match.totals[side] + worth[side]
        if match.options.finish == "exact" and total > match.options.target:
            discarded[side] = worth[side]
        else:
            match.totals[side] = match.totals[side + 2] = total
    return worth, discarded


def winning_side(match: Play) -> tuple[int, Reason] | None:
    """The side that has won and why, by the page's own end; None while the match goes on (T31, T34, T35)."""
    auction = match.deal.auction
    if match.options.full_bid == "wins_match" and auction.bid == auction.high_bid and match.deal.made():
        return auction.declarer & 1, "full_bid"
    ours, theirs = match.totals[:2]
    target = match.options.target
    if match.options.finish == "exact":
        if ours == theirs == target:
            return auction.declarer & 1, "target"
        there = [side for side in range(2) if match.totals[side] == target]
    else:
        there = [int(theirs > ours)] if ours != theirs and max(ours, theirs) >= target else []
    return (there[0], "target") if there else None


def ending(match: Play) -> tuple[list[int], Reason] | None:
    """Who has won the match and why, or None while it goes on; the hard bound comes last (T36, T37)."""
    if won := winning_side(match):
        return [won[0], won[0] + 2], won[1]
    if match.deals_played < match.options.max_deals:
        return None
    best = max(match.totals)
    return [seat for seat in range(SEATS) if match.totals[seat] == best], "max_deals"
