"""The layouts of AXI4-Stream packets as flits, shared by hardware, benches and manifest."""

from functools import cached_property

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import Counter
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.link import Link
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing import Routing
from fingerpost.golden.traffic.carrier import Carrier

REFUSED = Counter(
    "refused", 8, "packets of node v, dropped: to a number without a terminal, or too long"
)
EXPIRED = Counter("expired", 8, "packets of node v closed by the time-out")
AXI_COUNTERS = REFUSED, EXPIRED

ENDPOINTS = 1, 2, 4, 8, 16
"""Endpoints that may share a terminal. Endpoint e of node v has the number v * endpoints + e.

Their packets have one beat more in the network, the first, which holds the endpoints at both ends.
"""

NUMBER = 62
"""Bits of a flit in the model."""


def whole_bytes(title: str, data_width: int) -> int:
    """Return the bits of tdata.

    Raises
    ------
    ParameterError
        If they are not whole bytes.
    """
    if data_width % 8:
        raise ParameterError(
            "flit_width",
            f"{title} needs a flit_width of whole bytes, not {data_width} bits",
            section="router",
        )
    return data_width


def kept_bytes(data_width: int) -> int:
    """Return the bytes of a beat that tkeep tells apart; 1 if tdata is not whole bytes."""
    return 1 if data_width % 8 else data_width // 8


class AxiLayout:
    """What is in the flits of a packet.

    Attributes
    ----------
    data_width, bytes : int
        Of tdata; the bytes are those that tkeep tells apart.
    number : int
        Bits of the number of a terminal.
    header : int
        Bits of a header.
    status : int
        Bits of a tail, the highest, in which the link says that the packet is bad.
    """

    def __init__(self, *, data_width: int, peers: int, header: int, status: int = 0) -> None:
        self.data_width, self.bytes = data_width, kept_bytes(data_width)
        self.number, self.header, self.status = bits(peers), header, status

    @classmethod
    def of(cls, network: Carrier) -> "AxiLayout":
        """Return the layouts of a network."""
        return cls(
            data_width=network.data_width,
            peers=network.topology.terminal_numbers,
            header=network.routing.address_layout.width,
            status=network.link.status_width,
        )

    @staticmethod
    def of_body(data_width: int) -> Layout:
        """Return the layout of a flit with the data of a beat.

        The mark is lowest: the model holds no more than the lowest 62 bits of a flit.
        """
        error = {"error": (1, "in a tail: the packet is bad")}
        bytes, data = kept_bytes(data_width), {"data": (data_width, "tdata")}
        last_byte = {"last_byte": (bits(bytes), "in a tail: the last byte in use")}
        return Layout.sequence(**error, **(last_byte if bytes > 1 else {}), **data)

    @classmethod
    def flit_width(cls, title: str, data_width: int, routing: Routing, link: Link) -> int:
        """Return the bits of a flit: those of tdata, of its mark, and of the link's status.

        Parameters
        ----------
        title : str
            The kind of terminal, for messages.
        data_width : int
            Of tdata.

        Raises
        ------
        ParameterError
            If a head flit has no room.
        """
        body = cls.of_body(data_width).width + link.status_width
        flit_width = -(-body // link.multiple) * link.multiple
        number, header = bits(routing.topology.terminal_numbers), routing.address_layout.width
        short = header + number - (flit_width - link.status_width)
        if short > 0:
            raise ParameterError(
                "flit_width",
                f"{title} needs a flit_width of at least {-(-(data_width + short) // 8) * 8} "
                f"for a head flit with a header of {header} bits and the number of the source, "
                f"{number} bits, not {data_width}",
                section="router",
            )
        return flit_width

    @cached_property
    def body(self) -> Layout:
        """Return the layout of a flit with the data of a beat."""
        return self.of_body(self.data_width)

    @property
    def model_width(self) -> int:
        """Return the bits of tdata that the model has room for; the others are 0 there."""
        return min(NUMBER - self.body["data"].offset, self.data_width)

    def data(self, word: IntArray) -> IntArray:
        """Return tdata of flits of the model."""
        return word >> self.body["data"].offset & ((1 << self.model_width) - 1)

    @cached_property
    def head(self) -> Layout:
        """Return the layout of the head flit, which has nothing of the user's."""
        return Layout.sequence(
            header=(self.header, "what routing needs"),
            source=(self.number, "the number of the terminal that sends"),
        )


def first_beat(endpoints: int) -> Layout:
    """Return the layout of the first beat of a packet; the other bits of tdata are 0."""
    width = bits(endpoints)
    return Layout.sequence(
        destination=(width, "endpoint of the destination"),
        source=(width, "endpoint of the source"),
    )
