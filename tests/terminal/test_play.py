"""`tapete play` as people use it: a real command against a real service."""

import io
import re
import signal
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.cli import main
from service.terminal import client
from service.terminal.words import LANGUAGES, texts
from tests.processes import ROOT, Running, environment, tapete_up, wait_until
from tests.terminal.at_the_table import COMMAND, plain, play, terminal

SEED = "7a" * 32
SHORT_MATCHES = {
    "tarneeb": ("--option", "max_deals=1", "--option", "all_pass=dealer_bids", "--option", "first_dealer=1"),
    "reihe": ("--option", "max_deals=1", "--option", "ante=200", "--preset", "german_36"),
    "rosbiratschka": ("--option", "contracts=no_king_of_hearts,hundred,rosbiratschka", "--seats", "3"),
    "elfer_raus": ("--option", "rounds=1", "--preset", "junior_10", "--option", "skip_cards=2", "--seats", "3"),
}
FAST = ("--pace", "0", "--seed", SEED)


def last_screen(output: str) -> str:
    """The screen that was drawn last: from the line with the game's title on."""
    return output[max(found.start() for found in re.finditer(r"^.* · (deal|mano) .*──$", output, re.MULTILINE)) :]


# ---------------------------------------------------------------------------------------------------- whole matches


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ruleset", SHORT_MATCHES)
def test_a_whole_match_is_played_by_always_choosing_the_first_move(up: Running, ruleset: str, language: str) -> None:
    played = play(ruleset, "--url", up.url, "--language", language, *FAST, *SHORT_MATCHES[ruleset])
    assert played.returncode == 0, played.stderr
    assert not played.stderr
    told = texts(language)
    assert told["scored"].format(number=1) in played.stdout
    assert told["over"] in played.stdout
    assert re.search(r"^★ ", played.stdout, re.MULTILINE)
    assert told["leave.kept"] not in played.stdout


def test_a_title_says_the_game_the_deal_and_what_ends_the_match(up: Running) -> None:
    played = play("elfer_raus", "--url", up.url, *FAST, "--option", "rounds=3", typed="")
    assert re.match(r"\nElfer Raus! · deal 1 · 3 deals · up to 500 penalty points ─+\n", played.stdout)


def test_the_number_of_seats_and_their_bot_may_be_chosen(up: Running) -> None:
    played = play("reihe", "--url", up.url, *FAST, "--seats", "6", "--bot", "random", typed="")
    assert re.findall(r"Bot \d(?= |$)", last_screen(played.stdout), re.MULTILINE) == [
        f"Bot {n}" for n in (5, 4, 3, 2, 1)
    ]


def test_the_same_seed_deals_the_same_cards(up: Running) -> None:
    first, second, other = (
        play("rosbiratschka", "--url", up.url, "--pace", "0", "--option", "first_dealer=3", "--seed", seed, typed="")
        for seed in (SEED, SEED, "0b" * 32)
    )
    assert (
        last_screen(first.stdout).partition("The table waits")[0]
        == last_screen(second.stdout).partition("The table")[0]
    )
    assert (
        last_screen(first.stdout).partition("The table waits")[0] != last_screen(other.stdout).partition("The table")[0]
    )


# ---------------------------------------------------------------------------------------------------- what is typed


@pytest.mark.parametrize(
    ("typed", "language", "said"),
    [
        (
            "hello",
            "en",
            "“hello” is none of the moves: type one of the numbers shown (1, 7-13), or “bid 7”, or “pass”.",
        ),
        ("0", "en", "“0” is none of the moves"),
        ("99", "en", "“99” is none of the moves"),
        ("", "en", "Type one of the numbers shown (1, 7-13)"),
        ("   ", "en", "Type one of the numbers shown (1, 7-13)"),
        ("bid 99", "en", "No such bid exists: 7 to 13 tricks"),
        ("A spades", "en", "That kind of move has no place in this phase of the deal."),
        ("99 hearts", "en", "Tarneeb has no such move or card."),
        ("hola", "es", "«hola» no es ninguna jugada: escribe uno de los números (1, 7-13) o «puja 7» o «pasar»."),
        ("puja 99", "es", "Esa puja no existe: de 7 a 13 bazas"),
    ],
)
def test_what_makes_no_move_is_explained_and_asked_again(up: Running, typed: str, language: str, said: str) -> None:
    # Seat 1 deals, so seat 0 speaks first: the auction, with one pass and the bids from 7 to 13.
    begun = ("tarneeb", "--url", up.url, "--language", language, *FAST, "--option", "first_dealer=1")
    played = play(*begun, typed=f"{typed}\n")
    assert played.returncode == 0
    assert said in " ".join(played.stdout.split())
    assert played.stdout.count(texts(language)["ask"].format(keys="1, 7-13")) == 2


