"""What has happened at the table, as the log tells it: each seat's last turn, the news, and the deals that ended."""

from dataclasses import dataclass, field

from rich.text import Text

from service.terminal import Json, cards
from service.terminal.words import Words

ABOUT_A_SEAT = {
    "out": ("seat", "place"),
    "auction_won": ("declarer", "bid"),
    "threshold_passed": ("seat", "limit", "points"),
    "skipped": ("seat",),
    "target_proposed": ("seat", "target"),
    "resigned": ("seat",),
    "seat_claimed": ("seat",),
}
"""Events that are one sentence about one seat: the field with the seat, then those that the sentence names."""
PLAIN = {"redealt": (), "all_passed": (), "direction_changed": (), "target_agreed": ("target",)}
"""Events that are one sentence about nobody."""


@dataclass
class Turn:
    """A seat's latest turn, so far."""

    cards: list[str] = field(default_factory=list)
    drawn: int = 0
    passed: bool = False

    def told(self, words: Words) -> Text:
        """The turn in a few words."""
        done = [cards.row_of(self.cards, words.language)] if self.cards else []
        if self.drawn:
            key = "did.draw" if self.drawn == 1 else "did.draw.many"
            done.insert(0, Text(words(key, count=self.drawn)))
        if self.passed:
            done.append(Text(words("did.pass"), "dim"))
        return Text(" ").join(done)


class Story:
    """The log, folded for the eye. `news` are the sentences since the reader's own last move."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.turns: dict[int, Turn] = {}
        self.news: list[Text] = []
        self.ended: list[Json] = []
        """Deals that were scored and that nobody has looked at yet, as the events tell them."""
        self._mover: int | None = None

    def tell(self, item: Json) -> None:
        """Take in one entry of the log."""
        move = item["move"]
        if move:
            self._moved(item["seat"], move)
        for event in item["events"]:
            self._happened(event)

    def _moved(self, seat: int, move: Json) -> None:
        if seat == self.words.me:
            self.news.clear()
        if seat != self._mover:
            self.turns[seat] = Turn()
            self._mover = seat
        turn = self.turns[seat]
        if move["type"] == "play":
            turn.cards.append(move["card"])
        elif move["type"] == "draw":
            turn.drawn += 1
        elif move["type"] == "pass":
            turn.passed = True
        elif move["type"] == "trump":
            label = cards.suit_label(move["suit"], self.words.language)
            self.news.append(Text.assemble(self.words.about("trump_named", seat), label))

    def _happened(self, event: Json) -> None:
        kind = event["type"]
        if kind in ABOUT_A_SEAT:
            seat, *rest = ABOUT_A_SEAT[kind]
            self._say(self.words.about(kind, event[seat], **{name: event[name] for name in rest}))
        elif kind in PLAIN:
            self._say(self.words(kind, **{name: event[name] for name in PLAIN[kind]}))
        elif kind == "dealt":
            self.turns.clear()
            self._mover = None
        elif kind == "turn_ended":
            self._mover = None
        elif kind == "deal_scored":
            self.ended.append(event)
            self.news.clear()
        elif kind == "drew" and event["card"]:
            self._say(Text.assemble(self.words("drew"), cards.small(event["card"], self.words.language)))
        elif kind == "trick_taken":
            self._say(self.words.about("trick_taken", event["taker"]) + self._worth(event["points"]))
        elif kind == "controller_changed":
            controller = self.words(f"controller.{event['controller']}")
            self._say(self.words.about(kind, event["seat"], controller=controller))

    def _worth(self, points: int | None) -> str:
        if not points:
            return ""
        return self.words("trick_points.1" if points == 1 else "trick_points", points=points)

    def _say(self, sentence: str | Text) -> None:
        self.news.append(sentence if isinstance(sentence, Text) else Text(sentence))
