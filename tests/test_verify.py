"""A replay that was changed anywhere does not hold, whoever changed it, and says where."""

import copy
import hashlib
import json
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from engine.catalog import RULESETS
from service import referee, verify
from service.cli import main
from service.settings import Settings
from service.verify import Wrong
from tests.records import SETTINGS, begun, over, replay_of
from tests.service.players import PASS, PLAYERS, Api, Json, Table, good, running

Place = tuple[Any, ...]
"""The names and numbers that lead to a value of a document."""

each_setting = pytest.mark.parametrize("name", SETTINGS)
SEEDS = {"elfer_raus extra deal": 8}
"""The seeds of matches in which something rare happens."""


@pytest.fixture(scope="module")
def api(redis_url: str) -> Iterator[Api]:
    url = f"{redis_url}?db=4"
    with running(Settings(url, url, (bytes(range(32)),), bot_queue="tests-verify")) as started:
        yield started


@pytest.fixture(scope="module")
def played(api: Api) -> Callable[[str], Json]:
    """The replay of a match of each setting, played when it is first asked for."""
    known: dict[str, Json] = {}

    def replay(name: str) -> Json:
        if name not in known:
            known[name] = replay_of(over(api, name, SEEDS.get(name, 1)))
        return copy.deepcopy(known[name])

    return replay


def holds(replay: Json) -> bool:
    """Whether all checks of `tapete verify` find nothing wrong."""
    try:
        verify.check(replay)
        referee.check(replay)
    except Wrong:
        return False
    return True


# ---------------------------------------------------------------------------------------------------- changing things


def places_in(value: Json, at: Place = ()) -> Iterator[Place]:
    """Every value in a document, the inner ones too."""
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*at, key)
        yield from places_in(each, (*at, key))


def kind_of(place: Place) -> str:
    """What a place says of a game, wherever in the game it says so."""
    return "/".join("*" if isinstance(each, int) else each for each in place)


def sampled(replay: Json, each_kind: int, seed: str) -> list[Place]:
    """Some places of every kind, by chance."""
    by_kind: dict[str, list[Place]] = defaultdict(list)
    for place in places_in(replay):
        by_kind[kind_of(place)].append(place)
    chance = random.Random(seed)
    return [place for found in by_kind.values() for place in chance.sample(found, min(each_kind, len(found)))]


def changed_value(value: Json, cards: list[str], chance: random.Random) -> Json:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice((-1, 1))
    if isinstance(value, str) and value in cards:
        return chance.choice([card for card in cards if card != value])
    if isinstance(value, str) and value:
        at = chance.randrange(len(value))
        return value[:at] + ("1" if value[at] == "0" else "0") + value[at + 1 :]
    if isinstance(value, list) and len(value) > 1 and value[0] != value[-1] and chance.randrange(2):
        return [value[-1], *value[1:-1], value[0]]
    if isinstance(value, list) and value:
        return value[:-1]
    if isinstance(value, dict) and value:
        return {name: value[name] for name in list(value)[1:]}
    return 0


@contextmanager
def changed(replay: Json, place: Place, chance: random.Random) -> Iterator[None]:
    """The replay with another value at a place, for as long as the block lasts."""
    *way, last = place
    inside = replay
    for step in way:
        inside = inside[step]
    before = inside[last]
    inside[last] = changed_value(before, verify.pack(replay), chance)
    try:
        yield
    finally:
        inside[last] = before


def seal(replay: Json) -> Json:
    """The replay with its cursors and its digest made anew, as a forger would who cannot change what players saw."""
    cursor = replay["game_id"] if replay["log"][0]["by"] == "service" else "0-"
    for entry in replay["log"]:
        kept = {name: each for name, each in entry.items() if name not in ("version", "cursor", "at")}
        text = f"{cursor}{msgspec.json.encode(kept).decode()}{entry['at']}"
        cursor = entry["cursor"] = f"{entry['version']}-{hashlib.sha1(text.encode()).hexdigest()[:12]}"  # noqa: S324
    rest = {name: each for name, each in replay.items() if name not in ("log", "digest")} | {"cursor": cursor}
    digest = hashlib.sha256(msgspec.json.encode(rest, order="sorted")).hexdigest()
    return {**replay, "cursor": cursor, "digest": digest}


