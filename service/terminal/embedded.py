"""A service of one's own for the length of a game: `tapete up` as a child process, on a folder that goes with it."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.children import ending_with_us

OURS = ("REDIS_URL", "TAPETE_QUEUE_REDIS_URL", "TAPETE_SECRET", "TAPETE_DATA_DIR", "TAPETE_HOST", "TAPETE_PORT")
"""Settings of a service that is there to stay: the one for a game must not touch what that one keeps."""
PATIENCE = 60.0
"""Seconds that it may take to start, and then to stop."""
STARTED = re.compile(r"^Tapete +(http://\S+)$.*^stop ", re.MULTILINE | re.DOTALL)


class NotStartedError(Exception):
    """The service did not start; the text says why, and what else to do."""


@contextmanager
def service() -> Iterator[str]:
    """Run a service on a free port of this machine, and give its address. Raises NotStartedError."""
    with tempfile.TemporaryDirectory(prefix="tapete-play-", ignore_cleanup_errors=True) as folder:
        log = Path(folder) / "log"
        command = [sys.executable, "-P", "-m", "service.cli", "up", "--host", "127.0.0.1", "--port", "0"]
        command += ["--data-dir", str(Path(folder) / "data"), "--bot-workers", "1", "--simulation-workers", "0"]
        environ = {name: value for name, value in os.environ.items() if name not in OURS}
        with log.open("w") as output:
            process = subprocess.Popen(  # noqa: S603 - our own command
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environ,
                preexec_fn=ending_with_us(),  # noqa: PLW1509 - we have no threads
                start_new_session=True,  # so that a Ctrl-C at the terminal asks us, and only us
            )
        try:
            yield _address(process, log)
        finally:
            _stop(process)


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        found = STARTED.search(log.read_text())
        if found:
            return found[1]
        time.sleep(0.05)
    lines = log.read_text().strip().splitlines()
    why = lines[-1].removeprefix("tapete: ") if lines else "it said nothing"
    raise NotStartedError(f"No service could be started for this game: {why}")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
