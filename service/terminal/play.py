"""Playing: look at the table, follow what the others do, choose, and move, until the match is over or one leaves."""

import sys
import time

from rich.console import Console
from rich.text import Text

from service.terminal import Json, scores
from service.terminal.choices import Choice, choices, example, keys, read
from service.terminal.client import Refused, Seat
from service.terminal.screen import screen, width
from service.terminal.story import Story
from service.terminal.words import Words

WAIT, PAUSE = 20, 0.2
"""Seconds for which the service holds back an empty page of the log, and before the next one is asked for."""
PROMPT = 3
"""Lines that a screen leaves for the prompt and what is said there."""
LEAVING = ("q", "quit", "exit", "salir")


class Left(Exception):
    """Whoever plays leaves the table."""


class Table:
    """One person's seat at a game on this terminal."""

    def __init__(self, console: Console, seat: Seat, view: Json, page: Json, language: str) -> None:
        self.console = console
        self.seat = seat
        self.page = page
        self.view = view
        self.words = Words(language, view["seats"], view["you"]["seat"])
        self.story = Story(self.words)
        self.cursor: str = view["cursor"]
        self.version: int = view["version"]
        # Only a person at a terminal sees each change, on a screen that is drawn anew, and is waited for after a deal.
        self.live = console.is_terminal and sys.stdin.isatty()

    def play(self) -> None:
        """Play until the match is over. Raises Left, Refused and UnreachableError."""
        while True:
            self._catch_up()
            self._show_scores()
            if self.view["status"] not in ("waiting", "playing"):
                break
            moves = self.view["you"]["legal_moves"]
            if moves:
                self._move(choices(moves))
            else:
                self._wait()
        if self.view["result"]:
            self.console.print(scores.match_over(self.view, self.page, self.words), width=width(self.console))
        else:
            self.console.print(self.words("abandoned"))

    def _catch_up(self) -> None:
        """Bring the view and what was told of the log to the same version: the log may be ahead as well as behind."""
        while self.version != self.view["version"]:
            if self.version < self.view["version"]:
                self._read_log()
                continue
            self.view = self.seat.view()
            if self.view["version"] < self.version:
                self._start_over()

    def _read_log(self, wait: int = 0) -> bool:
        """Read what the log has beyond the cursor, or will have within so many seconds; whether there was anything."""
        try:
            page = self.seat.events(self.cursor, wait)
        except Refused as refused:
            if refused.code != "history_lost":
                raise
            self._start_over()
            return True
        for item in page["items"]:
            self.story.tell(item)
            self.version = item["version"]
        self.cursor = page["next"]
        return bool(page["items"])

    def _start_over(self) -> None:
        """The log is another one than before, as after a restored backup: forget what was told of the old one."""
        self.view = self.seat.view()
        self.cursor, self.version = self.view["cursor"], self.view["version"]
        self.story = Story(self.words)

    def _wait(self) -> None:
        """Show the table while somebody else is to move, until something has happened."""
        if self.live:
            self._draw([])
            self.console.print(Text(self._waiting_for(), "dim"))
        while not self._read_log(WAIT):
            time.sleep(PAUSE)
        self.view = self.seat.view()

    def _waiting_for(self) -> str:
        if self.view["to_move"] is None:
            return self.words("not_started")
        return self.words("waiting", who=self.words.name(self.view["to_move"]))

    def _move(self, offered: list[Choice]) -> None:
        """Ask for a move until one is accepted, or the table has changed."""
        self._draw(offered)
        while True:
            move = self._chosen(offered)
            try:
                self.view = self.seat.move(self.view["version"], move)
                return
            except Refused as refused:
                if refused.code in ("version_conflict", "not_your_turn", "match_over"):
                    self.view = self.seat.view()
                    self._say(self.words("moved_meanwhile"))
                    return
                self._say(self._why(refused))

    def _why(self, refused: Refused) -> str:
        """Why the rules do not allow a move, in the reader's language. Raises Refused where it is something else."""
        # A card such as the 99 of hearts is of no game at all, so the document's shape refuses it before the rules.
        reason = refused.problem.get("reason", "not_in_this_game" if refused.code == "invalid_request" else None)
        if reason is None:
            raise refused
        return next((str(each["detail"]) for each in self.page["reasons"] if each["reason"] == reason), str(refused))

    def _chosen(self, offered: list[Choice]) -> Json:
        """A move that somebody has typed, legal or not."""
        shown, held = keys(offered), self.view["you"]["hand"]
        while True:
            typed = self._typed(self.words("ask", keys=shown))
            move = read(typed, offered, held, self.words.language)
            if move is not None:
                return move
            key = "not_understood" if typed.strip() else "nothing_typed"
            self._say(self.words(key, typed=typed.strip()[:40], keys=shown, example=example(offered, self.words)))

    def _typed(self, prompt: str) -> str:
        """One line from whoever plays. Raises Left."""
        try:
            typed = self.console.input(Text(prompt, "bold"))
        except EOFError:
            self.console.print()
            raise Left from None
        if not self.live:
            self.console.print()  # no terminal has ended the line of the prompt
        if typed.strip().lower() in LEAVING:
            raise Left
        return typed

    def _show_scores(self) -> None:
        """Show the deals that have ended, and wait until they have been looked at, but for the match's last."""
        ended, self.story.ended = self.story.ended, []
        for scored in ended:
            if self.live:
                self.console.clear()
            else:
                self.console.print()
            self.console.print(scores.deal_over(self.view, self.page, scored, self.words), width=width(self.console))
            self.console.print()
            if self.live and not self.view["result"]:
                self._typed(self.words("go_on"))

    def _draw(self, offered: list[Choice]) -> None:
        if self.view["deal"] is None:
            return
        if self.live:
            self.console.clear()
        else:
            self.console.print()
        columns = width(self.console)
        table = (self.view, self.page, self.words, self.story)
        drawn = screen(*table, offered=offered, columns=columns)
        if self.live:
            lines = self.console.render_lines(drawn, self.console.options.update(width=columns))
            if len(lines) > self.console.height - PROMPT:
                drawn = screen(*table, offered=offered, columns=columns, gap=())
        self.console.print(drawn, width=columns)
        self.console.print()

    def _say(self, sentence: str) -> None:
        self.console.print(Text(sentence, "yellow"))
