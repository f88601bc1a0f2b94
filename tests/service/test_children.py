import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from service import children
from service.children import Child
from tests.processes import environment, is_alive, wait_until

Said = list[tuple[str, str]]


def python(*lines: str) -> tuple[str, ...]:
    """Give the command that runs these lines."""
    return (sys.executable, "-c", "\n".join(lines))


def run(command: tuple[str, ...], story: Callable[[Child, Said], Awaitable[None]], *, established: bool = True) -> Said:
    """Keep a child while the story is told, stop it, and give all that was said."""
    said: Said = []

    async def tell() -> None:
        child = Child("part", command, {}, lambda name, line: said.append((name, line)), established=established)
        children.keep(child)
        try:
            await asyncio.wait_for(story(child, said), 60)
        finally:
            await children.stop(child, grace=0.5)

    asyncio.run(tell())
    return said


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def lives(said: Said) -> int:
    return sum("runs as process" in line for _, line in said)


def test_a_child_that_ends_is_started_again_each_time_after_a_longer_pause() -> None:
    async def story(_: Child, said: Said) -> None:
        await until(lambda: lives(said) == 4)

    said = run(python("raise SystemExit(3)"), story)
    pauses = [line for name, line in said if name == "tapete" and "ended" in line]
    assert pauses[:3] == [f"part ended with exit code 3; starting it again in {pause} s" for pause in (0.1, 0.2, 0.4)]


def test_after_a_long_life_the_next_pause_is_short_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "LONG_LIFE", 0.0)

    async def story(_: Child, said: Said) -> None:
        await until(lambda: lives(said) == 4)

    said = run(python("raise SystemExit(3)"), story)
    assert {line.rpartition(" in ")[2] for _, line in said if "ended" in line} == {"0.1 s"}


def test_a_child_that_fails_before_it_is_established_is_not_started_again() -> None:
    async def story(child: Child, _: Said) -> None:
        await until(lambda: children.has_failed(child))
        assert child.last_exit == 3

    assert lives(run(python("raise SystemExit(3)"), story, established=False)) == 1


def test_a_killed_child_is_started_again_even_before_it_is_established() -> None:
    async def story(_: Child, said: Said) -> None:
        await until(lambda: lives(said) == 2)

    run(python("import os", "os.kill(os.getpid(), 9)"), story, established=False)


def test_what_a_child_prints_is_passed_on_line_by_line_whatever_its_length() -> None:
    async def story(_: Child, said: Said) -> None:
        await until(lambda: ("part", "end") in said)

    said = run(python("print('x' * 1_000_000)", "print('end', end='')", "import sys", "sys.stdout.flush()"), story)
    lines = [line for name, line in said if name == "part"]
    assert "".join(lines).startswith("x" * 1_000_000 + "end")


def test_a_child_that_does_not_stop_is_killed_with_all_it_started() -> None:
    stubborn = "\n".join(
        (
            "import signal, time",
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
            "print('on', flush=True)",
            "time.sleep(99)",
        )
    )
    start_another = f"print(subprocess.Popen([sys.executable, '-c', {stubborn!r}]).pid)"
    family = python("import subprocess, sys", start_another, stubborn)

    async def story(_: Child, said: Said) -> None:
        await until(lambda: said.count(("part", "on")) == 2)

    said = run(family, story)
    grandchild = next(int(line) for name, line in said if name == "part" and line.isdecimal())
    wait_until(lambda: not is_alive(grandchild), lambda: "the grandchild to end")
    assert ("tapete", "part did not stop in 0.5 seconds and is killed") in said


def test_where_the_kernel_does_not_see_to_it_a_child_ends_by_itself_with_its_supervisor(tmp_path: Path) -> None:
    (tmp_path / "child.py").write_text(
        "import sys, time\n"
        "sys.platform = 'darwin'\n"
        "from service import children\n"
        "children.follow_supervisor()\n"
        "print('following', flush=True)\n"
        "time.sleep(99)\n"
    )
    supervisor = (
        "import os, subprocess, sys",
        "environ = {**os.environ, 'TAPETE_SUPERVISOR': str(os.getpid())}",
        f"command = [sys.executable, {str(tmp_path / 'child.py')!r}]",
        "child = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE)",
        "child.stdout.readline()",
        "print(child.pid, flush=True)",
        "child.wait()",
    )
    with subprocess.Popen(python(*supervisor), stdout=subprocess.PIPE, env=environment({})) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        assert is_alive(child)
        os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(child), lambda: "the child to end")
