"""Check the replay of a Tapete game: `python verify.py replay.json`. Needs Python 3.10 or newer, and nothing else.

The file is what `GET /v1/games/{game_id}/replay` answers when a game is over. Read on and you know what is checked:

1. The seed is the one that `commitment` promised before any player could add anything to it.
2. Every pack was shuffled as the seed says, by a function that nobody can steer, and dealt as the rules say.
3. Every card was played by the seat that held it, and every card drawn was the top of the stock.
4. Every score, total and winner is what the rules make of those cards.
5. The file is whole: each entry of the log is chained to the one before it, and `digest` covers the rest.

Then compare: the commitment and the cursor with those you saw in the game, the digest with what others were given.
Whether every move was allowed at its moment (turns, bids, following suit) takes all the rules of a game, too many to
be read in one sitting: `tapete verify` checks all of this, and then plays the record again.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any, NoReturn

# Where the next seat sits: clockwise it is the next number, counterclockwise the one before.
STEP = {"tarneeb": -1, "reihe": -1, "rosbiratschka": 1, "elfer_raus": 1}
GERMAN, FRENCH, SPANISH = "acorns leaves hearts bells", "spades hearts diamonds clubs", "coins cups swords batons"
COLOURS = ["red", "yellow", "green", "blue"]
# Suits, and ranks from low to high.
TARNEEB = (FRENCH, "2 3 4 5 6 7 8 9 10 J Q K A")
ROSBIRATSCHKA = (GERMAN, "6 7 8 9 10 U O K A")
REIHE = {
    "nordic_60": (GERMAN, "1 2 3 4 5 6 7 8 9 10 U O K J E"),
    "nordic_56": (GERMAN, "1 2 3 4 5 6 7 8 9 10 U O K J"),
    "german_36": (GERMAN, "6 7 8 9 10 U O K A"),
    "spanish_48": (SPANISH, "1 2 3 4 5 6 7 8 9 10 11 12"),
    "spanish_40": (SPANISH, "1 2 3 4 5 6 7 10 11 12"),
    "french_52": (FRENCH, "A 2 3 4 5 6 7 8 9 10 J Q K"),
}
# By players of Rosbiratschka: the cards that are not in its pack, and in which packets the others are dealt.
MISSING = {3: ("6-", "7-", "8-"), 4: ("6-",), 5: ("6-bells",), 6: ()}
PACKETS = {3: [2, 3, 3], 4: [2, 3, 3], 5: [2, 2, 3], 6: [3, 3]}
HONOURS = {"J": 1, "Q": 2, "K": 3, "A": 4}  # of Tarneeb, where points count


class Wrong(Exception):
    """Something in the replay is not what it must be; the text says what, and where."""


def wrong(where: str, sentence: str) -> NoReturn:
    """Say what is wrong."""
    raise Wrong(f"{where}: {sentence}")


def same(found: Any, expected: Any, where: str) -> None:
    """See to it that the replay says what was computed; where it does not, name the first place."""
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, one in enumerate(found):
            same(one, expected[index], f"{where}/{index}")
    elif isinstance(found, dict) and isinstance(expected, dict) and found.keys() == expected.keys():
        for name, one in found.items():
            same(one, expected[name], f"{where}/{name}")
    elif found != expected or type(found) is not type(expected):
        wrong(where, f"the replay says {compact(found)[:99]}, and it must be {compact(expected)[:99]}.")


def compact(value: Any, *, sort: bool = False) -> str:
    """A value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort)


def without(value: Any, *names: str) -> Any:
    """An object without some of its members."""
    return {name: each for name, each in value.items() if name not in names}


# ------------------------------------------------------------------------------------ 1. the seed, and chance from it


def check_seed(game: Any) -> None:
    """The promise: `sha256:` and the SHA-256 of the text `tapete/1:{game_id}:{seed}`."""
    text = f"tapete/1:{game['game_id']}:{game['seed']}"
    same(game["commitment"], "sha256:" + hashlib.sha256(text.encode()).hexdigest(), "/commitment")
    for index, added in enumerate(game["client_seeds"]):
        if not re.fullmatch("[0-9A-Za-z_-]{1,64}", added, re.ASCII):
            wrong(f"/client_seeds/{index}", "no player could add this to the seed.")


