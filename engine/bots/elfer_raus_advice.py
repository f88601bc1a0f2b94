"""What to do in Elfer Raus: play what clears the way for one's own cards, keep what clears it for others.

The 1 and the highest number of a row, which open the way for nobody, and cards whose way on is in one's own hand are
free to play. Each card beyond counts: one's own for playing, those of others against it, the less the more unknown
cards lie before it, for they may be in the stock. One card a turn must be played. More are played only to go out in
this turn, to get rid of points when somebody else is about to go out, and where many of one's own wait behind.
"""

from engine.bits import members
from engine.rulesets.elfer_raus.rules import ElferRausObservation

WORTH_OF_OTHERS = 0.5
"""What a card of another player that can be played sooner counts, beside one of one's own."""
PASSAGE = 0.7
"""How likely a row gets past a card that one has not seen."""
ACTION = 5.0
"""What an action card is worth playing: it costs 20 to keep, and opens no row."""
PLENTY = 2.0
"""What a card must be worth to be played when the turn can be ended instead."""


def choose(seen: ElferRausObservation) -> int:
    """The move that the advice names."""
    plays = [move for move in seen.moves if move < seen.cards]
    others = [move for move in seen.moves if move >= seen.cards]
    if not plays:
        return others[0]
    best = max(plays, key=lambda card: (worth(seen, card), card % seen.terms.max_number))
    if not others or worth(seen, best) > PLENTY or goes_out(seen) or others_go_out(seen):
        return best
    # The turn can end; or it has not begun and may be passed, which is only better than what helps others more.
    return others[0] if seen.turn or worth(seen, best) < 0 else best


def others_go_out(seen: ElferRausObservation) -> bool:
    """Whether somebody else has one card left."""
    return any(size == 1 for seat, size in enumerate(seen.sizes) if seat != seen.seat)


def goes_out(seen: ElferRausObservation) -> bool:
    """Whether the whole hand can be played in this turn."""
    left = set(members(seen.hand))
    laid = seen.playable()
    while ready := {card for card in left if laid >> card & 1}:
        left -= ready
        for card in ready:
            for way in ways(seen, card) if card < seen.numbers else []:
                laid |= sum(1 << beyond for beyond in way[:1])
    return not left


def worth(seen: ElferRausObservation, card: int) -> float:
    """What playing a card brings: its way on is cleared for one's own cards, and for those of others."""
    if card >= seen.numbers:
        return ACTION
    unseen = seen.unseen()
    in_hands = sum(size for seat, size in enumerate(seen.sizes) if seat != seen.seat)
    in_a_hand = in_hands / max(1, in_hands + seen.stock)
    total = 0.0
    for way in ways(seen, card):
        reached = 1.0
        for beyond in way:
            if seen.hand >> beyond & 1:
                total += reached
            elif unseen >> beyond & 1:
                reached *= PASSAGE
                total -= WORTH_OF_OTHERS * in_a_hand * reached
    return total


def ways(seen: ElferRausObservation, card: int) -> list[range]:
    """The cards to which a card clears the way, nearest first: outwards, and both ways from a start card."""
    colour = card // seen.terms.max_number
    first = colour * seen.terms.max_number
    start = first + seen.start_numbers[colour] - 1
    up, down = range(card + 1, first + seen.terms.max_number), range(card - 1, first - 1, -1)
    if card == start:
        return [up, down]
    return [up] if card > start else [down]
