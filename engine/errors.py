"""What can be wrong with a move or an option: one tree, a stable `code` for each class.

Programming errors are plain exceptions and have no place here.
"""


class EngineError(Exception):
    """Something a caller asked for that the rules do not allow; `code` is stable and part of the API."""

    code = "engine_error"


class NotYourTurn(EngineError):
    """Another seat is to move."""

    code = "not_your_turn"


class DealOver(EngineError):
    """Nobody is to move any more."""

    code = "match_over"


class IllegalMove(EngineError):
    """A move that the rules refuse now; `reason` is exactly one of the rulebook's, the first that applies.

    `sentence` says it to the player in the words of the ruleset.
    """

    code = "illegal_move"

    def __init__(self, reason: str, sentence: str = "") -> None:
        super().__init__(sentence or reason)
        self.reason = reason


class UnknownRuleset(EngineError):
    """No ruleset has this name."""

    code = "unknown_ruleset"


class UnknownBot(EngineError):
    """No bot has this name and version."""

    code = "unknown_bot"


class InvalidOptions(EngineError):
    """Options that the rulebook does not know or forbids together; `errors` are (JSON pointer, sentence) pairs."""

    code = "invalid_options"

    def __init__(self, errors: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{pointer or '/'}: {sentence}" for pointer, sentence in errors))
        self.errors = errors
