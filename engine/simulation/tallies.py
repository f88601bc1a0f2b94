"""What is kept of sets: names to exact integers, which add up in any order and grouping.

Names, `S` a seat, `B` one of the plan's bots by its number:

- `sets`, `games`, `deals`: how many were played; `redeals`: misdeals, which are no deals;
- `seat.S.score`, `bot.B.score`: scores summed up, with `.squares` (of games), `.set_squares` (of sums over a set) and
  `.at.V` (games by score); `seat.S.margin`, `bot.B.margin` with both kinds of squares; `seat.S.wins`, `bot.B.wins` in
  parts of ONE_WIN;
- `difference.score`, `difference.wins`, in a comparison: how much better bot 0 did than bot 1, with the `.squares` of
  sums over a set;
- `moves`, `moves.squares`, `moves.at.N`: how long games were; of matches also in deals, `deals_of_match`, the same way;
- `ended.REASON`: matches by what ended them;
- `count.NAME`, `count.NAME.KEY`: what the ruleset counts (`Ruleset.counts`).

The margin of a game adds up how much better a seat did than each of its opponents; penalty points count against it.
`at` names a bucket by its lowest number; `bucket` says which numbers it holds. A name ending in `.high` counts in
units of 2^36 what of single squares lies beyond that: so all integers stay below 2^63, in up to ten million games.
"""

from __future__ import annotations

Tally = dict[str, int]
"""A name that is left out counts 0."""

ONE_WIN = 840
"""One game won, in the parts that wins are counted in: up to eight winners can share it exactly."""
HIGH = 36
"""Squares are counted in two parts: the low bits, this many, and what lies beyond."""
MASK = (1 << HIGH) - 1
EXACT = 256
"""Numbers smaller than this have a bucket each."""


def tell(tally: Tally, name: str, value: int) -> None:
    """Add a number to a tally; a name that counts nothing is left out."""
    if total := tally.get(name, 0) + value:
        tally[name] = total
    else:
        tally.pop(name, None)


def merge(one: Tally, other: Tally) -> Tally:
    """Both together: other sets of the same plan. The order of merging changes nothing."""
    merged = dict(one)
    for name, value in other.items():
        tell(merged, name, value)
    return merged


def bucket(value: int) -> tuple[int, int]:
    """The lowest and the highest number of the bucket that a number falls into.

    Each number below 256 has its own, then there are buckets of 4 up to 1023, of 16 up to 4095, and so on: a histogram
    keeps three significant digits and stays small. Negative numbers fall as their opposites do.
    """
    if value < 0:
        low, high = bucket(-value)
        return -high, -low
    if value < EXACT:
        return value, value
    width = 4 ** ((value.bit_length() - 7) // 2)
    low = value - value % width
    return low, low + width - 1


def square(tally: Tally, name: str) -> int:
    """A sum of squares, put together from its two parts."""
    return tally.get(name, 0) + (tally.get(f"{name}.high", 0) << HIGH)


def histogram(tally: Tally, prefix: str) -> list[tuple[int, int]]:
    """The (lowest number, count) of every bucket with anything in it, ascending."""
    start = prefix + ".at."
    found = [(int(name.removeprefix(start)), count) for name, count in tally.items() if name.startswith(start)]
    return sorted(pair for pair in found if pair[1])
