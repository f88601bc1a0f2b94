"""The command `tapete` as real processes: started in tests, awaited by what they print, and always cleaned up."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

PATIENCE = 60.0
"""Seconds after which waiting is given up: a hang, not a measurement."""

T = TypeVar("T")

ROOT = Path(__file__).parents[1]
SECRET = "5e" * 32


@dataclass
class Running:
    """A started `tapete` command and everything it has printed so far."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def output(self) -> str:
        """All lines in one text."""
        return "".join(self.lines)

    def wait_for(self, pattern: str, times: int = 1) -> re.Match[str]:
        """Give the `times`-th place where the output matches, as soon as there is one."""

        def found() -> re.Match[str] | None:
            ended = self.ended.is_set()  # asked first, so that no last line is missed
            matches = list(re.finditer(pattern, self.output, re.MULTILINE))
            if len(matches) < times and ended:
                raise AssertionError(f"it ended without printing {pattern!r}:\n{self.output}")
            return matches[times - 1] if len(matches) >= times else None

        return wait_until(found, lambda: f"{pattern!r} in\n{self.output}")

    @property
    def url(self) -> str:
        """Where `tapete up` answers, once it does."""
        return self.wait_for(r"^Tapete +(http://\S+)")[1]

    def pids(self, part: str = r"\S+") -> list[int]:
        """Every process that has been started as this part (`api`, `bots.1`, `redis`), the living one last."""
        return [int(pid) for pid in re.findall(rf"^tapete +{part} runs as process (\d+)", self.output, re.MULTILINE)]

    def kill(self, part: str) -> None:
        """Send kill -9 to the process that is this part now, and wait until another one has taken its place."""
        before = self.pids(part)
        os.kill(before[-1], signal.SIGKILL)
        wait_until(lambda: len(self.pids(part)) > len(before), lambda: f"a new {part} in\n{self.output}")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end, by a signal to it alone, and give its exit code."""
        self.process.send_signal(number)
        return self.exit_code()

    def exit_code(self) -> int:
        """Give its exit code when it has ended by itself."""
        code = self.process.wait(PATIENCE)
        self.ended.wait(PATIENCE)
        return code


@contextmanager
def tapete(*arguments: str, **environ: str) -> Iterator[Running]:
    """Run `tapete` with the arguments and with these variables alone of those that it knows.

    When the block is left, it and everything it started is gone.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli", *arguments],
        cwd=ROOT,
        env=environment(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    running = Running(process)
    reader = threading.Thread(target=_read, args=(running,), daemon=True)
    reader.start()
    try:
        yield running
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE / 2)
        for pid in (process.pid, *running.pids()):
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        process.wait()
        reader.join(PATIENCE)
        assert process.stdout is not None
        process.stdout.close()


@contextmanager
def tapete_up(data_dir: Path, *arguments: str, **environ: str) -> Iterator[Running]:
    """Run `tapete up` on a free port and wait until it answers."""
    with tapete("up", "--port", "0", "--data-dir", str(data_dir), *arguments, **environ) as running:
        running.wait_for(r"^stop +Ctrl-C")
        yield running


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Give the environment of the tests without what configures Tapete, and with `extra`."""
    ours = ("REDIS_URL", "REQUIRE_COMPILED", "XDG_DATA_HOME")
    kept = {name: value for name, value in os.environ.items() if name not in ours and not name.startswith("TAPETE_")}
    if "TAPETE_ENGINE" in os.environ:
        kept["TAPETE_ENGINE"] = os.environ["TAPETE_ENGINE"]
    # The checkout is what is tested, installed or not.
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return {**kept, "PYTHONUNBUFFERED": "1", **extra}


def wait_until(condition: Callable[[], T | None], what: Callable[[], str]) -> T:
    """Ask until the answer is true, and give it; fail saying what was awaited when patience ends."""
    end = time.monotonic() + PATIENCE
    while not (answer := condition()):
        assert time.monotonic() < end, f"waited in vain for {what()}"
        time.sleep(0.02)
    return answer


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about yet does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z" if Path("/proc/self").exists() else True
    except OSError:
        return False


def _read(running: Running) -> None:
    assert running.process.stdout is not None
    for line in running.process.stdout:
        running.lines.append(line)
    running.ended.set()
