"""Networks across OS-Links: throughput at saturation beside what their links can carry.

``python -m benchmarks.os_link_network [CYCLES]``. Loads are in flits per terminal and 1,000 bit
times.
"""

import sys

from benchmarks.table import show
from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.model import Model, Terminals, Traffic, cycle
from fingerpost.golden.network.network import build

CYCLES = 40_000

BOREL = {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)}

CASES = (
    ("two-phase", 4, 1), ("two-phase", 4, 4), ("two-phase", 8, 4),
    ("vertex-transitive", 4, 1), ("vertex-transitive", 4, 4), ("vertex-transitive", 8, 4),
    ("adaptive", 4, 4), ("adaptive", 8, 4),
)  # fmt: skip
"""Routing, depth of the buffers, flits of a packet."""


def main() -> None:
    """Offer more than the network takes, and count after a warm-up what comes out."""
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else CYCLES
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
        traffic = Traffic(network, offered, cycles, lengths=(length, length))
        terminals, model = Terminals(traffic), Model(network)
        warm = cycles // 4
        before = 0
        for now in range(cycles):
            if now == warm:
                before = terminals.received_flits
            cycle(model, terminals, now)
        accepted = (terminals.received_flits - before) / (cycles - warm) / model.nodes * thousand
        rows.append(
            (
                algorithm, depth, length, f"{accepted:.2f}", f"{limit:.2f}",
                f"{accepted / limit:.0%}", f"{flits:.2f}",
            )
        )  # fmt: skip
        print(*rows[-1], file=sys.stderr)
    columns = "routing", "depth", "flits", "accepted", "limit", "share", "a link carries"
    show("borel-21 across OS-Links at saturation, in the model", columns, rows)


if __name__ == "__main__":
    main()
