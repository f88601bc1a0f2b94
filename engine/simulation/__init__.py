"""Bulk simulations: many deals or matches between bots, to exact integers that add up in any order.

Map
---
plans        what is played: `plan`, `plan_comparison`
playing      `play`: some sets of a plan, in batches
sums         what games came to, added up (compiled)
tallies      what is kept of sets: names to integers; `merge`
results      the published statistics, as types
statistics   `summarise`: from a tally to its statistics
sequential   `decide`: whether a comparison may stop
costs        `estimate`: how long it will take

Words
-----
game: one deal or one match, by the plan's `unit`.  lineup: who sits where.  set: the same cards once for each lineup.
chair: a seat in a lineup.  All chance of a set comes from (seed, number of the set): a tally depends neither on who
played which sets nor on the order.
"""
