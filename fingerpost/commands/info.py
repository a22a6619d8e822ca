"""`fingerpost info`: what a network is and what its routers need."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import Layout
from fingerpost.golden.link import StreamLink
from fingerpost.golden.link.frames import time_out
from fingerpost.golden.network.base import AnyNetwork, header_room
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.network import Network, Routed
from fingerpost.golden.network.router import terminal_bypass
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.placement import links_between, wires
from fingerpost.golden.routing import ALGORITHMS, Acyclic, Routing
from fingerpost.golden.terminal import Axi4Terminal
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.base import summary
from fingerpost.jobs.console import answer, overview, plain_table, progress
from fingerpost.netfile import faults

MOST_RUNS = 8
"""Runs of nodes of a board that people are shown; JSON has them all."""

SMALL = 8
"""Classes whose GCR constants people are shown; JSON has them all."""

COMPARED = 50_000
"""Nodes up to which the tables of all algorithms of a family are made, to tell their sizes."""

TABLE_I = {"A": "alpha", "A^-1": "alpha^-1", "B": "beta", "B^-1": "beta^-1"}
"""The columns of Table I of two-phase-1995, in its order, by the name of the port."""

CONSTANTS = TABLE_I | {"C": "gamma"}
"""Those of graphs with three generators, too."""


@command("info networks/borel-21.yaml")
def main(
    nets: options.Nets,
    compare: bool = option(
        False, "Rank networks by flits per time and FPGA area, estimated, and show their latency."
    ),
    placement: bool = option(
        False, "Print the tile of each node as a key of the network file, and nothing else."
    ),
    faults: options.Faults = None,
    routing: options.Algorithm = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what a network is and what its routers need; or rank several."""
    if compare:
        from fingerpost.cost import estimate as comparison

        networks = [options.load_any(net, faults=faults, routing=routing) for net in nets]
        with progress("following all routes") as tell:
            found = comparison.facts(networks, tell)
        answer(found, comparison.render, as_json=as_json)
        return
    if len(nets) > 1:
        raise ValueError(f"info needs --compare with several networks, here {len(nets)}")
    network = options.prove_if_small(options.load_source(nets[0], faults=faults, routing=routing))
    options.tell_faults(network.topology)
    if placement:
        print(_placement(network))
        return
    answer(facts(network), render, as_json=as_json)