@pytest.mark.parametrize(
    ("typed", "language"), [("7", "en"), ("bid 7", "en"), ("BID 7", "en"), ("puja 7", "es"), ("pujo 7", "es")]
)
def test_a_bid_is_chosen_by_its_amount_or_in_words(up: Running, typed: str, language: str) -> None:
    begun = ("tarneeb", "--url", up.url, "--language", language, *FAST, "--option", "first_dealer=1")
    played = play(*begun, typed=f"{typed}\n")
    assert re.search(r"▶? +(You|Tú) +13 +7 ", last_screen(played.stdout))


def first_move_of(view_of_a_game: str) -> str:
    """The first card with a number below it, as rank and name of its suit."""
    numbered = re.search(r"^ . {2}(\w+) ( .*)\n( +)1\)", view_of_a_game, re.MULTILINE)
    assert numbered, view_of_a_game
    column = len(numbered[3]) + 1
    line = numbered[0].splitlines()[0]
    return f"{line[column - 2 : column + 1].strip()} {numbered[1]}"


@pytest.mark.parametrize(
    ("language", "shape"), [("en", "{rank} {suit}"), ("es", "{suit} {rank}"), ("en", "{rank}-{suit}")]
)
def test_a_card_may_be_typed_instead_of_its_number(up: Running, language: str, shape: str) -> None:
    begun = ("rosbiratschka", "--url", up.url, "--language", language, *FAST, "--option", "first_dealer=3")
    rank, suit = first_move_of(last_screen(play(*begun, typed="").stdout)).split()
    played = play(*begun, typed=f"{shape.format(rank=rank, suit=suit).upper()}\n")
    assert re.search(r"▶? +(You|Tú) +7 ", last_screen(played.stdout)), played.stdout


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "That card starts no row and lies next to no open one."), ("es", "Esa carta no abre ninguna fila")],
)
def test_an_illegal_card_is_refused_with_the_reason_and_asked_again(up: Running, language: str, said: str) -> None:
    played = play("reihe", "--url", up.url, "--language", language, *FAST, "--option", "first_dealer=1", typed="")
    hand = last_screen(played.stdout).partition(texts(language)["hand"].split()[0])[2]
    dull = re.search(r"^ . {2}(\w+) +([0-9]+|[UOKJE])  ", hand, re.MULTILINE)
    assert dull
    again = play(
        "reihe",
        "--url",
        up.url,
        "--language",
        language,
        *FAST,
        "--option",
        "first_dealer=1",
        typed=f"{dull[2]} {dull[1]}\n",
    )
    assert said in " ".join(again.stdout.split())
    assert again.returncode == 0


# ---------------------------------------------------------------------------------------------------- leaving


@pytest.mark.parametrize("typed", ["", "q\n", "Q\n", "quit\n", "1"])
def test_leaving_says_how_to_come_back_and_that_works(up: Running, typed: str) -> None:
    left = play("rosbiratschka", "--url", up.url, *FAST, "--option", "first_dealer=3", typed=typed)
    assert left.returncode == 0
    assert not left.stderr
    back = re.search(r"The table waits for you. Come back with:\n  tapete play (.*)\n", left.stdout)
    assert back
    returned = play(*back[1].split(), typed="q\n")
    assert returned.returncode == 0
    assert hand_in(returned.stdout) == hand_in(left.stdout)


def hand_in(output: str) -> str:
    """The reader's cards with their numbers, as they were drawn last."""
    found = re.search(r"^Your hand.*?(?=\nYour move)", last_screen(output), re.MULTILINE | re.DOTALL)
    assert found, output
    return found[0]


def test_a_finished_game_can_be_looked_at_again(up: Running) -> None:
    begun = play("reihe", "--url", up.url, *FAST, "--option", "max_deals=1", "--option", "first_dealer=1", typed="q\n")
    back = re.search(r"tapete play (--game .*)\n", begun.stdout)
    assert back
    assert play(*back[1].split()).returncode == 0
    again = play(*back[1].split())
    assert again.returncode == 0
    assert "The match is over" in again.stdout


