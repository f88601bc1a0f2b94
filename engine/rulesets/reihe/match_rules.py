"""The match of Reihe: from deal to deal, totals and the end, rule by rule."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from engine.chance import Draws, first_dealer
from engine.rulesets.reihe.rules import ReiheDeal, Terms

Reason = Literal["target", "max_deals"]
"""Why a match has ended."""


class MatchTerms(Terms, Protocol):
    """The options that bear on the match."""

    target: int | None
    max_deals: int
    first_dealer: int | None


class Play(Protocol):
    """What the rules of the match look at: an `engine.match.Match` of this ruleset.

    `carried` holds `target` and `target_proposals`, and `pot` and `balances`, which are None without money.
    """

    deal: ReiheDeal
    seats: int
    dealer: int
    totals: list[int]
    deals_played: int
    carried: dict[str, Any]
    voters: tuple[int, ...]
    options: MatchTerms

    @property
    def source(self) -> Draws:
        """Where the match draws from."""


def new_deal(match: Play) -> ReiheDeal:
    """A deal of this match, not dealt yet."""
    deal = ReiheDeal(match.options, match.seats)
    deal.totals = tuple(match.totals)
    deal.target = match.carried["target"]
    return deal


def begin(match: Play) -> list[tuple[int, int, int]]:
    """Find the first dealer, and let each seat pay the ante; answers the payments (R3, R22, R25)."""
    match.dealer = first_dealer(match.source, match.options.first_dealer, match.seats)
    money = match.options.ante > 0
    match.carried = {
        "target": match.options.target,
        "target_proposals": [None] * match.seats,
        "pot": 0 if money else None,
        "balances": [0] * match.seats if money else None,
    }
    return [payment for seat in range(match.seats) for payment in pay(match, seat, match.options.ante)]


def next_dealer(match: Play) -> int:
    """The deal passes on to the right (R4)."""
    return (match.dealer - 1) % match.seats


def pay(match: Play, seat: int, amount: int) -> list[tuple[int, int, int]]:
    """Let a seat pay into the pot where money is played for; answers seat, amount and the new pot (R25, R26, R28)."""
    if match.options.ante == 0 or amount == 0:
        return []
    match.carried["pot"] += amount
    match.carried["balances"][seat] -= amount
    return [(seat, amount, match.carried["pot"])]


def pay_out(match: Play, winners: list[int]) -> None:
    """Share the pot among the winners, what is left over cent by cent from the lowest seat on (R27)."""
    if match.options.ante == 0:
        return
    share, rest = divmod(match.carried["pot"], len(winners))
    for place, seat in enumerate(sorted(winners)):
        match.carried["balances"][seat] += share + (place < rest)
    match.carried["pot"] = 0


def settle(match: Play) -> list[int]:
    """Add the finished deal to the totals, and pay out where that ends the match; answers the scores (R18, R27)."""
    worth = match.deal.scores()
    for seat in range(match.seats):
        match.totals[seat] += worth[seat]
    ended = ending(match)
    if ended is not None:
        pay_out(match, ended[0])
    return worth


def ending(match: Play) -> tuple[list[int], Reason] | None:
    """Who has won the match and why, or None while it goes on; the hard bound comes last (R19 to R21, R24)."""
    best = max(match.totals)
    leaders = [seat for seat in range(match.seats) if match.totals[seat] == best]
    target = match.carried["target"]
    if target is not None and best >= target and len(leaders) == 1:
        return leaders, "target"
    if match.deals_played >= match.options.max_deals:
        return leaders, "max_deals"
    return None


def propose(match: Play, seat: int, target: int) -> bool:
    """Note a seat's proposal; answers whether it is another than before (R22)."""
    proposals = match.carried["target_proposals"]
    if proposals[seat] == target:
        return False
    proposals[seat] = target
    return True


def agree(match: Play) -> int | None:
    """Set the target that all who have a say propose; None where they do not agree, or nobody has one (R23, R24)."""
    wanted = {match.carried["target_proposals"][seat] for seat in match.voters}
    if len(wanted) != 1 or None in wanted:
        return None
    target: int = wanted.pop()
    match.carried["target"] = target
    match.deal.target = target
    return target
