"""The bot `random`: any legal move, each equally likely. The measure that others have to beat."""

from typing import Any

from engine.bots.decision import Budget, Decision
from engine.chance import Chance


def choose(observation: Any, chance: Chance, budget: Budget | None) -> Decision:
    """One of the observation's moves; it must be this seat's turn."""
    return Decision(observation.moves[chance.number(len(observation.moves))])