def numbers(game: Any, purpose: str) -> Iterator[int]:
    """The 64-bit numbers for a purpose: SHA-256 of `tapete/1:{seed}:{client seeds, with commas}:{purpose}:{block}`.

    Blocks are counted from 0; each gives four numbers of 8 bytes, the first byte the highest.
    """
    for block in count():
        text = f"tapete/1:{game['seed']}:{','.join(game['client_seeds'])}:{purpose}:{block}"
        digest = hashlib.sha256(text.encode()).digest()
        yield from (int.from_bytes(digest[at : at + 8], "big") for at in (0, 8, 16, 24))


def below(n: int, source: Iterator[int]) -> int:
    """The next number modulo n. The few at the top that would make small results likelier are skipped."""
    return next(number for number in source if number < 2**64 - 2**64 % n) % n


def shuffled(game: Any, deal: int, attempt: int) -> list[str]:
    """The pack from the top: from its last place down, swap each with one drawn from the first place up to it."""
    source = numbers(game, f"deal:{deal}:{attempt}")
    order = pack(game)
    for last in range(len(order) - 1, 0, -1):
        other = below(last + 1, source)
        order[last], order[other] = order[other], order[last]
    return order


# ------------------------------------------------------------------------------------ 2. the pack, and how it is dealt


def pack(game: Any) -> list[str]:
    """Every card of the game by its number: suit by suit, each from its lowest rank on."""
    options, ruleset, players = game["options"], game["ruleset"], len(game["seats"])
    if ruleset == "elfer_raus":
        cards = [f"{n + 1}-{colour}" for colour in COLOURS[: options["colours"]] for n in range(options["max_number"])]
        cards += [f"{n + 1}-skip" for n in range(options["skip_cards"])]
        return cards + [f"{n + 1}-reverse" for n in range(options["reverse_cards"])]
    suits, ranks = {"tarneeb": TARNEEB, "rosbiratschka": ROSBIRATSCHKA}.get(ruleset) or REIHE[options["deck"]]
    cards = [f"{rank}-{suit}" for suit in suits.split() for rank in ranks.split()]
    return [card for card in cards if ruleset != "rosbiratschka" or not card.startswith(MISSING[players])]


