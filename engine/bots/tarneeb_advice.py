"""What to do in Tarneeb: placeholder until the advice is written."""

from engine.rulesets.tarneeb.rules import TarneebObservation


def choose(seen: TarneebObservation) -> int:
    """The move that the advice names."""
    return seen.moves[0]
