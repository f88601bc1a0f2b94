"""Every ruleset there is. Adding one is adding its line here."""

from engine.errors import UnknownRuleset
from engine.match import Ruleset
from engine.rulesets.elfer_raus import ELFER_RAUS
from engine.rulesets.reihe import REIHE
from engine.rulesets.rosbiratschka import ROSBIRATSCHKA
from engine.rulesets.tarneeb import TARNEEB

RULESETS: tuple[Ruleset, ...] = (TARNEEB, REIHE, ROSBIRATSCHKA, ELFER_RAUS)


def find(name: str) -> Ruleset:
    """The ruleset of a name; UnknownRuleset, which says what there is, for any other."""
    for ruleset in RULESETS:
        if ruleset.name == name:
            return ruleset
    raise UnknownRuleset(f"There is no ruleset {name!r}; there are {', '.join(each.name for each in RULESETS)}.")
