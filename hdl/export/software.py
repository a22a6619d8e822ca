"""For software and test benches: the headers of packets, and registers.

Headers come as helpers that make them, registers as a C header, and in SystemRDL 2.0, of which
others make UVM or HTML. Both are templates and not what PeakRDL would make of the SystemRDL: its
header has no functions, and a compiler of SystemRDL would come with every `generate`, to save one
macro.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal import Axi4Terminal, MailboxTerminal
from fingerpost.golden.terminal.mailbox import SEND
from fingerpost.golden.terminal.memory_map import Part
from fingerpost.hdl.counting import RegisterMap, counting
from fingerpost.hdl.export.render import render
from fingerpost.hdl.lib.banner import banner
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.lib.registers import Register, constants
from fingerpost.hdl.terminal.mailbox_map import mailbox_map

LARGEST = 65_536
"""Entries of a table; where it would have more, headers are made of their fields."""


class Table(NamedTuple):
    """Headers by [row, destination], which are nodes; -1 where there is no terminal.

    With `by_source` the row is the source; else there is one row for all.
    """

    headers: IntArray
    by_source: bool


def header_files(network: AnyNetwork) -> dict[str, str]:
    """Return a SystemVerilog package, a C header and a Python module by names of files.

    They have widths, fields, and the header to send from one node to another.
    """
    name, known = identifier(network.name), table(network)
    values = {
        "name": name,
        "network": network,
        "layout": network.routing.address_layout,
        "banner": banner(network),
        "rows": known.headers.tolist() if known else None,
        "by_source": known is not None and known.by_source,
    }
    kinds = "sv", "h", "py"
    return {f"{name}_header.{kind}": render(f"headers/header.{kind}", **values) for kind in kinds}


def table(network: AnyNetwork) -> Table | None:
    """Return the headers to send, if they are few enough to be listed."""
    terminals = network.topology.terminals
    nodes = int(terminals.max()) + 1
    if nodes > LARGEST:
        return None
    first = _row(network, int(terminals[0]), nodes)
    sources = terminals if len(terminals) <= 256 else terminals[:64]
    rows = {int(source): _row(network, int(source), nodes) for source in sources}
    if all(np.array_equal(row, first) for row in rows.values()):
        return Table(first[None], by_source=False)
    if nodes**2 > LARGEST:
        return None
    headers = np.full((nodes, nodes), -1)
    for source, row in rows.items():
        headers[source] = row
    return Table(headers, by_source=True)


def _row(network: AnyNetwork, source: int, nodes: int) -> IntArray:
    """Return the headers from one terminal to the nodes up to the last terminal."""
    terminals = network.topology.terminals
    row = np.full(nodes, -1)
    row[terminals] = network.routing.addresses(np.full_like(terminals, source), terminals)
    return row


def counter_files(network: AnyNetwork) -> dict[str, str]:
    """Return the files of a network's counters by their names; none without counters."""
    found = counting(network)
    if found is None or network.counters is None:
        return {}
    values = {
        "name": found.name,
        "title": f"Counters of {network.name}",
        "banner": banner(network),
        "registers": (*found.map.fixed, found.map.cycles),
        "map": found.map,
        "block": found.map.block,
        "incoming": _incoming(network, found.map) if network.counters.ports else None,
    }
    return {
        f"{found.name}.rdl": render("registers/registers.rdl", **values),
        f"{found.name}.h": render("registers/counters.h", **values),
    }


