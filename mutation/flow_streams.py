"""An AXI4-Stream terminal with flow control; what it offers is 0 while it offers nothing."""

from typing import Any

from amaranth import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from fingerpost.golden.network.network import Network
from fingerpost.hdl.terminal.alone import TerminalAlone
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd

__all__ = ["FlowStreams"]

TABLE = "peer", "header", "known"


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