def packets(game: Any, players: int) -> list[int]:
    """How many cards each player gets at a time: one, but in Rosbiratschka."""
    options = game["options"]
    if game["ruleset"] == "rosbiratschka":
        return PACKETS[players]
    if game["ruleset"] == "elfer_raus":
        return [1] * (3 * options["colours"] * options["max_number"] // (4 * max(players, 3)))
    return [1] * len(pack(game))  # until none is left


def start_cards(game: Any) -> list[str]:
    """The start cards of Elfer Raus, drawn once for a match where the options say so."""
    options, colours = game["options"], COLOURS[: game["options"]["colours"]]
    if options["start_number"] == "fixed":
        return [f"{5 if options['max_number'] == 10 else 11}-{colour}" for colour in colours]
    return [f"{10 + 2 * below(2, numbers(game, f'start_numbers:{colour}'))}-{colour}" for colour in colours]


class Deal:
    """One deal as it is played: what everyone holds, the stock, and what has been done."""

    def __init__(self, game: Any, number: int, dealer: int, players: list[int]) -> None:
        self.number, self.dealer, self.players = number, dealer, players
        self.moves: list[tuple[int, Any]] = []
        self.played: list[tuple[int, str]] = []
        self.out: list[int] = []  # who has no card left, in that order
        for self.attempt in range(1, 1000):
            self.order = shuffled(game, number, self.attempt)
            self.deal_out(game)
            # Elfer Raus is dealt again where nobody has a start card.
            if game["ruleset"] != "elfer_raus" or any(set(start_cards(game)) & set(hand) for hand in self.hands):
                return
        wrong("/options", "no deal can begin with these.")

    def deal_out(self, game: Any) -> None:
        """From the top, beginning after the dealer in the direction of play; what is left is the stock."""
        seats = len(game["seats"])
        turn = [(self.dealer + STEP[game["ruleset"]] * place) % seats for place in range(1, seats + 1)]
        self.hands: list[list[str]] = [[] for _ in range(seats)]
        self.stock = list(self.order)
        for packet in packets(game, len(self.players)):
            for seat in filter(self.players.__contains__, turn):
                self.hands[seat] += self.stock[:packet]
                del self.stock[:packet]

    # -------------------------------------------------------------------------------- 3. who held what

    def make(self, seat: int, move: Any, where: str) -> None:
        """Take a move's card out of the hand, or put one into it from the stock."""
        if seat not in self.players:
            wrong(where, f"seat {seat} moves, and has no part in this deal.")
        self.moves.append((seat, move))
        if move["type"] == "play":
            if move["card"] not in self.hands[seat]:
                wrong(where, f"seat {seat} plays {move['card']}, and does not hold it.")
            self.hands[seat].remove(move["card"])
            self.played.append((seat, move["card"]))
            self.out += [seat] if not self.hands[seat] else []
        elif move["type"] == "draw":
            if not self.stock:
                wrong(where, f"seat {seat} draws, and there is no stock.")
            self.hands[seat].append(self.stock.pop(0))


# ------------------------------------------------------------------------------------ 4. what a deal is worth


def rank(card: str) -> str:
    """The rank of a card."""
    return card.partition("-")[0]


def suit(card: str) -> str:
    """The suit of a card."""
    return card.partition("-")[2]


def tricks(game: Any, deal: Deal, leader: int, trump: str = "") -> list[tuple[list[str], int]]:
    """Each trick and its taker: the highest trump, else the highest card of the suit led. The taker leads next."""
    ranks = (TARNEEB if game["ruleset"] == "tarneeb" else ROSBIRATSCHKA)[1].split()
    seats = len(game["seats"])
    found: list[tuple[list[str], int]] = []
    for first in range(0, len(deal.played), seats):
        trick = deal.played[first : first + seats]
        turn = [(leader + STEP[game["ruleset"]] * place) % seats for place in range(seats)]
        same([seat for seat, _ in trick], turn, f"/deals/{deal.number - 1}, trick {len(found) + 1}, seats")
        cards = [card for _, card in trick]
        heights = [(suit(card) == trump, suit(card) == suit(cards[0]), ranks.index(rank(card))) for card in cards]
        leader = turn[heights.index(max(heights))]
        found.append((cards, leader))
    return found


def tarneeb(game: Any, deal: Deal) -> list[int]:
    """What the declaring side took, in tricks or honours, if that is its bid, else minus the bid (rules T25 to T32)."""
    options, taken = game["options"], [0, 0]
    bids = [(seat, move["amount"]) for seat, move in deal.moves if move["type"] == "bid"]
    if not bids:
        return [0] * 4
    declarer, bid = bids[-1]
    trumps = [move["suit"] for _, move in deal.moves if move["type"] == "trump"]
    points = options["scoring"] == "points"
    for trick, taker in tricks(game, deal, declarer, trumps[0]):
        taken[taker % 2] += sum(HONOURS.get(rank(card), 0) for card in trick) if points else 1
    ours, theirs = taken[declarer % 2], taken[1 - declarer % 2]
    made, full = ours >= bid, options["full_bid"] == "bonus" and bid == (40 if points else 13)
    if made:
        ours = options["full_bid_made"] if full else ours
        theirs = theirs if options["defenders_always_score"] else 0
    else:
        ours = -options["full_bid_failed"] if full else -bid
    return [ours if seat % 2 == declarer % 2 else theirs for seat in range(4)]


def reihe(game: Any, deal: Deal) -> list[int]:
    """By the order in which hands were emptied, the last one left last (rules R16 and R17)."""
    seats, printed = len(game["seats"]), game["options"]["scoring"] == "as_printed"
    places = deal.out + [seat for seat in range(seats) if deal.hands[seat]]
    worth = [seats + 1] + [place - seats if printed else seats - place for place in range(1, seats)]
    return [worth[places.index(seat)] for seat in range(seats)]


def elfer_raus(_game: Any, deal: Deal) -> list[int]:
    """The numbers left in each hand, and 20 for an action card (rule E32)."""
    return [sum(int(rank(card)) if suit(card) in COLOURS else 20 for card in hand) for hand in deal.hands]


def rosbiratschka(game: Any, deal: Deal) -> list[int]:
    """Penalties, by the contract of the deal (rules B14 to B34)."""
    options, seats, piled = game["options"], len(game["seats"]), 0
    contract = options["contracts"][(deal.number - 1) % len(options["contracts"])]
    worth = [0] * seats
    if contract == "rosbiratschka":
        return [8 if hand else 0 for hand in deal.hands]
    if contract == "hundred":
        limits = [(25, 1), (50, 2), (100, 5)]
        for seat, card in deal.played:
            piled += {"A": 11, "K": 4, "O": 3, "U": 2, "10": 10}.get(rank(card), 0)
            if limits and piled > limits[0][0]:
                worth[seat] += limits.pop(0)[1]
        return worth
    for index, (trick, taker) in enumerate(tricks(game, deal, (deal.dealer + 1) % seats), 1):
        worth[taker] += {
            "no_tricks": 1 + (index == 1 and seats == 6) + (index == sum(PACKETS[seats]) and seats >= 5),
            "no_hearts": sum(1 + (seats == 3 and rank(card) in "KA") for card in trick if suit(card) == "hearts"),
            "no_unters": sum(2 for card in trick if rank(card) == "U"),
            "no_king_of_hearts": 8 * ("K-hearts" in trick),
        }[contract]
    if contract == "no_king_of_hearts" or 0 not in worth:
        return worth
    if options["slam"] != "off" and sum(map(bool, worth)) == 1:  # one seat took all that counts
        return [(-8 if options["slam"] == "bonus" else 8) if points else 0 for points in worth]
    return [2 * points for points in worth] if options["double_if_none"] else worth


SCORES = {"tarneeb": tarneeb, "reihe": reihe, "rosbiratschka": rosbiratschka, "elfer_raus": elfer_raus}


class Match:
    """The match as the log tells it, deal by deal, beside what it must come to."""

    def __init__(self, game: Any) -> None:
        self.game, self.options, seats = game, game["options"], len(game["seats"])
        self.deal: Deal | None = None
        self.deals, self.over = 0, False
        self.totals = [0] * seats
        self.players = list(range(seats))
        drawn = below(seats, numbers(game, "first_dealer"))
        self.dealer = drawn if self.options["first_dealer"] is None else self.options["first_dealer"]

    def happened(self, entry: Any, where: str) -> None:
        """Follow one entry of the log: its move, then what that brought about."""
        if entry["move"] is not None:
            if self.deal is None or self.over:
                wrong(where, "a move is made, and no deal is in play.")
            self.deal.make(entry["seat"], entry["move"], where)
        for event in entry["events"]:
            if event["type"] == "dealt":
                self.dealt(event, where)
            elif event["type"] in ("deal_scored", "all_passed"):
                self.scored(event, where)
            elif event["type"] == "game_over":
                self.ended(without(event, "type"), where)

    def dealt(self, event: Any, where: str) -> None:
        """A deal begins: with the cards that the seed gives, by the dealer and for the players that the rules give."""
        if self.deal is not None or self.deals == len(self.game["deals"]):
            wrong(where, "there is a deal too many.")
        deal = self.deal = Deal(self.game, self.deals + 1, self.dealer, self.players)
        cards = pack(self.game)
        hands = [sorted(hand, key=cards.index) for hand in deal.hands]
        must: Any = {
            "number": deal.number,
            "attempt": deal.attempt,
            "dealer": deal.dealer,
            "participants": deal.players,
        }
        found = without(self.game["deals"][self.deals], "start", "record")
        same(found, {**must, "order": deal.order, "hands": hands, "stock": deal.stock}, f"/deals/{self.deals}")
        told: Any = {"type": "dealt", "deal": deal.number, "attempt": deal.attempt, "dealer": deal.dealer, "hand": None}
        same(event, {**told, "cards": list(map(len, hands)), "stock": len(deal.stock)}, where)

    def scored(self, event: Any, where: str) -> None:
        """A deal is over: its scores and the totals are what its cards come to. Then the deal passes on."""
        if self.deal is None:
            wrong(where, "a deal is scored, and none is in play.")
        at, record = f"/deals/{self.deals}/record", self.game["deals"][self.deals]["record"]
        scores = SCORES[self.game["ruleset"]](self.game, self.deal)
        totals = [total + score for total, score in zip(self.totals, scores, strict=True)]
        if self.options.get("finish") == "exact":  # in Tarneeb: what leads beyond the target does not count
            most = self.options["target"]
            totals = [self.totals[seat] if total > most else total for seat, total in enumerate(totals)]
        same([record["scores"], record["totals"]], [scores, totals], f"{at}, scores and totals")
        if event["type"] == "deal_scored":
            same(without(event, "type"), without(record, "ruleset"), where)
        self.last, self.deal, self.totals = self.deal, None, totals
        self.deals += 1
        if event["type"] == "deal_scored" or self.options["all_pass"] != "same_dealer":  # noqa: S105
            self.dealer = (self.dealer + STEP[self.game["ruleset"]]) % len(totals)
        if self.game["ruleset"] == "elfer_raus" and self.enough():
            self.players = self.best()  # for an extra deal, if they are several

    def enough(self) -> bool:
        """Whether a match of Elfer Raus has reached its end."""
        limit, rounds = self.options["penalty_limit"], self.options["rounds"]
        return (limit is not None and max(self.totals) >= limit) or (rounds is not None and self.deals >= rounds)

    def best(self) -> list[int]:
        """The seats whose total is the best: the lowest where totals are penalties."""
        wanted = (min if self.game["ruleset"] in ("rosbiratschka", "elfer_raus") else max)(self.totals)
        return [seat for seat, total in enumerate(self.totals) if total == wanted]

    def ended(self, result: Any, where: str) -> None:
        """The match is over: who won by totals, or else by the last deal."""
        self.over, winners = True, self.best()
        if result["reason"] == "extra_deal":
            winners = self.last.out
        elif result["reason"] == "full_bid" or (result["reason"] == "target" and len(winners) == 4):
            declarer = [seat for seat, move in self.last.moves if move["type"] == "bid"][-1]
            winners = [declarer % 2, declarer % 2 + 2]
        same(result, {"winners": winners, "scores": self.totals, "reason": result["reason"]}, where)

    def check_end(self) -> None:
        """What the replay says of the end is what the log says, and no deal is left over."""
        game, log = self.game, self.game["log"]
        results = [without(event, "type") for entry in log for event in entry["events"] if event["type"] == "game_over"]
        same([game["result"]], results or [None], "/result")
        same(game["status"], "finished" if self.over else "abandoned", "/status")
        unfinished = [deal["record"] for deal in game["deals"][self.deals :]]
        same(unfinished, [None] * (self.deal is not None), "/deals, those without an end")


# ------------------------------------------------------------------------------------ 5. the file is whole


def check_whole(game: Any) -> None:
    """Compute every cursor of the log, and the digest of all the rest."""
    # A game that waited for its seats was at `0-` before its first entry; any other began with its id.
    cursor = game["game_id"] if game["log"][0]["by"] == "service" else "0-"
    for index, entry in enumerate(game["log"]):
        text = cursor + compact(without(entry, "version", "cursor", "at")) + compact(entry["at"])
        cursor = f"{index + 1}-{hashlib.sha1(text.encode()).hexdigest()[:12]}"  # noqa: S324 - as the service makes them
        same([entry["version"], entry["cursor"]], [index + 1, cursor], f"/log/{index}, version and cursor")
    same(game["cursor"], cursor, "/cursor")
    rest = compact(without(game, "log", "digest"), sort=True)
    same(game["digest"], hashlib.sha256(rest.encode()).hexdigest(), "/digest")


def check(game: Any) -> None:
    """Check a whole replay. Raises Wrong."""
    where = "/"
    try:
        same(game["format"], "tapete-replay/1", "/format")
        check_seed(game)
        match = Match(game)
        for index, entry in enumerate(game["log"]):
            where = f"/log/{index}"
            match.happened(entry, where)
        where = "/"
        match.check_end()
        check_whole(game)  # last, since it can say only that something was changed
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        wrong(where, f"this is not as a replay has it ({type(error).__name__}: {error}).")


def read(text: bytes) -> Any:
    """What a file holds. Raises Wrong where it is no JSON."""
    try:
        return json.loads(text.decode())
    except (ValueError, RecursionError):
        wrong("/", "this is no JSON.")


def report(game: Any) -> str:
    """What holds, what it is worth, and what to compare it with."""
    worth = "No player added to the seed: it was not changed after it was drawn, but it was the operator's alone."
    if game["client_seeds"]:
        worth = f"Added to the seed after it was promised: {', '.join(game['client_seeds'])}."
    if not game["fair"]:
        worth = "The creator chose the seed, and could know every card."
    return f"""{game["game_id"]}: {len(game["deals"])} deals and {len(game["log"])} entries of {game["ruleset"]} hold.
{worth}
Compare with the game as you saw it: commitment {game["commitment"]}, last cursor {game["cursor"]};
with what the others were given: digest {game["digest"]}."""


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python verify.py replay.json")
    try:
        with open(sys.argv[1], "rb") as file:
            replay = read(file.read())
        check(replay)
        print(report(replay))
    except (Wrong, OSError) as problem:
        sys.exit(str(problem))
