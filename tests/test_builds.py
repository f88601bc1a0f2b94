"""The plain engine and the compiled one are the same, and no build is ever used by mistake."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine._builds import STAMP
from tests.positions import PRESETS

ROOT = Path(__file__).parents[1]
BUILDS = ("pure", "compiled")
NO_BUILD = "The engine is not compiled, so nothing can be compared: run `make compile`."


def run(*command: str | Path, where: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command on the engine of a folder, with nothing set that bears on builds but what is given here."""
    ours = ("TAPETE_ENGINE", "TAPETE_MARCH", "REQUIRE_COMPILED", "PYTHONPATH", "CC")
    env = {name: value for name, value in os.environ.items() if name not in ours} | environment
    return subprocess.run(command, cwd=where, env=env, capture_output=True, text=True, check=False)


def python(*arguments: str, where: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the engine of a folder."""
    return run(sys.executable, *arguments, where=where, **environment)


def mode(where: Path, **environment: str) -> str:
    """Which build an import of the engine in a folder chooses, or the last line of the error that it ends with."""
    done = python("-c", "import engine.chance; print(engine.MODE)", where=where, **environment)
    return (done.stdout or done.stderr).strip().splitlines()[-1]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of the engine's source, not compiled, in which one small module is to be compiled."""
    shutil.copytree(ROOT / "engine", tmp_path / "engine", ignore=shutil.ignore_patterns("_compiled", "__pycache__"))
    init = tmp_path / "engine" / "__init__.py"
    before, rest = init.read_text().split("COMPILED = (\n")
    init.write_text(before + 'COMPILED = ("engine.chance",)\n' + rest.split("\n)\n", 1)[1])
    return tmp_path


def stamp(where: Path, text: str) -> None:
    """Pretend that a folder's engine was compiled, from a source and for a processor that the text names."""
    compiled = where / "engine" / "_compiled"
    compiled.mkdir(exist_ok=True)
    (compiled / STAMP.name).write_text(text)


def source_hash(where: Path) -> str:
    """The hash of what a folder's engine is compiled from."""
    code = "import engine; from engine._builds import source_hash; print(source_hash(engine.COMPILED))"
    return python("-c", code, where=where, TAPETE_ENGINE="pure").stdout.strip()


# ---------------------------------------------------------------------------------------------------- the same rules


@pytest.mark.timeout(900)  # a minute and a half of computing, for which a busy machine takes its time
def test_plain_and_compiled_engine_agree_at_every_position() -> None:
    """A hundred matches of every preset, position by position: moves, observations, events, samples, scores, chance.

    They are short ones (`tests.positions.SHORT`), over all numbers of seats; and there are some under other options.
    """
    assert STAMP.exists(), NO_BUILD
    with ThreadPoolExecutor() as both:
        plain, compiled = both.map(
            lambda mode: python("-m", "tests.positions", TAPETE_ENGINE=mode), ("pure", "compiled")
        )
    assert plain.returncode == 0, plain.stderr
    assert compiled.returncode == 0, compiled.stderr
    lines, others = plain.stdout.splitlines(), compiled.stdout.splitlines()
    for line, other in zip(lines, others, strict=True):
        assert line == other, "here the two builds part"
    matches = Counter(" ".join(line.split()[:2]) for line in lines if " position 0 " in line)
    assert {matches[f"{ruleset.name} {preset}"] for ruleset, preset in PRESETS} == {100}
    assert sum(" position " in line for line in lines) > 250_000


def test_the_checksums_are_of_different_builds() -> None:
    """Each of the two runs the build that it says: the compiled modules are machine code, the plain ones are not."""
    assert STAMP.exists(), NO_BUILD
    file = "import engine, engine.rulesets.tarneeb.rules as rules; print(engine.MODE, rules.__file__)"
    assert python("-c", file, TAPETE_ENGINE="pure").stdout.split()[0] == "pure"
    assert python("-c", file, TAPETE_ENGINE="pure").stdout.endswith("rules.py\n")
    assert python("-c", file, TAPETE_ENGINE="compiled").stdout.split()[0] == "compiled"
    assert not python("-c", file, TAPETE_ENGINE="compiled").stdout.endswith(".py\n")


# ---------------------------------------------------------------------------------------------------- which one runs


def test_without_a_build_the_plain_engine_runs(copy: Path) -> None:
    """Nothing is asked for and nothing is compiled: the engine says that it is the plain one."""
    assert mode(copy) == "pure"


def test_a_missing_build_is_refused_where_it_is_asked_for(copy: Path) -> None:
    """TAPETE_ENGINE=compiled never falls back silently."""
    assert mode(copy, TAPETE_ENGINE="compiled") == (
        "ImportError: TAPETE_ENGINE=compiled, but the engine is not compiled: run `make compile`."
    )


@pytest.mark.parametrize("wanted", ["", "compiled"])
def test_a_stale_build_is_refused(copy: Path, wanted: str) -> None:
    """A build of another source would play by other rules: the import fails and says what to do."""
    stamp(copy, "0" * 64)
    assert mode(copy, TAPETE_ENGINE=wanted) == (
        "ImportError: The compiled engine is older than its source: run `make compile`, or set TAPETE_ENGINE=pure."
    )


def test_a_stale_build_does_not_matter_to_the_plain_engine(copy: Path) -> None:
    """TAPETE_ENGINE=pure asks for no build."""
    stamp(copy, "0" * 64)
    assert mode(copy, TAPETE_ENGINE="pure") == "pure"


@pytest.mark.parametrize("wanted", ["fast", "Pure", "1"])
def test_an_unknown_build_is_refused(copy: Path, wanted: str) -> None:
    """TAPETE_ENGINE has two values."""
    assert mode(copy, TAPETE_ENGINE=wanted) == (
        f"ImportError: TAPETE_ENGINE is {wanted!r}: set it to pure or compiled, or leave it out."
    )


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="only Linux says what its processor has")
def test_a_build_for_another_processor_is_refused(copy: Path) -> None:
    """Machine code that this processor lacks the instructions for would end the process."""
    source = python(
        "-c", "import engine; from engine._builds import source_hash as h; print(h(engine.COMPILED))", where=copy
    )
    stamp(copy, f"{source.stdout}avx99")
    assert mode(copy) == (
        "ImportError: The compiled engine needs a processor with avx99: run `make compile` on this machine."
    )


