"""What every kind of terminal is: its parameters, what is seen of it, and what it can send."""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.counters import Counter
from fingerpost.golden.header import Layout
from fingerpost.golden.link import Link
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing import Routing
from fingerpost.golden.terminal.memory_map import Region
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.carrier import Carrier


@dataclass(frozen=True)
class Terminal(ABC):
    """A kind of terminal. Its attributes are the parameters of ``terminal`` in a network file."""

    kind: ClassVar[str]
    """Its name in network files."""
    around: ClassVar[bool] = False
    """Whether modules of it stand around the nodes, outside the modules of these."""
    cycles: ClassVar[int] = 0
    """What it adds to the cycles of a packet through the network, at both ends together."""
    flit_cycles: ClassVar[int] = 1
    """What each further flit of a packet adds: 2 if a packet is stored before it is sent."""
    grant_cycles: ClassVar[int] = 0
    """What a request and its grant add beside their way through the network."""
    reorder_cycles: ClassVar[int] = 0
    """What a packet takes longer where the network may change the order of packets."""
    counters: ClassVar[tuple[Counter, ...]] = ()
    """What it counts at every node."""
    unit: ClassVar[str] = "flits"
    """What goes in and comes out."""
    jitter_reason: ClassVar[str] = ""
    """Why the cycles of a packet are not always the same; nothing if they are."""
    endpoints: ClassVar[int] = 1
    """That share a terminal. Endpoint e of node v has the number v * endpoints + e."""
    message_classes: ClassVar[int] = 1
    """Message classes that it needs; a network file that names none has as many."""
    assumption: ClassVar[str] = ""
    """What the proof of deadlock freedom assumes of users, where packets are not all of theirs."""
    late: ClassVar[tuple[str, ...]] = ()
    """Fields of `seen` that follow from what comes over links in the same cycle."""

    @property
    def takes_all(self) -> bool:
        """Return whether hardware takes every flit that arrives, whatever users do."""
        return False

    def one_class(self, *, counted: bool) -> str:
        """Return why there can be no more than one message class; nothing if there can.

        `counted`: software reads counters of the traffic.
        """
        return f"terminals are of kind {self.kind}"

    @property
    def first_beats(self) -> int:
        """Return the beats of a packet that are not its user's: 1 if endpoints share a terminal."""
        return int(self.endpoints > 1)

    def numbers(self, terminals: IntArray) -> list[int]:
        """Return the numbers by which users address the endpoints at some nodes."""
        numbers = terminals[:, None] * self.endpoints + np.arange(self.endpoints)
        return numbers.ravel().tolist()

    def streams(self, network: Carrier) -> int:
        """Return the rows of `given` and `seen` that each node has."""
        return network.topology.local_ports

    def within(self, flit_data: int, regions: tuple[Region, ...]) -> "Terminal":
        """Return the same, of a network with such a `router.flit_width` and memory map.

        Raises
        ------
        ParameterError
            If there is a memory map, and nothing at terminals that reads it.
        """
        if regions:
            raise ParameterError(
                "",
                f"Memory map needs terminal: {{kind: axi4}}, not {self.kind}",
                section="memory_map",
            )
        return self

    def beat_width(self, flit_width: int) -> int:
        """Return the bits of data in a flit that are the user's, `router.flit_width` given.

        Raises
        ------
        ParameterError
            If a beat of the user cannot have as many.
        """
        return flit_width

    def flit_width(
        self, data_width: int, routing: Routing, link: Link, *, in_order: bool = True
    ) -> int:
        """Return the bits of data in a flit that has `data_width` of the user's.

        `in_order`: the network keeps the order of packets.

        Raises
        ------
        ValueError
            If there can be no such flits.
        """
        return data_width

    def rate(self, data_width: int) -> float:
        """Return the flits per cycle that a terminal can send, or take."""
        return 1.0

    @property
    def longest(self) -> int | None:
        """Return the beats of the longest packet that a user can send; None: there is no limit."""
        return None

    def uninvited(self, network: Carrier) -> int | None:
        """Return the flits of the longest packet that needs no grant; None: no packet needs one."""
        return None

    @abstractmethod
    def given(self, network: Carrier) -> Layout:
        """Return what goes in at a terminal in a cycle, as benches pack it."""

    @abstractmethod
    def seen(self, network: Carrier) -> Layout:
        """Return what comes out at a terminal in a cycle, as benches pack it."""

    @property
    @abstractmethod
    def payload(self) -> tuple[str, ...]:
        """Return the fields of `seen` that mean nothing where ``valid`` is 0."""

    def check(self, traffic: Traffic, *, surplus: int = 0) -> None:
        """Refuse packets that terminals cannot send, and a surplus of credits where there are none.

        Raises
        ------
        ValueError
            If there are such packets, or a surplus.
        """
        if surplus:
            raise ValueError(f"Terminals of kind {self.kind} need a surplus of 0, not {surplus}")

    def describe(self) -> dict[str, Any]:
        """Return the kind and the parameters as plain data."""
        return {"kind": self.kind, **asdict(self)}
