"""What to do in Reihe: the advice that the source gives.

A card is weighed by what it opens. Beyond it, towards the end of its suit, lie cards of one's own and of others. For
those of others that stand before one's own, the sooner it is played the better; those that lie further out are a gift.
So a lone start card and a card with nothing of one's own beyond are held as long as anything else can be played, and
rows where one holds the far end are opened early. A card that lets nobody in costs nothing: it is a pass in reserve.
"""

from engine.rulesets.reihe.rules import DECKS, ReiheObservation

GIFT = 1.0
"""What a card that others can play is worth, beside one that stands in one's own way."""
GIFT_FOR_MONEY = 1.5
"""The same where others pay for every pass."""
PATIENCE = 0.5
"""How much of the way counts that one still keeps closed oneself."""


def choose(seen: ReiheObservation) -> int:
    """The move that the advice names: the playable card that opens most for oneself and least for others."""
    if len(seen.moves) == 1:
        return seen.moves[0]
    gift = GIFT_FOR_MONEY if seen.terms.ante and seen.terms.pass_fee else GIFT
    return max(seen.moves, key=lambda card: worth(seen, card, gift))


def worth(seen: ReiheObservation, card: int, gift: float) -> float:
    """What playing a card opens, towards each end of its suit where it opens anything."""
    ranks = len(DECKS[seen.terms.deck].pack.ranks)
    first = card // ranks * ranks
    below, above = list(range(card - 1, first - 1, -1)), list(range(card + 1, first + ranks))
    laid = seen.rows.seen()
    return sum(opened(seen.hand, way, gift) for way in (below, above) if way and not laid >> way[0] & 1)


def opened(hand: int, way: list[int], gift: float) -> float:
    """What it is worth to open the way to these cards, the nearest first."""
    in_the_way = others = 0
    gain = 0.0
    for card in way:
        if hand >> card & 1:
            gain += others
            in_the_way = others
        else:
            others += 1
    if hand >> way[0] & 1:
        return PATIENCE * gain
    return gain - gift * (others - in_the_way)
