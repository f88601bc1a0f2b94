"""`tapete play` as a process of its own, with what somebody types into it: through a pipe, or at a real terminal."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.processes import PATIENCE, ROOT, environment

ALWAYS_THE_FIRST = "1\n" * 2000
COMMAND = [sys.executable, "-m", "service.cli", "play"]


def play(*arguments: str, typed: str = ALWAYS_THE_FIRST, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end with its input from a pipe."""
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env=environment({"COLUMNS": "80", "PYTHONUTF8": "1", **environ}),
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        timeout=4 * PATIENCE,
    )


class Terminal:
    """The command at a terminal of a given size, and everything that has been written there."""

    def __init__(self, process: "subprocess.Popen[bytes]", master: int) -> None:
        self.process = process
        self.master = master
        self.written = ""

    def wait_for(self, pattern: str) -> str:
        """Read until something matches in what has been written since the last wait, and give that."""
        end = time.monotonic() + PATIENCE
        seen = ""
        while not re.search(pattern, seen):
            assert time.monotonic() < end, f"waited in vain for {pattern!r} in\n{seen}"
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    seen += os.read(self.master, 65536).decode(errors="replace")
                except OSError:  # the other side is closed: it has ended
                    assert re.search(pattern, seen), f"it ended without {pattern!r}:\n{seen}"
        self.written += seen
        return seen

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.master, text.encode())

    def exit_code(self) -> int:
        """Give its exit code when it has ended."""
        return self.process.wait(PATIENCE)


@contextmanager
def terminal(*arguments: str, columns: int = 80, lines: int = 40, **environ: str) -> Iterator[Terminal]:
    """Run the command at a terminal of its own; when the block is left it is gone."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env={**_plain(environment({})), "TERM": "xterm-256color", **environ},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - so that Ctrl-C is a signal
    )
    os.close(slave)
    try:
        yield Terminal(process, master)
    finally:
        process.kill()
        process.wait()
        os.close(master)


def _plain(environ: dict[str, str]) -> dict[str, str]:
    """Without what would tell the command about another terminal than its own."""
    return {name: value for name, value in environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}


def plain(written: str) -> str:
    """What has been written, without colours and other orders to the terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written).replace("\r", "")
