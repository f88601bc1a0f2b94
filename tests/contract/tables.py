"""A game to ask about, and the seat that is to move in it, for tests that send a request byte by byte."""

import httpx

from tests.contract.starts import Game, Table, bearer

JSON = {"Content-Type": "application/json"}


class Mover:
    """The seat that is to move first in a new game."""

    def __init__(self, table: Table, game: Game) -> None:
        self.client = table.client
        self.game = game
        self.path = f"/v1/games/{game.id}/moves"
        self.token = game.tokens[table.view(game)["to_move"]]
        self.headers = {**bearer(self.token), **JSON}

    def send(self, body: str | bytes, **headers: str) -> httpx.Response:
        """Send these very bytes as its move."""
        return self.client.post(self.path, content=body, headers={**self.headers, **headers})

    def version(self) -> int:
        """How many entries the game's log has."""
        found: int = self.client.get(f"/v1/games/{self.game.id}").json()["version"]
        return found
