"""Two nodes and the link between them, simulated by Amaranth, and rows of diagrams of signals."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from amaranth import Array, Const, Elaboratable, Module, Signal, Value

from fingerpost.drawing.timing import Trace
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.routers import node, node_straps

Seen = Mapping[str, Sequence[int]]
"""The values of signals, by name."""


def levels(seen: Seen, *names: str) -> tuple[Trace, ...]:
    """Return the rows of signals of one bit; those that were not recorded are left out."""
    return tuple(Trace(name, tuple(seen[name])) for name in names if name in seen)


def written(seen: Seen, name: str, valid: str, digits: int = 1) -> Trace:
    """Return the row of a signal in hexadecimal, where another says that it means something."""
    pairs = zip(seen[name], seen[valid], strict=True)
    return Trace(name, tuple(f"{x:0{digits}X}" if on else "" for x, on in pairs))


def stream(seen: Seen, end: str, digits: int = 4) -> tuple[Trace, ...]:
    """Return the rows of an AXI4-Stream."""
    valid, ready, data, last = (f"{end}_t{what}" for what in ("valid", "ready", "data", "last"))
    beat = written(seen, data, valid, digits)
    return (*levels(seen, valid, ready), beat, *levels(seen, last))


def bus_rows(
    seen: Seen, channels: Mapping[str, Sequence[str]], prefix: str = ""
) -> tuple[Trace, ...]:
    """Return the rows of some channels of AXI4-Lite, by their names with their payloads."""
    traces: list[Trace] = []
    for channel, payloads in channels.items():
        valid, ready = f"{prefix}{channel}valid", f"{prefix}{channel}ready"
        traces += levels(seen, valid, ready)
        traces += (written(seen, f"{prefix}{name}", valid) for name in payloads)
    return tuple(traces)


def pair(**sections: Any) -> Network:
    """Build a network of two nodes, 0 and 1."""
    topology = {"family": "edge-list", "nodes": 2, "links": [(0, 1)]}
    return build(
        {"name": "pair", "topology": topology, "routing": {"algorithm": "table"}} | sections
    )


class Pair(Elaboratable):
    """The nodes of such a network, wired as `generate` wires them.

    Attributes
    ----------
    nodes : list
        The hardware at each node.
    tdest : list of Signal
        The destination that each AXI4-Stream terminal names.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.nodes: list[Any] = [node(network) for _ in range(network.topology.nodes)]
        self.tdest = [Signal(1) for _ in self.nodes]

    def elaborate(self, platform: object) -> Module:
        """Tie the constants, join the links, and look headers up."""
        m = Module()
        topology, header = self.network.topology, self.network.routing.header
        for v, here in enumerate(self.nodes):
            m.submodules[f"node{v}"] = here
            straps, increments = node_straps(self.network, v)
            m.d.comb += [Value.cast(here.straps).eq(straps), here.increments.eq(increments)]
            for port in topology.node_type[v].outputs:
                there = self.nodes[topology.neighbour[v, port]]
                output, into = here.outputs[port], there.inputs[topology.arrival_port[v, port]]
                m.d.comb += [
                    into.valid.eq(output.valid),
                    into.flit.eq(output.flit),
                    output.credit.eq(into.credit),
                ]
            if hasattr(here, "head"):
                ends = np.arange(topology.nodes)
                sent = self.network.routing.encode(np.full_like(ends, v), ends)
                table = Array(Const(int(each), header.width) for each in sent)
                m.d.comb += [
                    here.head.eq(table[self.tdest[v]] | v << header.width),
                    here.known.eq(1),
                ]
        return m
