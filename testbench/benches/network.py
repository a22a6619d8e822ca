"""Whole networks: in lock-step with the model, or under drivers that know no model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic.patterns.base import Pattern
from fingerpost.hdl.emit.network import modules, network_name, top
from fingerpost.hdl.emit.routers import node_names
from fingerpost.testbench.benches.bench import LockStepBench, OfNetwork
from fingerpost.testbench.benches.network_script import CountedTurn, NetworkScript, traffic, turns
from fingerpost.testbench.sources import clocks_bench, network_bench, no_inline


def network_sources(network: AnyNetwork, top: str = "") -> dict[str, str]:
    """Return all modules of a network, and the top module of a bench if there is another."""
    texts = dict(modules(network))
    return {
        "network.v": texts.pop(network_name(network)),
        **{f"{module}.v": text for module, text in texts.items()},
        **({"bench.v": top} if top else {}),
        "bench.vlt": no_inline(*node_names(network).values()),
    }


def usual_turns(network: AnyNetwork, cycles: int) -> list[dict[str, Any]]:
    """Return the turns of a run for which no load is given, of at most so many cycles in all.

    The load is light, then as high as can be, with malformed packets. At last many stall, and those
    with credits send without any, or all have few destinations.
    """
    dense = {"load": 1.0}  # with the usual stalls, grants meet packets that need none
    if network.terminal.uninvited(network) is None:
        dense["stall"] = 0.1
    credits = "credit" in network.terminal.given(network)
    rude: dict[str, Any] = {"load": 1.0, "malformed": 0.05, "stall": 0.7, "surplus": 2}
    shares = 0.4, 0.4, 0.2
    if not credits:  # a hot spot takes long to drain
        rude |= {"surplus": 0, "stall": 0.5, "traffic": "hotspot:nodes=0;1,share=0.6"}
        shares = 0.3, 0.25, 0.1
    parts = {"load": 0.2}, {"malformed": 0.05, **dense}, rude
    return [
        {"cycles": max(1, int(share * cycles)), **part}
        for share, part in zip(shares, parts, strict=True)
    ]


@dataclass(frozen=True, kw_only=True)
class NetworkBench(LockStepBench, OfNetwork):
    """Every link and terminal in every cycle.

    Raises
    ------
    ValueError
        If there can be no such traffic.
    """

    level: ClassVar[str] = "network"
    facts: ClassVar[tuple[str, ...]] = ("delivered", "flits", *LockStepBench.facts)
    cycles: int = 1000
    """In which packets are made; then the network drains."""
    load: float | None = 0.2
    lengths: tuple[int, int] | str = (1, 4)
    malformed: float = 0.0
    traffic: str | Pattern = "uniform"
    arrivals: str = "bernoulli"
    """See `golden.traffic.Traffic`; `traffic` is its pattern, in words if the engine is cocotb."""
    stall: float = 0.3
    surplus: int = 0
    """See `fingerpost.golden.engine.engine.engine`."""
    turns: Sequence[Mapping[str, Any]] = ()
    """What is different in each part of the run; before each there is a reset, also in the middle
    of traffic. If empty, the run has one part."""

    def __post_init__(self) -> None:
        # Here and not a minute later, when hardware has been built.
        for given in turns(vars(self)):
            packets = traffic(self.network, given | {"cycles": 1})
            self.network.terminal.check(packets, surplus=given["surplus"])

    def script(self) -> NetworkScript:
        """Return the traffic of all turns, and what comes of it."""
        return NetworkScript(self.network, turns(vars(self)))

    def sources(self) -> dict[str, str]:
        """Return the network, with one vector of all that can be seen of it."""
        return network_sources(self.network, network_bench(self.network))


@dataclass(frozen=True, kw_only=True)
class CountersBench(NetworkBench):
    """The network in lock-step, and its counters at cycles that the reader chooses.

    Raises
    ------
    ValueError
        If the network has no counters, or there can be no such traffic.
    """

    facts: ClassVar[tuple[str, ...]] = ("delivered", "flits", "compared")
    at_edges: ClassVar[bool] = True
    snapshots: int = 4
    """How often counters are read; after every other one they are cleared."""
    most: int = 100
    """Counters that are read of each: neighbours, at a place that chance chooses."""

    @property
    def test(self) -> str:
        """Return the module with the cocotb test."""
        return "fingerpost.testbench.benches.counters_cocotb"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network.counters is None:
            raise ValueError("Bench needs counters, as in counters: {kind: axi-lite}")

    def script(self) -> NetworkScript:
        """Return the same, with all that happens at every port counted."""
        return NetworkScript(self.network, turns(vars(self)), CountedTurn)

    def sources(self) -> dict[str, str]:
        """Return the network, with its bus beside the vector of all that can be seen of it."""
        return network_sources(self.network, network_bench(self.network, bus=True))


@dataclass(frozen=True, kw_only=True)
class ClocksBench(OfNetwork):
    """Frames between all pairs of terminals.

    Raises
    ------
    ValueError
        If the network has no OS-Links, or its terminals have no credits.
    """

    level: ClassVar[str] = "clocks"
    top: ClassVar[str] = "clocks_bench"
    facts: ClassVar[tuple[str, ...]] = ("frames", "delivered", "flits", "bit_times")
    rounds: int = 1
    """Frames from every terminal to every other."""
    offset: float = 0.01
    """How far clocks are from the mean at most, as a fraction."""
    stall: float = 0.3
    """The chance in each clock that a terminal takes nothing."""
    patience: int = 20
    """How many times 1000 bit times without a frame it takes to give up."""

    def __post_init__(self) -> None:
        if not self.network.link.own_clocks:
            raise ValueError("Level clocks needs OS-Links, as in link: {kind: os-link}")
        if "credit" not in self.network.terminal.given(self.network):
            raise ValueError("Level clocks needs credits, as in terminal: {kind: credit}")

    def sources(self) -> dict[str, str]:
        """Return the network, with a clock for each node."""
        return network_sources(self.network, clocks_bench(self.network))


@dataclass(frozen=True, kw_only=True)
class DriverBench(OfNetwork):
    """Packets from every terminal to every other, by drivers that know nothing of the model.

    Raises
    ------
    ValueError
        If the terminals are others.
    """

    at_edges: ClassVar[bool] = True
    kind: ClassVar[str]
    what: ClassVar[str]
    """The kind of terminals, and what they are called."""
    rounds: int = 1
    """Packets from every terminal to every other."""

    def __post_init__(self) -> None:
        if self.network.terminal.kind != self.kind:
            raise ValueError(f"Bench needs {self.what}, as in terminal: {{kind: {self.kind}}}")

    @property
    def top(self) -> str:  # type: ignore[override]
        """Return the network with ports of its own for each terminal."""
        return top(self.network)[0]

    def sources(self) -> dict[str, str]:
        """Return the network as it is generated."""
        return network_sources(self.network)


@dataclass(frozen=True, kw_only=True)
class AxiStreamBench(DriverBench):
    """Packets from every terminal to every other, by drivers that know nothing of the model."""

    level: ClassVar[str] = "axi_stream"
    kind: ClassVar[str] = "axi-stream"
    what: ClassVar[str] = "AXI4-Stream"
    facts: ClassVar[tuple[str, ...]] = ("packets", "delivered", "refused", "expired")
    longest: int = 20
    """Bytes of a packet at most."""
    idle: float = 0.3
    pause: float = 0.3
    """The chance in each cycle that a source offers nothing new, and that a sink takes nothing."""
    odd: int = 1
    """Packets of every terminal to a number that has no terminal, and as many that are marked as
    bad, in each round."""
    patience: int = 2000
    """Cycles without a packet after which the bench gives up."""


@dataclass(frozen=True, kw_only=True)
class MailboxBench(DriverBench):
    """Packets from every terminal to every other in every class, by drivers that know no model."""

    level: ClassVar[str] = "mailbox"
    kind: ClassVar[str] = "mailbox"
    what: ClassVar[str] = "mailboxes"
    facts: ClassVar[tuple[str, ...]] = ("packets", "delivered", "misuses")
    misuse: float = 0.5
    """The chance that something is done wrong before a packet is begun."""
    patience: int = 20_000
    """Cycles after which the bench gives up."""


@dataclass(frozen=True, kw_only=True)
class Axi4Bench(DriverBench):
    """Reads and writes at random from every manager to memories at all subordinate sides."""

    level: ClassVar[str] = "axi4"
    kind: ClassVar[str] = "axi4"
    what: ClassVar[str] = "AXI4"
    facts: ClassVar[tuple[str, ...]] = ("transactions", "beats")
    transactions: int = 20
    """Of each manager."""
    outstanding: int = 8
    """That each manager has in flight at most."""
    longest: int = 256
    """Beats of a burst at most."""
    writes: float = 0.5
    """The share of transactions that write."""
    pause: float = 0.3
    """The chance in each cycle that a channel of a manager or a memory stalls."""
    unmapped: float = 0.05
    """The chance that a transaction is to no node, or across 4 KB."""
    patience: int = 20_000
    """Cycles without a response after which the bench gives up."""
    misbehave: Literal["", "deaf", "halt", "mute", "shut", "errs"] = ""
    """What all managers but the first do: they take no response, or halt in the middle of data; the
    first one must not notice. Or the first memory: it never answers, accepts nothing, or answers
    with errors; its requests are answered with SLVERR, all others as ever."""


@dataclass(frozen=True, kw_only=True)
class Axi4TimingBench(DriverBench):
    """Managers and memories that never stall: each response in the cycle in which the model has it.

    Raises
    ------
    ValueError
        If the terminals are others, or have clocks of their own.
    """

    level: ClassVar[str] = "axi4_timing"
    kind: ClassVar[str] = "axi4"
    what: ClassVar[str] = "AXI4"
    facts: ClassVar[tuple[str, ...]] = ("transactions", "events")
    cycles: int = 200
    """In which transactions are made."""
    load: float = 0.5
    """Beats of data of each manager and cycle."""
    reads: float = 0.5
    """The share of transactions that read."""
    lengths: tuple[int, int] = (1, 16)
    traffic: str = "uniform"
    memory_cycles: int = 1
    """From a read's address, or a write's last beat, to the response."""
    patience: int = 50
    """Cycles behind the last response of the model."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if getattr(self.network.terminal, "clock", None):
            raise ValueError("Bench needs terminals with the clock of the network")


@dataclass(frozen=True, kw_only=True)
class OsLinkTerminalsBench(DriverBench):
    """Messages from every terminal to every other, by peers that know neither model nor hardware.

    Then peers do what they should not: they stop in the middle of a message, or take no more.
    """

    level: ClassVar[str] = "os_link_terminals"
    kind: ClassVar[str] = "os-link"
    what: ClassVar[str] = "OS-Links"
    facts: ClassVar[tuple[str, ...]] = ("packets", "delivered", "refused", "expired", "lost")
    most: int = 12
    """Bytes of data in a message at most."""
    late: float = 0.5
    """The share of peers that acknowledge no byte before its end."""
    pause: float = 0.2
    """The chance before each byte that a peer is not there for it, or has it not ready."""
    offset: float = 0.01
    """How far the bit times of peers are from those of the network at most, as a fraction."""
    odd: int = 1
    """Messages of every terminal to unknown numbers, in each round."""
    patience: int = 20
    """Thousands of bit times without a message after which the bench gives up."""
