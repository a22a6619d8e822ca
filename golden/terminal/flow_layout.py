"""End-to-end flow control: its parameters and the head flits, shared by model and hardware."""

from dataclasses import dataclass
from functools import cached_property

from fingerpost.golden.header import Layout, bits
from fingerpost.golden.link import Link
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing import Routing
from fingerpost.golden.terminal.beat import NUMBER, AxiLayout
from fingerpost.golden.traffic.carrier import Carrier

__all__ = [
    "ACK",
    "ANSWERS",
    "DATA",
    "EAGER",
    "GRANT",
    "KINDS",
    "REQUEST",
    "SLOTS",
    "FlowControl",
    "FlowLayout",
]

ACK, GRANT, REQUEST, EAGER, DATA = range(5)
KINDS = ("ack", "grant", "request", "eager", "data")
"""What a packet in the network is, by the number in the field `kind` of its head."""

SLOTS = 8
"""Packets that a sender can hold, if its store has room for their beats."""

ANSWERS = 7
"""Acknowledges and grants that a receiver can hold until its sender sends them."""

ENTRIES = 512
"""Rows of a small block RAM: windows grow while the slots of all sources fit into so many."""

LARGEST_WINDOW = 8


@dataclass(frozen=True)
class FlowControl:
    """Room that sender and receiver keep.

    Attributes
    ----------
    peers : int
        Nodes; each may send to each.
    eager : int
        Beats of the longest packet that is sent without a request.
    window : int
        Packets from one source to one destination that have left the source and are not
        acknowledged; a power of two.
    packet_limit : int
        Beats of the longest packet; a longer one is dropped whole by its sender.
    receive : int
        Beats of space for packets that are longer than `eager`.
    """

    peers: int
    eager: int
    window: int
    packet_limit: int
    receive: int

    @classmethod
    def largest_window(cls, peers: int, eager: int) -> int:
        """Return the largest window whose slots fit into a small block RAM; 1 if none does."""
        window = LARGEST_WINDOW
        while window > 1 and peers * window * eager > ENTRIES:
            window //= 2
        return window

    @property
    def batch(self) -> int:
        """Return the packets that one acknowledge stands for: half a window."""
        return max(1, self.window // 2)

    @property
    def store(self) -> int:
        """Return the beats that a sender can hold: two longest packets, or more."""
        return max(2 * SLOTS, 2 << (self.packet_limit - 1).bit_length())

    @property
    def arrivals(self) -> int:
        """Return the beats that a receiver can hold: all eager slots, and the space for grants."""
        return self.peers * self.window * self.eager + self.receive

    @property
    def requests(self) -> int:
        """Return the requests that a receiver can hold: all that can be outstanding."""
        return self.peers * min(self.window, SLOTS)


class FlowLayout(AxiLayout):
    """What is in the flits of a packet: as without flow control, but for the head."""

    def __init__(
        self, *, data_width: int, nodes: int, header: int, packet_limit: int, status: int = 0
    ) -> None:
        super().__init__(data_width=data_width, nodes=nodes, header=header, status=status)
        self.length = bits(packet_limit + 1)

    @classmethod
    def controlled(cls, network: Carrier, flow: FlowControl) -> "FlowLayout":
        """Return the layouts of a network with flow control."""
        return cls(
            data_width=network.data_width,
            nodes=network.topology.nodes,
            header=network.routing.header.width,
            packet_limit=flow.packet_limit,
            status=network.link.status_width,
        )

    @classmethod
    def room(cls, packet_limit: int, data_width: int, routing: Routing, link: Link) -> int:
        """Return the bits of a flit with room for a beat and for a head flit.

        Raises
        ------
        ParameterError
            If tdata would not be whole bytes, or a head flit is too wide for the model.
        """
        body = cls.body_width("AXI4-Stream", data_width)
        nodes, header = routing.topology.nodes, routing.header.width
        layout = cls(data_width=data_width, nodes=nodes, header=header, packet_limit=packet_limit)
        if layout.head.width > NUMBER:
            raise ParameterError(
                "packet_limit",
                f"AXI4-Stream needs a packet_limit of at most "
                f"{1 << max(0, layout.length - layout.head.width + NUMBER - 1)} beats here, "
                f"for a head flit of {NUMBER} bits, not {packet_limit}",
            )
        width = max(body, layout.head.width) + link.status_width
        return -(-width // link.multiple) * link.multiple

    @cached_property
    def head(self) -> Layout:
        """Return the layout of the head flit, which has nothing of the user's."""
        kinds = ", ".join(f"{i} {kind}" for i, kind in enumerate(KINDS))
        return Layout.sequence(
            header=(self.header, "what routing needs"),
            source=(self.number, "the number of the node that sends"),
            kind=(bits(len(KINDS)), f"{kinds}; the first three have no further flit"),
            slot=(bits(SLOTS), "in a request and its grant: the packet in the sender's store"),
            length=(self.length, "in a request: beats of the packet"),
        )
