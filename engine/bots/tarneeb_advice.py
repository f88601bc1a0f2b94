"""The bot `rules` in Tarneeb: bids what both hands can do, and plays sensible whist."""

from engine.bots.tarneeb_bidding import choose_call, name_trump
from engine.bots.tarneeb_play import choose_card
from engine.rulesets.tarneeb.rules import PHASES, TarneebObservation

BY_PHASE = {"auction": choose_call, "trump": name_trump, "play": choose_card}


def choose(seen: TarneebObservation) -> int:
    """The move that the advice names; it must be this seat's turn."""
    return BY_PHASE[PHASES[seen.phase]](seen)
