"""`make bench`: every figure beside its comparison, in the same run. Nothing is asserted: timings are noise."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[2])

from tests.bench import deals, moves, playouts, readers, simulations  # noqa: E402 - the path comes first


def main() -> None:
    """Measure and print, one line a figure."""
    for module in (deals, playouts, moves, readers, simulations):
        for figure in module.figures():
            print(figure, flush=True)


if __name__ == "__main__":
    main()
