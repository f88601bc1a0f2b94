"""The packs of a ruleset for the catalogue: which there are, what chooses them, and what their cards are called."""

from typing import Any

from engine.cards import Pack
from engine.match import Ruleset
from engine.wire import Card
from service.schemas import Answer
from service.texts import Names, PackKind, card_names


class SuitPage(Answer):
    """A suit, and what it is called."""

    suit: str
    name: Names


class RankPage(Answer):
    """A rank, and what it is called."""

    rank: str
    name: Names


class CardPage(Answer):
    """A card as moves and hands write it, and what it is called. A card without a suit has no rank either."""

    card: Card
    suit: str | None
    rank: str | None
    name: Names


class PackKindPage(Answer):
    """A kind of pack: its suits in order, ranks from low to high, and every card of its packs as hands are sorted."""

    kind: str
    suits: list[SuitPage]
    ranks: list[RankPage]
    cards: list[CardPage]


class PackPage(Answer):
    """A pack that can be chosen: its cards as hands are sorted, suit by suit, each from low to high.

    `when` are the options, or the number of `seats`, that choose it, empty where there is no choice. `start_cards`
    open the rows where the pack decides that; null where no row is built, or the deal's `start_numbers` say it.
    """

    pack: str
    kind: str
    title: Names
    when: dict[str, Any]
    suits: list[str]
    ranks: list[str]
    cards: list[Card]
    start_cards: list[Card] | None


class ExtraCards(Answer):
    """Cards that an option shuffles into the pack: the first so many of these, sorted after all others."""

    option: str
    cards: list[Card]


def packs(ruleset: Ruleset) -> list[PackPage]:
    """Every pack that can be chosen."""
    return [_pack(ruleset, name, pack) for name, pack in ruleset.packs.items()]


def _pack(ruleset: Ruleset, name: str, pack: Pack) -> PackPage:
    starts = ruleset.start_cards.get(name)
    title = card_names().kinds[_kind(name)].pack
    return PackPage(
        pack=name,
        kind=_kind(name),
        title=title.filled(count=len(pack.cards), suits=len(pack.suits), high=pack.ranks[-1]),
        when=dict(ruleset.chosen_by[name]),
        suits=list(pack.suits),
        ranks=list(pack.ranks),
        cards=list(pack.cards),
        start_cards=None if starts is None else list(starts),
    )


def kinds(ruleset: Ruleset) -> list[PackKindPage]:
    """Every kind of pack. The largest pack of a kind has all cards of the others, in the same order."""
    largest: dict[str, Pack] = {}
    for name, pack in ruleset.packs.items():
        known = largest.setdefault(_kind(name), pack)
        if len(pack.cards) > len(known.cards):
            largest[_kind(name)] = pack
    extras = [card for cards in ruleset.extras.values() for card in cards]
    return [_kind_page(name, pack, extras) for name, pack in largest.items()]


def extras(ruleset: Ruleset) -> list[ExtraCards]:
    """The cards that options shuffle in."""
    return [ExtraCards(option=option, cards=list(cards)) for option, cards in ruleset.extras.items()]


def _kind(pack: str) -> str:
    return pack.rpartition("_")[0]


def _kind_page(name: str, pack: Pack, extra: list[str]) -> PackKindPage:
    words, kind = card_names(), card_names().kinds[name]
    return PackKindPage(
        kind=name,
        suits=[SuitPage(suit=suit, name=words.suits[suit]) for suit in pack.suits],
        ranks=[RankPage(rank=rank, name=_rank(kind, rank)) for rank in pack.ranks],
        cards=[_card(kind, card) for card in (*pack.cards, *extra)],
    )


def _card(kind: PackKind, card: str) -> CardPage:
    words = card_names()
    rank, _, suit = card.partition("-")
    if suit in words.extras:
        return CardPage(card=card, suit=None, rank=None, name=words.extras[suit].filled(rank=rank))
    called = kind.card.filled(rank=_rank(kind, rank), suit=words.suits[suit])
    return CardPage(card=card, suit=suit, rank=rank, name=called)


def _rank(kind: PackKind, rank: str) -> Names:
    return kind.ranks.get(rank) or Names(rank, rank, rank)
