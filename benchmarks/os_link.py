"""OS-Links in the model against the figures of docs/design/os-link-internals.md.

``python -m benchmarks.os_link [periods|latencies|offsets|margins|networks]...``, by default all.
Ports are measured on their wires, over all relative phases of two clocks; networks at saturation,
beside what their links can carry.
"""

import sys

import numpy as np

from benchmarks.table import run, show
from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.engine import engine
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.network.network import build
from fingerpost.golden.traffic import Traffic
from tests.golden.link.test_rates import hears, ignores, passes, rates, relayed

CLOCKS = 4, 5, 8, 16
LATENCY = {4: 2.25, 5: 2.2, 8: 1.875, 16: 1.6875}
LATE = {5: "13.4", 8: "12.75", 16: "12.4"}
BOTH = {4: "13.0-13.25", 5: "13.0-13.2", 8: "13.0", 16: "13.0"}
DELAYS = 0.4, 1.0, 1.75, 3.3, 4.0, 8.0
STEP = 0.0025
"""Of the search for the first clock offset that fails."""

OFFSETS = 0.0, 0.01, -0.01, 0.02, -0.02
FINE = 0.01
"""Step of the search for what a port stands of a wire, in bits."""

CYCLES = 40_000
"""Of the model of a network; the first quarter is a warm-up."""

BOREL = {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)}

CASES = (
    ("two-phase", 4, 1),
    ("two-phase", 4, 4),
    ("two-phase", 8, 4),
    ("vertex-transitive", 4, 1),
    ("vertex-transitive", 4, 4),
    ("vertex-transitive", 8, 4),
    ("adaptive", 4, 4),
    ("adaptive", 8, 4),
)
"""Routing, depth of the buffers, flits of a packet."""


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


def most(good: BoolArray) -> str:
    """Return the last of the values 0, FINE ... before the first at which something goes wrong."""
    first = int((~good).argmax())
    return f"{(first - 1) * FINE:.2f}" if first else "none"


def margins() -> None:
    """Print what a port stands of a wire at every phase of the clocks."""
    grid = FINE * np.arange(100)
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


def networks() -> None:
    """Print what networks accept of more than they take, in flits per 1,000 bit times."""
    rows = []
    for algorithm, depth, length in CASES:
        network = build(
            {
                "name": "borel-21",
                "topology": BOREL,
                "routing": {"algorithm": algorithm},
                "router": {"buffer_depth": depth},
                "link": {"kind": "os-link"},
            }
        )
        thousand = 1000 * network.link.unit
        flits = thousand * network.link.rate(network.flit_width)
        limit = loads(network.routing).link_saturation * flits
        offered = 1.5 * limit / thousand
        traffic = Traffic(network, offered, CYCLES, lengths=(length, length))
        model, warm = engine(network, [traffic]), CYCLES // 4
        model.run(warm)
        before = model.runs[0].received.mean()
        model.run(CYCLES - warm)
        accepted = (model.runs[0].received.mean() - before) / (CYCLES - warm) * thousand
        rows.append(
            (
                algorithm,
                depth,
                length,
                f"{accepted:.2f}",
                f"{limit:.2f}",
                f"{accepted / limit:.0%}",
                f"{flits:.2f}",
            )
        )
        print(*rows[-1], file=sys.stderr)
    columns = "routing", "depth", "flits", "accepted", "limit", "share", "a link carries"
    show("borel-21 across OS-Links at saturation, in the model", columns, rows)


if __name__ == "__main__":
    run(periods, latencies, offsets, margins, networks)
