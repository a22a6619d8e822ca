"""What networks are: facts, drawings, loads of links, and why there is no deadlock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from fingerpost.drawing import draw as drawing
from fingerpost.drawing.charts import load_histogram, plain, style
from fingerpost.drawing.form import Points
from fingerpost.golden.deadlock.channels import Cycle
from fingerpost.golden.network.network import Network, Routed
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.base import distances
from fingerpost.report.page import Cell, Pictures, pairs, section, side_by_side
from fingerpost.report.routes import strokes

FEW = 8
"""Names or numbers that are listed, of perhaps hundreds."""


@dataclass(frozen=True)
class Subject:
    """A network of the page."""

    network: Routed
    info: dict[str, Any]
    loads: dict[str, Any]
    """The answers of these commands; without routes there are no loads."""
    load: Points | None
    """Shape (nodes, degree). What each link carries."""
    proof: dict[str, Any]
    """The answer of `prove`; nothing if there are too many routes for a proof."""
    cycle: Cycle
    """What could wait for itself with one virtual channel fewer."""
    routes: dict[str, Any]
    """As `fingerpost.report.routes.packed` returns them."""
    shares: list[float]
    """Of nodes by their distance."""

    @property
    def name(self) -> str:
        """Return the name of the network."""
        return self.network.name


def shares(topology: Topology) -> list[float]:
    """Return the share of the other nodes at a distance of 1, 2, ... hops, over all nodes.

    Examples
    --------
    >>> from fingerpost.golden.topology import DoubleLoop
    >>> shares(DoubleLoop(nodes=8, a=1, b=7))  # a ring
    [0.2857142857142857, 0.2857142857142857, 0.2857142857142857, 0.14285714285714285]
    """
    present = np.setdiff1d(np.arange(topology.nodes), topology.lost)
    first, size = np.unique(topology.orbit[present], return_index=True, return_counts=True)[1:]
    if topology.vertex_transitive:
        first, size = first[:1], size[:1]
    found = np.zeros(topology.nodes)
    for source, weight in zip(present[first].tolist(), size.tolist(), strict=True):
        count = np.bincount(distances(topology.neighbour, source)[present])
        found[: len(count)] += weight * count
    found = np.trim_zeros(found[1:], "b")
    return [float(share) for share in found / found.sum()]


def identity(
    subjects: Sequence[Subject], pictures: Pictures
) -> tuple[Markup, dict[str, dict[str, Any]]]:
    """Return the section, and for the drawing of each network where its links are."""
    told = [_facts(subject.info) for subject in subjects]
    if not any("faults" in subject.info for subject in subjects):
        for each in told:
            del each["failed"]
    figure = _distances({subject.name: subject.shares for subject in subjects})
    said = "; ".join(
        f"{subject.name}: "
        + ", ".join(f"{share:.1%} at {hops}" for hops, share in enumerate(subject.shares, start=1))
        for subject in subjects
    )
    far = pictures.inline(figure, f"Distances: {said}", "Distances from a node to all others")
    drawings, places = [], {}
    for subject in subjects:
        figure = drawing.figure(subject.network)
        label = f"Drawing of {subject.name}, {subject.info['nodes']} nodes"
        drawings.append(pictures.inline(figure, label, subject.name))
        where = strokes(subject.network.topology, figure)
        if where is not None:
            places[subject.name] = {"picture": drawings[-1].name, **where}
    facts = side_by_side("Facts", [subject.name for subject in subjects], told)
    return section("identity", facts=facts, distances=far, drawings=drawings), places


def _distances(named: Mapping[str, Sequence[float]]) -> Figure:
    """Return the shares as bars, or of several networks as lines: their bars would be thin."""
    made = Figure(figsize=(7, 4), layout="constrained")
    axes = made.subplots()
    for number, (name, some) in enumerate(named.items()):
        hops, look = np.arange(1, len(some) + 1), style(number)
        if len(named) == 1:
            axes.bar(hops, some, 0.8, color=look["color"])
        else:
            axes.plot(hops, some, label=name, **look)
    axes.set(xlabel="distance [hops]", ylabel="fraction of all other nodes", ylim=(0, None))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    plain(axes, grid="y")
    if len(named) > 1:
        made.legend(loc="outside lower center", ncols=2, frameon=False)
    return made


def _facts(info: Mapping[str, Any]) -> dict[str, Cell]:
    constants = [
        f"{key} {told}" for key, value in info["constants"].items() if (told := _short(value))
    ]
    return {
        "family": ", ".join([info["family"], *constants]),
        "nodes": f"{info['nodes']:,}",
        "terminals": f"{info['terminals']:,}",
        "links, each direction counted": f"{info['links']:,}",
        "degree": f"{info['degree']}, ports {_few(info['port_names'])}",
        "direction of links": "unidirectional" if info["directed"] else "bidirectional",
        "diameter [hops]": info["diameter"],
        "mean distance [hops]": f"{info['mean_distance']:.4f}",
        "among terminals [hops]": f"mean {info['terminal_mean_distance']:.4f}, "
        f"maximum {info['terminal_diameter']}",
        "routing": info["algorithm"],
        "header [bits]": info["header"]["width"],
        "failed": _failed(info),
    }


def _short(constant: object) -> str:
    """Return a number, a word, or a few numbers; nothing for whole tables."""
    if isinstance(constant, int | float | str):
        return str(constant)
    if isinstance(constant, list | tuple) and len(constant) <= FEW:
        return " x ".join(map(str, constant)) if all(type(x) is int for x in constant) else ""
    return ""


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:FEW]) + (" ..." if len(names) > FEW else "")


def _failed(info: Mapping[str, Any]) -> str:
    if "faults" not in info:
        return "nothing"
    faults = info["faults"]
    return f"{len(faults['links'])} links, {len(faults['nodes'])} nodes"


def chooser(subjects: Sequence[Subject]) -> Markup:
    """Return the section in which a reader chooses a route."""
    without = [subject for subject in subjects if subject.routes["way"] == "none"]
    names = [subject.name for subject in subjects if subject.routes["way"] != "none"]
    return section("routes", names=names, without=without)


def loads(subjects: Sequence[Subject], pictures: Pictures) -> Markup:
    """Return the section of channel loads and throughput; empty without routes."""
    subjects = [subject for subject in subjects if subject.loads]
    plots = []
    for subject in subjects:
        low, high = (subject.loads["link_load"][end] for end in ("min", "max"))
        said = f"channel load of {subject.name}, {low:.3f} to {high:.3f} flits per cycle"
        counted = load_histogram(subject.loads)
        traffic = subject.loads["traffic"]
        coloured = drawing.figure(subject.network, load=subject.load, traffic=traffic)
        name = subject.name
        bars = pictures.inline(counted, f"Histogram, {said}", f"{name}: links by channel load")
        each = f"{name}: channel load of each link"
        plots.append((bars, pictures.inline(coloured, f"Drawing, {said}", each)))
    facts = None
    if subjects:
        traffic = subjects[0].loads["traffic"]
        caption = (
            f"{traffic} traffic; channel load at injection rate 1, one flit per cycle and terminal"
        )
        names = [subject.name for subject in subjects]
        facts = side_by_side(caption, names, [_load_facts(subject.loads) for subject in subjects])
    return section("loads", facts=facts, pairs=plots)


def _load_facts(facts: Mapping[str, Any]) -> dict[str, Cell]:
    load, full = facts["link_load"], facts["full"]
    reached = "none"
    if facts["link_saturation"] is not None and facts["bound"] is not None:
        reached = (
            f"{100 * facts['link_saturation'] / facts['bound']:.1f} % of the throughput bound "
        )
        reached += "of shortest-path routing with equally loaded links"
    return {
        "channel load, mean [flits/cycle]": f"{load['mean']:.3f}",
        "channel load, minimum and maximum": f"{load['min']:.3f}, {load['max']:.3f}",
        "hops per packet, mean": f"{facts['mean_hops']:.4f}",
        "hops per packet on shortest paths, mean": f"{facts['terminal_mean_distance']:.4f}",
        "saturation throughput, upper bound [flits/terminal/cycle]": f"{facts['saturation']:.4f}",
        "bottleneck": f"{full['what']} at node {full['node']}",
        "throughput bound by channel load": reached,
    }


def deadlock(subjects: Sequence[Subject]) -> Markup:
    """Return the section: the proof, and the cycle that one virtual channel fewer would leave."""
    cards = [_card(subject) for subject in subjects]
    all_bufferless = all(card["conditions"] for card in cards)
    return section("deadlock", cards=cards, all_bufferless=all_bufferless)


def _card(subject: Subject) -> dict[str, Any]:
    network, proof = subject.network, subject.proof
    card: dict[str, Any] = {"name": subject.name, "facts": None, "conditions": ()}
    if "conditions" in proof:
        return card | {
            "deadlock": proof["deadlock"],
            "conditions": proof["conditions"],
            "facts": pairs(
                f"Bounds of {subject.name}",
                {
                    "time of a flit in the network, at most [cycles]": _bound(proof["time_bound"]),
                    "wait for injection, at most [cycles]": _bound(proof["wait_bound"]),
                    "epoch [cycles]": f"{proof['epoch_cycles']:,}",
                    "all flits of the epoch before are delivered within [cycles]": (
                        f"{proof['drain_cycles']:,}"
                    ),
                },
            ),
        }
    if not isinstance(network, Network):
        return card
    topology, order = network.topology, network.order
    firsts = np.sort(np.unique(network.channels.orbit, return_index=True)[1]).tolist()
    ranks = [] if order is None else [f"{topology.name(n)}: {order[n]}" for n in firsts]
    return card | {
        "facts": pairs(f"Proof for {subject.name}", _proof(proof, ordered=order is not None)),
        "ranks": ", ".join(ranks),
        "of_classes": len(firsts) < topology.nodes,
        "fewer": network.channels.needed - 1,
        "cycle": [
            (topology.port_name(port), topology.name(node), channel)
            for node, port, channel in subject.cycle
        ],
    }


def _proof(proof: Mapping[str, Any], *, ordered: bool) -> dict[str, Cell]:
    return {
        "virtual channels needed": proof["virtual_channels"]["needed"],
        "virtual channels in use": proof["virtual_channels"]["in_use"],
        "channels (links times virtual channels)": f"{proof['channels']:,}",
        "dependencies": f"{proof['dependencies']:,}",
        "equivalence classes of nodes": f"{proof['classes_of_nodes']:,}",
        "ranks of the acyclic order": f"{proof['ranks']:,}",
        "a packet takes the next virtual channel": "at every local minimum of an order of the "
        "nodes on its route"
        if ordered
        else "at turns that the routing names",
    }


def _bound(cycles: int | None) -> str:
    return "no bound" if cycles is None else f"{cycles:,}"
