"""The plain form of a module that may also be compiled, to test what Python cannot call in the compiled one."""

import importlib.util
from pathlib import Path
from types import ModuleType


def plain(name: str) -> ModuleType:
    """A module of the engine as plain Python, whatever build runs."""
    path = Path(__file__).parents[1] / "engine" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"plain_{name}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
