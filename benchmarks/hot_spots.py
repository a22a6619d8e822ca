"""What the terminal link of a hot spot carries: all other terminals always send to one.

``python -m benchmarks.hot_spots [--json] [--cycles N] [--service SERVICE] [NETWORK...]``. In the
model, in flits per cycle, of which the link carries at most 1; the least of up to four hot spots,
far apart, for packets of several lengths. Networks of networks/ with up to 120 nodes. With --json
one object on standard output.
"""

from typing import Any

import numpy as np

from benchmarks.service import networks
from benchmarks.table import arguments, tell
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
    asked = arguments(__doc__, "networks", cycles=20_000, service="bounded")
    every = networks(asked.networks, service=asked.service)
    given = (x for x in every if not unfit(x))  # plain Python would take hours
    title = f"What the link of a hot spot carries, by packets of {LENGTHS} flits"
    rows = (row(network, asked.cycles) for network in given)
    tell(asked, title, rows, cycles=asked.cycles, service=asked.service)


if __name__ == "__main__":
    main()
