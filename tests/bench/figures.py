"""A figure with its comparison, as `make bench` prints it."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Figure:
    """What was measured, ours and a peer's, in the same run and unit; more is better unless the name says otherwise."""

    name: str
    ours: float
    unit: str
    peer: str
    theirs: float

    def __str__(self) -> str:
        return (
            f"{self.name}: ours {_written(self.ours)} {self.unit}, {self.peer} {_written(self.theirs)} {self.unit}, "
            f"ratio {self.ours / self.theirs:.2f}x"
        )


def medians(runs: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Measure each in turn, round after round, so that what else the machine does falls on all alike."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            found[name].append(run())
    return {name: median(rates) for name, rates in found.items()}


def _written(value: float) -> str:
    """Two digits of what is small, all before the point of what is not."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"
