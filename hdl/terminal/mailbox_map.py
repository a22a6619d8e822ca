"""The registers of a mailbox: the one description of them.

Hardware, SystemRDL, C header, manifest and the tables of the docs are made of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fingerpost.golden.header import Layout
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal import MailboxTerminal
from fingerpost.golden.terminal.mailbox import (
    CLASSES,
    ENABLE,
    LENGTH_BITS,
    MISUSES,
    NODE_BITS,
    RECEIVED,
    RING,
    ROOM,
    SEND,
)
from fingerpost.hdl.lib.banner import description_hash
from fingerpost.hdl.lib.registers import Access, Block, Field, Register, constants, identity

ID = int.from_bytes(b"FPMB", "big")
"""What tells that these registers are there: "fingerpost mailbox" in ASCII."""

VERSION = 1, 1
"""Of the map: another major number is another map, another minor one has registers more."""

STRIDE = 0x40
"""Bytes from the registers of a message class to those of the next; there are as many before."""


@dataclass(frozen=True)
class MailboxMap:
    """All registers of a mailbox."""

    fixed: tuple[Register, ...]
    """Those that are there once."""
    block: Block
    """Those of each message class."""
    descriptors: int = 0
    memory_words: int = 0
    """Of a ring of descriptors; of the memory they are in. 0 without."""

    @property
    def address_width(self) -> int:
        """Return the bits of an address."""
        return (self.block.base + self.block.count * self.block.stride - 1).bit_length()

    def constants(self) -> Iterator[tuple[int, int]]:
        """Yield the address and the value of what never changes."""
        return constants(self.fixed)

    def places(self) -> Iterator[tuple[Register, int, int]]:
        """Yield every register with its message class, 0 if it is there once, and its address."""
        yield from ((register, 0, register.address) for register in self.fixed)
        for c in range(self.block.count):
            base = self.block.base + c * self.block.stride
            yield from ((each, c, base + each.address) for each in self.block.registers)


def mailbox_map(network: AnyNetwork) -> MailboxMap:
    """Return the registers of a mailbox of a network."""
    terminal = network.terminal
    assert isinstance(terminal, MailboxTerminal)
    return mailbox_of(
        nodes=network.topology.terminal_numbers * terminal.endpoints,
        classes=network.classes,
        limit=terminal.packet_limit,
        hash=int(description_hash(network)[:8], 16),
        descriptors=terminal.descriptors if terminal.memory_words else 0,
        memory_words=terminal.memory_words,
    )


def mailbox_of(
    *,
    nodes: int,
    classes: int,
    limit: int,
    hash: int,
    descriptors: int = 0,
    memory_words: int = 0,
) -> MailboxMap:
    """Return the registers of a mailbox of a network with so many nodes and message classes.

    `limit` is the length of the longest packet in words, `hash` what tells the network; with
    `memory_words` there are rings of descriptors.
    """
    fixed = (
        *identity(ID, "a mailbox", VERSION),
        Register(
            "shape",
            0x08,
            "limits",
            (
                Field("nodes", 0, NODE_BITS, "nodes of the network", (nodes,)),
                Field("packet_limit", 16, LENGTH_BITS, "words of the longest packet", (limit,)),
                Field("classes", 28, 4, "message classes", (classes,)),
            ),
        ),
        Register(
            "network",
            0x0C,
            "the network",
            (Field("hash", 0, 32, "highest 32 bits of description_sha256", (hash,)),),
        ),
        Register(
            "node",
            0x10,
            "this node",
            (Field("node", 0, NODE_BITS, "its number"),),
        ),
        Register(
            "errors",
            0x14,
            "sticky errors of software",
            tuple(
                Field(name, place, 1, meaning, access="clear")
                for place, (name, meaning) in enumerate(MISUSES.items())
            ),
        ),
        Register(
            "misuses",
            0x18,
            "errors so far",
            (Field("count", 0, 16, "number; saturates at 65535"),),
        ),
        Register("enable", 0x1C, "conditions of irq", _fields(ENABLE, "keep")),
        Register("pending", 0x20, "conditions that hold", _fields(ENABLE)),
        *(_memory(descriptors, memory_words) if memory_words else ()),
    )
    abort = "remove the incomplete packet of send"
    discard = "remove the rest of the packet at the front"
    count = Field("count", 0, 16, "number; saturates at 65535")
    each = (
        Register("send", 0x00, "begins a packet", _fields(SEND, "give")),
        Register(
            "send_data",
            0x04,
            "words of the packet, which is sent after the last",
            (Field("word", 0, 32, "the next word", access="give"),),
        ),
        Register("receive", 0x08, "the packet at the front", _fields(RECEIVED)),
        Register(
            "receive_data",
            0x0C,
            "words of the packet at the front",
            (Field("word", 0, 32, "the next word", access="take"),),
        ),
        Register("room", 0x10, "room to send", _fields(ROOM)),
        Register(
            "left",
            0x14,
            "unread words",
            (Field("words", 0, LENGTH_BITS, "of the packet at the front; 0 without one"),),
        ),
        Register(
            "control",
            0x18,
            "commands",
            (
                Field("abort", 0, 1, abort, access="pulse"),
                Field("discard", 1, 1, discard, access="pulse"),
            ),
        ),
        Register(
            "threshold",
            0x1C,
            "of the condition room",
            (Field("rows", 0, 16, "it holds if more rows are free", access="keep"),),
        ),
        Register("bad", 0x20, "damaged packets received", (count,)),
        *(_rings() if memory_words else ()),
    )
    assert classes <= CLASSES
    block = Block("of_class", each, classes, STRIDE, STRIDE)
    return MailboxMap(fixed, block, descriptors, memory_words)


def _memory(descriptors: int, memory_words: int) -> Iterator[Register]:
    """Yield the registers of all rings of descriptors."""
    meaning = "by message class: a descriptor was finished"
    yield Register(
        "finished",
        0x24,
        "finished descriptors",
        (Field("classes", 0, CLASSES, meaning, access="clear"),),
    )
    words, number = memory_words.bit_length() - 1, "descriptors of a ring"
    yield Register(
        "memory",
        0x28,
        "memory that descriptors reach",
        (
            Field("descriptors", 0, 8, number, (descriptors,)),
            Field("address_width", 8, 8, "2 to the power of it are its words", (words,)),
        ),
    )


def _rings() -> Iterator[Register]:
    """Yield the registers of the rings of a message class."""
    for at, way in ((0x24, "send"), (0x2C, "receive")):
        begin = (
            Field("enable", 0, 1, "1 begins it, 0 ends it", access="give"),
            Field("address", 2, 30, "of its first descriptor, in words", access="give"),
        )
        tail, *rest = _fields(RING)
        yield Register(f"{way}_ring", at, f"the ring of descriptors to {way}", begin)
        yield Register(
            f"{way}_descriptors",
            at + 4,
            "how far it is; writing gives descriptors to it",
            (replace(tail, access="keep"), *rest),
        )


def _fields(layout: Layout, access: Access = "read") -> tuple[Field, ...]:
    """Return the fields of a register that golden lays out."""
    return tuple(
        Field(name, field.offset, field.width, field.meaning, access=access)
        for name, field in layout.items()
    )