def facts(network: Routed) -> dict[str, Any]:
    """Return what there is to know about a network, its channels too if they are proven.

    Keys
    ----
    network, family, algorithm, nodes, terminals, links, faults
    local_ports
        Terminals at a node, at most.
    directed
        Whether links go one way.
    degree : ports
        Maximum, without the terminal.
    port_names
        Of ports 0..degree-1.
    diameter, mean_distance : hops
        Over all pairs of nodes.
    terminal_diameter, terminal_mean_distance : hops
        Over all pairs of terminals.
    constants, routing_constants
        Derived from the parameters of family and algorithm.
    wires : tiles, links, wires
        On a chip, each direction of a link counted: `tiles`, columns and rows; `total`, `mean` and
        `longest` of links; `histogram`, links that are 0, 1, 2, ... tiles long; `bisection`, links
        across the middle of the chip, and `bisection_wires`, their wires, `null` if there is no
        proof; `cycles` of the longest link. `null` without positions.
    table_bits : bits
        Tables of a routing unit, by name.
    algorithms : bits
        Those of the family: `algorithm`, `table_bits`, `header_width`; empty above 50,000 nodes.
    choices : channels, hops, hops, flits/cycle, sites, MHz, flits/us/1,000 sites
        Of `acyclic` routing, for each number of channels that was tried: `virtual_channels`,
        `hops` and `longest` of routes, `saturation` by the busiest link; of a router, estimated for
        ECP5, `sites`, `block_rams`, `clock` and `merit`. Empty for other algorithms.
    header, straps : bits
        `width`, and `fields`: `name`, `offset`, `width`, `meaning`.
    flit_width : bits
        Data in a flit.
    buffer_depth : flits
        Of each virtual channel of each input.
    full_rate_depth : flits
        The least such depth that sustains a flit in every cycle; `null` across serial links.
    link, terminal
        `kind` and its parameters.
    memory_map : bytes
        Addresses of each node with AXI4 terminals, in their order: `base`, `size`, `node`. Empty
        with others.
    assumption
        That of the deadlock proof, on terminals.
    virtual_channels : channels
        Of a message class `needed` and `in_use`; `classes`; `proven`. `null` if there are too many
        routes: then the seven keys above, `hop_cycles` and those below are missing.
    hop_cycles : cycles
        From a router's link to the next one's; of deflection routers in `router`.
    router
        Deflection routers, instead of those keys: parameters, `table`, `drain_cycles`,
        `time_bound`, `wait_bound`, `assumption`.
    boards : links
        `nodes` of each board; `links`, the numbers of two boards and of the links between them, a
        link of both directions counted once; `cut`, all of these; `modules`, the boards that all
        links to others leave as streams. `null` without boards.
    streams : links, flits, cycles
        Stream `links`, one of both directions counted once; `places` of each channel at their ends;
        `time_out` after which a sender begins again. `null` without.
    service
        `kind`: `router.service`; `bound`: how long a head can wait at an output, in a sentence.
    bypass_limit : packets, hops, flits/cycle
        `packets` (injection) and `turning`; `hops` and `load` from which `auto` chooses them.
    cheaper_form : sites, block RAMs, bits, cycles
        Of the same routes: `path`, as a network file asks for it by `key`; of a router's tables,
        estimated for ECP5, `sites` and `block_rams`; `header_width`, `header_cycles`; `in_use` has
        the same of the form in use. `null` if that is the cheapest that fits into a flit.
    """
    topology, routing = network.topology, network.routing
    diameter, mean_distance = summary(topology)
    among_terminals = summary(topology, among_terminals=True)
    of_kind = ROUTER_FACTS.get(network.router_kind)
    return {
        "network": network.name,
        "family": topology.family,
        "nodes": topology.nodes,
        "terminals": len(topology.terminals),
        "local_ports": topology.local_ports,
        "links": int((topology.neighbour >= 0).sum()),
        "degree": topology.degree,
        "diameter": diameter,
        "mean_distance": mean_distance,
        "terminal_diameter": among_terminals[0],
        "terminal_mean_distance": among_terminals[1],
        "directed": topology.directed,
        "port_names": list(topology.port_names),
        "constants": topology.constants(),
        "wires": _wires(network),
        "algorithm": routing.algorithm,
        "routing_constants": routing.constants(),
        "table_bits": routing.table_bits(),
        "algorithms": _algorithms(topology),
        "choices": _choices(routing),
        "header": _layout(routing.address_layout),
        "straps": _layout(routing.straps),
        **faults.facts(topology),
        **(of_kind(network) if of_kind else {"virtual_channels": None}),
    }


def _positions(network: Routed) -> IntArray | None:
    """Return the tile of each node, if they have positions on a chip."""
    with progress("placing nodes") as tell:
        return network.positions(tell)


def _placement(network: Routed) -> str:
    """Return the tiles of all nodes as `positions` of a network file."""
    found = _positions(network)
    if found is None:
        raise ValueError(
            "--placement needs positions of nodes, as in positions: {kind: placed} of the file"
        )
    return f"positions: {{kind: given, at: {found.tolist()}}}"


def _wires(network: Routed) -> dict[str, Any] | None:
    """Return what links need on a chip, if nodes have positions there."""
    positions = _positions(network)
    if positions is None:
        return None
    found = wires(network.topology, positions)._asdict()
    del found["links"]
    each, cycles = None, 1
    if isinstance(network, AnyNetwork):
        given = {"flit_width": network.flit_width, "channels": network.virtual_channels}
        each = found["bisection"] * network.link.wires(**given)
        cycles += 0 if network.registers is None else int(network.registers.max())
    return found | {"bisection_wires": each, "cycles": cycles}


