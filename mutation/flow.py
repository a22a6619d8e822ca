"""AXI4-Stream terminals with flow control as what is mutated: each in a network of its model."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from amaranth import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.model import Model, Traffic, cycle
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.terminal import AxiStreamTerminal
from fingerpost.golden.terminal.axi_model import AxiTerminalModel
from fingerpost.golden.terminal.beat import AXI_COUNTERS
from fingerpost.golden.terminal.flow_sender import FlowSender
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd
from fingerpost.hdl.terminal.kinds import TerminalAlone
from fingerpost.testbench.packing import Columns
from mutation.lanes import InLanes, Lanes
from mutation.mutated import Mutated
from mutation.subject import Turn

TABLE = "peer", "header", "known"

HOT = "hotspot:nodes=0,share=1"

TURNS: tuple[tuple[int, float, dict[str, Any]], ...] = (
    (900, 0.3, {"load": 0.9, "malformed": 0.2}),
    (900, 0.0, {"load": 0.9, "pattern": HOT}),
    (900, 0.5, {"load": 0.9, "pattern": HOT}),
    (900, 0.0, {"load": 0.02}),
    (900, 0.9, {"load": 0.5, "malformed": 0.2}),
    (9000, 0.0, {"load": 1.0, "malformed": 0.95}),
    (4000, 0.05, {"load": 1.0}),
    (4000, 0.0, {"load": 0.4, "malformed": 0.02}),
    (4000, 0.02, {"load": 1.0, "pattern": HOT, "arrivals": "on-off"}),
    (1000, 0.0, {"load": 1.0, "lengths": (1, 1)}),
)
"""Cycles, chance that a user stalls, traffic. In the longest more is refused than counters hold; in
the last answers wait behind packets of one beat until there is no room for more of them."""


class FlowStreams(wiring.Component):
    """The ports of `TerminalAlone`, but for those of its table of headers: a number is its header.

    Its own number goes through a register, so that no input reaches an output within a clock.
    """

    def __init__(self, network: Network) -> None:
        end = AxiStreamTerminalEnd(network)
        node_type = network.topology.node_type[0]
        self.terminal = TerminalAlone(end, network.flit_width, node_type)
        self.known = len(network.topology.terminals)
        members = dict(self.terminal.signature.members)
        super().__init__({name: each for name, each in members.items() if name not in TABLE})

    def elaborate(self, platform: object) -> Module:
        """Join the terminal with the ports."""
        m = Module()
        m.submodules.terminal = inner = self.terminal
        ports: Any = inner
        m.d.comb += [ports.header.eq(ports.peer), ports.known.eq(ports.peer < self.known)]
        offered = {"inject": ports.inject.valid, "m_axis": ports.m_axis.tvalid}
        own_ports = self.signature.flatten(self), self.signature.flatten(inner)
        for (path, member, outside), (_, _, inside) in zip(*own_ports, strict=True):
            outer, own = Value.cast(outside), Value.cast(inside)
            if member.flow != Out:
                domain = m.d.sync if path[0] == "source" else m.d.comb
                domain += own.eq(outer)
                continue
            valid = Value.cast(offered.get(str(path[0]), 1))
            meant = valid.replicate(len(own)) if path[-1] != "credit" else -1
            m.d.comb += outer.eq(own & meant)
        return m


class Recorded(AxiTerminalModel):
    """Terminals of a network, and what goes over the ports of each."""

    def __init__(self, traffic: Traffic, *, stall: float) -> None:
        network: Any = traffic.network
        super().__init__(traffic, timeout=0, flow=network.terminal.flow(network), stall=stall)
        self.ins: list[Columns] = []
        self.outs: list[Columns] = []

    def send(self, cycle: int) -> Flits:
        """Send, and note what is driven and seen."""
        sender = self.interfaces.sender
        assert isinstance(sender, FlowSender)
        credit = self.credited.copy()
        flits = super().send(cycle)
        driven = {f"s_axis__t{name}": self._given[name] for name in ("valid", "last", "data")}
        self._in = driven | {
            "s_axis__tkeep": self._given["keep"],
            "s_axis__tuser": self._given["error"],
            "dest": self._given["dest"],
            "source": sender.every,
            "inject__credit": credit,
        }
        self._out = {
            "s_axis__tready": self._seen["ready"],
            **{counter.name: self._seen[counter.name].copy() for counter in AXI_COUNTERS},
            **self._flits("inject", flits),
        }
        return flits

    def receive(self, flits: Flits, cycle: int) -> None:
        """Receive, and note the same."""
        credit = np.zeros(len(self.exists), np.int64)
        credit[self.interfaces.receiver.credit] = 1
        super().receive(flits, cycle)
        valid = self._seen["valid"]
        offered = {name: self._seen[name] * valid for name in ("data", "keep", "last", "user")}
        self.ins.append(
            self._in | {"m_axis__tready": self._given["ready"], **self._flits("eject", flits)}
        )
        self.outs.append(
            self._out
            | {"eject__credit": credit, "m_axis__tvalid": valid}
            | {f"m_axis__t{name}": column for name, column in offered.items()}
        )

    def _flits(self, port: str, flits: Flits) -> dict[str, IntArray]:
        """Return the columns of a port to or from routers."""
        valid, flit = np.zeros((2, len(self.exists)), np.int64)
        at = flits.port_index // self.place_width
        valid[at], flit[at] = 1, flits.head | flits.tail << 1 | flits.data << 2
        return {f"{port}__valid": valid, f"{port}__flit": flit}


@dataclass(frozen=True)
class FlowTerminals(InLanes):
    """Sender, receiver and pace of AXI4-Stream terminals with flow control.

    Attributes
    ----------
    description : mapping
        A network with such terminals at all nodes, in which the number of a node is its header.
    """

    name: str
    description: Mapping[str, Any]
    within: str = field(default="", init=False)
    module: str = field(default="flow_streams", init=False)
    of = "flow control: "
    count = 400

    def network(self) -> Network:
        """Return the network."""
        network = build(self.description)
        assert isinstance(network, Network)
        assert isinstance(network.terminal, AxiStreamTerminal)
        return network

    def component(self) -> wiring.Component:
        """Return a terminal."""
        return FlowStreams(self.network())

    @property
    def lanes(self) -> int:  # type: ignore[override]
        """Return the terminals of the network."""
        return self.network().topology.nodes

    def _turns(self, lanes: Lanes) -> Iterator[Turn]:
        network = self.network()
        for seed, (cycles, stall, given) in enumerate(TURNS):
            traffic = Traffic(network, cycles=cycles, seed=seed, **{"lengths": (1, 12), **given})
            ends, model = Recorded(traffic, stall=stall), Model(network)
            for now in range(cycles):
                cycle(model, ends, now)
            yield lanes.words(ends.ins, ends.outs)

    def equivalent(self, mutated: Mutated, number: int, cache: Path) -> bool | None:
        """Return nothing: its memories are too large for a proof, and peers keep to the rules."""
        return None
