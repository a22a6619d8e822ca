"""OS-Link ports against docs/design/os-link-internals.md: rates, latencies, clocks that differ.

Everything is measured on the wires of golden's ports, over all relative phases of two clocks.
"""

import numpy as np

from benchmarks.table import show
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.link.rates import passes, rates, relayed

CLOCKS = 4, 5, 8, 16
LATENCY = {4: 2.25, 5: 2.2, 8: 1.875, 16: 1.6875}
LATE = {5: "13.4", 8: "12.75", 16: "12.4"}
BOTH = {4: "13.0-13.25", 5: "13.0-13.2", 8: "13.0", 16: "13.0"}
DELAYS = 0.4, 1.0, 1.75, 3.3, 4.0, 8.0
STEP = 0.0025
"""Of the search for the first clock offset that fails."""


def span(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> str:
    """Return least and greatest, once if they are the same."""
    low, high = (f"{x:.2f}" for x in (values.min(), values.max()))
    return low if low == high else f"{low}-{high}"


def periods() -> None:
    """Print bits per byte."""
    rows: list[tuple[object, ...]] = []
    for n in CLOCKS:
        p = OsLinkParameters(n)
        rows += [
            (n, "one way", span(rates(p).period), "11.0"),
            (n, "both ways", span(rates(p, both=True).period), BOTH[n]),
            (n, "late", span(rates(OsLinkParameters(n, acknowledge="late")).period), LATE.get(n)),
            (n, "F=1", span(rates(OsLinkParameters(n, fifo=1)).period), LATE.get(n)),
            (n, "SLOT=12", span(rates(OsLinkParameters(n, slot=12)).period), "12"),
        ]
    p = OsLinkParameters(5)
    for bits in DELAYS:
        one, both = rates(p, delay=bits), rates(p, delay=bits, both=True)
        rows += [
            (
                5,
                f"one way, {bits} bits of wire",
                span(one.period),
                f"{max(11, 4.4 + 2 * bits):.2f}",
            ),
            (5, f"both ways, {bits} bits of wire", span(both.period), f"{13.2 + bits:.2f}"),
        ]
    shown = [[cell if cell is not None else "" for cell in row] for row in rows]
    show("Bits per byte and direction", ("N", "case", "measured", "expected"), shown)


def latencies() -> None:
    """Print the longest latencies in bits."""
    rows = []
    for n in CLOCKS:
        late = rates(OsLinkParameters(n, acknowledge="late"))
        early = rates(OsLinkParameters(n))
        s = (10 * n + (n - 1) // 2 + 4) / n
        rows += [
            (n, "a, byte to acknowledge", f"{early.acknowledge.max():.3f}", f"{LATENCY[n]:.3f}"),
            (n, "t, acknowledge to byte", f"{late.resume.max():.3f}", f"{LATENCY[n]:.3f}"),
            (n, "byte relayed, r = 0", f"{relayed(OsLinkParameters(n)):.2f}", f"{s:.2f}"),
        ]
    show("Latencies in bits, at most", ("N", "what", "measured", "expected"), rows)


def offsets() -> None:
    """Print the offsets at which all bytes arrive, and the first at which some do not."""
    rows = []
    for n in CLOCKS:
        tried = np.arange(STEP, 0.0601, STEP)
        limits = []
        for sign in (-1, 1):
            good = passes(OsLinkParameters(n), sign * tried, phases=64)
            limits.append(100 * sign * tried[int((~good).argmax())])
        middle = 10 * n + (n - 1) // 2
        # The stop bit is sampled in its bit, whichever end is slower.
        limit = min(11 * n / (middle + 1), middle / (10 * n)) - 1
        rows.append(
            (
                n,
                *(f"{x:+.2f} %" for x in limits),
                f"{-100 * limit / (1 + limit):+.2f} %, {100 * limit:+.2f} %",
                "+-1 %",
            )
        )
    columns = "N", "first failure", "and above", "computed limits", "expected: must pass"
    show(f"Clock offset between the ends, in steps of {100 * STEP} %", columns, rows)


def main() -> None:
    """Print all tables."""
    periods()
    latencies()
    offsets()


if __name__ == "__main__":
    main()