def _choices(routing: Routing) -> list[dict[str, Any]]:
    """Return what numbers of channels give, if routes can be made for each."""
    tried = routing.choices if isinstance(routing, Acyclic) else []
    return [choice._asdict() | {"merit": choice.merit} for choice in tried]


def _algorithms(topology: Topology) -> list[dict[str, Any]]:
    """Return what each algorithm of the family would cost, with its options as by default."""
    costs: list[dict[str, Any]] = []
    if topology.nodes > COMPARED:
        return costs
    kind: Any
    for name, kind in ALGORITHMS.items():
        if topology.family not in kind.families:
            continue
        try:
            routing = kind(topology)
        except ParameterError:  # too large for it, or its faults are in the way
            continue
        costs.append(
            {
                "algorithm": name,
                "table_bits": sum(routing.table_bits().values()),
                "header_width": routing.header.width,
            }
        )
    return costs


def _deflection(network: DeflectionNetwork) -> dict[str, Any]:
    router = network.router_facts()
    table = router["table"]
    return {
        "virtual_channels": None,
        "algorithm": network.algorithm,
        "algorithms": [],
        "table_bits": {"productive ports, distances": table["entries"] * table["width"]},
        "straps": {"width": 0, "fields": []},
        "router": router,
    }


def _wormhole(network: Network) -> dict[str, Any]:
    channels, bypass = network.channels, terminal_bypass(network.channels)
    return {
        "flit_width": network.flit_width,
        "buffer_depth": network.buffer_depth,
        "full_rate_depth": None if network.link.jitter_reason else network.full_rate_depth,
        "link": network.link.describe(),
        "terminal": network.terminal.describe(),
        "memory_map": _memory_map(network),
        "virtual_channels": {
            **network.channel_facts(),
            "proven": channels.is_free_of_deadlock(network.channels_per_class),
        },
        "assumption": network.assumption,
        "hop_cycles": network.hop_cycles,
        "streams": _streams(network),
        "boards": boards(network),
        "service": {"kind": network.service, "bound": network.service_bound},
        "bypass_limit": {
            "packets": network.bypass_limit,
            "turning": network.turn_bypass_limit,
            "hops": bypass.hops,
            "load": bypass.load,
        },
        "cheaper_form": _cheaper_form(network),
    }


def boards(network: Network) -> dict[str, Any] | None:
    """Return the nodes of each board and the links between boards, if there are boards."""
    if network.boards is None:
        return None
    links = links_between(network.topology, network.boards)
    pairs = np.argwhere(links).tolist()
    return {
        "nodes": [np.flatnonzero(network.boards == b).tolist() for b in range(len(links))],
        "links": [[a, b, int(links[a, b])] for a, b in pairs],
        "cut": int(links.sum()),
        "modules": network.separate_boards,
    }


def _streams(network: Network) -> dict[str, int] | None:
    """Return what the ends of stream links are like, if there are any."""
    link, streams = network.link, network.streams
    if streams is None or not isinstance(link, StreamLink):
        return None
    return {
        "links": int(streams.sum()) // 2,
        "places": network.frames.places,
        "time_out": time_out(link.cycles, link.frame),
    }


def _memory_map(network: Network) -> list[dict[str, int]]:
    """Return the addresses of each node; nothing where terminals have none."""
    if not isinstance(network.terminal, Axi4Terminal):
        return []
    return [part._asdict() for part in network.terminal.memory_map(network.topology).ranges()]


def _cheaper_form(network: Network) -> dict[str, Any] | None:
    """Return the best form of the routes, if it takes less area than the one in use."""
    form, room = network.routing.form, header_room(network.description, network.topology)
    fitting = (each for each in network.routing.forms if each.header_width <= room)
    best = min(fitting, key=attrgetter("cost"), default=None)
    if not form or not best or best.cost >= form.cost or best.area >= form.area:
        return None
    return asdict(best) | {"in_use": asdict(form)}


ROUTER_FACTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    Network.router_kind: _wormhole,
    DeflectionNetwork.router_kind: _deflection,
}
"""What there is to know of the routers of each kind."""


def _layout(layout: Layout) -> dict[str, Any]:
    return {"width": layout.width, "fields": layout.describe()}