# ---------------------------------------------------------------------------------------------------- what fails


def test_every_ruleset_and_preset_is_played() -> None:
    for ruleset in RULESETS:
        played = {setting["preset"] for setting in SETTINGS.values() if setting["ruleset"] == ruleset.name}
        assert played >= set(ruleset.presets)


@each_setting
def test_a_replay_as_it_is_holds(played: Callable[[str], Json], name: str) -> None:
    replay = played(name)
    verify.check(replay)
    referee.check(replay)
    assert seal(replay) == replay
    assert replay["result"]


@each_setting
def test_a_replay_with_anything_changed_fails_in_the_one_file_alone(played: Callable[[str], Json], name: str) -> None:
    """Every kind of value that there is, some of each: cards, seeds, moves, seats, scores, names, times, whatever."""
    replay = played(name)
    chance = random.Random(name)
    for place in sampled(replay, 3, name):
        with changed(replay, place, chance), pytest.raises(Wrong, match=r"^/.*: .*\.$"):
            verify.check(replay)
    verify.check(replay)


PROVED = (
    "seed", "commitment", "client_seeds", "deals", "match", "result", "ruleset", "status", "game_id", "options/scoring",
)  # fmt: skip
"""What can be computed from the rest, so that no new cursor and no new digest can hide a change of it."""


@each_setting
def test_a_forger_who_makes_cursors_and_digest_anew_is_found_out_all_the_same(
    played: Callable[[str], Json], name: str
) -> None:
    replay = played(name)
    chance = random.Random(name)
    places = [place for place in sampled(replay, 2, name) if kind_of(place).startswith(PROVED)]
    events = [place for place in sampled(replay, 2, name) if place[0] == "log" and "events" in place]
    for place in [*places, *events]:
        with changed(replay, place, chance):
            try:
                sealed = seal(replay)
            except (KeyError, IndexError, TypeError, msgspec.DecodeError):
                continue  # not even a forger could make a cursor of this
            assert not holds(sealed), f"{place} was changed"


@each_setting
def test_a_forged_move_is_found_out_or_leaves_another_cursor(played: Callable[[str], Json], name: str) -> None:
    """A bid that was outbid could have been another one: then only who saw the cursor knows."""
    replay = played(name)
    chance = random.Random(name)
    moves = [index for index, entry in enumerate(replay["log"]) if entry["move"]]
    for index in chance.sample(moves, 20):
        for place in (("log", index, "seat"), *places_in(replay["log"][index]["move"], ("log", index, "move"))):
            with changed(replay, place, chance):
                sealed = seal(replay)
                assert sealed["cursor"] != replay["cursor"]
                assert not holds(sealed) or replay["log"][index]["move"]["type"] in ("bid", "play")


@each_setting
def test_a_score_that_was_changed_everywhere_is_found_out_by_the_one_file(
    played: Callable[[str], Json], name: str
) -> None:
    """Consistently, in records, events, totals and the result, and under new cursors: the cards say otherwise."""
    replay = played(name)
    seat = replay["result"]["winners"][0]
    chosen = random.Random(name).randrange(len(replay["deals"]))
    told = [deal["record"] for deal in replay["deals"]]
    told += [event for entry in replay["log"] for event in entry["events"] if event["type"] == "deal_scored"]
    for record in told:
        if record["number"] == chosen + 1:
            record["scores"][seat] += 1
        if record["number"] > chosen:
            record["totals"][seat] += 1
    over = [event for entry in replay["log"] for event in entry["events"] if event["type"] == "game_over"]
    for result in (replay["result"], *over):
        result["scores"][seat] += 1
    with pytest.raises(Wrong, match=rf"^/deals/{chosen}/record, scores and totals/0/{seat}: "):
        verify.check(seal(replay))


def test_a_deal_of_another_seed_is_found_out_by_the_one_file(api: Api, played: Callable[[str], Json]) -> None:
    """The hands of another game, under this one's promise."""
    replay, other = played("tarneeb_31"), replay_of(over(api, "tarneeb_31", 2))
    forged = {**other, **{name: replay[name] for name in ("game_id", "seed", "commitment", "client_seeds")}}
    with pytest.raises(Wrong, match=r"^/deals/0/\w+.*: the replay says"):
        verify.check(seal(forged))
    with pytest.raises(Wrong, match=r"^/commitment: "):
        verify.check(seal({**replay, "seed": other["seed"]}))


