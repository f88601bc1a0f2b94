"""The match of Rosbiratschka: from deal to deal, totals and the end, rule by rule."""

from __future__ import annotations

from typing import Literal, Protocol

from engine.chance import Draws, first_dealer
from engine.rulesets.rosbiratschka.rules import Contract, RosbiratschkaDeal, Terms

Reason = Literal["contracts"]
"""Why a match has ended."""


class MatchTerms(Terms, Protocol):
    """The options that bear on the match."""

    rounds: int
    contracts: list[Contract]
    first_dealer: int | None


class Play(Protocol):
    """What the rules of the match look at: an `engine.match.Match` of this ruleset."""

    deal: RosbiratschkaDeal
    dealer: int
    number: int
    seats: int
    totals: list[int]
    deals_played: int
    options: MatchTerms

    @property
    def source(self) -> Draws:
        """Where the match draws from."""


def contract_of(match: Play) -> Contract:
    """The contract of the running deal (B9)."""
    contracts = match.options.contracts
    return contracts[(match.number - 1) % len(contracts)]


def round_of(match: Play) -> int:
    """How often the list of contracts has been begun (B9)."""
    return (match.number - 1) // len(match.options.contracts) + 1


def contracts_left(match: Play) -> list[Contract]:
    """The contracts of the deals after the running one, over all rounds (B9)."""
    return (match.options.contracts * match.options.rounds)[match.number :]


def begin(match: Play) -> None:
    """The first dealer is the option's seat, or one drawn (B3)."""
    match.dealer = first_dealer(match.source, match.options.first_dealer, match.seats)


def next_dealer(match: Play) -> int:
    """The deal passes on clockwise (B4)."""
    return (match.dealer + 1) % match.seats


def settle(match: Play) -> list[int]:
    """Add the finished deal to the totals; answers what it was worth to each seat (B36)."""
    worth = match.deal.scores()
    for seat, points in enumerate(worth):
        match.totals[seat] += points
    return worth


def ending(match: Play) -> tuple[list[int], Reason] | None:
    """Who has won the match and why, or None while contracts are left (B36)."""
    if match.deals_played < match.options.rounds * len(match.options.contracts):
        return None
    lowest = min(match.totals)
    return [seat for seat, total in enumerate(match.totals) if total == lowest], "contracts"