def render(facts: Mapping[str, Any]) -> RenderableType:
    """Return the facts as tables."""
    constants, n = facts["constants"], facts["nodes"]
    scalars = {key: value for key, value in constants.items() if not isinstance(value, Mapping)}
    found = facts.get("faults", {"nodes": [], "cut_off": []})
    lost = len(found["nodes"]) + len(found["cut_off"])
    lines = {
        "name": facts["network"],
        "family": _pairs({facts["family"]: "", **scalars}),
        "nodes": n if facts["terminals"] == n else f"{n}, {_terminals(facts)}",
        "degree": f"{facts['degree']}, ports {', '.join(facts['port_names'])}"
        + (", directed" if facts["directed"] else ""),
        "diameter": facts["diameter"],
        "mean distance": f"{facts['mean_distance']:.4f} over the {n - lost - 1} other nodes",
        **_among_terminals(facts),
        **_wire_lines(facts["wires"]),
        "routing": _pairs({facts["algorithm"]: "", **facts["routing_constants"]}),
        "tables": _pairs({k: f"{v} bits" for k, v in facts["table_bits"].items()}) or "none",
        **_router_lines(facts),
    }
    parts: list[RenderableType] = [overview(lines)]
    gcr = constants.get("gcr")
    if gcr and len(next(iter(gcr.values()))) <= SMALL:
        parts += ["", "GCR constants (node j of class i has links to j + constant)", _gcr(gcr)]
    if len(facts["algorithms"]) > 1:
        parts += ["", "routing algorithms of this family, with default options"]
        parts.append(_costs(facts["algorithms"]))
    if len(facts["choices"]) > 1:
        parts += ["", "routes by virtual channels; sites, MHz and flits are estimates for ECP5"]
        parts.append(_tradeoff(facts["choices"]))
    if facts.get("memory_map"):
        parts += ["", "memory map", _addresses(facts["memory_map"])]
    if facts.get("boards"):
        parts += ["", "boards", _boards(facts["boards"])]
    for what in ("header", *["straps"] * bool(facts["straps"]["width"])):
        parts += ["", f"{what}, {facts[what]['width']} bits", _fields(facts[what]["fields"])]
    return Group(*parts)


def _wire_lines(wires: Mapping[str, Any] | None) -> dict[str, str]:
    if wires is None:
        return {}
    columns, rows = wires["tiles"]
    each = wires["bisection_wires"]
    across = f"{wires['bisection']:,} links" + (f", {each:,} wires," if each else "")
    cycles = f", {wires['cycles']} cycles" if wires["cycles"] > 1 else ""
    return {
        "wires": f"{columns} x {rows} tiles; links of {wires['mean']:.2f} tiles, at most "
        f"{wires['longest']}{cycles}, {wires['total']:,} in all; {across} across the middle"
    }


def _terminals(facts: Mapping[str, Any]) -> str:
    count, most = facts["terminals"], facts["local_ports"]
    return f"{count} terminals, {most} at a node" if most > 1 else f"{count} with a terminal"


def _among_terminals(facts: Mapping[str, Any]) -> dict[str, str]:
    if facts["terminals"] == facts["nodes"]:
        return {}
    mean, most = facts["terminal_mean_distance"], facts["terminal_diameter"]
    return {"among terminals": f"mean distance {mean:.4f}, at most {most}"}


