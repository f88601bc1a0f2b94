"""Finding the compiled build of the engine, and refusing one that is not of this source.

The extension modules lie in `engine/_compiled`, away from the source, with the hash of the source that they were
built from. A stale build would silently run old rules, so it is an ImportError that says what to do.
"""

import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Literal

ENGINE = Path(__file__).parent
OUTPUT = ENGINE / "_compiled"
STAMP = OUTPUT / f"source-{sys.implementation.cache_tag}.txt"
SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]


def source_of(module: str) -> Path:
    """The `.py` file of a module of the engine."""
    return ENGINE.parent / (module.replace(".", "/") + ".py")


def extension_of(module: str) -> Path:
    """Where the compiled form of a module is kept."""
    return OUTPUT / (module + SUFFIX)


def source_hash(modules: Sequence[str]) -> str:
    """One SHA-256 over everything the compiled modules are made from."""
    digest = hashlib.sha256("\n".join(modules).encode())
    for module in modules:
        source = source_of(module)
        for path in (source, source.with_suffix(".pxd")):
            digest.update(path.read_bytes())
    digest.update((ENGINE / "bits.h").read_bytes())
    digest.update((ENGINE / "bits.pxd").read_bytes())
    return digest.hexdigest()


class _CompiledFinder(importlib.abc.MetaPathFinder):
    """Loads the modules of one list from the compiled build; every other import goes its usual way."""

    def __init__(self, modules: Sequence[str]) -> None:
        self.modules = frozenset(modules)

    def find_spec(
        self, fullname: str, _path: object, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in self.modules:
            return None
        return importlib.util.spec_from_file_location(fullname, extension_of(fullname))


def _cpu_lacks() -> str:
    """What the build needs of the processor and this machine has not; empty where all is well."""
    needs = STAMP.read_text().split()[1:]
    cpuinfo = Path("/proc/cpuinfo")
    if not needs or not cpuinfo.exists():
        return ""
    has = set(cpuinfo.read_text().split("\n\n", 1)[0].split())
    return " ".join(sorted(set(needs) - has))


def select(modules: Sequence[str], wanted: str) -> Literal["compiled", "pure"]:
    """Choose the build and make imports find it.

    `wanted` is `pure`, `compiled` or empty (compiled where there is one). Raises ImportError where `compiled` is
    asked for and missing, where the build is stale, or where it was made for another processor.
    """
    if wanted not in ("", "pure", "compiled"):
        raise ImportError(f"TAPETE_ENGINE is {wanted!r}: set it to pure or compiled, or leave it out.")
    if wanted == "pure" or (not wanted and not STAMP.exists()):
        return "pure"
    if not STAMP.exists():
        raise ImportError("TAPETE_ENGINE=compiled, but the engine is not compiled: run `make compile`.")
    if STAMP.read_text().split()[0] != source_hash(modules):
        raise ImportError(
            "The compiled engine is older than its source: run `make compile`, or set TAPETE_ENGINE=pure."
        )
    if lacks := _cpu_lacks():
        raise ImportError(f"The compiled engine needs a processor with {lacks}: run `make compile` on this machine.")
    sys.meta_path.insert(0, _CompiledFinder(modules))
    return "compiled"