def test_ctrl_c_leaves_a_real_terminal_cleanly(up: Running) -> None:
    with terminal("tarneeb", "--url", up.url, *FAST, "--option", "first_dealer=1") as table:
        table.wait_for("Your move")
        table.type("\x03")
        assert "tapete play --game gm_" in table.wait_for("--token")
        assert table.exit_code() == 0
    assert "Traceback" not in table.written


def test_a_terminal_is_drawn_anew_for_each_move_in_colour_and_waits_after_a_deal(up: Running) -> None:
    with terminal("rosbiratschka", "--url", up.url, *FAST, "--option", "contracts=no_king_of_hearts,hundred") as table:
        drawn = ""
        while "Enter goes on" not in drawn:
            drawn = table.wait_for("Your move|Enter goes on")
            assert "\x1b[2J" in drawn  # a clean screen
            assert re.search(r"\x1b\[[0-9;]*48;", drawn)  # a background: cards are cards
            if "Your move" in drawn:
                table.type("1\n")
        assert "Deal 1 is over" in plain(drawn)
        table.type("\n")
        assert "deal 2 of 2" in plain(table.wait_for("Your move"))


def test_a_narrow_terminal_without_colours_has_no_line_too_long(up: Running) -> None:
    for ruleset in SHORT_MATCHES:
        with terminal(ruleset, "--url", up.url, *FAST, "--language", "es", columns=60, lines=24, NO_COLOR="1") as table:
            for _ in range(3):
                table.wait_for("Tu jugada|Intro para seguir")
                table.type("1\n")
        assert not re.search(r"\x1b\[[0-9;]*[34]8;", table.written)
        assert max(map(len, plain(table.written).splitlines())) <= 60


# ---------------------------------------------------------------------------------------------------- which service


def test_without_a_service_one_is_started_for_the_game_and_leaves_nothing(tmp_path: Path) -> None:
    nobody = {"TAPETE_PORT": "1", "TMPDIR": str(tmp_path)}
    played = play("reihe", *FAST, typed="1\nq\n", **nobody)
    assert played.returncode == 0, played.stderr
    assert "No service answers at http://127.0.0.1:1: starting one for this game" in " ".join(played.stdout.split())
    assert "This table ends with the service that was started for it." in " ".join(played.stdout.split())
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith("tapete-play-")]


