"""What the examples tell of simulations: two bots are compared, and another simulation is stopped before it began."""

from tests.contract.examples.tape import Tape, key, stopped
from tests.processes import wait_until
from tests.service.players import Json, good

BOTS = [{"bot": "rules"}, {"bot": "random"}]
COMPARISON: Json = {
    "ruleset": "reihe", "preset": "nordic_60", "options": {"target": 20}, "compare": BOTS, "players": 4,
    "count": 200, "seed": "an example", "rows": True,
    "stop": {"lower": 0, "upper": 1, "every": 100},
}  # fmt: skip
SEATED: Json = {"ruleset": "tarneeb", "seats": BOTS * 2, "unit": "matches", "count": 1000, "seed": "an example"}


def tell(tape: Tape, simulator: int) -> None:
    """Tell everything; `simulator` is the process of the only worker of simulations."""
    with stopped(simulator):
        path = _ask(tape)
        _stop(tape)
    wait_until(lambda: good(tape.api.get(path))["state"] == "done", lambda: "a simulation")
    done = tape.keep(tape.api.get(path), "What it came to: `rules` does better, with its whole interval", "done")
    tape.keep(tape.api.get(path, accept="text/csv"), "The same as a table (cut short here)", "table")
    tape.keep(tape.api.get(path, if_none_match=done.headers["etag"]), "Nothing has been added since")
    tape.keep(tape.api.get(f"{path}/rows"), "Every single game, a line each (cut short here)")


def _ask(tape: Tape) -> str:
    """Ask for the comparison; gives its path."""
    for summary, slug in (("Is `rules` better than `random`?", "comparison"), ("The same once more", "repeated")):
        asked = tape.api.post("/v1/simulations", COMPARISON, idempotency_key=key("a comparison"))
        tape.keep(asked, summary, slug)
    wrong = tape.api.post("/v1/simulations", {**COMPARISON, "count": 201})
    tape.keep(wrong, "Each set of cards is played twice here, so 201 deals are not possible", "invalid_options")
    return asked.headers["location"]


def _stop(tape: Tape) -> None:
    asked = tape.api.post("/v1/simulations", SEATED, idempotency_key=key("a simulation"))
    tape.keep(asked, "A thousand matches between four bots", "seats")
    stopped = tape.api.request("DELETE", asked.headers["location"])
    tape.keep(tape.api.run(stopped), "It is stopped before anything has been played")