@pytest.mark.parametrize("name", ["chance.py", "chance.pxd", "bits.h", "bits.pxd"])
def test_whatever_goes_into_a_build_makes_it_stale(copy: Path, name: str) -> None:
    """A changed byte in any file that the compiler reads is another source."""
    before = source_hash(copy)
    with (copy / "engine" / name).open("a") as file:
        file.write("\n")
    assert len(before) == 64
    assert source_hash(copy) != before


# ---------------------------------------------------------------------------------------------------- compiling


def test_an_engine_is_compiled_over_an_older_one(copy: Path) -> None:
    """Compiling does not trip over the stale build that it replaces, and the second time there is nothing to do."""
    stamp(copy, "0" * 64)
    done = python("engine/compile.py", where=copy, REQUIRE_COMPILED="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The engine is compiled: 1 modules")
    assert mode(copy) == mode(copy, TAPETE_ENGINE="compiled") == "compiled"
    assert python("engine/compile.py", where=copy).stdout == "The compiled engine is up to date.\n"


def test_make_compiles_over_a_stale_build(copy: Path) -> None:
    """`make compile` is what every refusal says to run, so it must not be refused itself."""
    stamp(copy, "0" * 64)
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    shutil.copytree(ROOT / "deploy" / "requirements", copy / "deploy" / "requirements")
    (copy / "venv").mkdir()
    (copy / "venv" / ".installed").touch()
    done = run("make", "compile", "VENV=venv", f"BIN={Path(sys.executable).parent}", where=copy, CC="/bin/false")
    assert done.returncode == 0, done.stderr
    assert "The engine could not be compiled (CompileError" in done.stderr, "it came as far as the compiler"


@pytest.mark.parametrize("broken", [{"CC": "/bin/false"}, {"PATH": "/nowhere"}], ids=["failing", "missing"])
def test_without_a_compiler_the_engine_stays_plain(copy: Path, broken: dict[str, str]) -> None:
    """An install goes on without the compiled engine, says so, and leaves no old build behind."""
    stamp(copy, "0" * 64)
    done = python("engine/compile.py", where=copy, **broken)
    assert done.returncode == 0
    assert "The engine could not be compiled (" in done.stderr
    assert done.stderr.splitlines()[-1] == (
        "It runs uncompiled, about 100x slower: install a C compiler and Python's headers, then run `make compile`."
    )
    assert mode(copy) == "pure"


def test_where_the_build_is_required_a_failing_compiler_is_an_error(copy: Path) -> None:
    """REQUIRE_COMPILED=1 is for CI and images."""
    done = python("engine/compile.py", where=copy, REQUIRE_COMPILED="1", CC="/bin/false")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "REQUIRE_COMPILED=1 makes this an error: install a C compiler and Python's headers, then run `make compile`."
    )
