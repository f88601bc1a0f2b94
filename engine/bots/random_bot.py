"""The bot `random`: any legal move, each equally likely. The measure that others have to beat."""

from typing import Any

from engine.bots.decision import Budget, Decision
from engine.chance import Chance


def choose(observation: Any, chance: Chance, budget: Budget | None) -> Decision:
    """One of the observation's moves, drawn where there are several; it must be this seat's turn."""
    moves = observation.moves
    return Decision(moves[chance.number(len(moves))] if len(moves) > 1 else moves[0])