def test_a_move_against_the_rules_is_found_out_by_playing_it_again(api: Api) -> None:
    """All cards are right, everyone plays what they hold, and somebody did not follow suit."""
    table = begun(api, "tarneeb_31")
    first = table.to_move()
    table.play({"type": "bid", "amount": 7}, PASS, PASS, PASS, {"type": "trump", "suit": "hearts"})
    led = table.legal_moves(first)[0]
    table.play(led)
    follower = table.to_move()
    hand = table.view(follower)["you"]["hand"]
    suit = led["card"].split("-")[1]
    other = next(card for card in hand if not card.endswith(suit))
    assert any(card.endswith(suit) for card in hand)
    table.play(table.legal_moves(follower)[0])
    good(api.post(f"{table.path}/abandonment", {}, table.creator))
    replay = replay_of(table)
    assert holds(replay)
    entry = next(entry for entry in replay["log"] if entry["seat"] == follower and entry["move"].get("card"))
    entry["move"]["card"] = other
    forged = seal(replay)
    verify.check(forged)
    with pytest.raises(Wrong, match=r"the rules do not allow this .*illegal_move"):
        referee.check(forged)


@pytest.mark.parametrize(
    "change",
    [
        lambda replay: replay["log"].insert(5, replay["log"][4]),
        lambda replay: replay["log"].append(replay["log"][-1]),
        lambda replay: replay["log"].pop(),
        lambda replay: replay["log"].pop(6),
        lambda replay: replay["log"].clear(),
        lambda replay: replay["log"].reverse(),
        lambda replay: replay["deals"].reverse(),
        lambda replay: replay["deals"].append(replay["deals"][-1]),
        lambda replay: replay["deals"].pop(),
        lambda replay: replay["seats"].pop(),
        lambda replay: replay["client_seeds"].reverse(),
        lambda replay: replay.update(client_seeds=[",".join(replay["client_seeds"])]),
        lambda replay: replay.update(options={**replay["options"], "first_dealer": 0}),
        lambda replay: replay.update(extra=1),
        lambda replay: replay.update(log=None),
        lambda replay: replay.update(ruleset="bridge"),
    ],
)
def test_what_is_moved_added_or_left_out_is_missed(
    played: Callable[[str], Json], change: Callable[[Json], None]
) -> None:
    replay = played("tarneeb_41")
    change(replay)
    with pytest.raises(Wrong):
        verify.check(replay)


# ---------------------------------------------------------------------------------------------------- ends of all kinds


def test_a_deal_that_was_thrown_in_holds_and_its_record_is_checked(api: Api) -> None:
    for way in ("same_dealer", "next_dealer"):
        table = api.create(options={"all_pass": way, "max_deals": 2}, seats=PLAYERS)
        table.play(*[PASS] * 8)
        replay = replay_of(table)
        assert holds(replay)
        assert [deal["record"]["all_passed"] for deal in replay["deals"]] == [True, True]
        replay["deals"][0]["record"]["bid"] = 7
        assert not holds(seal(replay))


def test_a_game_that_was_abandoned_holds_before_within_and_after_its_deals(api: Api) -> None:
    waiting = api.create(start="manual")
    running_, later = begun(api, "classic"), begun(api, "german_36")
    running_.play_on(9)
    later.play_on(200)
    for table, dealt in ((waiting, False), (running_, True), (later, True)):
        good(api.post(f"{table.path}/abandonment", {}, table.creator))
        replay = replay_of(table)
        assert (replay["status"], replay["result"]) == ("abandoned", None)
        assert bool(replay["deals"]) == dealt
        assert holds(replay)
    assert replay["deals"][0]["record"]
    assert not replay["deals"][-1]["record"]


def test_a_match_with_targets_and_people_who_left_holds(api: Api) -> None:
    """Proposals and leaving are in the log, and what they bring about follows from it."""
    table = api.create(ruleset="reihe", seats=[{"kind": "player"}] * 3, options={"target": None, "deck": "german_36"})
    for seat, target in ((0, 4), (1, 4), (2, 30)):
        body = {"target": target}
        good(api.run(api.request("PUT", f"{table.path}/target", table.tokens[seat], json=body)))
    good(api.post(f"{table.path}/resignation", {}, table.tokens[2]))
    agreed = [event for entry in table.log() for event in entry["events"] if event["type"] == "target_agreed"]
    assert agreed == [{"type": "target_agreed", "target": 4}]
    good(api.post(f"{table.path}/abandonment", {}, table.creator))
    replay = replay_of(table)
    assert holds(replay)
    assert replay["match"]["target"] == 4
    for entry in replay["log"]:
        entry["left"] = False
    assert not holds(seal(replay))


