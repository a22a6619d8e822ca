"""The model beside BookSim 2: simulates what a data file of BookSim's figures says, shows both.

``python -m benchmarks.booksim docs/validation/booksim-2026-11-28.json [-o FILE.svg] [NETWORK...]``.
Runs are as long as BookSim's, with its traffic: uniform, to the source itself too. Each network is
simulated twice: with the settings of its file, and with those that the data file calls equal.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from matplotlib.figure import Figure

from benchmarks.table import show
from fingerpost.drawing import picture
from fingerpost.drawing.charts import DASHES, plain, style
from fingerpost.drawing.picture import INK
from fingerpost.golden.measure import simulate
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.routing.balance import PortArray, nearer
from fingerpost.golden.routing.base import Straps
from fingerpost.golden.routing.table import Table
from fingerpost.golden.topology.base import Topology, distances
from fingerpost.jobs.console import shown
from fingerpost.netfile.source import load_any

Row = dict[str, Any]
"""Plain data."""

TITLE = "BookSim 2 and fingerpost: uniform traffic, packets of 1 flit"

NAMES = "BookSim 2", "fingerpost"

TERMINAL_LINKS = 2
"""Cycles that BookSim's latency has in addition: the links from and to a terminal."""

SERIES = (
    "BookSim 2, less 2 cycles",
    "fingerpost, equal settings",
    "fingerpost, as in the file",
)


def lowest(topology: Topology) -> PortArray:
    """Return the next hops of BookSim's `min` for arbitrary networks; as `Table.next_hop`.

    From each node a tree of shortest paths, in which the parent of a node is the neighbour of the
    lowest number.
    """
    neighbour, nodes = topology.neighbour, topology.nodes
    hops = np.empty((nodes, nodes), np.int8)
    for node in range(nodes):
        distance = distances(neighbour, node)
        parent = np.where(nearer(neighbour, distance), neighbour, nodes).min(axis=1)
        parent[node] = node
        first = np.arange(nodes)
        while (far := parent[first] != node).any():
            first[far] = parent[first[far]]
        hops[:, node] = (neighbour[node] == first[:, None]).argmax(axis=1)
        hops[node, node] = topology.local
    return hops


class Lowest(Table):
    """Routing by BookSim's tables."""

    algorithm = "booksim-min"

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology, choice="first")
        self.next_hop = lowest(topology)
        self.straps = Straps(self._ports("hop", self.next_hop))


def stable(point: Row, terminals: int, cycles: int) -> bool:
    """Return whether a load is accepted: it lacks no more than three standard errors of arrivals.

    Bernoulli arrivals, packets of one flit.
    """
    load: float = point["load"]
    missing: float = load - point["accepted"]
    return missing <= 3 * sqrt(load * (1 - load) / (terminals * cycles))


def simulated(
    network: Network, loads: Iterable[float], *, warm_up: int, cycles: int, flits: int = 1
) -> Iterator[Row]:
    """Yield what the model says of each load."""
    terminals = network.topology.terminals.tolist()
    anywhere = f"hotspot:nodes={';'.join(map(str, terminals))}"  # the source too
    for load in loads:
        found = simulate(
            network,
            load=load,
            pattern=anywhere,
            packet_length=flits,
            warm_up=warm_up,
            cycles=cycles,
            precision=0,
        )
        latency = found.latencies.mean
        yield {"load": load, "accepted": found.accepted.mean, "latency": latency}


def curve(points: Iterable[Row], terminals: int, cycles: int) -> Row:
    """Return the points up to the first that is not stable, with what they say together."""
    kept: list[Row] = []
    unstable = None
    for point in points:
        if not stable(point, terminals, cycles):
            unstable = point["load"]
            break
        kept.append(point)
    return {
        "zero_load": kept[0]["latency"] if kept else None,
        "stable": kept[-1]["load"] if kept else None,
        "unstable": unstable,
        "points": kept,
    }


