"""The bot `rules`: what people who know the game advise, one module for each game."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.bots import elfer_raus_advice, reihe_advice, rosbiratschka_advice, tarneeb_advice
from engine.bots.decision import Budget, Decision
from engine.chance import Chance
from engine.rulesets.elfer_raus.rules import ElferRausObservation
from engine.rulesets.reihe.rules import ReiheObservation
from engine.rulesets.rosbiratschka.rules import RosbiratschkaObservation
from engine.rulesets.tarneeb.rules import TarneebObservation

ADVICE: Mapping[type, Callable[[Any], int]] = {
    TarneebObservation: tarneeb_advice.choose,
    ReiheObservation: reihe_advice.choose,
    RosbiratschkaObservation: rosbiratschka_advice.choose,
    ElferRausObservation: elfer_raus_advice.choose,
}


def choose(observation: Any, chance: Chance, budget: Budget | None) -> Decision:
    """What the game's advice says; it must be this seat's turn. Thinks without samples and without chance."""
    return Decision(ADVICE[type(observation)](observation))
