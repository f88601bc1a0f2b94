"""The catalogue for people: rulesets, with everything about each, on a terminal."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from engine.wire import Move
from service.examples import Example, Outcome
from service.rulesets import RulesetPage, ruleset_list, ruleset_page

WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "rulesets": "Rulesets", "ruleset": "ruleset", "players": "players", "to": "to", "options": "Options",
        "option": "option", "meaning": "what it is", "default": "default", "or": "or",
        "presets": "Presets", "preset": "preset", "sets": "sets", "nothing": "nothing: the defaults", "packs": "Packs",
        "pack": "pack", "chosen": "chosen by", "always": "always", "suits": "suits",
        "ranks": "ranks, low to high", "first": "the first so many of", "moves": "Moves", "move": "move",
        "reasons": "Reasons for a refusal", "reason": "reason", "examples": "Worked examples", "seat": "seat",
        "dealer": "dealer", "legal": "may be played", "refused": "refused", "scores": "scores", "totals": "totals",
        "winners": "winners", "before": "totals before", "clockwise": "clockwise",
        "counterclockwise": "counterclockwise", "seats": "seats", "stock": "stock",
        "more": "`tapete rulesets NAME` has everything about one.",
    },
    "es": {
        "rulesets": "Juegos", "ruleset": "juego", "players": "jugadores", "to": "a", "options": "Opciones",
        "option": "opción", "meaning": "qué es", "default": "por defecto", "or": "o",
        "presets": "Configuraciones", "preset": "configuración", "sets": "fija",
        "nothing": "nada: los valores por defecto", "packs": "Barajas", "pack": "baraja", "chosen": "la elige",
        "always": "siempre", "suits": "palos", "ranks": "rangos, de menor a mayor",
        "first": "las primeras tantas de", "moves": "Jugadas", "move": "jugada", "reasons": "Motivos de rechazo",
        "reason": "motivo", "examples": "Ejemplos", "seat": "asiento", "dealer": "repartidor",
        "legal": "se puede jugar", "refused": "se rechaza", "scores": "puntos", "totals": "totales",
        "winners": "ganan", "before": "totales de antes", "clockwise": "en el sentido de las agujas del reloj",
        "counterclockwise": "en sentido contrario al de las agujas del reloj", "seats": "asientos", "stock": "mazo",
        "more": "`tapete rulesets NOMBRE` lo tiene todo sobre uno.",
    },
}  # fmt: skip
"""What the printed page says by itself, in each language."""


def rulesets(console: Console, lang: str) -> None:
    """Print a row for each ruleset."""
    words = WORDS[lang]
    table = _table(console, words["rulesets"], words["ruleset"], words["players"], words["presets"].lower())
    for each in ruleset_list(lang).rulesets:
        table.add_row(each.name, _range(each.players.min, each.players.max, words), ", ".join(each.presets))
    console.print(table, words["more"], sep="\n")


def ruleset(console: Console, name: str, lang: str) -> None:
    """Print all about one ruleset. UnknownRuleset for any other name."""
    Printer(console, ruleset_page(name, lang), lang).all()


def _table(console: Console, title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", show_lines=True)
    for number, column in enumerate(columns):
        # Names are typed as they are printed, so only the other columns may be broken; the last one is the shortest.
        table.add_column(column, no_wrap=number == 0, max_width=console.width // 4 if number == 2 else None)
    return table


def _range(low: int, high: int, words: Mapping[str, str]) -> str:
    return str(low) if low == high else f"{low} {words['to']} {high}"


class Printer:
    """Prints a ruleset's page, part by part."""

    def __init__(self, console: Console, page: RulesetPage, lang: str) -> None:
        self.console = console
        self.page = page
        self.lang = lang
        self.words = WORDS[lang]
        self.titles = {each.option: {one.value: one.title for one in each.choices} for each in page.choices}
        self.suits = {each.suit: getattr(each.name, lang) for kind in page.kinds for each in kind.suits}

    def all(self) -> None:
        """Print everything, the rules before the examples that show them."""
        page, words = self.page, self.words
        players = _range(page.players.min, page.players.max, words)
        self.console.print(Text(page.title, style="bold"))
        self.console.print(f"{page.text} {players} {words['players']}, {words[page.turn]}.\n", highlight=False)
        self.options()
        self.presets()
        self.packs()
        self.named(words["moves"], words["move"], ((each.type, each.text) for each in page.move_types))
        self.named(words["reasons"], words["reason"], ((each.reason, each.detail) for each in page.reasons))
        self.console.print(Markdown(page.rules))
        self.examples()

    def named(self, title: str, column: str, rows: Iterable[tuple[str, str]]) -> None:
        """Print names with what is said of each."""
        table = _table(self.console, title, column, self.words["meaning"])
        for name, said in rows:
            table.add_row(name, said)
        self.console.print(table)

    def options(self) -> None:
        """Print the options: what each is, its values, its default; and what does not go together."""
        words = self.words
        dependent = {each.option: each.text for each in self.page.dependent_defaults}
        table = _table(self.console, words["options"], words["option"], words["meaning"], words["default"])
        for option, schema in self.page.options["properties"].items():
            default = dependent.get(option) or self._text(schema["default"])
            table.add_row(option, f"{schema['description']}\n{self._values(option, schema)}", default)
        self.console.print(table)
        for each in self.page.constraints:
            self.console.print(f"  · {each.text}", highlight=False)
        self.console.print()

    def _values(self, option: str, schema: dict[str, Any]) -> str:
        """What an option may be: a line for each value that has a title, and what its JSON Schema says."""
        titles = self.titles.get(option, {})
        values = {self._text(value): title for value, title in titles.items() if value is not None}
        lines = [f"· {value}: {title}" if value != title else f"· {value}" for value, title in values.items()]
        other = self._said(schema) if not lines else ""
        if None in titles:
            other += f", {self.words['or']} null: {titles[None]}"
        return "\n".join([*lines, *([other] if other else [])])

    def _said(self, schema: dict[str, Any]) -> str:
        if "anyOf" in schema:
            return self._said(schema["anyOf"][0])
        if "minimum" in schema:
            return _range(schema["minimum"], schema["maximum"], self.words)
        return f"true {self.words['or']} false"

    def _text(self, value: Any) -> str:
        if isinstance(value, list):
            return ", ".join(map(self._text, value))
        return json.dumps(value) if value is None or isinstance(value, bool) else str(value)

    def _settings(self, settings: Mapping[str, Any]) -> str:
        return ", ".join(f"{self.words.get(key, key)} {self._text(value)}" for key, value in settings.items())

    def presets(self) -> None:
        """Print the presets and what each sets."""
        words = self.words
        table = _table(self.console, words["presets"], words["preset"], words["meaning"], words["sets"])
        for each in self.page.presets:
            table.add_row(each.preset, each.text, self._settings(each.options) or words["nothing"])
        self.console.print(table)

    def packs(self) -> None:
        """Print the packs with what chooses each, and what their suits and ranks are called."""
        words = self.words
        table = _table(self.console, words["packs"], words["pack"], words["chosen"])
        table.show_lines = False
        for each in self.page.packs:
            table.add_row(getattr(each.title, self.lang), self._settings(each.when) or words["always"])
        for extra in self.page.extra_cards:
            table.add_row(extra.option, f"{words['first']} {extra.cards[0]} ... {extra.cards[-1]}")
        self.console.print(table)
        for kind in self.page.kinds:
            suits = ", ".join(_called(each.suit, self.suits[each.suit]) for each in kind.suits)
            ranks = ", ".join(_called(each.rank, getattr(each.name, self.lang)) for each in kind.ranks)
            self.console.print(f"  · {words['suits']}: {suits}\n    {words['ranks']}: {ranks}", highlight=False)
        self.console.print()

    def examples(self) -> None:
        """Print the worked examples: who holds what, what is played, what comes of it."""
        self.console.print(Text(f"\n{self.words['examples']}", style="bold underline"))
        for each in self.page.examples:
            self.console.print(Text(f"\n{each.title} ({', '.join(each.rules)})", style="bold"))
            self.console.print(each.text, highlight=False)
            # What is given and what comes of it stand apart from the text, for those who want to play it out.
            self.console.print(Padding(Text("\n".join(self._situation(each)), style="dim"), (0, 0, 0, 2)))

    def _situation(self, example: Example) -> list[str]:
        words = self.words
        chosen = {"preset": example.preset} if example.preset else {}
        lines = [self._settings({**chosen, **example.options, "dealer": example.dealer})]
        for seat, hand in enumerate(example.hands):
            total = f" ({words['before']}: {example.totals[seat]})" if any(example.totals) else ""
            lines.append(f"{words['seat']} {seat}{total}: {self._hand(hand)}")
        if example.stock:
            lines.append(f"{words['stock']}: {', '.join(example.stock)} ...")
        if example.moves:
            lines.append(", ".join(f"{each.seat} {_words(each.move)}" for each in example.moves))
        return [*lines, *self._outcome(example.outcome)]

    def _outcome(self, outcome: Outcome) -> list[str]:
        words = self.words
        lines = []
        if outcome.legal_moves is not None:
            legal = ", ".join(map(_words, outcome.legal_moves))
            lines.append(f"→ {words['seat']} {outcome.to_move}, {words['legal']}: {legal}")
        lines += [f"→ {words['refused']}: {_words(each.move)} ({each.reason})" for each in outcome.refused]
        known = {"scores": outcome.scores, "totals": outcome.totals, "winners": outcome.winners}
        told = [f"{words[key]} {self._text(value)}" for key, value in known.items() if value is not None]
        return [*lines, *([f"→ {'; '.join(told)}"] if told else [])]

    def _hand(self, hand: list[str]) -> str:
        """A hand with its suits by name, each with its ranks; cards of no suit as they are written."""
        by_suit: dict[str, list[str]] = {}
        for card in hand:
            rank, _, suit = card.partition("-")
            by_suit.setdefault(suit, []).append(rank if suit in self.suits else card)
        parts = ([self.suits[suit]] if suit in self.suits else [] for suit in by_suit)
        return ", ".join(" ".join([*named, *ranks]) for named, ranks in zip(parts, by_suit.values(), strict=True))


def _called(code: str, name: str) -> str:
    return code if name == code else f"{code} ({name})"


def _words(move: Move) -> str:
    """A move in words: a card alone is played; otherwise its type, and what that names."""
    kind, *values = map(str, msgspec.to_builtins(move).values())
    return values[0] if kind == "play" else " ".join([kind, *values])
