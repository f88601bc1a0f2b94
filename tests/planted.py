"""Rulesets with a fault planted on purpose, for tests of what must find it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from engine.match import Ruleset

Methods = Mapping[str, Callable[..., Any]]


class Planted:
    """A deal of which some methods, or of whose copies some, are others; each takes the honest deal first."""

    def __init__(self, deal: Any, methods: Methods, of_copies: Methods) -> None:
        self.deal = deal
        self.methods = methods
        self.of_copies = of_copies

    def __getattr__(self, name: str) -> Any:
        return partial(self.methods[name], self.deal) if name in self.methods else getattr(self.deal, name)

    def copy(self) -> "Planted":
        """An independent copy, with the same methods or those of copies."""
        return Planted(self.deal.copy(), {**self.methods, **self.of_copies}, self.of_copies)


def with_deals(ruleset: Ruleset, of_copies: Methods | None = None, **methods: Callable[..., Any]) -> Ruleset:
    """The ruleset with these methods in its deals, and those `of_copies` in copies alone."""
    return replace(ruleset, deal=lambda match: Planted(ruleset.deal(match), methods, of_copies or {}))