def phases(case: Mapping[str, Any], cycles: int | None) -> dict[str, int]:
    """Return the cycles of BookSim's runs, or in proportion to others."""
    if cycles:
        return {"warm_up": cycles // 4, "cycles": cycles}
    return {"warm_up": case["warm_up"], "cycles": case["cycles"]}


def descriptions(case: Mapping[str, Any], folder: Path) -> tuple[Row, Row]:
    """Return the network of a case, and the same with equal settings."""
    given = dict(load_any((folder / case["network"]).resolve()).description)
    router = (given.get("router") or {}) | case["equal"].get("router", {})
    return given, given | case["equal"] | {"router": router}


def compare(case: Mapping[str, Any], folder: Path, cycles: int | None = None) -> list[Row]:
    """Return BookSim's curve of a case of the data file, and our two."""
    given, equal = descriptions(case, folder)
    length = phases(case, cycles)
    theirs = [point | {"latency": point["latency"] - TERMINAL_LINKS} for point in case["points"]]
    curves = [curve(theirs, case["terminals"], case["cycles"])]
    curves[0]["accepted_at_1"] = case["accepted_at_1"]
    for network in build(equal), build(given):
        (full,) = simulated(network, [1.0], **length)
        points = simulated(network, case["loads"], **length)
        found = curve(points, case["terminals"], length["cycles"])
        curves.append(found | {"accepted_at_1": full["accepted"]})
    return [
        {"network": given["name"], "series": series, **found}
        for series, found in zip(SERIES, curves, strict=True)
    ]


def changes(case: Mapping[str, Any], folder: Path, cycles: int | None = None) -> Iterator[Row]:
    """Yield what is accepted at an offered load of 1 if one of the equal settings is another."""
    given, equal = descriptions(case, folder)
    for change in case["changes"]:
        row = {"network": given["name"], "change": change["change"], "fingerpost": None}
        if "router" in change:
            network = build(equal | {"router": equal["router"] | change["router"]})
            length = phases(change, cycles)
            (full,) = simulated(network, [1.0], **length, flits=change["packet_size"])
            row["fingerpost"] = full["accepted"]
        yield row | {"booksim": change["accepted_at_1"]}


def figure(rows: Sequence[Row]) -> Figure:
    """Return a panel for each network: latency by load, as far as loads are stable."""
    names = list(dict.fromkeys(row["network"] for row in rows))
    down = -(-len(names) // 2)
    made = Figure(figsize=(7.6, 3.2 * down + 0.6), layout="constrained")
    looks = {
        series: style(number) | {"linestyle": DASHES[number], "label": series}
        for number, series in enumerate(SERIES)
    }
    for place, name in enumerate(names, start=1):
        panel = made.add_subplot(down, 2, place)
        highest = 0.0
        for row in (row for row in rows if row["network"] == name):
            loads, latencies = ([p[key] for p in row["points"]] for key in ("load", "latency"))
            panel.plot(loads, latencies, **looks[row["series"]])
            highest = max(highest, row["zero_load"] or 0)
        panel.set_title(name, color=INK, fontsize=10)
        panel.set(xlabel="offered [flits/terminal/cycle]", ylabel="mean latency [cycles]")
        panel.set(xlim=(0, None), ylim=(0, 3 * highest or None))
        plain(panel)
    handles, labels = made.axes[0].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return made


def spoken(rows: Sequence[Row]) -> str:
    """Return what the picture shows in words."""
    ends: dict[str, list[str]] = {}
    for row in rows:
        ends.setdefault(row["network"], []).append(str(row["stable"]))
    said = "; ".join(f"{name} {', '.join(loads)}" for name, loads in ends.items())
    return f"{TITLE}: latency by load. Stable up to, by {'; '.join(SERIES)}: {said}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="BookSim's figures")
    parser.add_argument("networks", nargs="*", help="their names; by default all of the data")
    parser.add_argument("-o", "--output", type=Path, help="draw the curves, SVG or PNG")
    parser.add_argument("--cycles", type=int, help="fewer than BookSim's runs have")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    cases = [
        case
        for case in json.loads(given.data.read_text())["networks"]
        if not given.networks or Path(case["network"]).stem in given.networks
    ]
    options = given.data.parent, given.cycles
    with patch.dict(ALGORITHMS, {Lowest.algorithm: Lowest}):
        rows = [row for case in cases for row in compare(case, *options)]
        changed = [row for case in cases for row in changes(case, *options)]
    if given.output:
        picture.draw(given.output, lambda: figure(rows), spoken(rows))
    if given.json:
        print(json.dumps({"curves": rows, "changes": changed}))
        return
    digits = {"zero_load": 2, "stable": 2, "unstable": 2, "accepted_at_1": 3}
    heads = "network", "simulator", "zero load", "stable", "not stable", "accepted at 1.0"
    cells = [
        [row["network"], row["series"], *(shown(row[key], n) for key, n in digits.items())]
        for row in rows
    ]
    show(TITLE, heads, cells)
    cells = [
        [row["network"], row["change"], shown(row["booksim"], 3), shown(row["fingerpost"], 3)]
        for row in changed
    ]
    show("Accepted at 1.0 if one setting is another", ("network", "change", *NAMES), cells)


if __name__ == "__main__":
    main()
