"""What each network accepts at offered load 1.0, as a part of its peak.

``python -m benchmarks.beyond_saturation [--json] [--cycles N] [--most N] [--service SERVICE]
[NETWORK...]``. In the model, under uniform traffic with packets of one flit; terminals always read.
Networks are those of networks/ and docs/curves/networks with up to --most nodes. With --json one
object on standard output.
"""

from pathlib import Path
from typing import Any

from benchmarks.service import networks
from benchmarks.table import arguments, tell
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
    asked = arguments(__doc__, "networks", cycles=3000, most=MOST, service="bounded")
    given = networks(asked.networks, folders=FOLDERS, most=asked.most, service=asked.service)
    rows = (row(network, asked.cycles) for network in given if not unfit(network))
    title = "Accepted at offered 1.0 as a part of the peak, uniform traffic, packets of one flit"
    tell(asked, title, rows, cycles=asked.cycles, asked=KEPT, service=asked.service)


if __name__ == "__main__":
    main()