def _router_lines(facts: Mapping[str, Any]) -> dict[str, str]:
    channels = facts["virtual_channels"]
    if "router" in facts:
        return _deflection_lines(facts["router"])
    if channels is None:
        return {
            "virtual channels": "not known: too many routes for a proof, so there is no hardware"
        }
    link, terminal = dict(facts["link"]), dict(facts["terminal"])
    limit, needed = facts["bypass_limit"], facts["full_rate_depth"] or 0
    proof = "proven deadlock-free" if channels["proven"] else "NOT PROVEN"
    classes = channels["classes"]
    of_classes = f" in each of {classes} message classes" if classes > 1 else ""
    return {
        "router": f"wormhole, {facts['hop_cycles']} cycles a hop",
        "flits": f"{facts['flit_width']} bits, {facts['buffer_depth']} to a VC buffer"
        + (f"; a flit in every cycle needs {needed}" if facts["buffer_depth"] < needed else ""),
        "link": _pairs({link.pop("kind"): "", **link}),
        "terminal": _pairs({terminal.pop("kind"): "", **terminal}),
        "virtual channels": f"{channels['in_use']} in use{of_classes}, {channels['needed']} "
        f"needed, {proof}",
        "assumption": facts["assumption"],
        "service": f"{facts['service']['kind']}: {facts['service']['bound']}",
        "bypass limit": f"{_bypass(limit['packets'])} at injection, "
        f"{_bypass(limit['turning'])} at a turn into a ring",
        "first-hop links": f"load {limit['load']:.2f} at injection rate 1, "
        f"{limit['hops']:.2f} on the route of a packet",
        **_form_line(facts["cheaper_form"]),
        **_stream_lines(facts["streams"]),
        **_board_lines(facts["boards"]),
    }


def _stream_lines(streams: Mapping[str, int] | None) -> dict[str, str]:
    if streams is None:
        return {}
    return {
        "stream links": f"{streams['links']:,}, {streams['places']} places for each channel at an "
        f"end, time-out of {streams['time_out']} cycles"
    }


def _board_lines(boards: Mapping[str, Any] | None) -> dict[str, str]:
    if boards is None:
        return {}
    sizes = {len(nodes) for nodes in boards["nodes"]}
    each = "..".join(str(size) for size in sorted({min(sizes), max(sizes)}))
    modules = ", ".join(map(str, boards["modules"])) or "none"
    if len(boards["modules"]) == len(boards["nodes"]):
        modules = "all"
    return {
        "boards": f"{len(boards['nodes'])} of {each} nodes, {boards['cut']:,} links between them; "
        f"with a module: {modules}"
    }


def _form_line(form: Mapping[str, Any] | None) -> dict[str, str]:
    """Return how to have the same routes in less area, if that is possible."""
    if form is None:
        return {}
    best, other = (
        f"{each['sites']:,} LUT4 sites"
        + (f" and {each['block_rams']} block RAMs" if each["block_rams"] else "")
        for each in (form, form["in_use"])
    )
    later = form["header_cycles"] - form["in_use"]["header_cycles"]
    return {
        "cheaper form": f"{form['key']}: {form['path']}, the same routes in about {best} (ECP5), "
        f"not {other}; {later:+} cycles a packet"
    }


def _bypass(packets: int) -> str:
    return f"{packets} packets" if packets else "none (equal turns)"


def _deflection_lines(router: Mapping[str, Any]) -> dict[str, str]:
    bound = router["time_bound"]
    longest = f"at most {bound} cycles in the network" if bound else "no bound on the time"
    wait = router["wait_bound"]
    waits = f"at most {wait} cycles for injection" if wait else "no bound on the wait for injection"
    table = router["table"]
    return {
        "router": f"deflection, {router['hop_cycles']} cycles a hop, {router['ejections']} "
        "ejections a cycle",
        "flits": f"{router['flit_width']} bits of data, {router['link_width']} wires a link; no "
        "buffers, packets of one flit, any order",
        "table": f"{table['entries']} entries of {table['width']} bits at each node, in "
        f"{'block RAM' if table['place'] == 'ram' else 'LUTs'}",
        "epoch": f"{1 << router['epoch']} cycles, {longest}, {waits}",
        "deadlock": "free by construction",
        "for": "little area and single flits; kind: wormhole keeps the order of long packets",
        "assumption": router["assumption"],
    }


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {value}".strip() for key, value in values.items())


def _gcr(gcr: Mapping[str, Sequence[int]]) -> Table:
    """Return the GCR constants as Table I prints them."""
    ports = [port for port in CONSTANTS if port in gcr]
    columns = ["class", *(CONSTANTS[port] for port in ports)]
    table = plain_table(*columns, right=columns)
    for number, row in enumerate(zip(*(gcr[port] for port in ports), strict=True)):
        table.add_row(str(number), *map(str, row))
    return table


