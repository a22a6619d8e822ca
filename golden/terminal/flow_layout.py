"""End-to-end flow control: its parameters and the head flits, shared by model and hardware."""

from dataclasses import dataclass
from functools import cached_property

from fingerpost.golden.header import Layout, bits
from fingerpost.golden.link import Link
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing import Routing
from fingerpost.golden.terminal.beat import NUMBER, AxiLayout
from fingerpost.golden.traffic.carrier import Carrier

ACK, GRANT, REQUEST, EAGER, DATA = range(5)
KINDS = ("ack", "grant", "request", "eager", "data")
"""What a packet in the network is, by the number in the field `kind` of its head."""

SLOTS = 8
"""Packets that a sender can hold; smaller ones have fewer in proofs."""

LARGEST_WINDOW = 34
"""Units that one acknowledge can carry: two eager packets of 16 beats and a first beat each."""

ANSWERS = 6
"""Acknowledges and grants that a receiver can hold until its sender sends them; fewer in proofs."""

GRANTS = 16
"""Packets that a receiver can have granted and not handed over, where flits have a sequence."""

SEQUENCE = "place of the first beat at the receiver, modulo a power of two; in a grant: from where"

CLOSED_BEATS = 96
"""Beats beyond one packet each that all sources together may send while windows are closed."""

LARGEST_EAGER, EAGER_BEATS = 16, 1024
"""The eager limit is the former, or smaller, so that all sources together send the latter."""


