"""What networks accept as offered load rises, and what they sustain.

``python -m benchmarks.throughput [--json] [--quick] [--cycles N] [NETWORK...]``. In the model,
under uniform traffic, in flits per terminal and cycle; terminals always read. With --json one
object on standard output.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.table import arguments, tell
from fingerpost.golden.network.network import Network, build
from fingerpost.netfile.source import read
from tests.golden.service.endless import accepted, came_out

NETWORKS = Path("networks")

LOADS = {
    "borel-21": (*(step / 20 for step in range(1, 21)),),
    "borel-1081": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0),
}
"""Offered loads, by the size of the network."""

QUICK = (0.2, 0.4, 0.6, 1.0)

CASES: tuple[tuple[str, str], ...] = (
    ("borel-21", ""),
    ("borel-21", "-shortest"),
    ("borel-1081", ""),
    ("borel-1081", "-shortest"),
)

CHANNELS: tuple[str | int, ...] = ("fewest", 8)
"""Of the networks of 1,081 nodes; that of the others is what their files say, too."""

LENGTHS = 1, 4

TARGETS: Mapping[tuple[str, str | int, int], float] = {
    ("borel-21", "file", 1): 0.68,
    ("borel-21-shortest", "file", 1): 0.82,
    ("borel-1081", "fewest", 1): 0.26,
    ("borel-1081", 8, 1): 0.34,
    ("borel-1081-shortest", "fewest", 1): 0.42,
    ("borel-1081-shortest", 8, 1): 0.52,
    ("borel-1081", 8, 4): 0.24,
    ("borel-1081-shortest", 8, 4): 0.38,
}
"""What is to be accepted at offered 1.0: network, virtual channels, flits of a packet."""

KEPT = 0.95
"""Of the peak, what is to be accepted at offered 1.0."""

WINDOW = 2000
"""Cycles over which a sustained load is averaged."""


def network(name: str, channels: str | int) -> Network:
    """Return the network of a file, with as many channels as asked: file, fewest or a number."""
    description = read(NETWORKS / f"{name}.yaml").description
    if channels == "file":
        return build(description)
    router = description.get("router") or {}
    if channels == "fewest":
        channels = build(description).channels.needed
    return build(description | {"router": router | {"virtual_channels": channels}})


def curve(given: Network, loads: tuple[float, ...], *, length: int, cycles: int) -> dict[str, Any]:
    """Return what is accepted at some loads, its peak, and what is kept of that at load 1.0."""
    found = {load: accepted(given, load=load, length=length, cycles=cycles) for load in loads}
    peak = max(found.values())
    return {
        "accepted": [{"offered": load, "accepted": value} for load, value in found.items()],
        "peak": peak,
        "at_1": found[1.0],
        "kept": found[1.0] / peak,
    }


def curves(
    name: str, channels: str | int, *, loads: tuple[float, ...], cycles: int, long: int
) -> Iterator[dict[str, Any]]:
    """Yield what is accepted, for packets of each length."""
    given = network(name, channels)
    for length in LENGTHS:
        windows = max(2, long // WINDOW)
        flits = came_out(given, 1.0, length, windows * WINDOW).reshape(windows, WINDOW)
        held = (flits.mean(axis=1) / len(given.topology.terminals)).tolist()
        yield {
            "network": name,
            "channels": channels,
            "virtual_channels": given.virtual_channels,
            "buffer_depth": given.buffer_depth,
            "length": length,
            **curve(given, loads, length=length, cycles=cycles),
            "kept_asked": KEPT,
            "sustained": min(held[1:]),  # the network fills in the first
            "sustained_cycles": long,
            "windows": held,
            "asked": TARGETS.get((name, channels, length)),
        }


def main() -> None:
    """Measure, and print a table or an object."""
    asked = arguments(__doc__, "networks", quick=False, cycles=20_000)
    cycles, long = (1000, 4000) if asked.quick else (3000, asked.cycles)
    rows = (
        row
        for size, kind in CASES
        if not asked.networks or size + kind in asked.networks
        for channels in (("file",) if size == "borel-21" else CHANNELS)
        for row in curves(
            size + kind,
            channels,
            loads=QUICK if asked.quick else LOADS[size],
            cycles=cycles,
            long=long,
        )
    )
    title = "Accepted load in the model, flits per terminal and cycle"
    tell(asked, title, rows)


if __name__ == "__main__":
    main()