def _costs(algorithms: Sequence[Mapping[str, Any]]) -> Table:
    """Return what each algorithm would cost."""
    table = plain_table("algorithm", "tables", "header", right=("tables", "header"))
    for each in algorithms:
        sizes = (f"{each[key]} bits" for key in ("table_bits", "header_width"))
        table.add_row(each["algorithm"], *sizes)
    return table


def _tradeoff(choices: Sequence[Mapping[str, Any]]) -> Table:
    """Return what each number of channels gives."""
    columns = ["channels", "hops", "longest", "saturation", "sites", "MHz", "flits/us/1,000 sites"]
    table = plain_table(*columns, right=columns)
    for each in choices:
        table.add_row(
            str(each["virtual_channels"]),
            f"{each['hops']:.3f}",
            str(each["longest"]),
            f"{each['saturation']:.3f}",
            f"{each['sites']:,.0f}",
            f"{each['clock']:.0f}",
            f"{each['merit']:.0f}",
        )
    return table


def _boards(boards: Mapping[str, Any]) -> Table:
    """Return what is on each board, and its links to each other."""
    table = plain_table("board", "nodes", "", "links to others", right=("board", "nodes"))
    for board, nodes in enumerate(boards["nodes"]):
        others = {a + b - board: links for a, b, links in boards["links"] if board in (a, b)}
        each = ", ".join(f"{links} to {other}" for other, links in sorted(others.items()))
        table.add_row(str(board), str(len(nodes)), _some(nodes), f"{sum(others.values())}: {each}")
    return table


def _some(nodes: Sequence[int]) -> str:
    """Return ascending numbers, as 0..3 those that follow each other, and not too many of them."""
    runs = [list(run) for _, run in groupby(enumerate(nodes), lambda at: at[1] - at[0])]
    texts = [f"{run[0][1]}" + f"..{run[-1][1]}" * (len(run) > 1) for run in runs]
    return ", ".join(texts[:MOST_RUNS]) + " ..." * (len(texts) > MOST_RUNS)


def _addresses(parts: Sequence[Mapping[str, int]]) -> Table:
    """Return a memory map, one line for parts that follow each other by address and by node."""
    rows: list[tuple[Mapping[str, int], Mapping[str, int]]] = []
    for part in parts:
        first, last = rows[-1] if rows else (part, part)
        base, size, node = last["base"], last["size"], last["node"]
        if part == {"base": base + size, "size": size, "node": node + 1}:
            rows[-1] = first, part
        else:
            rows.append((part, part))
    digits = len(f"{max(last['base'] + last['size'] - 1 for _, last in rows):x}")
    table = plain_table("addresses", "bytes a node", "node", right=("bytes a node", "node"))
    for first, last in rows:
        end = last["base"] + last["size"] - 1
        table.add_row(
            f"{first['base']:#0{digits + 2}x}..{end:#0{digits + 2}x}",
            f"{first['size']:#x}",
            f"{first['node']}" + f"..{last['node']}" * (first != last),
        )
    return table


def _fields(fields: Sequence[Mapping[str, Any]]) -> Table:
    """Return a layout, one line for fields that differ in their final number only."""
    table = plain_table("bits", "field", "meaning", right=("bits",))

    def kind(field: Mapping[str, Any]) -> tuple[str, str, int]:
        return *(re.sub(r"\d+", "#", field[key]) for key in ("name", "meaning")), field["width"]

    for _, group in groupby(fields, kind):
        alike = list(group)
        first, last = alike[0], alike[-1]
        name, meaning = first["name"], first["meaning"]
        if len(alike) > 2:
            name = f"{name}..{re.sub(r'[^0-9]', '', last['name'])}"
            meaning = f"{meaning}, and so on"
        shown = [(name, meaning, first, last)]
        if len(alike) == 2:
            shown = [(f["name"], f["meaning"], f, f) for f in alike]
        for title, text, low, high in shown:
            top = high["offset"] + high["width"] - 1
            table.add_row(f"{top}:{low['offset']}", title, text)
    return table
