"""What an OS-Link port stands of a wire: the table of docs/design/os-link-internals.md, in bits."""

import numpy as np

from benchmarks.table import show
from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link.margins import hears, ignores
from fingerpost.golden.link.parameters import OsLinkParameters

CLOCKS = 4, 5, 8, 16
OFFSETS = 0.0, 0.01, -0.01, 0.02, -0.02
STEP = 0.01
"""Of the search, in bits."""


def most(good: BoolArray) -> str:
    """Return the last of the values 0, STEP ... before the first at which something goes wrong."""
    first = int((~good).argmax())
    return f"{(first - 1) * STEP:.2f}" if first else "none"


def main() -> None:
    """Print what goes well at every phase of the clocks."""
    grid = STEP * np.arange(100)
    rows = []
    for stop in ("checked", "ignored"):
        for n in CLOCKS:
            port = OsLinkParameters(n, stop=stop)
            cells = [most(hears(port, stop=1 - grid)), most(ignores(port, grid))]
            for size in (0.0, 0.01, 0.02):
                good = [
                    np.logical_and.reduce([hears(port, offset=o, skew=s * grid) for o in found])
                    for found in [[x for x in OFFSETS if abs(x) == size]]
                    for s in (1, -1)
                ]
                cells.append(" / ".join(most(each) for each in good))
            rows.append((stop, n, *cells))
    columns = "stop bit", "N", "shorter by", "pulse", "skew +/-", "at 1 %", "at 2 %"
    show("What goes well at every phase, in bits", columns, rows)


if __name__ == "__main__":
    main()
