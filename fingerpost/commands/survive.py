"""`fingerpost survive`: how likely the survivors of failures still reach one another."""

from collections.abc import Callable, Mapping
from typing import Any

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.measure import simulate
from fingerpost.golden.network.kinds import build_any, kind_of
from fingerpost.golden.network.network import routed
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.reliability.exact import exact
from fingerpost.golden.reliability.links import chance
from fingerpost.golden.reliability.monte_carlo import CONFIDENCE, monte_carlo
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.base import summary
from fingerpost.golden.topology.faulty import Faulty
from fingerpost.jobs.console import aligned, answer, progress
from fingerpost.jobs.provenance import uses

SAMPLES = 20_000
"""Samples where there is no exact method: an interval of at most 1.4 percent."""

COLUMNS = {
    "pairs_connected": ("pairs", "{:.1%}"),
    "diameter": ("diameter", "{:.4g}"),
    "mean_distance": ("mean distance", "{:.4f}"),
    "bound": ("bound", "{:.4f}"),
    "saturation": ("saturation", "{:.4f}"),
    "accepted": ("accepted", "{:.4f}"),
}
"""Columns of the table of copies: heading and format."""


@command("survive networks/borel-21.yaml --node-failure 0.05 --link-failure 0.01")
def main(
    net: options.Net,
    node_failure: float | None = option(
        None, "The probability that a node fails.", usual="0", min=0, max=1
    ),
    link_failure: float | None = option(
        None, "The probability that a link fails.", usual="0", min=0, max=1
    ),
    samples: int | None = option(None, "Samples to draw.", usual="20000, if not exact", min=1),
    copies: int | None = option(
        None, "Copies with faults to draw, and to report the throughput of.", usual="none", min=1
    ),
    cycles: int | None = option(
        None,
        "Cycles for which each copy is simulated under full load.",
        usual="not simulated",
        min=1,
    ),
    seed: options.Seed = 0,
    routing: options.Algorithm = None,
    as_json: options.AsJson = False,
) -> None:
    """Estimate how likely all survivors of failures still reach each other.

    With --copies, also the throughput of copies with the expected number of faults.
    """
    if copies is None and (cycles is not None or routing is not None):
        raise ValueError("survive needs --copies for --cycles and --routing")
    if node_failure is None and link_failure is None:
        raise ValueError(
            "survive needs --node-failure, --link-failure or both: probabilities, as in "
            "--node-failure 0.05"
        )
    given: dict[str, Any] = {"node_failure": node_failure or 0.0, "seed": seed}
    given["link_failure"] = link_failure or 0.0
    source = options.load_source(net, routing=routing)
    name, topology = source.file.name, source.topology()
    uses(source.description)
    with progress("letting nodes and links fail") as tell:
        found = facts(name, topology, samples=samples, progress=tell, **given)
    if copies is None:
        answer(found, render, as_json=as_json)
        return
    with progress("looking at damaged copies") as tell:
        found |= copies_facts(
            source.description, copies=copies, cycles=cycles, progress=tell, **given
        )
    answer(found, lambda told: f"{render(told)}\n\n{render_copies(told)}", as_json=as_json)


