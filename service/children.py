"""Child processes: started so that they end with us, kept running whatever kills them, stopped in bounded time."""

import asyncio
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

FIRST_DELAY = 0.1
LAST_DELAY = 5.0
LONG_LIFE = 10.0
"""Seconds: before the first restart; at most, after doubling; of life after which a death counts as the first."""

LONGEST_LINE = 65536
PR_SET_PDEATHSIG = 1
SUPERVISOR = "TAPETE_SUPERVISOR"
"""Environment variable that tells a child the process to end with, where the kernel does not see to it."""

Say = Callable[[str, str], None]
"""Takes the name of a part and one line that it says."""


def ending_with_us() -> Callable[[], None] | None:
    """Give what a child must run between fork and exec to be killed when the calling *thread* ends; Linux only.

    A supervisor that is itself killed -9 leaves no orphan then. Start such children from a thread that stays.
    """
    if sys.platform != "linux":
        return None
    prctl, kill, us = ctypes.CDLL(None).prctl, signal.SIGKILL, os.getpid()

    def follow() -> None:
        prctl(PR_SET_PDEATHSIG, kill)
        if os.getppid() != us:  # we ended before the kernel was told
            os._exit(1)

    return follow


def follow_supervisor() -> None:
    """In a child: end when the supervisor has, where only the child itself can see to that (not on Linux)."""
    supervisor = os.environ.get(SUPERVISOR)
    if supervisor and sys.platform != "linux":
        threading.Thread(target=_end_with, args=(int(supervisor),), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)


@dataclass
class Child:
    """One part of the service as a process: `keep` runs it, `stop` ends it."""

    name: str
    command: Sequence[str]
    environ: Mapping[str, str]
    say: Say
    pass_fds: tuple[int, ...] = ()
    process: asyncio.subprocess.Process | None = None
    last_exit: int | None = None
    """The exit code of the last process that ended, negative for a signal; None while none has."""
    established: bool = False
    """Whether an exit code ends this life only. Before, it ends the child, since it would only fail again."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None


def keep(child: Child) -> None:
    """Start the child and see to it, in the background, that it is started again whenever it ends."""
    child.task = asyncio.create_task(_keep(child))


def has_failed(child: Child) -> bool:
    """Whether the child ended by itself before it was established, and stays so."""
    return child.task is not None and child.task.done() and not child.stopping.is_set()


async def stop(child: Child, grace: float) -> None:
    """End the child for good: SIGTERM, and SIGKILL to what is left of its process group after `grace` seconds."""
    child.stopping.set()
    if child.task is None:
        return
    _signal(child, signal.SIGTERM)
    done, _ = await asyncio.wait({child.task}, timeout=grace)
    if not done:
        child.say("tapete", f"{child.name} did not stop in {grace:g} seconds and is killed")
        _signal(child, signal.SIGKILL)
    await child.task


async def _keep(child: Child) -> None:
    delay = FIRST_DELAY
    while not child.stopping.is_set():
        started = time.monotonic()
        child.last_exit = await _run(child)
        if child.stopping.is_set() or (child.last_exit >= 0 and not child.established):
            return
        if time.monotonic() - started >= LONG_LIFE:
            delay = FIRST_DELAY
        child.say("tapete", f"{child.name} {_how_it_ended(child.last_exit)}; starting it again in {delay:g} s")
        await _unless_stopping(child, delay)
        delay = min(2 * delay, LAST_DELAY)


async def _run(child: Child) -> int:
    """One life of the child; its exit code."""
    child.process = process = await asyncio.create_subprocess_exec(
        *child.command,
        env={**os.environ, **child.environ, SUPERVISOR: str(os.getpid()), "PYTHONUNBUFFERED": "1"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        pass_fds=child.pass_fds,
        # Its own group: a Ctrl-C in the terminal is for us alone, who stop the parts in order. Not its own session:
        # Linux shares cores between sessions, and workers of simulations could not step back for those in others.
        process_group=0,
        preexec_fn=ending_with_us(),
    )
    child.say("tapete", f"{child.name} runs as process {process.pid}")
    if child.stopping.is_set():  # it was not there yet to be told
        process.terminate()
    relay = asyncio.create_task(_relay(child, process))
    code = await process.wait()
    # Whatever it left behind may hold the pipe open for ever.
    await asyncio.wait({relay}, timeout=1)
    relay.cancel()
    return code


async def _relay(child: Child, process: asyncio.subprocess.Process) -> None:
    """Say what the process prints, line by line; a monstrous line in pieces."""
    assert process.stdout is not None  # noqa: S101 - PIPE was asked for
    rest = b""
    while data := await process.stdout.read(LONGEST_LINE):
        *lines, rest = (rest + data).split(b"\n")
        if len(rest) > LONGEST_LINE:
            lines, rest = [*lines, rest], b""
        for line in lines:
            child.say(child.name, line.decode(errors="replace"))
    if rest:
        child.say(child.name, rest.decode(errors="replace"))


async def _unless_stopping(child: Child, seconds: float) -> None:
    try:
        await asyncio.wait_for(child.stopping.wait(), seconds)
    except TimeoutError:
        return


def _signal(child: Child, number: signal.Signals) -> None:
    """Signal a living child; its whole process group when it is to be killed."""
    process = child.process
    if process is None or process.returncode is not None:
        return
    try:
        if number == signal.SIGKILL:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
    except ProcessLookupError:
        return  # it ended by itself meanwhile


def _how_it_ended(code: int) -> str:
    return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
