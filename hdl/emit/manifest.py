"""The manifest: what a user of the generated files must know, as plain data."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import ERRORS
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.counting import counting
from fingerpost.hdl.emit.network import (
    clocks,
    network_name,
    network_ports,
    nodes_of,
    top,
    vectors,
)
from fingerpost.hdl.emit.routers import node_names, routers
from fingerpost.hdl.lib.banner import FREE, description_hash
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.link import link_ends
from fingerpost.hdl.link.flit_link import register_name
from fingerpost.hdl.terminal import terminal_end

CROSSING_CYCLES = 2, 3
"""Of the clock that reads, least and most, between two clocks."""

PERIOD = "that of the receiver's clock, in cycles of clk"

REGISTERS = "the cycles of the links on the way but one each"

RESET_CYCLES = 2
"""Rising edges of the clock for which reset is held; one is enough, two allow for a late one."""

MOST_HEADERS = 65_536
"""Headers that a manifest lists."""


def manifest(
    network: AnyNetwork, files: Mapping[str, str], costs: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Return what a user of the files must know, as plain data.

    Parameters
    ----------
    network : AnyNetwork
    files : mapping
        The texts of all other files by name.
    costs : sequence of mapping, optional
        What parts of this very network were found to cost.
    """
    routing, topology, nodes = network.routing, network.topology, node_names(network)
    terminals = terminal_end(network).words
    return {
        "name": network.name,
        "fingerpost": version("fingerpost"),
        "license": FREE,
        "description_sha256": description_hash(network),
        "description": network.description,
        "nodes": topology.nodes,
        "ports": [topology.port_name(port) for port in range(topology.all_ports)],
        "local_ports": topology.local_ports,
        "numbering": _numbering(network),
        "modules": {
            "node": next(iter(nodes.values())),
            "network": f"{identifier(network.name)}_network",
            "top": top(network)[0],
            **({} if network.registers is None else {"link_register": register_name(network)}),
        },
        "network_ports": _ports(network),
        "clock": {
            "port": "clk",
            "edge": "rising",
            "each_node": network.link.own_clocks,
            **_of_terminals(network, "clk"),
        },
        "reset": {
            "port": "rst",
            "active": "high",
            "kind": "synchronous",
            "cycles": RESET_CYCLES,
            "each_node": network.link.own_clocks,
            **_of_terminals(network, "rst"),
        },
        "terminals": topology.terminals.tolist(),
        **_endpoints(network),
        "flit": _flit(network),
        "header": _header(network),
        "header_width": routing.address_layout.width,
        "headers": _headers(network),
        "injection": terminals.injection(nodes),
        "ejection": terminals.ejection(),
        "latency": _latency(network),
        "errors_width": ERRORS.width,
        "link": network.link.describe() | _formats(network),
        "terminal": network.terminal.describe(),
        **terminals.registers(),
        **_counters(network),
        **routers(network).facts(),
        "node_types": {name: node_type._asdict() for node_type, name in nodes.items()},
        "links": _links(network),
        **_boards(network),
        "cost": [dict(cost) for cost in costs],
        "versions": {package: version(package) for package in ("fingerpost", "amaranth")},
        "sha256": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()},
    }


def _formats(network: AnyNetwork) -> dict[str, Any]:
    """Return the formats of what is on links."""
    return network.link.formats(
        flit_width=network.flit_width,
        channels=network.virtual_channels,
        depth=network.buffer_depth,
    )


def _of_terminals(network: AnyNetwork, port: str) -> dict[str, str]:
    """Return the name of the clock or reset of a terminal of its own; ``{v}`` is its number."""
    clocks = terminal_end(network).text.clocks()
    return {"each_terminal": re.sub(r"\d+_clk", f"{{v}}_{port}", clocks[0])} if clocks else {}


def _endpoints(network: AnyNetwork) -> dict[str, Any]:
    """Return the numbers of endpoints, if several share a terminal."""
    terminal, terminals = network.terminal, network.topology.terminals
    return {"endpoints": terminal.numbers(terminals)} if terminal.endpoints > 1 else {}


def _examples(several: IntArray) -> list[int]:
    """Return the first three and the last."""
    return sorted({*several[:3].tolist(), *several[-1:].tolist()})


def _ports(network: AnyNetwork) -> list[dict[str, Any]]:
    """Return the ports of the network module, those of nodes once; ``{v}`` is the node's number.

    `of` is what has such a port: network, links, nodes, or terminals, which are nodes, too. With
    several terminals at a node ``{v}`` is 3_1 for that at local port 1 of node 3.
    """
    of_terminals = {port.name for port in terminal_end(network).text.ports()}
    own = [port._asdict() | {"of": "network"} for port in clocks(network)]
    for port in vectors(network):
        of = "terminals" if port.name in of_terminals else "nodes"
        topology = network.topology
        bits = port.bits // (topology.terminal_numbers if of == "terminals" else topology.nodes)
        named = {"name": f"node_{{v}}_{port.name}", "bits": bits, "of": of}
        own.append(port._asdict() | named)
    ends = link_ends(network).end_ports(nodes_of(network))
    return own + [port._asdict() | {"of": "links"} for port in ends]


def _numbering(network: AnyNetwork) -> list[dict[str, Any]]:
    """Return how the family names some nodes."""
    names = network.topology.name
    return [{"node": v, "name": names(v)} for v in _examples(np.arange(network.topology.nodes))]


def _flit(network: AnyNetwork) -> list[dict[str, Any]]:
    flit: list[dict[str, Any]] = network.flit.describe()
    width = network.link.status_width
    if width:
        meaning = "in a tail, instead of data: 0, or not 0 if the packet is bad"
        offset = network.flit.width - width
        flit.append({"name": "status", "offset": offset, "width": width, "meaning": meaning})
    return flit


