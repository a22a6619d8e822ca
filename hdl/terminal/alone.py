"""The end of a terminal by itself, without its router."""

from types import SimpleNamespace
from typing import Any

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, flipped

from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.lib.flit import LinkSignature
from fingerpost.hdl.terminal.base import TerminalEnd
from fingerpost.hdl.terminal.single_flit import EjectSignature, InjectSignature


class TerminalAlone(wiring.Component):
    """The end of a terminal, to be measured.

    Parameters
    ----------
    end : TerminalEnd
    flit_width : int
    node_type : NodeType

    Members
    -------
    end.members                                  What the terminal has.
    inject, eject : ``Out/In``                   To and from the router.
    """

    inject: Any
    eject: Any

    def __init__(self, end: TerminalEnd, flit_width: int, node_type: NodeType) -> None:
        self.end, self.flit_width, self.node_type = end, flit_width, node_type
        link = LinkSignature(channels=1, flit_width=flit_width)
        inject, eject = Out(link), In(link)
        if end.network.single_flit:
            header = end.network.routing.header.width
            inject, eject = (
                Out(InjectSignature(header, flit_width)),
                In(EjectSignature(1, flit_width)),
            )
        local: Any = self._local(None, None)
        super().__init__({**end.members(local), "inject": inject, "eject": eject})

    def _local(self, inject: Any, eject: Any) -> Any:
        """Return what stands for the router."""
        return SimpleNamespace(
            node_type=self.node_type, flit_width=self.flit_width, inject=inject, eject=eject
        )

    def elaborate(self, platform: object) -> Module:
        """Join the end with the ports."""
        m = Module()
        self.end.join(m, self, self._local(flipped(self.inject), flipped(self.eject)))
        return m
