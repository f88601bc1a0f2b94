"""Record the screens again: `make screens`. The golden ones as text, and a real table for the README as a picture."""

import io
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from service import redis_server
from service.settings import Settings
from tests.processes import tapete_up
from tests.service.players import running
from tests.terminal.at_the_table import play
from tests.terminal.screens import FOLDER, SCENES, text

COLUMNS = 78
SEED = "7a9e7e" * 10 + "7a9e"
PICTURES = {
    "tarneeb": (("--option", "first_dealer=1"), "1\n" * 3),
    "elfer_raus": (("--option", "first_dealer=1"), "1\n" * 10),
}
"""What is typed at the table of each picture; the screen after it is taken."""


def golden() -> None:
    """Record the screens that `test_screens.py` compares."""
    with tempfile.TemporaryDirectory() as folder:
        server = redis_server.start(Path(folder))
        try:
            with running(Settings(server.url, server.url, (bytes(range(32)),), bot_queue="screens")) as api:
                for ruleset in dict.fromkeys(scene.ruleset for scene in SCENES):
                    (FOLDER / f"{ruleset}.txt").write_text(text(api, ruleset))
        finally:
            server.stop()


def pictures() -> None:
    """Play at a real service with bots, and keep the last screen in colours; its text is printed for the README."""
    with tempfile.TemporaryDirectory() as folder, tapete_up(Path(folder), "--bot-workers", "1") as up:
        for ruleset, (options, typed) in PICTURES.items():
            colours = {"FORCE_COLOR": "1", "COLORTERM": "truecolor", "COLUMNS": str(COLUMNS)}
            begun = (ruleset, "--url", up.url, "--pace", "0", "--seed", SEED, *options)
            written = play(*begun, typed=typed, **colours).stdout
            console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor")
            console.print(Text.from_ansi(_last_screen(written)))
            print(*(line.rstrip() for line in console.export_text(clear=False).splitlines()), sep="\n")
            picture = console.export_svg(title=f"tapete play {ruleset}", unique_id=ruleset)
            # The picture shall be whole by itself: a font from elsewhere would make every reader's browser ask there.
            picture = re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", "", picture, flags=re.DOTALL)
            picture = picture.replace(
                "Fira Code, monospace", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace"
            )
            (FOLDER / f"{ruleset}.svg").write_text(picture)


def _last_screen(written: str) -> str:
    """From the last title to the prompt below it, which nobody has answered."""
    begin = max(found.start() for found in re.finditer(r"^.* · deal \d", written, re.MULTILINE))
    return written[begin : written.index("q leaves): ", begin) + len("q leaves): ")]


if __name__ == "__main__":
    golden()
    pictures()