def test_a_token_that_is_renewed_after_the_end_is_one_more_entry(api: Api) -> None:
    table = api.create(options={"max_deals": 1})
    table.play(*[PASS] * 4)
    good(api.post(f"{table.path}/seats/0/token", {}, table.creator))
    assert holds(replay_of(table))


def test_a_replay_that_was_printed_with_spaces_is_the_same(played: Callable[[str], Json]) -> None:
    replay = played("junior_10")
    assert holds(verify.read(json.dumps(replay, indent=4).encode()))


# ---------------------------------------------------------------------------------------------------- the programs


def by_hand(file: Path) -> subprocess.CompletedProcess[str]:
    """The one file, run by a Python that knows nothing of ours."""
    command = [sys.executable, "-I", "-S", verify.__file__, str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def by_command(file: Path) -> Result:
    return CliRunner().invoke(main, ["verify", str(file)])


def test_both_programs_say_what_holds_and_what_it_is_worth(played: Callable[[str], Json], tmp_path: Path) -> None:
    replay = played("for_money")
    file = tmp_path / "replay.json"
    file.write_text(json.dumps(replay))
    alone, whole = by_hand(file), by_command(file)
    assert (alone.returncode, whole.exit_code) == (0, 0), alone.stderr + whole.output
    for said in (alone.stdout, whole.output):
        assert all(replay[name] in said for name in ("game_id", "commitment", "cursor", "digest"))
        assert "The creator chose the seed" in said
    assert "Every move was allowed" in whole.output
    assert CliRunner().invoke(main, ["verify", "-"], input=json.dumps(replay)).exit_code == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda replay: replay.update(seed="0" * 64), "/commitment: the replay says"),
        (lambda replay: replay["deals"][1]["hands"][2].reverse(), "/deals/1/hands/2/0: the replay says"),
        (lambda replay: replay["log"].__setitem__(9, {}), "/log/9: this is not as a replay has it"),
        (lambda replay: replay.clear(), "/: this is not as a replay has it"),
    ],
)
def test_both_programs_fail_with_one_sentence_that_says_where(
    played: Callable[[str], Json], tmp_path: Path, change: Callable[[Json], None], said: str
) -> None:
    replay = played("for_money")
    change(replay)
    file = tmp_path / "replay.json"
    file.write_text(json.dumps(replay))
    alone, whole = by_hand(file), by_command(file)
    assert (alone.returncode, alone.stdout, whole.exit_code) == (1, "", 1)
    assert alone.stderr.startswith(said)
    assert whole.output == f"tapete: {alone.stderr}"
    assert alone.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff", b"[]", b"null", b"[" * 100_000, b'{"format":"tapete-replay/2"}']
)
def test_what_is_no_replay_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "replay.json"
    file.write_bytes(content)
    alone, whole = by_hand(file), by_command(file)
    assert (alone.returncode, whole.exit_code) == (1, 1)
    assert "Traceback" not in alone.stderr + whole.output


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    assert by_command(tmp_path / "none.json").exit_code == 2
    assert by_hand(tmp_path / "none.json").returncode == 1


def test_the_programs_pack_is_the_rulebooks(played: Callable[[str], Json]) -> None:
    """It must not come from the file that is checked: who chooses the numbers of the cards chooses the cards."""
    for name in SETTINGS:
        replay = played(name)
        ruleset = next(each for each in RULESETS if each.name == replay["ruleset"])
        options = msgspec.convert(replay["options"], ruleset.options)
        assert verify.pack(replay) == list(ruleset.codec(options, len(replay["seats"])).pack.cards)


def test_a_table_is_what_it_was(api: Api) -> None:
    """Reading the record changes nothing."""
    table: Table = over(api, "junior_10")
    before = table.view()
    assert replay_of(table) == replay_of(table)
    assert table.view() == before
