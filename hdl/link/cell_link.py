"""OS-Links between routers; the twin of fingerpost.golden.compiled.link.cell_link."""

from collections.abc import Iterator
from typing import Any, ClassVar

from amaranth import Cat, Module
from amaranth.lib.wiring import In, Member, Out, connect

from fingerpost.golden.link import CellLink
from fingerpost.golden.link.cells import LINK_ERRORS
from fingerpost.golden.link.parameters import ERRORS
from fingerpost.hdl.lib.ports import Port, part
from fingerpost.hdl.link.base import Linked, LinkEnds
from fingerpost.hdl.link.cells import CellReceiver, CellSender
from fingerpost.hdl.link.os_link import OsLink


class CellLinkEnds(LinkEnds):
    """The ends of OS-Links: a port for every link, with what makes bytes of flits and credits.

    A `CellSender` keeps what the router sends until the OS-Link has taken it byte by byte, and a
    `CellReceiver` gives it what comes, see `golden.link.cells`. Nodes need not have the same
    clock: each may be 1 % off in frequency, and phases do not matter. All nodes must be reset
    together, and leave it within 20 bit times.

    A node has these ports instead of its router's links:

    link_in : ``In(degree)``             The wire from each neighbour, asynchronous.
    link_out : ``Out(degree)``           The wire to each neighbour, a register.
    link_errors : ``Out(degree * 8)``    What each link has found wrong since the reset, a bit for
                                         each of `LINK_ERRORS`.
    """

    kind: ClassVar[str] = CellLink.kind
    adds: ClassVar[str] = "OS-Links"

    def members(self, router: Linked) -> dict[str, Member]:
        """Return a wire for each port and direction."""
        return {"link_in": In(router.degree), "link_out": Out(router.degree)}

    def errors(self, router: Linked) -> dict[str, Member]:
        """Return `link_errors`."""
        return {"link_errors": Out(router.degree * len(LINK_ERRORS))}

    def join(self, m: Module, node: Any, router: Linked) -> None:
        """Stand an OS-Link between each pair of link ports and its wires."""
        for port in router.node_type.inputs:
            self._link(m, node, router, port)

    def _link(self, m: Module, node: Any, router: Linked, port: int) -> None:
        shape = {"channels": router.channels, "flit_width": router.flit_width}
        incoming, outgoing = router.inputs[port], router.outputs[port]
        parameters: Any = self.network.link
        m.submodules[f"os_link{port}"] = os_link = OsLink(parameters)
        m.submodules[f"sender{port}"] = sender = CellSender(depth=router.depth, **shape)
        m.submodules[f"receiver{port}"] = receiver = CellReceiver(**shape)
        connect(m, sender.bytes, os_link.tx)
        connect(m, os_link.rx, receiver.bytes)
        m.d.comb += [
            os_link.link_in.eq(node.link_in[port]),
            node.link_out[port].eq(os_link.link_out),
            sender.link.valid.eq(outgoing.valid),
            sender.link.flit.eq(outgoing.flit),
            outgoing.credit.eq(receiver.credit),
            sender.credit.eq(incoming.credit),
            incoming.valid.eq(receiver.link.valid),
            incoming.flit.eq(receiver.link.flit),
        ]
        wrong = [getattr(os_link, name) for name in ERRORS]
        seen = node.link_errors.word_select(port, len(LINK_ERRORS))
        m.d.sync += seen.eq(seen | Cat(*wrong, receiver.bad_packet, receiver.bad_cell))

    def ports(self) -> list[Port]:
        """Return `link_errors` of all nodes."""
        topology = self.network.topology
        bits = topology.nodes * topology.local * len(LINK_ERRORS)
        meaning = f"for each port {', '.join(LINK_ERRORS)}: each stays set until reset"
        return [Port("link_errors", "output", bits, meaning)]

    def wires(self) -> Iterator[str]:
        """Declare and join the wires: a bit for each port of a node."""
        nodes, local = self.network.topology.nodes, self.network.topology.local
        for node in range(nodes):
            yield f"  wire [{local - 1}:0] out_{node};"
        for node in range(nodes):
            bits = [
                "out_{}[{}]".format(*self.origin[node, port])
                if (node, port) in self.origin
                else "1'b0"
                for port in reversed(range(local))
            ]
            yield f"  wire [{local - 1}:0] in_{node} = {{{', '.join(bits)}}};"

    def connections(self, node: int) -> Iterator[str]:
        """Connect the wires of a node, and what it has found wrong."""
        errors = self.network.topology.local * len(LINK_ERRORS)
        yield f".link_in(in_{node}), .link_out(out_{node})"
        yield f".link_errors({part('link_errors', node, errors)})"

    def seen(self, node: int, port: int) -> str:
        """Return {errors, wire}."""
        at = node * self.network.topology.local + port
        return f"{{{part('link_errors', at, len(LINK_ERRORS))}, n.out_{node}[{port}]}}"
