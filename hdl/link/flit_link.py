"""Wires between routers; the twin of fingerpost.golden.link.flit_link."""

from collections.abc import Iterator
from typing import ClassVar

from amaranth.lib.wiring import In, Member, Out

from fingerpost.golden.link import FlitLink
from fingerpost.hdl.lib.flit import LinkSignature
from fingerpost.hdl.link.base import Linked, LinkEnds


class FlitLinkEnds(LinkEnds):
    """The ends of wires: the registers and queues of the routers themselves.

    Wires are named after the node and the port at which their link starts. If there is a node
    around the router, it has these ports:

    inputs : ``In(LinkSignature)``, by port      Links from the neighbours.
    outputs : ``Out(LinkSignature)``, by port    Links to the neighbours.
    """

    kind: ClassVar[str] = FlitLink.kind

    def members(self, router: Linked) -> dict[str, Member]:
        """Return the router's own."""
        link = LinkSignature(channels=router.channels, flit_width=router.flit_width)
        return {
            "inputs": In(link).array(router.degree),
            "outputs": Out(link).array(router.degree),
        }

    def wires(self) -> Iterator[str]:
        """Declare the wires of every link."""
        v, flit = self.network.virtual_channels, self.network.flit.width
        for node, node_type in enumerate(self.network.topology.node_type):
            for port in node_type.outputs:
                yield (
                    f"  wire [{v - 1}:0] valid_{node}_{port}; "
                    f"wire [{flit - 1}:0] flit_{node}_{port}; "
                    f"wire [{v - 1}:0] credit_{node}_{port};"
                )

    def connections(self, node: int) -> Iterator[str]:
        """Connect the outputs of a node to its own wires, its inputs to the neighbours'."""
        v, flit = self.network.virtual_channels, self.network.flit.width
        node_type = self.network.topology.node_type[node]
        for port in range(self.network.topology.local):
            here = f"{node}_{port}"
            if port in node_type.outputs:
                yield (
                    f".outputs__{port}__valid(valid_{here}), "
                    f".outputs__{port}__flit(flit_{here}), .outputs__{port}__credit(credit_{here})"
                )
            else:
                yield (
                    f".outputs__{port}__valid(), .outputs__{port}__flit(), "
                    f".outputs__{port}__credit({v}'d0)"
                )
            if port in node_type.inputs:
                there = "{}_{}".format(*self.origin[node, port])
                yield (
                    f".inputs__{port}__valid(valid_{there}), "
                    f".inputs__{port}__flit(flit_{there}), .inputs__{port}__credit(credit_{there})"
                )
            else:
                yield (
                    f".inputs__{port}__valid({v}'d0), .inputs__{port}__flit({flit}'d0), "
                    f".inputs__{port}__credit()"
                )

    def passes(self, node: int, port: int) -> str:
        """Return whether one of the channels has a flit."""
        return f"|valid_{node}_{port}"

    def seen(self, node: int, port: int) -> str:
        """Return {credit, flit, valid}."""
        if port not in self.network.topology.node_type[node].outputs:
            return ""
        return f"{{n.credit_{node}_{port}, n.flit_{node}_{port}, n.valid_{node}_{port}}}"
