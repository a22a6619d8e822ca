"""`fingerpost prove`: the proof that a network cannot deadlock, for others to check."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from rich.console import Group, RenderableType
from rich.table import Table

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.golden.arguments import fitted
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.certificate import certificate
from fingerpost.jobs.console import answer, overview, plain_table, status

if TYPE_CHECKING:
    from fingerpost.formal.hardware import Written


UNPROVEN = 3
"""The exit status if nothing is wrong, but not all is proven; see `fingerpost.commands`."""


@command("prove networks/borel-21.yaml -o build/borel-21/certificate.json")
def main(
    net: Path = typer.Argument(
        metavar="NET",
        help="A network file, or the folder that generate wrote; - is standard input.",
        show_default=False,
    ),
    output: Path | None = option(
        None, "Write the certificate to this file; in a folder, to certificate.json.", "FILE"
    ),
    rtl: bool = option(False, "Also prove claims about the Verilog: of a folder, that in it."),
    faults: options.Faults = None,
    routing: options.Algorithm = None,
    as_json: options.AsJson = False,
) -> None:
    """Prove that a network cannot deadlock, and write a certificate.

    The certificate is an order of all channels; `checker/deadlock.py` compares it with the
    generated Verilog. For deflection routers, print the bound on the time of a flit in the network.

    With --rtl, prove what the checker assumes of the Verilog. `prove --rtl DIR` reads the files
    that `generate NET -o DIR` wrote, as the checker does; both print the hash of the manifest,
    which has those of all files. `prove --rtl NET` reads what it generates anew.

    Exits with status 1 if a claim about the hardware is false, 3 if one is not proven, because it
    is too large or depends on chance.
    """
    from fingerpost.jobs import files

    if output is not None:
        output = output / "certificate.json" if output.is_dir() else output
        files.check(output)
    folder = net.is_dir()
    if folder and (faults or routing):
        raise ValueError(f"prove needs a network file for --faults and --routing, not {net}")
    verilog = written(net) if folder else None
    network = verilog.network if verilog else options.load_any(net, faults=faults, routing=routing)
    kind = PROOFS[network.router_kind]
    if output is not None and not kind.certificate:
        raise ValueError(
            f"prove needs routers of kind wormhole for --output, not {network.router_kind}"
        )
    found = kind.facts(network)
    if kind.certificate:
        found["certificate"] = None if output is None else str(output)
        if output is not None:
            files.write_text(output, json.dumps(kind.certificate(network)) + "\n")
    if rtl:
        with status("hardware") as tell:
            found |= rtl_facts(verilog or generated(network), tell)
    answer(found, kind.render, as_json=as_json)
    if code := exit_status(found.get("rtl", ())):
        raise typer.Exit(code)


@dataclass(frozen=True)
class Proof:
    """The proof that a network is free of deadlock: its channel dependency graph has no cycle."""

    assumption: str
    """What it assumes of the users of terminals."""
    virtual_channels: int
    needed: int
    """Virtual channels of a link, and how many of them the proof needs."""
    channels: int
    """Virtual channels of all links."""
    dependencies: int
    """Edges of the graph, of one node of each symmetry class."""
    ranks: int
    """Channels on the longest path in the graph."""
    certificate: dict[str, Any] = field(repr=False)
    """An order of all channels, as `checker/deadlock.py` reads it from a JSON file."""


def prove(network: AnyNetwork) -> Proof:
    """Return the proof that a network cannot deadlock; without one it could not be built.

    Examples
    --------
    >>> from fingerpost.netfile.source import load
    >>> found = prove(load("networks/borel-21.yaml"))
    >>> found.virtual_channels, found.needed, found.channels  # 2 on each of 84 links
    (2, 2, 168)
    """
    wormhole: Network = fitted("prove", "network", network, Network)
    found, names = facts(wormhole), ("assumption", "channels", "dependencies", "ranks")
    return Proof(
        virtual_channels=found["virtual_channels"]["in_use"],
        needed=found["virtual_channels"]["needed"],
        certificate=certificate(wormhole),
        **{name: found[name] for name in names},
    )


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
        "virtual_channels": network.channel_facts(),
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
    from fingerpost.hdl.export.generate import generate

    with TemporaryDirectory() as folder:
        generate(network, folder)
        return written(Path(folder))


def rtl_facts(files: "Written", progress: Callable[[str], None]) -> dict[str, Any]:
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


def exit_status(found: Iterable[Mapping[str, Any]]) -> int:
    """Return the exit status that goes with what was found of the hardware."""
    verdicts = {finding["verdict"] for finding in found}
    return 1 if "broken" in verdicts else UNPROVEN * bool(verdicts - {"proven"})


def render(facts: Mapping[str, Any]) -> RenderableType:
    """Return the facts as a table."""
    needed, in_use = facts["virtual_channels"]["needed"], facts["virtual_channels"]["in_use"]
    classes, messages = facts["classes_of_nodes"], facts["virtual_channels"]["classes"]
    of_classes = f" in each of {messages} message classes" if messages > 1 else ""
    table = {
        "name": facts["network"],
        "deadlock": "free: the channel dependency graph has no cycle",
        "assumption": facts["assumption"],
        "virtual channels": f"{in_use} in use{of_classes}, {needed} needed",
        "channels": facts["channels"],
        "dependencies": f"{facts['dependencies']}, of {classes} nodes, one of each symmetry class",
        "ranks": facts["ranks"],
        **({"certificate": facts["certificate"]} if facts.get("certificate") else {}),
    }
    return _with_hardware(overview(table), facts)


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
    table = (
        ("name", facts["network"]),
        ("deadlock", facts["deadlock"]),
        ("time in network", told),
        ("epoch", cycles),
        ("wait for injection", waits),
        *((("if", condition)) for condition in facts["conditions"]),
    )
    return _with_hardware(overview(table), facts)


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


class KindOfProof(NamedTuple):
    """What is proven of a kind of routers, how it is shown, and what others can check, if any."""

    facts: Callable[[Any], dict[str, Any]]
    render: Callable[[Mapping[str, Any]], RenderableType]
    certificate: Callable[[Any], dict[str, Any]] | None = None


PROOFS = {
    Network.router_kind: KindOfProof(facts, render, certificate),
    DeflectionNetwork.router_kind: KindOfProof(of_deflection, render_deflection),
}
"""The proof of every kind of routers."""
