"""Wires between deflection routers; the twin of fingerpost.golden.link.single_flit."""

from collections.abc import Iterator
from typing import ClassVar

from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Member, Out

from fingerpost.golden.link.single_flit import SingleFlitLink
from fingerpost.hdl.lib.ports import Port, part
from fingerpost.hdl.link.base import Linked, LinkEnds


class SingleFlitSignature(wiring.Signature):
    """A link between two deflection routers, seen from the sender.

    Parameters
    ----------
    link : SingleFlitLink
    flit_width : int
        Bits of data in a flit.

    Members
    -------
    valid : ``Out(1)``             Asserted while there is a flit.
    flit : ``Out(StructLayout)``   The other fields of golden's layout.
    """

    def __init__(self, link: SingleFlitLink, flit_width: int) -> None:
        fields = link.seen(flit_width=flit_width)
        self.flit = data.StructLayout({name: fields[name].width for name in link.payload})
        super().__init__({"valid": Out(1), "flit": Out(self.flit)})


class SingleFlitEnds(LinkEnds):
    """The ends of wires: the registers of the routers themselves.

    Wires are named after the node and the port at which their link starts. A node has these ports:

    inputs : ``In(SingleFlitSignature)``, by port      Links from the neighbours.
    outputs : ``Out(SingleFlitSignature)``, by port    Links to the neighbours.
    """

    kind: ClassVar[str] = SingleFlitLink.kind

    def members(self, router: Linked) -> dict[str, Member]:
        """Return the router's own."""
        link = SingleFlitSignature(self._link, router.flit_width)
        return {"inputs": In(link).array(router.degree), "outputs": Out(link).array(router.degree)}

    @property
    def _link(self) -> SingleFlitLink:
        link = self.network.link
        assert isinstance(link, SingleFlitLink)
        return link

    @property
    def _width(self) -> int:
        """Return the bits of a flit with its header, without valid."""
        return self._link.seen(flit_width=self.network.flit_width).width - 1

    def ports(self) -> list[Port]:
        """Return what nodes are told: which links are up, and new entries of their tables."""
        topology = self.network.topology
        meanings = {
            "link_up": f"bit v*{topology.degree} + p: port p of node v has a link that is up",
            "table_write": "an entry of the table of node v is written",
            "table_destination": "for this terminal",
            "table_entry": "with this value",
        }
        told = self._link.told(topology.degree).items()
        return [Port(x, "input", topology.nodes * width, meanings[x]) for x, width in told]

    def given(self, node: int) -> str:
        """Return which of its links are up, and a new entry of its table."""
        told = self._link.told(self.network.topology.degree)
        return ", ".join(part(name, node, told[name]) for name in reversed(told))

    def wires(self) -> Iterator[str]:
        """Declare the wires of every link."""
        for node, node_type in enumerate(self.network.topology.node_type):
            for port in node_type.outputs:
                yield f"  wire valid_{node}_{port}; wire [{self._width - 1}:0] flit_{node}_{port};"

    def connections(self, node: int) -> Iterator[str]:
        """Connect the outputs of a node to its own wires, its inputs to the neighbours'."""
        node_type = self.network.topology.node_type[node]
        for port in range(self.network.topology.local):
            here = f"{node}_{port}" if port in node_type.outputs else ""
            yield (
                f".outputs__{port}__valid({here and f'valid_{here}'}), "
                f".outputs__{port}__flit({here and f'flit_{here}'})"
            )
            valid, flit = "1'b0", f"{self._width}'d0"
            if port in node_type.inputs:
                there = "{}_{}".format(*self.origin[node, port])
                valid, flit = f"valid_{there}", f"flit_{there}"
            yield f".inputs__{port}__valid({valid}), .inputs__{port}__flit({flit})"
        for name, width in self._link.told(self.network.topology.degree).items():
            yield f".{name}({part(name, node, width)})"

    def passes(self, node: int, port: int) -> str:
        """Return whether there is a flit."""
        return f"valid_{node}_{port}"

    def seen(self, node: int, port: int) -> str:
        """Return {flit, valid}."""
        if port not in self.network.topology.node_type[node].outputs:
            return ""
        return f"{{n.flit_{node}_{port}, n.valid_{node}_{port}}}"
