"""Rules and players of card games: no I/O, no clock, no chance of its own.

Map
---
errors      what can be wrong with a move or an option
cards       packs, suits, ranks: ids, names, sets of cards
chance      seeded streams; the shuffle; the published deal function
deal        the contract every ruleset keeps; `play_checked`, the only door from outside
tricks      following suit and winning a trick, for every trick game
rows        building rows up and down from a start card, for every layout game
sampling    spreading unseen cards over hands, uniformly
moves       moves and events as JSON
match       deals in a row; replay; totals and the end
catalog     RULESETS: every ruleset there is; `find(name)`
rulesets/   one folder a game: numbered rules, `rules.py` (the deal), `match_rules.py`, `view.py` (its JSON)
bots/       one module a bot: `choose(observation, chance, budget) -> Decision`
playouts    a deal played to its end by chance
simulation/ bots against bots by the million: sets, tallies, statistics; `engine/simulation/__init__.py` is its map
arena       how strong the bots are, measured

Words
-----
match: deals in a row between the same seats.  deal: one shuffle and all play from it.  seat: 0, 1, ... clockwise.
move: one decision of the seat to move, an int inside.  observation: all that one seat may know.
view: the observation as JSON.  sample: a full deal consistent with an observation.  playout: play to the end.

Two builds
----------
The modules in COMPILED are plain Python that Cython also compiles (`make compile`); the C types stand
in the `.pxd` beside each. TAPETE_ENGINE=pure|compiled chooses; without it the compiled build is used where there
is one. MODE says which one this process runs. A build older than its source is refused, never used silently.
"""

import os as _os
from typing import Literal as _Literal

from engine._builds import select as _select

COMPILED = (
    "engine.chance",
    "engine.deal",
    "engine.tricks",
    "engine.rows",
    "engine.rulesets.tarneeb.auction",
    "engine.rulesets.tarneeb.rules",
    "engine.rulesets.reihe.rules",
    "engine.rulesets.rosbiratschka.penalties",
    "engine.rulesets.rosbiratschka.pile",
    "engine.rulesets.rosbiratschka.layout",
    "engine.rulesets.rosbiratschka.rules",
    "engine.rulesets.elfer_raus.turns",
    "engine.rulesets.elfer_raus.proofs",
    "engine.rulesets.elfer_raus.rules",
    "engine.playouts",
    "engine.simulation.sums",
    "engine.simulation.random_deals",
)
"""Every module that is also compiled; nothing else lists them."""

MODE: _Literal["compiled", "pure"] = _select(COMPILED, _os.environ.get("TAPETE_ENGINE", ""))
"""Which build this process runs: `compiled` or `pure`."""
