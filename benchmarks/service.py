"""Service of every source: hot spots and permutations on every network of up to 120 nodes.

``python -m benchmarks.service [--json] [--quick] [--rtl] [--cycles N] [--service SERVICE]
[NETWORK...]``. All networks have SERVICE as `router.service`. In the model, all terminals always
have a packet to send and always read. What a source gets is a part of what locally fair merging
gives (tests.golden.service.endless): the product of 1 / contenders along its own route, and the
least such product behind which its packets can come to wait. With --rtl the Verilog does the same
in Verilator, and every link and terminal is compared in every cycle: what the model gave, the
hardware gave. With --json one object on standard output.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.table import arguments, tell
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import Network, topology
from fingerpost.netfile.source import read
from fingerpost.testbench.benches import make
from fingerpost.testbench.cosim import run
from tests.golden.service.endless import endless, hot_spot, judge, permutation

NETWORKS = Path("networks")

MOST = 120
"""Nodes of a network that is tried."""

LENGTHS = 1, 4, 64

LEAST = 0.5
"""Of what fair merging gives, what every source is to get."""

SPOTS, MIXES = 2, 3
"""Hot spots and permutations."""

QUICK = "borel-21", "petersen"

HARDWARE = "borel-21", "borel-21-shortest", "petersen", "rotator-4", "scc-4"
"""Those of which the Verilog is run, too."""


def networks(
    names: list[str],
    *,
    folders: Iterable[Path] = (NETWORKS,),
    most: int = MOST,
    service: str = "bounded",
) -> Iterator[Network]:
    """Yield those of wormhole routers that are named, or all, of some folders, if small enough."""
    for path in sorted(path for folder in folders for path in folder.glob("*.yaml")):
        if names and path.stem not in names:
            continue
        source = read(path)
        description = source.description
        wormhole = description.get("router", {}).get("kind", "wormhole") == "wormhole"
        if wormhole and topology(description).nodes <= most:
            yield source.with_router(service=service).network()


def patterns(network: Network, spots: int, mixes: int) -> Iterator[tuple[str, IntArray]]:
    """Yield the destinations of hot spots, far apart, and of random permutations."""
    terminals = network.topology.terminals
    for node in terminals[:: -(-len(terminals) // spots)].tolist():
        yield f"all to {node}", hot_spot(network, node)
    for seed in range(mixes):
        yield f"permutation {seed}", permutation(network, seed)


def in_hardware(network: Network, destination: IntArray, length: int, cycles: int) -> str:
    """Return the first difference between the Verilog and what the model gave, or nothing."""
    traffic = endless(network, destination, length=length, cycles=cycles)
    bench = make(
        network, "network", engine="compiled", cycles=cycles, load=None, traffic=traffic, stall=0.0
    )
    return run(bench, simulator="verilator", directory=Path("sim_build")).message


def judged(
    names: list[str], spots: int, mixes: int, cycles: int, *, service: str, rtl: bool
) -> Iterator[dict[str, Any]]:
    """Yield what sources get, of each network, pattern and length of packets."""
    for network in networks(names, service=service):
        for (pattern, destination), length in product(patterns(network, spots, mixes), LENGTHS):
            try:
                found = asdict(judge(network, destination, length=length, cycles=cycles))
            except ValueError as error:  # too few cycles
                print(f"{network.name}, {pattern}, {length} flits: {error}", file=sys.stderr)
                continue
            if rtl:
                found["difference"] = in_hardware(network, destination, length, cycles)
            about = {"network": network.name, "pattern": pattern, "length": length}
            yield about | {"cycles": cycles} | found


def main() -> None:
    """Try everything, and print a table or an object."""
    asked = arguments(
        __doc__, "networks", quick=False, rtl=False, cycles=200_000, service="bounded"
    )
    cycles = 3000 if asked.quick else asked.cycles
    names = asked.networks or list(QUICK if asked.quick else HARDWARE if asked.rtl else ())
    spots, mixes = (1, 1) if asked.quick else (SPOTS, MIXES)
    title = f"What sources get of what fair merging gives, the least, {cycles:,} cycles"
    rows = judged(names, spots, mixes, cycles, service=asked.service, rtl=asked.rtl)
    tell(asked, title, rows, asked=LEAST, service=asked.service)


if __name__ == "__main__":
    main()
