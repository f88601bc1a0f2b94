"""(b) apply-move requests per second, beside a bare ASGI application that does the same Redis work."""

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import httpx
import msgspec
from redis import Redis

from engine.catalog import find
from engine.chance import Chance, PublishedDeals
from engine.match import Match
from service import redis_server
from service.access import Tokens
from tests.bench.figures import Figure, medians

HERE = Path(__file__).parent
SEED = "5eed" * 16
MOVES = {1: 1500, 16: 400}
"""How many requests each connection sends, by the number of connections."""


FSYNC = {
    "always": "each move on disk, the default",
    "everysec": "on disk once a second",
    "no": "fsync off, so that only the code counts",
}


def figures(rounds: int = 3) -> list[Figure]:
    """Requests per second at 1 and at 16 connections, ours and the peer's in turn, medians of the rounds."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tapete-bench-")))
        server = redis_server.start(folder)
        stack.callback(server.stop)
        secret = secrets.token_bytes(32)
        environment = {
            **os.environ,
            "REDIS_URL": server.url,
            "TAPETE_SECRET": secret.hex(),
            "TAPETE_LOG_LEVEL": "error",
        }
        ours = serve(stack, environment, "service")
        bare = serve(stack, environment, "bare")
        redis = stack.enter_context(Redis.from_url(server.url))
        found = []
        for connections, moves in MOVES.items():
            games = {"ours": partial(_our_game, ours, secret, moves), "bare": partial(_bare_game, moves)}
            runs = {
                f"{who} {policy}": partial(
                    _run, redis, policy, ours if who == "ours" else bare, games[who], connections
                )
                for policy in FSYNC
                for who in games
            }
            found += _compared(medians(runs, rounds), f"{connections} connection{'s' * (connections > 1)}")
        return found


def _compared(rates: dict[str, float], where: str) -> list[Figure]:
    """Ours beside the peer under each policy, and what the default costs."""
    found = [
        Figure(
            f"apply-move at {where} ({meaning})", rates[f"ours {each}"], "moves/s", "bare ASGI", rates[f"bare {each}"]
        )
        for each, meaning in FSYNC.items()
    ]
    name = f"apply-move at {where}, appendfsync always"
    peers = [Figure(name, rates["ours always"], "moves/s", each, rates[f"ours {each}"]) for each in ("everysec", "no")]
    return found + peers


Script = list[tuple[str, str, str]]


def _run(redis: Redis, policy: str, port: int, game: Callable[[], Script], connections: int) -> float:
    """Moves per second with Redis under a policy."""
    redis.config_set("appendfsync", policy)
    return _drive(port, [game() for _ in range(connections)])


def serve(stack: ExitStack, environment: dict[str, str], app: str) -> int:
    """Start one uvicorn process as the service does; answers its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    command = [sys.executable, "-c", _SERVER, app, str(listener.fileno())]
    process = subprocess.Popen(command, env=environment, pass_fds=[listener.fileno()], cwd=HERE.parent.parent)
    listener.close()
    stack.callback(process.wait)
    stack.callback(process.kill)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            httpx.get(f"http://127.0.0.1:{port}/health/live")
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return port
    raise RuntimeError(f"{app} did not start")


_SERVER = """
import socket, sys, uvicorn
name, fd = sys.argv[1:]
if name.startswith("service"):
    import os
    from service.app import create_app, settle_memory
    from service.settings import Settings
    app = create_app(Settings.from_environment(os.environ))
    settle_memory()
else:
    from tests.bench.bare import app
config = uvicorn.Config(app, loop="uvloop", http="httptools", access_log=False, server_header=False, log_level="error")
uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(fd))])
"""


def _our_game(port: int, secret: bytes, moves: int) -> Script:
    """Create a game whose deals are known, and write down the requests that play it at random."""
    body = {
        "ruleset": "tarneeb", "seats": [{"kind": "player"}] * 4, "seed": SEED,
        "options": {"max_deals": 1000, "full_bid": "bonus", "target": 500, "first_dealer": 0},
    }  # fmt: skip
    created = httpx.post(f"http://127.0.0.1:{port}/v1/games", json=body).raise_for_status().json()
    game_id, tokens = created["game"]["game_id"], Tokens((secret,))
    ruleset = find("tarneeb")
    match = Match(ruleset, ruleset.resolve(None, body["options"], 4), 4, PublishedDeals(SEED, []))
    match.start()
    chance = Chance("bench")
    requests = []
    for version in range(1, moves + 1):
        seat, legal = match.to_move, match.deal.legal_moves()
        move = legal[chance.number(len(legal))]
        match.play(seat, move)
        sent = msgspec.json.encode({"expected_version": version, "move": match.codec.encode(move)}).decode()
        requests.append((f"/v1/games/{game_id}/moves", tokens.of_seat(game_id, seat, 0), sent))
    return requests


def _bare_game(moves: int) -> Script:
    body = '{"expected_version":17,"move":{"type":"play","card":"A-spades"}}'
    return [(f"/gm_{secrets.token_hex(10)}", "seat0.0.x", body)] * moves


def _drive(port: int, scripts: list[Script]) -> float:
    job = msgspec.json.encode({"port": port, "scripts": scripts})
    done = subprocess.run([sys.executable, HERE / "load.py"], input=job, capture_output=True, check=True)
    return float(done.stdout)