def test_a_service_of_its_own_ends_with_it_when_it_is_told_to_end(tmp_path: Path) -> None:
    environ = environment({"TAPETE_PORT": "1", "TMPDIR": str(tmp_path), "PYTHONUTF8": "1"})
    process = subprocess.Popen(
        [*COMMAND, "reihe"], cwd=ROOT, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        while "Reihe · deal 1" not in process.stdout.readline():
            assert process.poll() is None
        url = wait_until(
            lambda: re.search(r"^Tapete +(\S+)", log_in(tmp_path), re.MULTILINE), lambda: log_in(tmp_path)
        )[1]
        assert answers(url)
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
    assert process.returncode == 0
    assert not answers(url)
    assert not list(tmp_path.glob("tapete-play-*"))


def answers(url: str) -> bool:
    with closing(client.Client(url, "en")) as asked:
        return asked.answers()


def log_in(folder: Path) -> str:
    return "".join(path.read_text() for path in folder.glob("tapete-play-*/log"))


def test_the_service_of_tapete_up_is_found_by_its_variables(up: Running) -> None:
    played = play("reihe", *FAST, typed="q\n", TAPETE_PORT=up.url.rpartition(":")[2])
    assert played.returncode == 0
    assert "starting one" not in played.stdout
    assert re.search(r"--token \S+$", played.stdout.rstrip())  # no --url: it is the usual one


@pytest.mark.parametrize(
    ("arguments", "exit_code", "said"),
    [
        (("bridge",), 2, "There is no ruleset 'bridge'; there are tarneeb, reihe, rosbiratschka, elfer_raus."),
        ((), 2, "Name a ruleset, such as `tapete play reihe`; `tapete rulesets` lists them."),
        (("reihe", "--seats", "9"), 2, "Reihe is for 2 to 8 seats, not 9: choose with --seats."),
        (("tarneeb", "--seats", "3"), 2, "Tarneeb is for 4 seats, not 3: choose with --seats."),
        (("reihe", "--bot", "genius"), 2, "There is no bot 'genius'; there are random, rules."),
        (("reihe", "--preset", "x"), 2, "preset: reihe has the presets nordic_60,"),
        (("reihe", "--option", "target"), 2, "--option takes NAME=VALUE, not 'target'"),
        (("reihe", "--option", "targt=3"), 2, "options/targt: reihe has no such option; it has deck,"),
        (("reihe", "--option", "target=many"), 2, "options/target: Expected `int | null`, got `str`."),
        (("reihe", "--seed", "x"), 2, "seed: Expected `str` of length >= 64"),
        (("--game", "gm_x"), 2, "--game and --token go together"),
        (("--game", "gm_x", "--token", "seat0.0.x"), 2, "There is no game 'gm_x'."),
    ],
)
def test_what_is_not_to_be_had_is_one_sentence(
    up: Running, arguments: tuple[str, ...], exit_code: int, said: str
) -> None:
    refused = play(*arguments, "--url", up.url)
    assert refused.returncode == exit_code
    assert said in " ".join(refused.stderr.split())
    assert "Traceback" not in refused.stderr


def test_an_address_where_nobody_answers_or_somebody_else_is_one_sentence(redis_url: str) -> None:
    nobody = play("reihe", "--url", "http://127.0.0.1:1")
    assert nobody.returncode == 69
    assert nobody.stderr == (
        "tapete: No service answers at http://127.0.0.1:1: start one with `tapete up`, or check the address.\n"
    )
    nonsense = play("reihe", "--url", "somewhere")
    assert nonsense.returncode == 2
    assert "it looks like http://127.0.0.1:8000" in nonsense.stderr
    assert redis_url


def test_the_help_says_what_it_takes() -> None:
    told = play("--help")
    assert told.returncode == 0
    for word in ("tarneeb", "reihe", "rosbiratschka", "elfer_raus", "--preset", "--option", "--url", "--game", "69"):
        assert word in told.stdout


# ---------------------------------------------------------------------------------------------------- a lost service


def test_a_killed_api_is_not_even_noticed(up: Running) -> None:
    with terminal("reihe", "--url", up.url, *FAST, "--option", "first_dealer=1") as table:
        table.wait_for("Your move")
        up.kill("api")
        table.type("1\n")
        table.wait_for("Your move")
    assert "Traceback" not in table.written


def test_a_service_that_comes_back_is_waited_for_and_the_game_goes_on(tmp_path: Path) -> None:
    with tapete_up(tmp_path, "--bot-workers", "1") as running:
        port = running.url.rpartition(":")[2]
        with terminal("reihe", "--url", running.url, *FAST, "--option", "first_dealer=1") as table:
            table.wait_for("Your move")
            running.stop()
            table.type("1\n")
            table.wait_for("does not answer; the same")
            with tapete_up(tmp_path, "--bot-workers", "1", "--port", port):
                table.wait_for("It answers again")
                table.wait_for("Your move")
    assert "Traceback" not in table.written


class Typing(io.BytesIO):
    """Somebody who does something before typing 1."""

    def __init__(self, first: Callable[[], object]) -> None:
        super().__init__(b"1\n")
        self.first: Callable[[], object] | None = first

    def read1(self, size: int | None = -1) -> bytes:
        """Give what is typed next."""
        if self.first:
            self.first()
            self.first = None
        return super().read1(size)


def test_a_service_that_stays_away_ends_the_game_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PATIENCE", 0.1)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    with tapete_up(tmp_path, "--bot-workers", "1") as running:
        begun = ["play", "reihe", "--url", running.url, *FAST, "--option", "first_dealer=1"]
        ended = CliRunner().invoke(main, begun, input=Typing(running.stop))
    for number, handler in handlers.items():
        signal.signal(number, handler)
    assert ended.exit_code == 69, ended.output
    assert "The table waits for you. Come back with:\n  tapete play --game gm_" in ended.stdout
    assert f"The service at {running.url} has not answered for" in ended.stderr


# ---------------------------------------------------------------------------------------------------- two languages


def test_both_languages_say_the_same_things_with_the_same_gaps() -> None:
    english, spanish = texts("en"), texts("es")
    assert list(english) == list(spanish)
    for key, text in english.items():
        assert sorted(re.findall(r"{\w+}", text)) == sorted(re.findall(r"{\w+}", spanish[key])), key


def test_every_text_is_used() -> None:
    source = "".join(path.read_text() for path in (ROOT / "service" / "terminal").glob("*.py"))
    families = [*re.findall(r'f"(\w+)[.{]', source), "move", "over", "suit"]
    unused = [
        key
        for key in texts("en")
        if f'"{key}"' not in source
        and f'"{key.removesuffix(".you").removesuffix(".other")}"' not in source
        and key.split(".")[0] not in families
        and key not in ("direction_changed", "redealt", "all_passed", "target_agreed")
    ]
    assert not unused
