"""Mailbox terminals: packets are sent and received by reads and writes of registers.

With the words of registers that have several fields, shared by model and hardware.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from fingerpost.golden.header import Field, Layout
from fingerpost.golden.link import Link
from fingerpost.golden.parameters import (
    Parameter,
    ParameterError,
    check_choices,
    check_limits,
)
from fingerpost.golden.routing import Routing
from fingerpost.golden.terminal.axi_stream import LARGEST_LIMIT, AxiStreamTerminal
from fingerpost.golden.traffic import Traffic

NODE_BITS, LENGTH_BITS = 16, 12

SEND = Layout.sequence(
    destination=(NODE_BITS, "number of the node"),
    length=(LENGTH_BITS, "words of the packet"),
)
"""What begins a packet, also in its first row of the memory of packets to send."""

RECEIVED = Layout(
    {
        "source": Field(0, NODE_BITS, "number of the node"),
        "length": Field(NODE_BITS, LENGTH_BITS, "words of the packet"),
        "error": Field(30, 1, "1 if it was damaged, or longer than packet_limit"),
        "valid": Field(31, 1, "1 if there is a packet, which is complete"),
    }
)
"""What is told of a packet that has arrived, also in its first row of the memory of them."""

ROOM = Layout.sequence(
    free=(16, "free rows; a packet of n words needs n + 1"),
    open=(16, "words that send_data still needs"),
)

RING = Layout(
    {
        "tail": Field(0, 8, "descriptors given so far, modulo 2 x descriptors"),
        "head": Field(8, 8, "descriptors done so far, modulo the same"),
        "enabled": Field(16, 1, "the ring is served"),
        "busy": Field(17, 1, "a descriptor is being served"),
    }
)
"""How far a ring of descriptors is."""

CLASSES = 4
"""Message classes at most."""

ENABLE = Layout.sequence(
    received=(CLASSES, "by message class: a packet is there"),
    room=(CLASSES, "by message class: more rows than threshold are free"),
    errors=(1, "a bit of errors is set"),
    finished=(CLASSES, "by message class: a bit of finished is set"),
)
"""Reasons for an interrupt."""

MISUSES = {
    "length": "refused: a packet of 0 words or more than packet_limit",
    "destination": "refused: a packet to a node without a terminal",
    "unfinished": "refused: a packet before the previous one was complete",
    "full": "refused: a packet without enough free rows",
    "surplus": "refused: send_data written outside a packet",
    "empty": "refused: receive_data read or discard written without a packet",
    "partial": "refused: a write of fewer than four bytes",
    "aborted": "abort removed an incomplete packet",
    "ring": "refused: a ring outside memory or in use, or more descriptors than it has",
}
"""What software can do wrong, in the order of the bits of errors."""

TOTAL = (1 << 16) - 1
"""Where counters of misuses and of bad packets stop."""

WORD_BITS = 32
"""Bits of a register and of a beat."""

LEAST_ROWS, MOST_ROWS = 4, 4096

LEAST_DESCRIPTORS, MOST_DESCRIPTORS = 2, 64

LEAST_MEMORY, MOST_MEMORY = 4 * MOST_DESCRIPTORS, 1 << 28

MOST_NODES = (1 << 16) - 1
"""Nodes of which a register can hold the number."""


@dataclass(frozen=True, kw_only=True)
class MailboxTerminal(AxiStreamTerminal):
    """Registers in front of an AXI4-Stream terminal: a beat is a word of a packet.

    A packet leaves its mailbox when it is complete there, and is shown when it is complete at the
    mailbox of its destination.

    Attributes
    ----------
    bus : str
    send_words, receive_words : int
        Rows of the memories of a message class: one for each word, and one for each packet.
    descriptors, memory_words : int
        Of a ring; words of the memory at every mailbox in which descriptors and packets are.
        Without memory there are no rings.
    clock, flow_control, eager, packet_limit, receive
        Those of `AxiStreamTerminal`; `packet_limit` holds without flow control, too.

    Raises
    ------
    ParameterError
        If there can be no such mailbox.
    """

    kind: ClassVar[str] = "mailbox"
    title: ClassVar[str] = "Mailbox"
    flow_keys: ClassVar[tuple[str, ...]] = "eager", "receive"
    unit: ClassVar[str] = "words"
    timeout: ClassVar[int] = 0  # type: ignore[misc]  # packets are complete when they are sent
    store: ClassVar[int] = 0  # type: ignore[misc]  # its own memory does

    bus: Annotated[
        Literal["axi-lite", "wishbone"],
        Parameter("The bus over which software reads and writes the registers."),
    ] = "axi-lite"
    send_words: Annotated[
        int,
        Parameter(
            "Rows of the memory for packets to send, a power of two: one for each word, and one "
            "for each packet.",
            f"a power of two in {LEAST_ROWS}..{MOST_ROWS}",
            minimum=LEAST_ROWS,
            maximum=MOST_ROWS,
        ),
    ] = 512
    receive_words: Annotated[
        int,
        Parameter(
            "Rows of the memory for packets that have arrived, a power of two: one for each word, "
            "and one for each packet.",
            f"a power of two in {LEAST_ROWS}..{MOST_ROWS}",
            minimum=LEAST_ROWS,
            maximum=MOST_ROWS,
        ),
    ] = 512
    packet_limit: Annotated[
        int,
        Parameter(
            "Words of the longest packet; a longer one is refused at the register.",
            minimum=1,
            maximum=LARGEST_LIMIT,
        ),
    ] = 64
    memory_words: Annotated[
        int,
        Parameter(
            "Words of a memory at every mailbox that descriptors of packets reach (DMA), a power "
            f"of two from {LEAST_MEMORY}; 0: no memory.",
            minimum=0,
            maximum=MOST_MEMORY,
        ),
    ] = 0
    descriptors: Annotated[
        int,
        Parameter(
            "Descriptors of a ring, a power of two; a message class has a ring to send and one to "
            "receive.",
            f"a power of two in {LEAST_DESCRIPTORS}..{MOST_DESCRIPTORS}",
            minimum=LEAST_DESCRIPTORS,
            maximum=MOST_DESCRIPTORS,
        ),
    ] = 8

    def __post_init__(self) -> None:
        check_choices(MailboxTerminal, self.title, bus=self.bus)
        for key in ("send_words", "receive_words", "memory_words", "descriptors"):
            rows = getattr(self, key)
            check_limits(MailboxTerminal, self.title, **{key: rows})
            if rows & (rows - 1):
                raise ParameterError(key, f"{self.title} needs {key} a power of two, not {rows}")
        if 0 < self.memory_words < LEAST_MEMORY:
            raise ParameterError(
                "memory_words",
                f"{self.title} needs memory_words of 0, or at least {LEAST_MEMORY}, "
                f"not {self.memory_words}",
            )
        super().__post_init__()
        least = min(self.send_words, self.receive_words)
        if self.packet_limit >= least:
            raise ParameterError(
                "packet_limit",
                f"{self.title} needs a packet_limit below send_words and receive_words, {least}, "
                f"not {self.packet_limit}",
            )

    def flit_width(
        self, data_width: int, routing: Routing, link: Link, *, in_order: bool = True
    ) -> int:
        """Return the bits of a flit, as AXI4-Stream terminals have them.

        Raises
        ------
        ParameterError
            If tdata would be no word, or a register cannot hold the number of a node.
        """
        self._check_words(data_width, routing)
        return super().flit_width(data_width, routing, link, in_order=in_order)

    def single_flit_width(self, data_width: int, routing: Routing) -> int:
        """Return the bits of a flit where packets of the network have one flit.

        Raises
        ------
        ParameterError
            As `flit_width`.
        """
        self._check_words(data_width, routing)
        return super().single_flit_width(data_width, routing)

    def _check_words(self, data_width: int, routing: Routing) -> None:
        if data_width != WORD_BITS:
            raise ParameterError(
                "flit_width",
                f"{self.title} needs a flit_width of {WORD_BITS}, the bits of its registers, "
                f"not {data_width}",
                section="router",
            )
        count = routing.topology.terminal_numbers * self.endpoints
        if count > MOST_NODES:
            raise ParameterError(
                "kind" if self.endpoints == 1 else "endpoints",
                f"{self.title} needs at most {MOST_NODES} terminals or endpoints, not {count}",
                section="terminal",
            )

    def stored(self, words: int) -> int:
        """Return the packets of so many words that a mailbox takes in without being read."""
        return (self.receive_words - self.packet_limit) // (words + 1) + 1

    def describe(self) -> dict[str, Any]:
        """Return the kind and the parameters as plain data; those of rings if there is a memory."""
        hidden = () if self.memory_words else ("descriptors", "memory_words")
        return {key: value for key, value in super().describe().items() if key not in hidden}

    def check(self, traffic: Traffic, *, surplus: int = 0) -> None:
        """Refuse packets that are longer than registers take, and a surplus.

        Raises
        ------
        ParameterError
            If a packet is longer.
        ValueError
            If there is a surplus.
        """
        super().check(traffic, surplus=surplus)
        longest = int(traffic.length.max(initial=0)) - self.first_beats
        if longest > self.packet_limit:
            raise ParameterError(
                "packet_limit",
                f"{self.title} needs a packet_limit of at least {longest} words for such packets, "
                f"not {self.packet_limit}",
                section="terminal",
            )