def _header(network: AnyNetwork) -> list[dict[str, Any]]:
    """Return the fields of the header, which a terminal fills in, and what comes out of them."""
    arrived = network.routing.on_arrival() | {"local": "as sent"}
    sent = (*network.routing.sent, "local")
    return [
        field | {"sent": field["name"] in sent, "on_arrival": arrived[str(field["name"])]}
        for field in network.routing.address_layout.describe()
    ]


def _headers(network: AnyNetwork) -> dict[str, Any]:
    """Return the headers to send: to every terminal, or from and to some.

    In most algorithms the source does not matter; where it does, all are listed if they are few.
    """
    routing, terminals = network.routing, network.topology.terminals
    sources = terminals if len(terminals) ** 2 <= 1 << 21 else terminals[:64]
    first = routing.addresses(np.full_like(terminals, terminals[0]), terminals)
    rows = (routing.addresses(np.full_like(terminals, source), terminals) for source in sources)
    if all(np.array_equal(row, first) for row in rows):
        every = zip(terminals.tolist(), first.tolist(), strict=True)
        return {"depend_on_source": False, "to": {str(to): hex(header) for to, header in every}}
    some = terminals if len(terminals) ** 2 <= MOST_HEADERS else np.array(_examples(terminals))
    return {
        "depend_on_source": True,
        "from": {
            str(source): {
                str(to): hex(header)
                for to, header in zip(
                    some.tolist(),
                    routing.addresses(np.full_like(some, source), some).tolist(),
                    strict=True,
                )
            }
            for source in some.tolist()
        },
    }


def _counters(network: AnyNetwork) -> dict[str, Any]:
    """Return the registers of the counters, if there are any."""
    found = counting(network)
    if found is None or network.counters is None:
        return {}
    map = found.map
    rows = [(register, 0) for register in (*map.fixed, map.cycles)]
    rows += [(register, map.address(0)) for register in map.node]
    return {
        "counters": {
            **network.counters.describe(),
            "module": found.name,
            "ports": [port._asdict() for port in found.ports()],
            "registers": [
                {
                    "name": f"node.{register.name}" if first else register.name,
                    "address": first + register.address,
                    "count": register.count,
                    "meaning": register.meaning,
                }
                for register, first in rows
            ],
            "node_stride": map.stride,
            "round_cycles": map.round,
        }
    }


def _boards(network: AnyNetwork) -> dict[str, Any]:
    """Return the nodes of each board, if there are boards, and the modules that these have."""
    if network.boards is None:
        return {}
    return {
        "boards": [
            {"nodes": list(nodes_of(network, board))}
            | (
                {
                    "module": network_name(network, board),
                    "ports": [port._asdict() for port in network_ports(network, board)],
                }
                if board in network.separate_boards
                else {}
            )
            for board in range(int(network.boards.max()) + 1)
        ]
    }


def _latency(network: AnyNetwork) -> dict[str, Any]:
    """Return the cycles of a packet that nothing holds up."""
    if network.jitter_reason:
        return {"formula": None, "why": network.jitter_reason}
    end, terminal = terminal_end(network), network.terminal
    words, crosses = end.words, bool(end.text.clocks())
    calm = "the flit meets no other" if network.sends_flits else "nothing is in the way"
    cycles = network.terminal_cycles
    if terminal.first_beats:
        # Cycles are counted from the user's first beat. The beat before it has gone by then, and
        # so has the head, unless the packet is stored: then it is sent when all is there.
        cycles += 1 if terminal.flit_cycles > 1 else -1
        # Between clocks a beat is taken at once, and endpoints take turns behind that.
        cycles += crosses * (2 if terminal.flit_cycles > 1 else 3)
    uninvited = terminal.uninvited(network)
    length = f"{terminal.unit} - 1"
    if terminal.flit_cycles > 1:
        length = f"{terminal.flit_cycles} * ({length})"
    way, grant, header_cycles = routers(network).latency()
    formula = f"{way} + {length}" if cycles or not network.sends_flits else way
    formula += " + terminal_cycles" if cycles else ""
    if crosses:
        formula += " + crossing_cycles * (1 + period)"
        calm += " and no terminal's clock is slower than clk, or there is but one beat"
    return {
        "formula": formula,
        "hop_cycles": network.hop_cycles,
        **({} if header_cycles is None else {"header_cycles": header_cycles}),
        **({} if network.registers is None else {"registers": REGISTERS}),
        **({"terminal_cycles": cycles} if cycles else {}),
        **({"crossing_cycles": CROSSING_CYCLES, "period": PERIOD} if crosses else {}),
        **(
            {}
            if uninvited is None
            else {
                "longest": uninvited - terminal.first_beats,
                "longer": f"{formula} + {grant}",
                "grant_cycles": network.grant_cycles,
            }
        ),
        "from": f"the cycle in which {words.begins}",
        "to": f"the cycle in which {words.ends}, if {calm}",
        **words.latency(),
    }


def _links(network: AnyNetwork) -> list[dict[str, int]]:
    """Return every link: the node and port where it starts and where it ends.

    Where links have registers, also the cycles of each; where some are streams, 1 for these.
    """
    topology = network.topology
    node, port = np.nonzero(topology.neighbour >= 0)
    columns = [node, port, topology.neighbour[node, port], topology.arrival_port[node, port]]
    keys = ["node", "port", "to_node", "to_port"]
    if network.registers is not None:
        cycles = np.broadcast_to(network.registers + 1, topology.neighbour.shape)
        columns, keys = [*columns, cycles[node, port]], [*keys, "cycles"]
    if network.streams is not None:
        columns, keys = [*columns, network.streams[node, port].astype(int)], [*keys, "stream"]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [dict(zip(keys, row, strict=True)) for row in rows]