def mailbox_files(network: AnyNetwork) -> dict[str, str]:
    """Return registers and driver of a network's mailboxes by names of files; none without them."""
    if not isinstance(network.terminal, MailboxTerminal):
        return {}
    map, terminals = mailbox_map(network), network.terminal.numbers(network.topology.terminals)
    nodes = network.topology.terminal_numbers * network.terminal.endpoints
    name = f"{identifier(network.name)}_mailbox"
    values = {
        "name": name,
        "title": f"Mailbox of {network.name}",
        "banner": banner(network),
        "registers": map.fixed,
        "block": map.block,
        "map": map,
        "nodes": nodes,
        "terminals": terminals,
        "sparse": len(terminals) < nodes,
        "limit": network.terminal.packet_limit,
        "descriptors": map.descriptors,
        "length_offset": SEND["length"].offset,
        "storing": network.terminal.receive_words - network.terminal.packet_limit,
    }
    header, driver = (render(f"mailbox/mailbox.{kind}", **values) for kind in "hc")
    short = dict.fromkeys(re.findall(r"\b(?:mailbox|MAILBOX)_\w+", header))
    aliases = {each: _prefixed(name, each) for each in short}
    return {
        f"{name}.rdl": render("registers/registers.rdl", **values),
        f"{name}.h": render("mailbox/names.h", text=_prefixed(name, header), aliases=aliases),
        f"{name}.c": _prefixed(name, driver),
    }


def _prefixed(name: str, text: str) -> str:
    """Return C with `name` for mailbox in all identifiers: so several networks fit in a program."""
    text = re.sub(r"\bmailbox_(?=\w)", f"{name}_", text)
    return re.sub(r"\bMAILBOX_(?=\w)", f"{name.upper()}_", text)


def port_register_files(
    name: str, registers: Sequence[Register], said: Sequence[str]
) -> dict[str, str]:
    """Return the files of an OS-Link port's registers by their names, below what is said of it."""
    values = dict(constants(registers))
    settings = {register.name: values.get(register.address) for register in registers}["settings"]
    given = {"name": name, "title": said[0], "banner": said, "registers": registers, "block": None}
    return {
        f"{name}.rdl": render("registers/registers.rdl", **given),
        f"{name}.h": render("registers/port.h", settings=settings, **given),
    }


def _incoming(network: AnyNetwork, map: RegisterMap) -> list[list[int]]:
    """Return by node and port where the flits that come in are counted: at the link's other end.

    0 if there is no link.
    """
    topology = network.topology
    starts = [[0] * topology.degree for _ in range(topology.nodes)]
    for node in range(topology.nodes):
        for port in range(topology.degree):
            to = int(topology.neighbour[node, port])
            if to >= 0:
                starts[to][topology.arrival_port[node, port]] = map.address(node, "out", port)
    return starts


class Row(NamedTuple):
    """A region as files describe it."""

    name: str
    base: int
    size: int
    node: int | None
    """None: each node has a part."""
    offset_bits: int
    """Those of an address below the number of the node."""
    span_bits: int
    """Those of an address that differ within the region."""
    parts: list[Part]


def memory_map_files(network: AnyNetwork) -> dict[str, str]:
    """Return a network's memory map by names of files; none without one.

    It is there in SystemVerilog, C, SystemRDL and as part of a device tree.
    """
    terminal = network.terminal
    if not isinstance(terminal, Axi4Terminal):
        return {}
    map, name = terminal.memory_map(network.topology), identifier(network.name)
    rows = [
        Row(
            name=f"region_{index}",
            base=region.base,
            size=region.size,
            node=region.node,
            offset_bits=region.size.bit_length() - 1,
            span_bits=region.span(map.nodes).bit_length() - 1,
            parts=map.parts(region),
        )
        for index, region in enumerate(map.regions)
    ]
    values = {
        "name": name,
        "network": network.name,
        "banner": banner(network),
        "rows": rows,
        "nodes": map.nodes,
        "everywhere": len(map.subordinates) == map.nodes,
        "present": sum(1 << node for node in map.subordinates),
        "address_width": map.address_width,
        "data_width": terminal.data_width,
    }
    return {
        f"{name}_memory_map.{kind}": render(f"memory_map/memory_map.{kind}", **values)
        for kind in ("sv", "h", "rdl", "dtsi")
    }