def facts(
    name: str,
    topology: Topology,
    *,
    node_failure: float,
    link_failure: float,
    samples: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Return the survival reliability of a network.

    It is exact where there is a method for it, unless samples are requested.

    Raises
    ------
    ValueError
        If a probability is not one, or there is no sample.

    Keys
    ----
    network, family, nodes, terminals
    node_failure, link_failure : probability
        The arguments.
    method, exact
        How it was computed; whether it is exact.
    survival : probability
        At least two terminals survive, and all survivors reach each other.
    interval, confidence : probability
        If not exact: confidence interval and its level.
    survivors, samples, seed : samples
        If not exact.
    """
    node, link = chance("node", node_failure), chance("link", link_failure)
    answer: dict[str, Any] = {
        "network": name,
        "family": topology.family,
        "nodes": topology.nodes,
        "terminals": len(topology.terminals),
        "node_failure": node_failure,
        "link_failure": link_failure,
    }
    found = exact(topology, node, [link] * topology.degree) if samples is None else None
    if found is not None:
        method, survival = found
        return answer | {"method": method, "exact": True, "survival": float(survival)}
    estimate = monte_carlo(
        topology,
        node_failure,
        link_failure,
        samples=SAMPLES if samples is None else samples,
        seed=seed,
        progress=progress,
    )
    return answer | {
        "method": "monte carlo",
        "exact": False,
        "survival": estimate.survival,
        "interval": [estimate.low, estimate.high],
        "confidence": CONFIDENCE,
        "survivors": estimate.survivors,
        "samples": estimate.samples,
        "seed": seed,
    }


def render(facts: Mapping[str, Any]) -> str:
    """Return the reliability, and how sure it is."""
    kind = "terminals" if facts["terminals"] < facts["nodes"] else "nodes"
    head = f"{facts['network']}, {facts['nodes']} nodes: a node fails with probability"
    lines = [f"{head} {facts['node_failure']:g}, a link with {facts['link_failure']:g}"]
    if facts["exact"]:
        lines.append(f"survival {facts['survival']:.10g}, exact, by {facts['method']}")
    else:
        low, high = facts["interval"]
        lines.append(
            f"survival {facts['survival']:.5f}, {facts['confidence']:.0%} interval "
            f"{low:.5f}..{high:.5f}: {facts['survivors']} of {facts['samples']} samples, "
            f"seed {facts['seed']}"
        )
    lines.append(f"survival: two or more {kind} survive, and all that do reach one another")
    return "\n".join(lines)


def copies_facts(
    description: Mapping[str, Any],
    *,
    node_failure: float,
    link_failure: float,
    copies: int,
    cycles: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Return what is left of a network in copies with as many faults as are to be expected.

    Routes are those of the network's algorithm, if that can do with faults, else a table's. If
    `cycles` are given, each copy is simulated for so long with more traffic than it can carry.
    Deflection routers have the tables of the copy. They have no routes, so no `saturation`; and
    nothing is accepted if a terminal cannot be reached from everywhere.

    Raises
    ------
    ValueError
        If nothing fails, or there is no copy, or it is impossible to build one.

    Keys
    ----
    left
        With `--copies`: `algorithm`, `whole` (without faults) and `copies`, each with `faults`,
        `pairs_connected`, `diameter`, `mean_distance`, `bound`, `saturation`, `accepted`.
    """
    if copies < 1:
        raise ValueError(f"Survival needs at least 1 copy, not {copies}")
    drawn = [
        f"{what}={_percent(chance)}%"
        for what, chance in (("links", link_failure), ("nodes", node_failure))
        if chance > 0
    ]
    if not drawn:
        raise ValueError(
            "Survival needs a failure probability above 0 of links or nodes to damage copies"
        )
    routing = description["routing"]
    if ALGORITHMS[routing["algorithm"]].families:
        routing = {"algorithm": "table"}
    # An order of the channels that the file has is for the whole network and its own algorithm.
    router = {**(description.get("router") or {})}
    if kind_of(description).has_routes:
        router["channel_order"] = None
    common = {**description, "routing": routing, "router": router}
    before = description.get("faults")
    texts = [
        ",".join([*([before] if before else []), *drawn, f"seed={seed + copy}"])
        for copy in range(copies)
    ]
    rows = []
    for done, text in enumerate([before or "", *texts]):
        progress(done, copies + 1)
        rows.append({"faults": text, **_left({**common, "faults": text}, cycles)})
    return {
        "left": {"algorithm": routing["algorithm"], "whole": rows[0], "copies": rows[1:]},
    }


def _percent(chance: float) -> str:
    """Return a probability in percent, never with an exponent."""
    return f"{100 * chance:.12f}".rstrip("0").rstrip(".")


def _left(description: Mapping[str, Any], cycles: int | None) -> dict[str, Any]:
    """Return what one copy has left; null where no two terminals reach one another."""
    try:
        network = routed(description)
    except ParameterError as error:
        if error.section != "faults":
            raise
        return dict.fromkeys(COLUMNS) | {"pairs_connected": 0.0}
    topology, found = network.topology, loads(network.routing)
    connected = topology.connected if isinstance(topology, Faulty) else 1.0
    diameter, mean_distance = summary(topology, among_terminals=True)
    return {
        "pairs_connected": connected,
        "diameter": diameter,
        "mean_distance": mean_distance,
        "bound": found.bound,
        "saturation": found.saturation if kind_of(description).has_routes else None,
        "accepted": None if cycles is None else _accepted(description, cycles),
    }


def _accepted(description: Mapping[str, Any], cycles: int) -> float:
    try:
        network = build_any(description)
    except ParameterError as error:
        if kind_of(description).has_routes or error.section != "router":
            raise
        return 0.0
    return simulate(network, load=1.0, cycles=cycles, precision=0).accepted.mean


def render_copies(facts: Mapping[str, Any]) -> str:
    """Return a line for each copy, their means, and the worst of each column."""
    left = facts["left"]
    copies = left["copies"]
    columns = [key for key in COLUMNS if any(row[key] is not None for row in copies)]
    known = {key: [row[key] for row in copies if row[key] is not None] for key in columns}
    rows = [("no more faults", left["whole"]), *((row["faults"], row) for row in copies)]
    if len(copies) > 1:
        rows.append(("mean", {key: sum(x) / len(x) for key, x in known.items()}))
        greatest = "diameter", "mean_distance"
        worst = {key: max(x) if key in greatest else min(x) for key, x in known.items()}
        rows.append(("worst", worst))
    texts = [["", *(COLUMNS[key][0] for key in columns)]]
    for name, row in rows:
        texts.append([name])
        for key in columns:
            value, (_, form) = row[key], COLUMNS[key]
            texts[-1].append("none" if value is None else form.format(value))
    head = f"what is left among terminals, by {left['algorithm']} routing, in copies with faults:"
    return "\n".join([head, *aligned(texts)])
