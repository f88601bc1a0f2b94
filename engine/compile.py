"""`python engine/compile.py`: build the compiled engine into `engine/_compiled`.

A script, not a module to import: importing the package refuses the very build that this is about to replace.

Without a working C compiler the engine runs uncompiled: this says so and exits 0, or 1 under REQUIRE_COMPILED=1.
TAPETE_MARCH names the oldest processor the build must run on (gcc's -march); without it the build is for this
machine's kind, x86-64-v3 where the processor has it.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ["TAPETE_ENGINE"] = "pure"
sys.path[0] = str(Path(__file__).parents[1])

from engine import COMPILED  # noqa: E402 - a script finds its package first
from engine._builds import OUTPUT, STAMP, extension_of, source_hash, source_of  # noqa: E402 - the same

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "annotation_typing": False,
}
V3_FLAGS = ("avx2", "bmi1", "bmi2", "fma", "movbe", "popcnt")


def processor() -> tuple[list[str], list[str]]:
    """Compiler arguments for the target processor, and the CPU flags that the build will need."""
    if march := os.environ.get("TAPETE_MARCH"):
        return [f"-march={march}"], []
    cpuinfo = Path("/proc/cpuinfo")
    has = set(cpuinfo.read_text().split()) if cpuinfo.exists() else set()
    if set(V3_FLAGS) <= has:
        return ["-march=x86-64-v3"], list(V3_FLAGS)
    return [], []


def build(arguments: list[str], work: Path) -> None:
    """Cythonize and compile every module into `work`, then move the results into place."""
    # Imported here, so that a machine without them hears what to do instead of a traceback.
    from Cython.Build import cythonize  # noqa: PLC0415 - see above
    from setuptools import Distribution, Extension  # noqa: PLC0415 - see above

    root = source_of("engine.compile").parent.parent
    extensions = [
        Extension(
            module,
            [str(source_of(module).relative_to(root))],
            include_dirs=[str(root / "engine")],
            extra_compile_args=["-O3", "-Wno-unreachable-code", *arguments],
        )
        for module in COMPILED
    ]
    os.chdir(root)
    modules = cythonize(  # type: ignore[no-untyped-call] # Cython is typed for those who write it, not who run it
        extensions, build_dir=str(work / "c"), compiler_directives=DIRECTIVES, quiet=True
    )
    command = Distribution({"name": "engine", "ext_modules": modules}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(work / "lib"), str(work / "o")
    command.parallel = os.cpu_count()
    command.ensure_finalized()
    command.run()
    OUTPUT.mkdir(exist_ok=True)
    for module in COMPILED:
        built = next((work / "lib").joinpath(*module.split(".")[:-1]).glob(module.split(".")[-1] + ".*"))
        shutil.move(built, extension_of(module))


def main() -> int:
    """Build, and say what came of it. Exit codes: 0 built (or not needed), 1 failed and REQUIRE_COMPILED is set."""
    arguments, needs = processor()
    wanted = "\n".join([source_hash(COMPILED), *needs])
    if STAMP.exists() and STAMP.read_text() == wanted:
        print("The compiled engine is up to date.")
        return 0
    STAMP.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as work:
        try:
            build(arguments, Path(work))
        except Exception as error:  # whatever a compiler can do wrong, the answer is the same
            required = os.environ.get("REQUIRE_COMPILED") == "1"
            so = "REQUIRE_COMPILED=1 makes this an error" if required else "It runs uncompiled, about 100x slower"
            print(
                f"The engine could not be compiled ({type(error).__name__}: {error}).\n"
                f"{so}: install a C compiler and Python's headers, then run `make compile`.",
                file=sys.stderr,
            )
            return 1 if required else 0
    STAMP.write_text(wanted)
    print(f"The engine is compiled: {len(COMPILED)} modules ({' '.join(arguments) or 'the default processor'}).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
