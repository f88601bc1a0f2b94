"""The legal moves as things to choose: which number stands for which, and what is meant by what somebody types."""

import re
from dataclasses import dataclass

from service.terminal import Json, cards
from service.terminal.words import Words, texts


@dataclass
class Choice:
    """A legal move and the number that chooses it."""

    key: int
    move: Json


def choices(moves: list[Json]) -> list[Choice]:
    """Number the moves from 1; but a bid is chosen by its own amount, since that is what anyone would type."""
    numbers = iter(range(1, len(moves) + 1))
    return [Choice(move["amount"] if move["type"] == "bid" else next(numbers), move) for move in moves]


def keys(offered: list[Choice]) -> str:
    """All numbers that choose something, in short: `1-5`, `1, 7-13`."""
    runs: list[list[int]] = []
    for key in sorted(choice.key for choice in offered):
        if runs and key == runs[-1][-1] + 1:
            runs[-1].append(key)
        else:
            runs.append([key])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def example(offered: list[Choice], words: Words) -> str:
    """What may be typed instead of a number, by an example."""
    move = next((choice.move for choice in offered if choice.move["type"] == "bid"), offered[0].move)
    if move["type"] == "play":
        rank, suit = cards.parts(move["card"])
        return words("example.card", card=f"{rank} {cards.suit_name(suit, words.language)}")
    if move["type"] == "bid":
        return words("example.bid", bid=move["amount"])
    if move["type"] == "trump":
        return words("example.suit", suit=cards.suit_name(move["suit"], words.language))
    return words("example.word", word=words(f"move.{move['type']}"))


def read(typed: str, offered: list[Choice], hand: list[str], language: str) -> Json | None:
    """The move that somebody means, legal or not; None where it is no move at all.

    What is no number is taken by its meaning alone: whether the rules allow it, the service says.
    """
    text = " ".join(typed.lower().split())
    if text.isdecimal():
        return next((choice.move for choice in offered if choice.key == int(text)), None)
    bid = re.fullmatch(r"(?:bid|pujo|puja|pujar) ?([0-9]{1,4})", text)
    if bid:
        return {"type": "bid", "amount": int(bid[1])}
    for kind in ("pass", "draw", "end_turn"):
        if text and text in _names(kind, language):
            return {"type": kind}
    card = cards.typed_card(text, hand)
    if card is not None:
        return {"type": "play", "card": card}
    named = [choice.move for choice in offered if choice.move["type"] == "trump" and _means(choice.move["suit"], text)]
    return named[0] if len(named) == 1 else None


def _names(kind: str, language: str) -> set[str]:
    """What a move without a card may be called: its text, the first word of it, and the API's word."""
    told = texts(language)[f"move.{kind}"]
    return {told, told.split()[0], kind, kind.replace("_", " ")}


def _means(suit: str, text: str) -> bool:
    return bool(text) and cards.is_called(suit, text)
