"""A figure with its comparison, as `make bench` prints it."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Figure:
    """What was measured, ours and a peer's, in the same run and unit; more is better."""

    name: str
    ours: float
    unit: str
    peer: str
    theirs: float

    def __str__(self) -> str:
        return (
            f"{self.name}: ours {self.ours:,.0f} {self.unit}, {self.peer} {self.theirs:,.0f} {self.unit}, "
            f"ratio {self.ours / self.theirs:.2f}x"
        )


def medians(runs: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Measure each in turn, round after round, so that what else the machine does falls on all alike."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            found[name].append(run())
    return {name: median(rates) for name, rates in found.items()}
