"""What networks accept as offered load rises, what they sustain, and what one router passes.

``python -m benchmarks.throughput [--json] [--quick] [--cycles N] [NETWORK...]``. In the model,
under uniform traffic, in flits per terminal and cycle; terminals always read. With --json one
object on standard output.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.table import arguments, tell
from fingerpost.golden.network.network import Network, build
from fingerpost.netfile.source import read
from tests.golden.service.endless import accepted, sustained
from tests.golden.service.isolated import alone

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

ALONE = 0.64
"""What one router of 5 ports and 2 channels is to pass, flits per port and cycle."""


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
        held = sustained(given, load=1.0, length=length, cycles=long)
        yield {
            "network": name,
            "channels": channels,
            "virtual_channels": given.virtual_channels,
            "buffer_depth": given.buffer_depth,
            "length": length,
            **curve(given, loads, length=length, cycles=cycles),
            "kept_asked": KEPT,
            "sustained": held.least,
            "sustained_cycles": long,
            "windows": held.windows,
            "asked": TARGETS.get((name, channels, length)),
        }


def routers(cycles: int) -> list[dict[str, Any]]:
    """Return what single routers pass.

    The routes of borel-1081 take all turns but back to where a packet came from; a router by
    itself needs no proof, so it can have fewer channels here.
    """
    large = network("borel-1081", "file")
    tried: list[tuple[str, Network, float | None]] = [
        ("all turns, 1 channel", replace(large, virtual_channels=1), None),
        ("all turns, 2 channels", replace(large, virtual_channels=2), ALONE),
        ("borel-1081", large, None),
        ("borel-21", network("borel-21", "file"), None),
        ("borel-21-shortest", network("borel-21-shortest", "file"), None),
    ]
    return [
        {
            "router": name,
            "virtual_channels": given.virtual_channels,
            "buffer_depth": given.buffer_depth,
            "flits_per_port": alone(given, cycles=cycles),
            "asked": asked,
        }
        for name, given, asked in tried
    ]


def main() -> None:
    """Measure, and print two tables or an object."""
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
    single = routers(1000 if asked.quick else 4000)
    title = "Accepted load in the model, flits per terminal and cycle"
    tell(asked, title, rows, routers=single)
    if not asked.json:
        tell(asked, "One router, packets of 1 to 4 flits, all channels always busy", single)


if __name__ == "__main__":
    main()
