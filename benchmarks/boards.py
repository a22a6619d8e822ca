"""Networks of about 1,000 nodes on eight boards, with streams between these.

``python -m benchmarks.boards [--json] [--cycles N]``. In the model, under uniform traffic with
packets of one flit. Latency is the mean of the packets of the second half of the cycles at a load
of 0.01; saturation is what is accepted in that half, at one and a half times the load that the
busiest link can carry. Rows are kept in build/boards: an interrupted run resumes.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import fingerpost
from benchmarks.table import arguments, tell
from benchmarks.wires import BOREL, GRID, ORDER
from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.engine import engine
from fingerpost.golden.network.network import Network
from fingerpost.golden.traffic import Traffic

FOLDER = Path("build/boards")

BOARDS = 8
STREAM = {"kind": "stream", "between": "boards", "width": 64, "cycles": 40}

NETWORKS: Mapping[str, Mapping[str, Any]] = {
    "borel-1081": {"topology": BOREL, "routing": "vertex-transitive"},
    "torus-32x32": {"topology": GRID | {"wrap": True}, "routing": "dimension-order"},
}
LINKS: Mapping[str, Mapping[str, Any]] = {
    "wires": {},
    "streams between 8 boards": {"link": STREAM, "boards": BOARDS},
}


def build(name: str, links: str) -> Network:
    """Return a network with links of a kind."""
    router = {"buffer_depth": 8}
    if NETWORKS[name]["topology"] is BOREL:
        router["channel_order"] = fingerpost.load(ORDER).description["router"]["channel_order"]
    made = fingerpost.network(**NETWORKS[name], **LINKS[links], router=router, name=name)
    assert isinstance(made, Network)
    return made


def row(name: str, links: str, cycles: int) -> dict[str, Any]:
    """Return what a network does."""
    network = build(name, links)
    half, terminals = cycles // 2, len(network.topology.terminals)
    quiet = Traffic(network, 0.01, cycles, seed=0)
    model = engine(network, [quiet])
    model.run(cycles)
    came = model.runs[0].delivered
    measured = (quiet.time >= half) & (quiet.time < cycles - 500) & (came >= 0)
    full = Traffic(network, min(1.0, 1.5 * loads(network.routing).link_saturation), cycles, seed=0)
    model = engine(network, [full])
    model.run(half)
    before = int(model.arrays.flits.sum())
    model.run(cycles - half)
    accepted = (int(model.arrays.flits.sum()) - before) / (cycles - half)
    between = 0 if network.streams is None else int(network.streams.sum()) // 2
    return {
        "network": name,
        "links": links,
        "between": between,
        "latency": float(np.mean((came - quiet.time)[measured])),
        "saturation": accepted / terminals,
        "each": accepted / between if between else None,
    }


def kept(cycles: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of all networks; those that are kept are not measured again."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, links in product(NETWORKS, LINKS):
        path = FOLDER / f"{name}-{links.split()[0]}-{cycles}.json"
        if not path.exists():
            path.write_text(json.dumps(row(name, links, cycles)))
        yield json.loads(path.read_text())


def main() -> None:
    """Measure, and print a table or an object."""
    asked = arguments(__doc__, cycles=4000)
    tell(asked, "On boards", list(kept(asked.cycles)), cycles=asked.cycles)


if __name__ == "__main__":
    main()
