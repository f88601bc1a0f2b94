"""The bot `rules`: what people who know the game advise, one module for each game."""

from typing import Any

from engine.bots import tarneeb_advice
from engine.bots.decision import Budget, Decision
from engine.chance import Chance
from engine.rulesets.tarneeb.rules import TarneebObservation

ADVICE = {TarneebObservation: tarneeb_advice.choose}


def choose(observation: Any, chance: Chance, budget: Budget | None) -> Decision:
    """What the game's advice says; it must be this seat's turn. Thinks without samples and without chance."""
    return Decision(ADVICE[type(observation)](observation))
