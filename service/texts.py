"""What the catalogue says in words: read from the engine's data files, which say everything in every language."""

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

LANGUAGES = ("en", "es")


class _Data(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a data file: what it does not know is a slip of the pen."""


class Text(_Data, frozen=True):
    """A text in each of our languages."""

    en: str
    es: str

    def read(self, lang: str) -> str:
        """The text in one language."""
        return self.es if lang == "es" else self.en


class Named(_Data, frozen=True):
    """A title, and a sentence or two."""

    title: Text
    text: Text


class OptionText(Named, frozen=True):
    """What is said of an option; `values` are titles of its values, `null` among them."""

    values: dict[str, Text] = {}


class ConstraintText(_Data, frozen=True):
    """A combination that is refused at `option`: where `when` holds, `needs` must; JSON Schema for each name."""

    option: str
    when: dict[str, dict[str, Any]]
    needs: dict[str, dict[str, Any]]
    text: Text


class Texts(_Data, frozen=True):
    """What is said of a ruleset beside its rules. Reasons are in English where the engine gives them."""

    text: Text
    options: dict[str, OptionText]
    presets: dict[str, Named]
    moves: dict[str, Named]
    reasons: dict[str, dict[str, str]]
    dependent: dict[str, Text] = {}
    constraints: list[ConstraintText] = []


class Common(_Data, frozen=True):
    """What is said of options that several rulesets have, and of a dealer who is not at the table."""

    options: dict[str, OptionText]
    dealer: Text


class Names(Struct, frozen=True):
    """A name in English, Spanish and German."""

    en: str
    es: str
    de: str

    def filled(self, **parts: "Names | str | int") -> "Names":
        """The same with parts such as `{suit}` put in, in each language."""

        def read(lang: str) -> str:
            template: str = getattr(self, lang)
            return template.format_map(
                {name: getattr(part, lang) if isinstance(part, Names) else part for name, part in parts.items()}
            )

        return Names(read("en"), read("es"), read("de"))


class PackKind(_Data, frozen=True):
    """How packs of one kind and their cards are called: templates, and the ranks that are more than a number."""

    pack: Names
    card: Names
    ranks: dict[str, Names] = {}


class CardNames(_Data, frozen=True):
    """What suits, ranks, cards and packs are called."""

    suits: dict[str, Names]
    extras: dict[str, Names]
    kinds: dict[str, PackKind]


@cache
def of_ruleset(name: str) -> Texts:
    """What is said of a ruleset."""
    return msgspec.toml.decode((files("engine.rulesets") / name / "texts.toml").read_bytes(), type=Texts)


@cache
def common() -> Common:
    """What is said of several rulesets."""
    return msgspec.toml.decode((files("engine.rulesets") / "common.toml").read_bytes(), type=Common)


@cache
def card_names() -> CardNames:
    """What cards are called."""
    return msgspec.toml.decode((files("engine") / "cards.toml").read_bytes(), type=CardNames)


def rules(name: str, lang: str) -> str:
    """The numbered rules of a ruleset, as Markdown."""
    return (files("engine.rulesets") / name / f"rules.{lang}.md").read_text(encoding="utf-8")
