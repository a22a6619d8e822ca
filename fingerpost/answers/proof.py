"""`fingerpost prove`: the proof that a network cannot deadlock, for others to check."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table

from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.certificate import certificate
from fingerpost.hdl.export.generate import generate
from fingerpost.jobs.console import plain_table

if TYPE_CHECKING:
    from fingerpost.formal.hardware import Written

UNPROVEN = 3
"""The exit status if nothing is wrong, but not all is proven; see `fingerpost.answers`."""


def facts(network: Network) -> dict[str, Any]:
    """Return what was proven, and the size of it.

    Keys
    ----
    network, virtual_channels, assumption
    channels : channels
        Virtual channels of all links.
    classes_of_nodes : classes
        Nodes of a class are equivalent in the proof.
    dependencies : pairs
        Of channels, in one node of each class.
    ranks : ranks
        In the order of the channels.
    certificate
        The file, or `null`.
    """
    channels = network.channels
    graph = channels.dependencies(network.lanes.classes)
    links = int((network.topology.neighbour >= 0).sum())
    return {
        "network": network.name,
        "assumption": network.assumption,
        "virtual_channels": {
            "needed": channels.needed,
            "in_use": network.channels_per_class,
            "classes": network.classes,
        },
        "channels": links * network.virtual_channels,
        "classes_of_nodes": int(channels.orbit.max()) + 1,
        "dependencies": graph.edges,
        "ranks": int(graph.ranks().max(initial=-1)) + 1,
    }


def written(folder: Path) -> "Written":
    """Return what `fingerpost generate` wrote to a folder.

    Raises
    ------
    ValueError
        If it has no manifest or several, files are not those of the manifest, or there is Verilog
        that tools may read in several ways.
    """
    from fingerpost.formal.hardware import Written  # scipy, which a certificate does not need

    return Written.read(folder)


def generated(network: AnyNetwork) -> "Written":
    """Return what `fingerpost generate` writes."""
    with TemporaryDirectory() as folder:
        generate(network, folder)
        return written(Path(folder))


def rtl(files: "Written", progress: Callable[[str], None]) -> dict[str, Any]:
    """Return what is found in the Verilog of a network.

    Keys
    ----
    files
        With `--rtl`, the Verilog: `manifest`, the name of the file that lists it, and `sha256`, the
        hash of that, which `checker/deadlock.py` prints, too.
    rtl
        With `--rtl`, for each claim: `component`, `claim`, `engine`, `cases`, `broken`, `verdict`
        (`proven`, `held` in a sample, `broken`, `not tried`), `reason`.
    """
    found = files.findings(progress)
    return {
        "files": {"manifest": files.file, "sha256": files.sha256},
        "rtl": [asdict(finding) | {"verdict": finding.verdict} for finding in found],
    }


def status(found: Iterable[Mapping[str, Any]]) -> int:
    """Return the exit status that goes with what was found of the hardware."""
    verdicts = {finding["verdict"] for finding in found}
    return 1 if "broken" in verdicts else UNPROVEN * bool(verdicts - {"proven"})


def render(facts: Mapping[str, Any]) -> RenderableType:
    """Return the facts as a table."""
    table = Table.grid(padding=(0, 2))
    needed, in_use = facts["virtual_channels"]["needed"], facts["virtual_channels"]["in_use"]
    classes, messages = facts["classes_of_nodes"], facts["virtual_channels"]["classes"]
    of_classes = f" in each of {messages} message classes" if messages > 1 else ""
    for name, value in {
        "name": facts["network"],
        "deadlock": "free: the channel dependency graph has no cycle",
        "assumption": facts["assumption"],
        "virtual channels": f"{in_use} in use{of_classes}, {needed} needed",
        "channels": facts["channels"],
        "dependencies": f"{facts['dependencies']}, of {classes} nodes, one of each symmetry class",
        "ranks": facts["ranks"],
        **({"certificate": facts["certificate"]} if facts.get("certificate") else {}),
    }.items():
        table.add_row(name, str(value))
    return _with_hardware(table, facts)


def of_deflection(network: DeflectionNetwork) -> dict[str, Any]:
    """Return what is proven of deflection routers: no deadlock, and the time in the network.

    Keys
    ----
    deadlock, conditions
        Deflection routers: why there is none; what the bounds need.
    links, diameter, hop_cycles, epoch_cycles, drain_cycles, time_bound, wait_bound : hops, cycles
        Deflection routers: the bounds on the time in the network and on the wait for
        injection, and their terms.
    """
    return {
        "network": network.name,
        "deadlock": "free by construction: every node has as many outgoing as incoming links, and "
        "every flit that arrives leaves in the same cycle of the pipeline",
        "links": network.links,
        "diameter": network.destinations.diameter,
        "hop_cycles": network.hop_cycles,
        "epoch_cycles": 1 << network.epoch,
        "drain_cycles": network.drain_cycles,
        "time_bound": network.time_bound,
        "wait_bound": network.wait_bound,
        "assumption": network.assumption,
        "conditions": [
            network.assumption,
            "all routers leave reset in the same cycle, so that their epochs change together",
            "links carry what is put on them",
            _keys(network),
        ],
    }


def _keys(network: DeflectionNetwork) -> str:
    width = network.distance_width
    most, needed = (1 << width) - 1, network.destinations.diameter
    return f"keys of {width} bits hold every distance: {most} >= {needed}"


def render_deflection(facts: Mapping[str, Any]) -> RenderableType:
    """Return them as a table."""
    table = Table.grid(padding=(0, 2))
    bound = facts["time_bound"]
    cycles = f"{facts['epoch_cycles']} cycles, {facts['drain_cycles']} needed"
    told = (
        f"at most {bound} cycles, two epochs"
        if bound
        else f"no bound: an epoch needs {facts['drain_cycles']} cycles; epoch: auto gives them"
    )
    wait = facts["wait_bound"]
    remedy = "router.wait_limit gives one" if bound else "it needs that on the time in the network"
    waits = f"at most {wait} cycles" if wait else f"no bound; {remedy}"
    for name, value in (
        ("name", facts["network"]),
        ("deadlock", facts["deadlock"]),
        ("time in network", told),
        ("epoch", cycles),
        ("wait for injection", waits),
        *((("if", condition)) for condition in facts["conditions"]),
    ):
        table.add_row(name, str(value))
    return _with_hardware(table, facts)


def _with_hardware(table: Table, facts: Mapping[str, Any]) -> RenderableType:
    """Return a table, and what was found of the hardware, if it was asked for."""
    if "rtl" not in facts:
        return table
    files = facts["files"]
    table.add_row("verilog", f"that of {files['manifest']}, SHA-256 {files['sha256']}")
    names = "component", "claim", "engine", "cases", "verdict"
    found = plain_table(*names)
    for finding in facts["rtl"]:
        verdict = finding["verdict"]
        if verdict == "broken":
            verdict = f"does not hold: {', '.join(finding['broken'])}"
        elif verdict == "not tried":
            verdict = f"not tried: {finding['reason']}"
        found.add_row(*(str(finding[name]) for name in names[:-1]), verdict)
    return Group(table, "", found)


class Proof(NamedTuple):
    """What is proven of a kind of routers, how it is shown, and what others can check, if any."""

    facts: Callable[[Any], dict[str, Any]]
    render: Callable[[Mapping[str, Any]], RenderableType]
    certificate: Callable[[Any], dict[str, Any]] | None = None


PROOFS = {
    Network.router_kind: Proof(facts, render, certificate),
    DeflectionNetwork.router_kind: Proof(of_deflection, render_deflection),
}
"""The proof of every kind of routers."""
