"""Links of credits inside a chip, and of single flits; the twin of golden.link.flit_link."""

from abc import abstractmethod
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from amaranth import Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Member, Out

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.link import FlitLink
from fingerpost.golden.link.flit_link import SingleFlitLink
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature
from fingerpost.hdl.lib.ports import Port, identifier, instance, of_node, part
from fingerpost.hdl.link.base import Linked, LinkEnds


class LinkRegister(Component):
    """Keep what is on a link for a cycle, in both directions.

    Parameters
    ----------
    channels, flit_width : int
        Virtual channels, bits of a flit's data.

    Members
    -------
    near : ``In(LinkSignature)``     From the sender of flits.
    far : ``Out(LinkSignature)``     To their receiver.
    """

    def __init__(self, *, channels: int, flit_width: int) -> None:
        link = LinkSignature(channels=channels, flit_width=flit_width)
        super().__init__(near=In(link), far=Out(link))

    def elaborate(self, platform: object) -> Module:
        """Pass on."""
        m = Module()
        m.d.sync += [
            self.far.valid.eq(self.near.valid),
            self.far.flit.eq(self.near.flit),
            self.near.credit.eq(self.far.credit),
        ]
        return m


class Wire(NamedTuple):
    """A part of a link between two nodes: its name and bits."""

    name: str
    bits: int
    back: bool = False  # from the receiver to the sender


class WireEnds(LinkEnds):
    """Ends that are wires between registers of routers.

    Wires are named after the nodes that their link joins, as ``node3_to_node5_flit``; of several
    links between the same two also after the port at which it starts. Those behind the first
    register on a link, from the sender on, end with ``_r1``.
    """

    @abstractmethod
    def between(self) -> tuple[Wire, ...]:
        """Return the wires of a link."""

    def wires(self, nodes: Collection[int]) -> Iterator[str]:
        """Declare the wires of every link, of one that ends elsewhere those at its end here."""
        topology = self.network.topology
        for node, node_type in enumerate(topology.node_type):
            for port in node_type.outputs:
                last, there = self.stages(node, port), int(topology.neighbour[node, port])
                for at in range(last + 1):
                    if (there if at and at == last else node) not in nodes:
                        continue
                    yield " ".join(
                        f" wire {f'[{x.bits - 1}:0] ' * (x.bits > 1)}"
                        f"{self.wire(x.name, node, port, at)};"
                        for x in self.between()
                    )

    def wire(self, name: str, node: int, port: int, at: int = 0) -> str:
        """Return the name of a wire of the link that starts at a port of a node.

        It is behind so many stages, `at`, from there on.
        """
        neighbour = self.network.topology.neighbour[node].tolist()
        several = f"_p{port}" if neighbour.count(neighbour[port]) > 1 else ""
        behind = f"_r{at}" if at else ""
        return f"node{node}_to_node{neighbour[port]}{several}_{name}{behind}"

    def stages(self, node: int, port: int) -> int:
        """Return what divides the wires of the link that starts at a port of a node: registers."""
        return int(self._registers[node, port])

    @cached_property
    def _registers(self) -> IntArray:
        """The registers on all links, shape (nodes, degree)."""
        registers = self.network.registers
        shape = self.network.topology.neighbour.shape
        return np.broadcast_to(0 if registers is None else registers, shape)

    def connections(self, node: int) -> Iterator[str]:
        """Connect the outputs of a node to its own wires, its inputs to the neighbours'."""
        node_type = self.network.topology.node_type[node]
        for port in range(self.network.topology.local):
            here = (node, port) if port in node_type.outputs else None
            yield self._end(f"outputs__{port}", here, True)
            there = self.origin[node, port] if port in node_type.inputs else None
            yield self._end(f"inputs__{port}", there, False)

    def _end(self, end: str, start: tuple[int, int] | None, sender: bool) -> str:
        """Connect one end of a link that starts there; of none if there is no start."""
        joined = []
        for name, bits, back in self.between():
            wire = f"{bits}'d0" if back == sender else ""
            if start:
                wire = self.wire(name, *start, 0 if sender else self.stages(*start))
            joined.append(f".{end}__{name}({wire})")
        return ", ".join(joined)

    def seen(self, node: int, port: int) -> str:
        """Return the wires of an output where something arrives, the last of them first."""
        if port not in self.network.topology.node_type[node].outputs:
            return ""
        far = self.stages(node, port)
        ends = [self.wire(x.name, node, port, 0 if x.back else far) for x in self.between()]
        return f"{{{', '.join(f'n.{end}' for end in reversed(ends))}}}"


class FlitLinkEnds(WireEnds):
    """The ends of wires: the registers and queues of the routers themselves.

    Long links are chains of `LinkRegister`, which stand between the nodes.

    If there is a node around the router, it has these ports:

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

    def between(self) -> tuple[Wire, ...]:
        """Return the wires of a link: a bit for each channel, and the flit."""
        v, flit = self.network.virtual_channels, self.network.flit.width
        return Wire("valid", v), Wire("flit", flit), Wire("credit", v, back=True)

    def passes(self, node: int, port: int) -> str:
        """Return whether a flit of one of the channels arrives."""
        return f"|{self.wire('valid', node, port, self.stages(node, port))}"

    def components(self) -> dict[str, Component]:
        network = self.network
        if network.registers is None:
            return {}
        shape = {"channels": network.virtual_channels, "flit_width": network.flit_width}
        return {register_name(network): LinkRegister(**shape)}

    def instances(self, nodes: Collection[int]) -> Iterator[str]:
        for node in nodes:
            for port in self.network.topology.node_type[node].outputs:
                for at in range(1, self.stages(node, port) + 1):
                    yield instance(
                        register_name(self.network),
                        self.wire("register", node, port, at),
                        ".clk(clk), .rst(rst)",
                        self.joined("near", node, port, at - 1),
                        self.joined("far", node, port, at),
                    )

    def joined(self, end: str, node: int, port: int, at: int) -> str:
        """Connect an end of something with the wires of a link behind so many stages."""
        wires = ((x.name, self.wire(x.name, node, port, at)) for x in self.between())
        return ", ".join(f".{end}__{name}({wire})" for name, wire in wires)


def register_name(network: AnyNetwork) -> str:
    """Return the name of the module of a register on a link."""
    return f"{identifier(network.name)}_link_register"


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


class SingleFlitEnds(WireEnds):
    """The ends of wires: the registers of the routers themselves.

    A node has these ports:

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

    def ports(self) -> list[Port]:
        """Return what nodes are told: which links are up, and new entries of their tables."""
        topology = self.network.topology
        meanings = {
            "link_up": "bit p: port p of node v has a link that is up",
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

    def between(self) -> tuple[Wire, ...]:
        """Return the wires of a link."""
        width = self._link.seen(flit_width=self.network.flit_width).width - 1  # without valid
        return Wire("valid", 1), Wire("flit", width)

    def connections(self, node: int) -> Iterator[str]:
        """Connect the links of a node, and what it is told."""
        yield from super().connections(node)
        for name in self._link.told(self.network.topology.degree):
            yield f".{name}({of_node(name, node)})"

    def passes(self, node: int, port: int) -> str:
        """Return whether there is a flit."""
        return self.wire("valid", node, port)
