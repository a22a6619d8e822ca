"""`fingerpost loads`: the load of every link under some traffic, and the throughput."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.drawing import picture
from fingerpost.golden.analysis.loads import Loads, loads
from fingerpost.golden.network.network import Routed
from fingerpost.golden.traffic import Pattern
from fingerpost.jobs import files
from fingerpost.jobs.console import answer, note, progress
from fingerpost.netfile import faults

BINS, WIDTH = 12, 40


@command("loads networks/borel-21.yaml")
def main(
    net: options.Net,
    traffic: options.TrafficOption = None,
    output: Path | None = option(None, "Draw the histogram: SVG or PNG.", "FILE.svg"),
    faults: options.Faults = None,
    routing: options.Algorithm = None,
    as_json: options.AsJson = False,
) -> None:
    """Show how traffic loads the links, and the upper bound on throughput that follows."""
    if output is not None:
        picture.kind(output)
        files.check(output)
    network = options.load_routed(net, faults=faults, routing=routing)
    with progress("following all routes") as tell:
        found = facts(network, options.sent_as(traffic, None, None)[0], progress=tell)
    answer(found, render, as_json=as_json)
    if output is not None:
        from fingerpost.drawing.charts import load_histogram

        picture.draw(output, lambda: load_histogram(found), found["network"])
        note(f"wrote {output}")


def facts(
    network: Routed, pattern: Pattern, *, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Return the loads of all links under a traffic pattern, as a histogram, and what follows.

    Keys
    ----
    network, algorithm, terminals, links, faults
    traffic
        The argument in full. Every terminal sends one flit a cycle on average.
    link_load : flits/cycle
        `min`, `mean`, `max` over links.
    link_load_by_port : flits/cycle
        Mean over the links of a port, by name.
    histogram : flits/cycle, links
        `edges` of the bins, `links` in each.
    mean_hops, terminal_mean_distance : hops
        Over all packets, as routed and by shortest routes.
    saturation : flits/terminal/cycle
        Load at which the first link or terminal is full, at most 1: an upper bound.
    full
        The first full one: `what` (`link`, `injection`, `ejection`), `node`, `port`.
    link_saturation, terminal_saturation : flits/terminal/cycle
        Load at which the busiest link, or terminal, is full; `null` if links carry nothing.
    bound : flits/terminal/cycle
        `link_saturation` with equal link loads and shortest routes.
    """
    return told(network, pattern, loads(network.routing, pattern, progress=progress))


def told(network: Routed, pattern: Pattern, found: Loads) -> dict[str, Any]:
    """Return the same of loads that have been found."""
    topology, routing = network.topology, network.routing
    load = found.load[topology.neighbour >= 0]
    counts, edges = np.histogram(load, BINS)
    return {
        "network": network.name,
        "algorithm": routing.algorithm,
        "traffic": str(pattern),
        "terminals": len(topology.terminals),
        "links": len(load),
        "link_load": {end: float(getattr(load, end)()) for end in ("min", "mean", "max")},
        "link_load_by_port": {
            port: float(found.load[:, number][topology.neighbour[:, number] >= 0].mean())
            for number, port in enumerate(topology.port_names)
            if (topology.neighbour[:, number] >= 0).any()
        },
        "histogram": {"edges": edges.tolist(), "links": counts.tolist()},
        "mean_hops": found.mean_hops,
        "terminal_mean_distance": found.mean_distance,
        "saturation": found.saturation,
        "full": _full(network, found),
        "link_saturation": _finite(found.link_saturation),
        "terminal_saturation": found.terminal_saturation,
        "bound": _finite(found.bound),
        **faults.facts(topology),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _full(network: Routed, found: Loads) -> dict[str, Any]:
    """Return what is full at saturation, a link if there is one."""
    if found.link_saturation <= found.terminal_saturation:
        node, port = np.unravel_index(found.load.argmax(), found.load.shape)
        return {"what": "link", "node": int(node), "port": int(port)}
    sends = found.injected.max() >= found.ejected.max().round(12)
    terminal = int((found.injected if sends else found.ejected).argmax())
    topology = network.topology
    place, local = divmod(int(topology.terminals[terminal]), topology.local_ports)
    what = "injection" if sends else "ejection"
    return {"what": what, "node": place, "port": topology.local + local}


def render(facts: Mapping[str, Any]) -> str:
    """Return the loads as people read them, with a histogram."""
    load, bound, full = facts["link_load"], facts["bound"], facts["full"]
    saturation = facts["link_saturation"]
    shortest = facts["terminal_mean_distance"]
    ports = ", ".join(f"{port} {value:.3f}" for port, value in facts["link_load_by_port"].items())
    edges, counts = facts["histogram"]["edges"], facts["histogram"]["links"]
    most = max(counts)
    first = f"{full['what']} at node {full['node']}, port {full['port']}, saturates first"
    head = f"{facts['network']}, {facts['algorithm']}, {facts['traffic']}: {facts['links']} links"
    lines = [
        f"{head}, {facts['terminals']} terminals that send 1 flit per cycle each on average",
        f"link load   mean {load['mean']:.3f}, min {load['min']:.3f}, max {load['max']:.3f}",
        f"by port     {ports}",
        f"routes      mean {facts['mean_hops']:.4f} hops, shortest {shortest:.4f}",
        f"saturation  {facts['saturation']:.4f} flits per terminal and cycle: {first}",
        *_links(saturation, bound),
        f"terminals   {facts['terminal_saturation']:.4f}, limit of the busiest terminal",
        "",
        "load          links",
    ]
    for low, high, count in zip(edges, edges[1:], counts, strict=False):
        bar = "#" * round(WIDTH * count / most)
        lines.append(f"{low:5.2f}-{high:5.2f} {count:7}  {bar}".rstrip())
    return "\n".join(lines)


def _links(saturation: float | None, bound: float | None) -> list[str]:
    if saturation is None or bound is None:
        return ["links       carry no traffic"]
    return [
        f"links       {saturation:.4f}, limit of the busiest link",
        f"bound       {bound:.4f}, with minimal routes and equal load on all links",
        f"reached     {saturation / bound:.1%} of the bound",
    ]
