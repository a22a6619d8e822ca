"""A node of a network across OS-Links: a router with a port for every link."""

from typing import Any

from amaranth import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, flipped

from golden.counters import COUNTERS
from golden.link import OsLinkParameters
from golden.link.cells import LINK_ERRORS
from golden.link.os_link import ERRORS
from hdl.flit import LinkSignature
from hdl.header import struct
from hdl.link.cells import CellReceiver, CellSender
from hdl.link.os_link import OsLink
from hdl.router import Router

__all__ = ["OsLinkNode"]


class OsLinkNode(wiring.Component):
    """A router whose links are the wires of OS-Links.

    The router is the one that stands in a chip. A `CellSender` keeps what it sends until the
    OS-Link has taken it byte by byte, and a `CellReceiver` gives it what comes, see
    `golden.link.cells`. Nodes need not have the same clock: each may be 1 % off in frequency, and
    phases do not matter. All nodes must be reset together, and leave it within 20 bit times.

    Parameters
    ----------
    router : Router
    parameters : OsLinkParameters

    Members
    -------
    straps, turns, inject, eject, errors,
    overruns                                    Those of the router.
    link_in : ``In(degree)``                    The wire from each neighbour, asynchronous.
    link_out : ``Out(degree)``                  The wire to each neighbour, a register.
    link_errors : ``Out(degree * 8)``           What each link has found wrong since the reset, a
                                                bit for each of `LINK_ERRORS`.
    """

    straps: data.View
    turns: Signal
    link_in: Signal
    link_out: Signal
    inject: Any
    eject: Any
    errors: Signal
    overruns: Signal
    link_errors: Signal

    def __init__(self, router: Router, parameters: OsLinkParameters) -> None:
        self.router, self.parameters = router, parameters
        terminal = LinkSignature(channels=1, flit_width=router.flit_width)
        super().__init__(
            {
                "straps": In(struct(router.routing.straps)),
                "turns": In(router.degree**2),
                "link_in": In(router.degree),
                "link_out": Out(router.degree),
                "inject": In(terminal),
                "eject": Out(terminal),
                **{counter.name: Out(counter.width) for counter in COUNTERS},
                "link_errors": Out(router.degree * len(LINK_ERRORS)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Stand an OS-Link between each pair of link ports and its wires."""
        m = Module()
        m.submodules.router = router = self.router
        m.d.comb += [
            router.straps.eq(self.straps),
            router.turns.eq(self.turns),
            self.errors.eq(router.errors),
            self.overruns.eq(router.overruns),
        ]
        wiring.connect(m, flipped(self.inject), router.inject)
        wiring.connect(m, router.eject, flipped(self.eject))
        for port in router.kind.inputs:
            self._link(m, port)
        return m

    def _link(self, m: Module, port: int) -> None:
        shape = {"channels": self.router.channels, "flit_width": self.router.flit_width}
        incoming, outgoing = self.router.inputs[port], self.router.outputs[port]
        m.submodules[f"os_link{port}"] = os_link = OsLink(self.parameters)
        m.submodules[f"sender{port}"] = sender = CellSender(depth=self.router.depth, **shape)
        m.submodules[f"receiver{port}"] = receiver = CellReceiver(**shape)
        wiring.connect(m, sender.bytes, os_link.tx)
        wiring.connect(m, os_link.rx, receiver.bytes)
        m.d.comb += [
            os_link.link_in.eq(self.link_in[port]),
            self.link_out[port].eq(os_link.link_out),
            sender.link.valid.eq(outgoing.valid),
            sender.link.flit.eq(outgoing.flit),
            outgoing.credit.eq(receiver.credit),
            sender.credit.eq(incoming.credit),
            incoming.valid.eq(receiver.link.valid),
            incoming.flit.eq(receiver.link.flit),
        ]
        wrong = [getattr(os_link, name) for name in ERRORS]
        seen = self.link_errors.word_select(port, len(LINK_ERRORS))
        m.d.sync += seen.eq(seen | Cat(*wrong, receiver.bad_packet, receiver.bad_cell))
