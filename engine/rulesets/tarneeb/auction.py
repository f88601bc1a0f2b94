"""The auction of Tarneeb: who called what, what may be called, and who declares."""

from __future__ import annotations

import cython

if not cython.compiled:
    from engine.bits import bit, count

SEATS = 4
MOST_CALLS = 32
NOBODY = -1


def bid_range(scoring: str) -> tuple[int, int]:
    """The lowest and the highest bid, the full bid (T10, T12)."""
    return (21, 40) if scoring == "points" else (7, 13)


class Auction:
    """Who called what, and what came of it; open to all, so observations hold copies."""

    def __init__(self, scoring: str, dealer_bids: bool) -> None:
        if not cython.compiled:
            self.callers = [0] * MOST_CALLS
            self.bids = [0] * MOST_CALLS
        self.scoring = scoring
        self.low_bid, self.high_bid = bid_range(scoring)
        self.dealer_bids = dealer_bids
        self.clear()

    def clear(self) -> None:
        """Forget all calls."""
        self.calls = 0
        self.passed = 0
        self.bid = 0
        self.declarer = NOBODY
        self.trump = NOBODY

    def open_bids(self) -> int:
        """The set of amounts that may be bid: above the last bid, in range (T10, T11)."""
        lowest = self.bid + 1 if self.bid else self.low_bid
        return bit(self.high_bid + 1) - bit(lowest)

    def may_pass(self) -> bool:
        """Not the dealer after three passes under `dealer_bids` (T16)."""
        return not self.dealer_bids or count(self.passed) < SEATS - 1

    def call(self, seat: int, amount: int) -> int:
        """Record a bid, or a pass as 0; answers who speaks next, or -1 when the auction is over (T9, T13, T14)."""
        self.callers[self.calls] = seat
        self.bids[self.calls] = amount
        self.calls += 1
        if amount:
            self.bid = amount
            self.declarer = seat
        else:
            self.passed |= bit(seat)
        if self.bid == self.high_bid or count(self.passed) >= SEATS - (self.bid != 0):
            return NOBODY
        seat = (seat + 3) & 3
        while bit(seat) & self.passed:
            seat = (seat + 3) & 3
        return seat

    def record(self) -> list[tuple[int, int]]:
        """The (seat, amount) pairs in order; amount 0 is a pass."""
        return [(self.callers[index], self.bids[index]) for index in range(self.calls)]

    def copy(self) -> Auction:
        """An independent copy."""
        other = Auction(self.scoring, self.dealer_bids)
        for seat, amount in self.record():
            other.call(seat, amount)
        other.trump = self.trump
        return other
