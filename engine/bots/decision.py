"""What a bot is given to think with, and what it answers."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Budget:
    """How much a bot may think: a number of samples (reproducible) or seconds."""

    samples: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Candidate:
    """A move that was weighed: what it is expected to score, and the half-width of the 95 % interval."""

    move: int
    estimate: float
    margin: float


@dataclass(frozen=True)
class Decision:
    """The move chosen, how many samples it took, and what was weighed; most bots weigh nothing by numbers."""

    move: int
    samples: int = 0
    candidates: list[Candidate] = field(default_factory=list)
