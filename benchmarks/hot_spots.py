"""What the terminal link of a hot spot carries: all other terminals always send to one.

``python -m benchmarks.hot_spots [--json] [--cycles N] [NETWORK...]``. In the model, in flits per
cycle, of which the link carries at most 1; the least of up to four hot spots, far apart, for
packets of several lengths. Networks of networks/ with up to 120 nodes. With --json one object on
standard output.
"""

import argparse
import json
import sys
from typing import Any

import numpy as np

from benchmarks.service import networks
from benchmarks.table import show
from fingerpost.golden.engine import engine, unfit
from fingerpost.golden.network.network import Network
from fingerpost.golden.traffic import Traffic
from tests.golden.service.endless import endless, hot_spot

LENGTHS = 1, 2, 3, 4, 8, 64

SPOTS = 4


def at_hot_spot(network: Network, node: int, *, length: int, cycles: int) -> float:
    """Return the flits per cycle that a terminal receives if all others always send to it.

    Its link carries at most 1. The first quarter of `cycles` is left out: the network fills.

    Raises
    ------
    ValueError
        If fewer than two packets came out after that.
    """
    pattern = endless(network, hot_spot(network, node), length=length, cycles=cycles)
    model = engine(network, [Traffic(network, None, 1, pattern=pattern)])
    model.run(cycles)
    times = np.sort(model.runs[0].delivered)
    times = times[times >= cycles // 4]
    if len(times) < 2:
        raise ValueError(f"Hot spot needs more cycles than {cycles} for packets of {length} flits")
    return length * (len(times) - 1) / int(times[-1] - times[0])


def row(network: Network, cycles: int) -> dict[str, Any]:
    """Return the least load that a hot spot of a network accepts, by the length of packets."""
    terminals = network.topology.terminals
    spots = terminals[:: -(-len(terminals) // SPOTS)].tolist()
    least = {
        length: min(at_hot_spot(network, spot, length=length, cycles=cycles) for spot in spots)
        for length in LENGTHS
    }
    return {
        "network": network.name,
        "virtual_channels": network.virtual_channels,
        "buffer_depth": network.buffer_depth,
        "hot_spots": spots,
        "accepted": [{"length": length, "flits": value} for length, value in least.items()],
    }


def main() -> None:
    """Measure, and print a table or an object."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("networks", nargs="*", help="of networks/, by default all up to 120 nodes")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--cycles", type=int, default=20_000)
    given = parser.parse_args()
    rows = []
    for network in networks(given.networks):
        if unfit(network):  # plain Python would take hours
            continue
        rows.append(row(network, given.cycles))
        print(f"{network.name} is done", file=sys.stderr)
    if given.json:
        print(json.dumps({"rows": rows, "cycles": given.cycles}))
        return
    show(
        f"What the link of a hot spot carries, flits per cycle, {given.cycles:,} cycles",
        ("network", "channels", "depth", *(f"{length} flits" for length in LENGTHS)),
        (
            (
                row["network"],
                row["virtual_channels"],
                row["buffer_depth"],
                *(f"{each['flits']:.3f}" for each in row["accepted"]),
            )
            for row in rows
        ),
    )


if __name__ == "__main__":
    main()
