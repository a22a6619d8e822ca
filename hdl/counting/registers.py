"""The registers of a network's counters: the one description of them.

Hardware, SystemRDL, C header, manifest and the tables of the docs are made of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fingerpost.golden.counters import Counter
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.lib.banner import description_hash
from fingerpost.hdl.lib.registers import WORD, Block, Field, Register, constants, identity

ID = int.from_bytes(b"FPNC", "big")
"""Identifies these registers: "fingerpost network counters" in ASCII."""

VERSION = 1, 0
"""Of the map: another major number is another map, another minor one has registers more."""

STALLED = "cycles in which a flit waited for output p and none left by it"

TAIL = 4
"""Cycles from the last count that the chain brings to the next tick."""


@dataclass(frozen=True)
class RegisterMap:
    """All registers of a network."""

    fixed: tuple[Register, ...]
    """What is there in every network."""
    cycles: Register
    """The first of the counters."""
    node: tuple[Register, ...]
    """The counters of a node; those of node v begin at `address(v)`."""
    nodes: int

    @cached_property
    def each(self) -> int:
        """Counters of a node."""
        return sum(register.count for register in self.node)

    @property
    def counters(self) -> int:
        """Return how many there are, in the order of their addresses, without a gap."""
        return 1 + self.nodes * self.each

    @property
    def base(self) -> int:
        """Return the address of the first counter: the upper half of all addresses is theirs."""
        return self.cycles.address

    @property
    def stride(self) -> int:
        """Return the bytes from a node's counters to the next one's."""
        return self.each * WORD

    @property
    def block(self) -> Block:
        """Return the counters of the nodes."""
        return Block("node", self.node, self.nodes, self.address(0), self.stride)

    @property
    def round(self) -> int:
        """Return the cycles in which all counts are fetched once: from tick to tick."""
        return self.counters + TAIL

    @property
    def width(self) -> int:
        """Return the bits of a count at a node: an event in every cycle of a round, or a total."""
        return max(8, self.round.bit_length())

    @property
    def address_width(self) -> int:
        """Return the bits of an address."""
        return (2 * self.base - 1).bit_length()

    def address(self, node: int, name: str = "", index: int = 0) -> int:
        """Return where a counter of a node is, or where its counters begin."""
        at = next((register.address for register in self.node if register.name == name), 0)
        return self.base + WORD + node * self.stride + at + index * WORD

    def named(self, name: str) -> Register:
        """Return one of those that are there in every network."""
        return next(register for register in self.fixed if register.name == name)

    def constants(self) -> Iterator[tuple[int, int]]:
        """Yield the address and the value of what never changes."""
        return constants(self.fixed)


def register_map(network: AnyNetwork) -> RegisterMap:
    """Return the registers of a network that has counters.

    Raises
    ------
    ValueError
        If it has none.
    """
    if network.counters is None:
        raise ValueError("Register map needs a network with counters: {kind: axi-lite}")
    node = tuple(_of_node(network))
    nodes, each = network.topology.nodes, sum(register.count for register in node)
    fixed = _fixed(network, each)
    words = max(fixed[-1].address // WORD + fixed[-1].count, 1 + nodes * each)
    base = WORD << (words - 1).bit_length()
    cycles = Register("cycles", base, "cycles counted")
    return RegisterMap(fixed, cycles, node, nodes)


def _fixed(network: AnyNetwork, each: int) -> tuple[Register, ...]:
    digits = description_hash(network)
    hash = tuple(int(digits[at : at + 8], 16) for at in range(0, len(digits), 8))
    return (
        *identity(ID, "the counters of a network", VERSION),
        Register(
            "shape",
            0x08,
            "size of the map",
            (
                Field("nodes", 0, 20, "nodes", (network.topology.nodes,)),
                Field("each", 20, 12, "counters of a node", (each,)),
            ),
        ),
        Register(
            "control",
            0x0C,
            "commands",
            (
                Field("snapshot", 0, 1, "take a snapshot of one cycle", access="pulse"),
                Field("clear", 1, 1, "restart all counts in that cycle", access="pulse"),
            ),
        ),
        Register(
            "status",
            0x10,
            "progress",
            (Field("busy", 0, 1, "1 until a command is finished"),),
        ),
        Register(
            "hash",
            0x20,
            "description_sha256 of the network, highest bits first",
            (Field("hash", 0, 32, "32 bits", hash),),
            len(hash),
            many=True,
        ),
    )


def _of_node(network: AnyNetwork) -> Iterator[Register]:
    """Yield the counters of a node: first those of events, then those that follow another."""
    assert network.counters is not None
    topology, unit, each = network.topology, network.terminal.unit, network.ejections
    several = topology.local_ports
    one = "the terminal" if several == 1 else "the terminal at local port p"
    by = " by ejection port p" * (each > 1)
    rows = [
        ("sent", f"{unit} sent by {one}", several),
        ("received", f"{unit} received by {one}{by}", each * several),
    ]
    if network.counters.ports:
        rows.append(("out", "flits that left by link p", topology.degree))
        if network.virtual_channels:
            last = "the last is the terminal" if several == 1 else "the last are terminals"
            rows.append(("stalled", f"{STALLED}; {last}", topology.all_ports))
    rows += [
        (counter.name, counter.meaning.replace("terminal v", one), count)
        for counter, count in followed(network)
    ]
    address = 0
    for name, meaning, count in rows:
        many = count > 1 or name == "out"
        yield Register(name, address, meaning, (), count, many=many)
        address += WORD * count


def followed(network: AnyNetwork) -> list[tuple[Counter, int]]:
    """Return the counters of a router and its terminals, and how many of each there are at a node.

    They stop at a most and have no clear.
    """
    several = network.topology.local_ports
    return [(c, 1) for c in network.node_counters] + [
        (c, several) for c in network.terminal.counters
    ]
