"""What a simulation came to, wherever it was played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from engine.simulation.results import Results
from service.simulation_schemas import SimulationRequest, Stopped

Progress = Callable[[int, int], None]
"""Told how many games are done, and how many there will be."""


@dataclass(frozen=True)
class Outcome:
    """`results` is their JSON, None where no set was finished; `complete`: nobody stopped it."""

    request: SimulationRequest
    results: bytes | None
    stopped: Stopped | None
    complete: bool
    seconds: float

    def decoded(self) -> Results | None:
        """The results as types."""
        return None if self.results is None else msgspec.json.decode(self.results, type=Results)
