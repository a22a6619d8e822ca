"""What each network accepts at offered load 1.0, as a part of its peak.

``python -m benchmarks.beyond_saturation [--json] [--cycles N] [--most N] [NETWORK...]``. In the
model, under uniform traffic with packets of one flit; terminals always read. Networks are those of
networks/ and docs/curves/networks. With --json one object on standard output.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.service import networks
from benchmarks.table import show_rows
from benchmarks.throughput import KEPT, curve
from fingerpost.golden.engine import unfit
from fingerpost.golden.network.network import Network

LOADS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

FOLDERS = Path("networks"), Path("docs/curves/networks")

MOST = 1200
"""Nodes of a network that is measured."""


def row(network: Network, cycles: int) -> dict[str, Any]:
    """Return what a network accepts at its peak and at an offered load of 1.0."""
    return {
        "network": network.name,
        "virtual_channels": network.virtual_channels,
        "bypass_limit": network.bypass_limit,
        **curve(network, LOADS, length=1, cycles=cycles),
    }


def main() -> None:
    """Measure, and print a table or an object."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("networks", nargs="*", help="by default all up to --most")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--cycles", type=int, default=3000)
    parser.add_argument("--most", type=int, default=MOST, help="nodes of a network")
    given = parser.parse_args()
    rows = []
    for network in networks(given.networks, folders=FOLDERS, most=given.most):
        if unfit(network):
            continue
        rows.append(row(network, given.cycles))
        print(f"{network.name}: {rows[-1]['kept']:.3f}", file=sys.stderr, flush=True)
    if given.json:
        print(json.dumps({"rows": rows, "cycles": given.cycles, "asked": KEPT}))
        return
    columns = {
        "network": "{network}",
        "channels": "{virtual_channels}",
        "bypass limit": "{bypass_limit}",
        "peak": "{peak:.3f}",
        "at 1.0": "{at_1:.3f}",
        "kept": "{kept:.3f}",
        "asked": f"{KEPT}",
    }
    title = "Accepted at offered 1.0 as a part of the peak, uniform traffic, packets of one flit"
    show_rows(title, columns, rows)


if __name__ == "__main__":
    main()
