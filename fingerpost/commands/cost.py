"""`fingerpost cost`: a part of networks, placed and routed."""

from pathlib import Path
from typing import Any, Literal

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.jobs.console import answer, forewarn, note, status
from fingerpost.jobs.files import check as check_file
from fingerpost.jobs.files import check_folder


def _numbers(text: str) -> list[int]:
    """Return the numbers of a list, each once."""
    if not all(each.isdecimal() for each in text.split(",")):
        raise typer.BadParameter(f"{text!r} is not a list of whole numbers, as in 16,32.")
    return list(dict.fromkeys(map(int, text.split(","))))


def _words(text: str) -> list[str]:
    """Return the words of a list, each once."""
    return list(dict.fromkeys(text.split(",")))


_LIST: dict[str, Any] = {"usual": "as the file says", "parser": _numbers}


@command("cost networks/borel-1081.yaml --node 500 --seeds 5")
def main(
    nets: options.Nets,
    node: str | None = option(
        None, "The node to measure.", "NODE", usual="an interior one of the most frequent type"
    ),
    generic: bool = option(False, "Leave the constants of the node as inputs."),
    part: Literal[
        "unit", "terminal", "endpoints", "mailbox", "axi4", "link", "router", "node", "network"
    ] = option(
        "node",
        "The largest routing unit; the interface of an AXI4-Stream terminal with its "
        "header table; what endpoints share it by; a mailbox; the sides of AXI4; an end of a "
        "stream link; the router; the router with link and terminal interfaces; all nodes and "
        "tables.",
    ),
    device: Literal["ecp5", "ice40", "ecp5-25", "ecp5-45", "ecp5-85", "ice40-hx8k", "ice40-up5k"]
    | None = option(
        None,
        "The FPGA; ecp5 is ecp5-25, ice40 is ice40-hx8k.",
        usual="ecp5; for a network the smallest ECP5 that has room",
    ),
    flit_width: Any = option(
        None, "Instead of router.flit_width; a row for each.", "BITS,...", **_LIST
    ),
    depth: Any = option(
        None, "Instead of router.buffer_depth; a row for each.", "FLITS,...", **_LIST
    ),
    hop_cycles: Any = option(
        None, "Instead of router.hop_cycles; a row for each.", "CYCLES,...", **_LIST
    ),
    service: Any = option(
        None,
        "Instead of router.service, bounded or local; a row for each.",
        "SERVICE,...",
        **_LIST | {"parser": _words},
    ),
    routing: options.Routings = None,
    seeds: int | None = option(None, "Placements to try.", usual="3; of a network 1", min=1),
    output: Path | None = option(
        None,
        "Draw area and Fmax against nodes, with a line for each family and algorithm; of one "
        "whole network its floor plan, coloured by node.",
        "FILE.svg|.png",
    ),
    directory: Path = option(Path("build/cost"), "Where the tools write.", "DIR"),
    as_json: options.AsJson = False,
) -> None:
    """Place and route a part of a network on an FPGA: area and speed.

    Several networks, algorithms, flit widths, depths, hop cycles or services give a table.
    """
    from fingerpost.cost import cost as costs
    from fingerpost.cost.designs import typical_node
    from fingerpost.cost.netlist import DEVICES

    if generic and node is not None:
        raise ValueError("cost needs --node or --generic, not both")
    if part == "network" and (generic or node is not None):
        raise ValueError("cost needs no --node and no --generic with --part network: it has all")
    if part == "terminal" and generic:
        raise ValueError("cost needs no --generic with --part terminal: its table is of a node")
    if node is not None and len(nets) > 1:
        raise ValueError("cost needs one network with --node: others may not have that node")
    check_folder(directory)
    if output is not None:
        from fingerpost.drawing import picture

        check_file(output)
        picture.kind(output)
    tried: list[str | None] = [*(routing or ()), *([] if routing else [None])]
    networks = [
        options.prove_any(
            source.with_router(
                flit_width=width, buffer_depth=entries, hop_cycles=cycles, service=kind
            )
        )
        for net in nets
        for each in tried
        for source in [options.load_source(net, routing=each)]
        for width in flit_width or [None]
        for entries in depth or [None]
        for cycles in hop_cycles or [None]
        for kind in service or [None]
    ]
    for topology in {network.name: network.topology for network in networks}.values():
        options.tell_faults(topology)
    seeds = seeds or (1 if part == "network" else 3)
    two = hop_cycles is None and any(each.hop_cycles == 2 for each in networks)
    if two and device and "ramw" not in DEVICES[device].places:
        note("this FPGA has no LUT-RAM: buffers are flip-flops; try --hop-cycles 3")
    nodes = (network.topology.nodes if part == "network" else 1 for network in networks)
    forewarn(costs.PLACEMENT_SECONDS * seeds * sum(nodes))
    rows = []
    for count, network in enumerate(networks, 1):
        topology = network.topology
        if node is None:
            number = typical_node(
                topology, terminal=part in ("terminal", "endpoints", "mailbox", "axi4")
            )
        else:
            number = topology.node(node)
        with status("cost" if len(networks) == 1 else f"cost, {count} of {len(networks)}") as tell:
            rows.append(
                costs.facts(
                    network,
                    node=None if generic else number,
                    seeds=seeds,
                    directory=directory,
                    device=device,
                    part=part,
                    progress=tell,
                )
            )
    name, *others = {network.name for network in networks}
    several = {"network": None if others else name, "rows": rows}
    facts = rows[0] if len(rows) == 1 else several
    answer(facts, costs.render, as_json=as_json)
    if output is not None:
        from fingerpost.cost import chart as cost_chart
        from fingerpost.cost import floorplan

        if part == "network" and len(rows) == 1:
            floorplan.draw(rows[0], output)
        else:
            cost_chart.draw(rows, output)
        note(f"wrote {output}")
