"""What spare virtual channels leave to the least served source, beside what one leaves to it.

``python -m benchmarks.lanes [--json] [--cycles N] [--channels V,V] [--lengths F,F]``. In the model
of a 4 x 4 mesh with dimension order, which needs one virtual channel: the least of what a source
gets as a part of the mean, divided by the same with one channel, at hot spots and under
permutations. Every source always has a packet to send, and all terminals always read. The first
quarter of the cycles is left out. With --json one object on standard output.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.table import arguments, tell
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine import engine
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.traffic import Traffic
from tests.golden.service.endless import endless, hot_spot, permutation

CHANNELS = 2, 3, 4, 8
LENGTHS = 1, 2, 3, 4, 6, 8, 16, 64
SPOTS, SEEDS = (0, 1, 5, 6), range(8)

ASKED = 0.9
"""Patterns below it are counted. Of what the least served source gets with one channel."""


def mesh(virtual_channels: int) -> Network:
    """Return a 4 x 4 mesh with so many virtual channels."""
    return build(
        {
            "name": "mesh-4x4",
            "topology": {"family": "grid", "sizes": [4, 4]},
            "routing": {"algorithm": "dimension-order"},
            "router": {"virtual_channels": virtual_channels},
        }
    )


def patterns(network: Network) -> dict[str, IntArray]:
    """Return the destination of every node, -1 for none, by the name of the pattern."""
    return {
        **{f"hot spot {node}": hot_spot(network, node) for node in SPOTS},
        **{f"permutation {seed}": permutation(network, seed) for seed in SEEDS},
    }


def least(
    network: Network, destinations: list[IntArray], *, length: int, cycles: int
) -> list[float]:
    """Return, by pattern, what the least served source gets as a part of the mean."""
    traffics = [
        Traffic(network, None, 1, pattern=endless(network, goal, length=length, cycles=cycles))
        for goal in destinations
    ]
    model = engine(network, traffics)
    model.run(cycles)
    found = []
    for run, goal in zip(model.runs, destinations, strict=True):
        late = run.traffic.source[run.delivered >= cycles // 4]
        packets = np.bincount(late, minlength=network.topology.nodes)[goal >= 0]
        found.append(float(packets.min() / packets.mean()))
    return found


def rows(channels: Sequence[int], lengths: Sequence[int], cycles: int) -> Iterator[dict[str, Any]]:
    """Yield what each number of channels leaves."""
    one = mesh(1)
    names, destinations = zip(*patterns(one).items(), strict=True)
    for length in lengths:
        expected = least(one, list(destinations), length=length, cycles=cycles)
        for count in channels:
            found = least(mesh(count), list(destinations), length=length, cycles=cycles)
            parts = [a / b if b else 1.0 for a, b in zip(found, expected, strict=True)]
            worst = int(np.argmin(parts))
            yield {
                "virtual_channels": count,
                "length": length,
                "least": parts[worst],
                "at": names[worst],
                "below": sum(part < ASKED for part in parts),
            }


def main() -> None:
    """Measure, and print a table or an object."""
    asked = arguments(__doc__, cycles=40_000, channels=CHANNELS, lengths=LENGTHS)
    title = "The least served source as a part of the mean, relative to one virtual channel"
    found = rows(asked.channels, asked.lengths, asked.cycles)
    tell(asked, title, found, cycles=asked.cycles, asked=ASKED)


if __name__ == "__main__":
    main()