@dataclass(frozen=True)
class FlowControl:
    """Room that sender and receiver keep."""

    peers: int
    """Terminals; each may send to each."""
    eager: int
    """Beats of the longest packet that is sent without a request."""
    packet_limit: int
    """Beats of the longest packet; a longer one is dropped whole by its sender."""
    receive: int
    """Beats of space for packets that are longer than `eager`."""
    ordered: bool
    """Whether the network keeps the order of packets. If not, beats have sequence numbers."""
    slots: int = SLOTS
    """Packets that a sender can hold: a power of two, up to `SLOTS`."""
    answers: int = ANSWERS
    """Acknowledges and grants that a receiver can hold; at least 2."""

    @staticmethod
    def default_eager(peers: int) -> int:
        """Return the eager limit of a network with so many nodes."""
        return max(1, min(LARGEST_EAGER, EAGER_BEATS // peers))

    @property
    def window(self) -> int:
        """Return the units that may be outstanding from a source to a destination.

        An eager packet counts as many as it has beats, a longer one counts 1.
        """
        return 2 * self.eager

    @property
    def rows(self) -> int:
        """Return the places of a source where beats have sequence numbers: a power of two."""
        return 1 << bits(self.window)

    @property
    def space(self) -> int:
        """Return the places of granted packets likewise."""
        return 1 << bits(self.receive)

    @property
    def granted_place(self) -> int:
        """Return the first place of granted packets: a multiple of `space`, behind all sources."""
        return -(-self.peers * self.rows // self.space) * self.space

    @property
    def places(self) -> int:
        """Return all of them."""
        return self.granted_place + self.space

    @property
    def sequence(self) -> int:
        """Return the bits of a sequence number: of a place, and in which round; 0 if ordered."""
        return 0 if self.ordered else bits(2 * max(self.rows, self.space))

    @property
    def units(self) -> int:
        """Return the bits of the units that were issued to a peer."""
        return bits(self.window + 1 if self.ordered else 2 * self.rows)

    @property
    def grants(self) -> int:
        """Return the packets that may be granted and not handed over, with sequence numbers."""
        return max(1, min(GRANTS, self.receive // (self.eager + 1)))

    @property
    def clearing(self) -> int:
        """Return the cycles after a reset in which memories are cleared."""
        return self.peers if self.ordered else self.places

    @property
    def batch(self) -> int:
        """Return the units from which on a receiver acknowledges them to an open window.

        So it withholds at most batch - 1, and a packet of any length goes at last:
        window - (batch - 1) >= eager.
        """
        return max(1, self.eager // 2)

    @property
    def withheld(self) -> int:
        """Return the units that a receiver withholds from a closed window.

        The rest is room for one packet of any length, window - withheld >= eager, or for two of one
        beat; for more in small networks, so that a queue at a receiver outlasts its round trips.
        With two beats or more it is at least `batch`, so an open window withholds less.
        """
        return self.eager - max(1, min(self.eager // 2, CLOSED_BEATS // self.peers))

    @property
    def busy(self) -> int:
        """Return the cycles without rest after which a receiver closes windows."""
        return 64

    @property
    def full(self) -> int:
        """Return the flits in a row from which on there is a queue in routers: a power of two.

        No packet is as long.
        """
        return 1 << bits(self.packet_limit + 2)

    @property
    def arrivals(self) -> int:
        """Return the beats that a receiver can hold: all windows, and the space for grants."""
        return self.peers * self.window + self.receive

    @property
    def requests(self) -> int:
        """Return the requests that a receiver can hold: all that can be outstanding."""
        return self.peers * min(self.window, self.slots)


class FlowLayout(AxiLayout):
    """What is in the flits of a packet: as without flow control, but for the head.

    Attributes
    ----------
    sequence : int
        Bits of a sequence number; 0 where the network keeps the order of packets.
    single : bool
        Whether packets of the network have one flit: then each beat is one, with a mark of its own.
    """

    def __init__(
        self,
        *,
        data_width: int,
        peers: int,
        header: int,
        packet_limit: int,
        status: int = 0,
        sequence: int = 0,
        single: bool = False,
    ) -> None:
        super().__init__(data_width=data_width, peers=peers, header=header, status=status)
        self.length = bits(max(packet_limit, LARGEST_WINDOW) + 1)
        self.sequence, self.single = sequence, single

    @classmethod
    def controlled(cls, network: Carrier, flow: FlowControl) -> "FlowLayout":
        """Return the layouts of a network with flow control."""
        return cls(
            data_width=network.data_width,
            peers=network.topology.terminal_numbers,
            header=network.routing.address_layout.width,
            packet_limit=flow.packet_limit,
            status=network.link.status_width,
            sequence=flow.sequence,
            single=network.single_flit,
        )

    @classmethod
    def room(cls, flow: FlowControl, data_width: int, routing: Routing, link: Link) -> int:
        """Return the bits of a flit with room for a beat and for a head flit.

        Raises
        ------
        ParameterError
            If a head flit is too wide for the model.
        """
        body = cls.of_body(data_width).width
        peers, header = routing.topology.terminal_numbers, routing.address_layout.width
        layout = cls(
            data_width=data_width,
            peers=peers,
            header=header,
            packet_limit=flow.packet_limit,
            sequence=flow.sequence,
        )
        if layout.head.width > NUMBER:
            raise ParameterError(
                "packet_limit",
                f"AXI4-Stream needs a packet_limit of at most "
                f"{1 << max(0, layout.length - layout.head.width + NUMBER - 1)} beats here, "
                f"for a head flit of {NUMBER} bits, not {flow.packet_limit}",
            )
        width = max(body, layout.head.width) + link.status_width
        return -(-width // link.multiple) * link.multiple

    @property
    def single_width(self) -> int:
        """Return the bits of a flit where packets have one: a mark, then a beat or an answer."""
        return max(self.mark.width + self.body.width, self.head.width)

    @cached_property
    def mark(self) -> Layout:
        """Return the layout of what stands below a beat where packets have one flit."""
        kinds = ", ".join(f"{i} {kind}" for i, kind in enumerate(KINDS))
        return Layout.sequence(
            kind=(bits(len(KINDS)), f"{kinds}; the first three have no beat"),
            source=(self.number, "the number of the node that sends"),
            sequence=(self.sequence, SEQUENCE),
            last=(1, "the beat is the last of its packet"),
        )

    @property
    def model_width(self) -> int:
        rest = NUMBER - self.body["data"].offset
        if self.single:
            rest -= self.mark.width + self.header
        return min(rest, self.data_width)

    @cached_property
    def head(self) -> Layout:
        kinds = ", ".join(f"{i} {kind}" for i, kind in enumerate(KINDS))
        rest = {
            "slot": (bits(SLOTS), "in a request and its grant: the packet in the sender's store"),
            "length": (self.length, "beats of the packet; in an ack: units that are acknowledged"),
        }
        if self.single:
            marked = {name: (f.width, f.meaning) for name, f in self.mark.items()}
            return Layout.sequence(**marked, **rest)
        sequence = {"sequence": (self.sequence, SEQUENCE)} if self.sequence else {}
        return Layout.sequence(
            header=(self.header, "what routing needs"),
            source=(self.number, "the number of the node that sends"),
            kind=(bits(len(KINDS)), f"{kinds}; the first three have no further flit"),
            **rest,
            **sequence,
        )
