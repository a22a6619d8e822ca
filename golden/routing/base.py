"""What every routing algorithm is: a header, and a decision at every node.

An algorithm is the twin of what a router holds: `Routing.generate_header` of the header generator
at its terminal, `Routing.unit` of the ``RoutingUnit`` at each of its ports. `Routing.decide` joins
them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeVar, final

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import Field, Layout, bits, in_one_word
from fingerpost.golden.parameters import ParameterError, either
from fingerpost.golden.topology.base import Topology

T = TypeVar("T", bound=Topology)

BLOCK = 400
"""LUT4 sites to each block RAM of an ECP5, so what one of them is worth."""

CYCLE = 200
"""LUT4 sites that a cycle of every packet is worth: a tenth of a router of 2,000 sites, where
packets without contention take ten cycles."""


class Straps(Layout):
    """Named fields of a word that is another constant at every node.

    Parameters
    ----------
    straps : mapping of name to (width, meaning, values)
        Laid out one after the other; the values are those of all nodes, shape (nodes,).

    Raises
    ------
    ValueError
        If a value does not fit into its field.
    """

    def __init__(self, straps: Mapping[str, tuple[int, str, IntArray]]) -> None:
        laid_out = {name: (width, meaning) for name, (width, meaning, _) in straps.items()}
        super().__init__(Layout.sequence(**laid_out))
        self._values = {name: values for name, (_, _, values) in straps.items()}
        for name, values in self._values.items():
            least, most = int(values.min()), int(values.max())
            if least < 0 or most >> self[name].width:
                raise ValueError(
                    f"Strap {name} needs values of {self[name].width} bits, "
                    f"not {least if least < 0 else most}"
                )

    def value(self, name: str) -> IntArray:
        """Return what a strap is at every node; shape (nodes,)."""
        return self._values[name]

    def at(self, node: int) -> int:
        """Return the word of one node, which may be too wide for an array."""
        return sum(int(values[node]) << self[name].offset for name, values in self._values.items())


TABLE_CYCLES = 2
"""From an address at a table beside a router to its entry."""


@dataclass(frozen=True, eq=False)
class NodeTable:
    """A table in block RAM beside the router of each node, which header generation reads.

    An entry is there `TABLE_CYCLES` after its address. What stands behind the last one is 0.
    """

    entries: IntArray
    """Of all nodes, shape (nodes, entries of a table)."""
    width: int
    """Bits of an entry."""

    @property
    def address_width(self) -> int:
        """Return the bits of an address."""
        return bits(self.entries.shape[1])

    def at(self, node: int) -> int:
        """Return the table of one node as a word, the entry at address 0 lowest."""
        return in_one_word(self.entries[node], self.width)

    def answers(self, node: IntArray, address: IntArray) -> IntArray:
        """Return the entries at nodes and addresses."""
        last = self.entries.shape[1] - 1
        return np.where(address <= last, self.entries[node, np.minimum(address, last)], 0)


class Decision(NamedTuple):
    """What a node does with a packet: arrays of one shape.

    `port` is the output port (`topology.local`: deliver), `header` what travels on, `error` is 1
    where the header names no node; port and header mean nothing there.
    """

    port: IntArray
    header: IntArray
    error: IntArray


@dataclass(frozen=True)
class Form:
    """One of several forms of the same routes: how a file asks for it, and what it costs a router.

    Sites and block RAMs are estimates for ECP5: those of the routing units of all inputs, and of
    header generation.
    """

    path: str
    """How a network file asks for it: the value of `key`."""
    sites: int
    """LUT4 sites."""
    block_rams: int
    header_width: int
    header_cycles: int
    key: str = "path"

    @property
    def at_source(self) -> bool:
        """Return whether tables are read at the source alone, not by routing units."""
        return self.path != "hop"

    @property
    def area(self) -> int:
        """Return the area in LUT4 sites."""
        return self.sites + BLOCK * self.block_rams

    @property
    def cost(self) -> int:
        """Return the area and the cycles in LUT4 sites."""
        return self.area + CYCLE * self.header_cycles


class Routing(ABC):
    """A routing algorithm on one network. All methods work on arrays of any one shape.

    Attributes
    ----------
    topology : Topology
    header : Layout
        What routing needs to travel with the packet.
    straps : Straps
        The constants of a node's hardware: its label and values derived from it.
    phases : tuple of str
        The names of the stages that a packet goes through, in order.
    node_table : NodeTable, optional
        What header generation reads beside the router.
    header_cycles : int
        Cycles of header generation.
    searches : bool
        Whether routes are searched for: then the second argument is called with (steps done, steps
        to do).
    selection : str
        A further input of a decision: empty, ``random``, 16 random bits, or ``free``, one bit
        for each port that no packet waits for. Of the ports that `selections` tells, a packet
        takes the first that is free, and the first of all if none is.
    symmetric : bool
        Whether a symmetry of the network that keeps port numbers takes routes to routes: then the
        orbits of the topology are those of the routes.
    relative : bool
        Whether decisions depend on a node by its orbit only: the same header at two nodes of one
        orbit is sent out at the same port with the same next header.
    forms : sequence of Form
        The forms that its routes can have; empty if their cost is not known.
    form : Form, optional
        The one in use.
    """

    algorithm: ClassVar[str]
    families: ClassVar[tuple[str, ...]]
    searches: ClassVar[bool] = False
    selection: ClassVar[Literal["", "random", "free"]] = ""

    topology: Topology
    header: Layout
    straps: Straps
    phases: tuple[str, ...] = ("",)
    node_table: NodeTable | None = None
    header_cycles: int = 0
    symmetric: bool = False
    relative: bool = False
    forms: Sequence[Form] = ()
    form: Form | None = None

    @property
    def title(self) -> str:
        """Return what messages call the algorithm."""
        return f"{self.algorithm.capitalize()} routing"

    def _only(self, topology: Topology, kind: type[T]) -> T:
        """Return `topology`, if it is of a family that the algorithm serves."""
        if topology.family not in self.families or not isinstance(topology, kind):
            raise ParameterError(
                "algorithm",
                f"{self.title} needs a {either(self.families)} network, not {topology.family}",
            )
        return topology

    def within(self, width: int) -> "Routing":
        """Return the same routes with a header of `width` bits, if the choice of one is its own."""
        return self

    @property
    def selection_width(self) -> int:
        """Return the bits of the selection."""
        return {"": 0, "random": 16, "free": self.topology.all_ports}[self.selection]

    @property
    def sent(self) -> tuple[str, ...]:
        """Return the fields of the header that a terminal fills in; all other bits are ignored.

        Header generation makes of an accepted header what it makes of an encoded one.
        """
        return tuple(self.header)

    @property
    def orbit(self) -> IntArray:
        """Return the orbits of nodes whose routes are alike; every node, if not `symmetric`."""
        return self.topology.orbit if self.symmetric else np.arange(self.topology.nodes)

    @property
    def destinations(self) -> IntArray:
        """Return the nodes that headers can name, ascending, whether they have terminals or not."""
        return np.arange(self.topology.nodes)

    @abstractmethod
    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return what the terminal at `source` sends to name `destination`."""

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Return the headers made of what the terminal at `node` sent, and 1 for refusals.

        It is asked about packets from a terminal only. What it makes of a header that it refuses
        means nothing.
        """
        return header, np.zeros_like(header)

    @abstractmethod
    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Return the decisions at `node` on headers just generated, or that came by port `arrival`.

        All arrays have one shape. Where `selection` is None all ports are free, and chance is 0.
        An error is a header that header generation refuses and no router sends on.
        """

    def selections(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        """Return selections that lead to every decision of `unit` there can be, and their packets.

        Takes arrays of one dimension, as `unit` does; packets are given by their places in them,
        ascending. Where selections are ``free`` ports, one is free in each, in the order in which
        a packet prefers them. The first leads where selection 0 does.
        """
        return np.arange(len(header)), None

    @property
    def address_layout(self) -> Layout:
        """Return what a terminal sends: the header and, if some node has several, a local port."""
        several = self.topology.local_ports
        if several == 1:
            return self.header
        local = Field(self.header.width, bits(several), "local port at the destination")
        return Layout({**self.header, "local": local})

    def addresses(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return what terminals send to name other terminals, as `address_layout` lays it out."""
        node, several = self.topology.node_of, self.topology.local_ports
        header = self.encode(node(source), node(destination))
        return header if several == 1 else header | destination % several << self.header.width

    def generate(self, node: IntArray, address: IntArray) -> tuple[IntArray, IntArray]:
        """Return what header generation makes of addresses; it does not look at local ports."""
        if self.topology.local_ports == 1:
            return self.generate_header(node, address)
        low = (1 << self.header.width) - 1
        header, refused = self.generate_header(node, address & low)
        return header | address & ~low, refused

    @final
    def route(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Return the decisions of `unit`, where a packet leaves by the local port in its header."""
        width, local, several = self.header.width, self.topology.local, self.topology.local_ports
        if several == 1:
            return self.unit(node, arrival, header, selection)
        rest = header >> width & (1 << bits(several)) - 1
        port, onward, error = self.unit(
            node, np.minimum(arrival, local), header & (1 << width) - 1, selection
        )
        return Decision(np.where(port == local, local + rest, port), onward | rest << width, error)

    @final
    def selections_of(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray | None]:
        """Return `selections`, of headers that may have local ports in them."""
        if self.topology.local_ports == 1:
            return self.selections(node, arrival, header)
        low = (1 << self.header.width) - 1
        return self.selections(node, np.minimum(arrival, self.topology.local), header & low)

    @final
    def decide(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None = None
    ) -> Decision:
        """Return the decisions at `node` for packets that came by port `arrival`.

        Headers from the terminal pass header generation first. It or the unit can refuse a header.
        Without a `selection` all ports are free, and chance is 0. That of a refused header is 0.
        """
        node, arrival, header, refused = self._generate(node, arrival, header)
        if selection is not None:
            selection = np.where(refused, 0, selection)
        port, onward, error = self.route(node, arrival, header, selection)
        return Decision(port, onward, error | refused)

    @final
    def alternatives(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, Decision]:
        """Return every decision that some selection leads to, and the packets that they are for.

        Takes arrays of one dimension; the packets are given by their places in them.
        """
        node, arrival, header, refused = self._generate(node, arrival, header)
        packet, selection = self.selections_of(node, arrival, header)
        port, onward, error = self.route(node[packet], arrival[packet], header[packet], selection)
        return packet, Decision(port, onward, error | refused[packet])

    def _generate(
        self, node: IntArray, arrival: IntArray, header: IntArray
    ) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return all in one shape, with the headers to decide on, and 1 for those refused."""
        node, arrival, header = np.broadcast_arrays(node, arrival, header)
        header, refused = header.copy(), np.zeros_like(header)
        source = arrival >= self.topology.local
        if source.any():
            header[source], refused[source] = self.generate(node[source], header[source])
        return node, arrival, header, refused

    def vc_increments(self) -> BoolArray | None:
        """Return the turns at which a packet moves to the next virtual channel, if known.

        Shape (nodes, degree + 1, degree + 1), by node, port of arrival and output port. None
        means that an order of the nodes is searched for, which gives such turns.
        """
        return None

    def phase(self, header: IntArray) -> IntArray:
        """Return the index into `phases` of packets that carry `header`."""
        return np.zeros_like(header)

    def on_arrival(self) -> dict[str, str]:
        """Return what each field of the header holds when the packet comes out at its terminal.

        That is ``as sent``, a number, or ``undefined``; where fields overlay each other, the one
        in use then.
        """
        return dict.fromkeys(self.header, "as sent")

    def constants(self) -> dict[str, object]:
        """Return the numbers that characterise this algorithm on this network, for `info`."""
        return {}

    def table_bits(self) -> dict[str, int]:
        """Return the size in bits of each table that a router holds."""
        return {}
