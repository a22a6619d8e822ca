"""What every kind of terminal is: what is seen of it, and what the model does there."""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.counters import Counter
from fingerpost.golden.flit import Flits
from fingerpost.golden.header import Layout
from fingerpost.golden.link import Link
from fingerpost.golden.routing import Routing
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.carrier import Carrier


class TerminalModel(ABC):
    """The far ends of all terminal ports of a model: they send a `Traffic`, and check what comes.

    Attributes
    ----------
    expected : (packets,) array of bool
        The packets that can be delivered.
    delivered : (packets,)
        The cycle in which the tail of a packet came out, -1 if it did not.
    received_flits : int
        What came out so far.
    faults : list of str
        What was wrong with what came out; at most ten are kept.
    """

    expected: BoolArray

    def __init__(self, traffic: Traffic) -> None:
        self.traffic = traffic
        self.rng = np.random.default_rng(traffic.seed + 1)
        self.delivered = np.full(len(traffic.source), -1)
        self.received_flits = 0
        self.faults: list[str] = []
        self._given: dict[str, IntArray] = {}
        self._seen: dict[str, IntArray] = {}

    def _note(
        self,
        wrong: BoolArray,
        cycle: int,
        node: IntArray,
        packet: IntArray,
        part: str = "",
        index: Any = None,
    ) -> None:
        """Keep the first ten faults: `Traffic.misplaced` of those that are wrong."""
        for i in np.flatnonzero(wrong)[: 10 - len(self.faults)].tolist():
            said = part and f"{part} {index[i]} of "
            self.faults.append(self.traffic.misplaced(cycle, node[i], packet[i], said))

    @abstractmethod
    def credit(self, channels: IntArray) -> None:
        """Count the places that routers have freed; call before `send`.

        A channel of a terminal is node * classes + message class.
        """

    @abstractmethod
    def send(self, cycle: int) -> Flits:
        """Return what the terminals send in this cycle."""

    @abstractmethod
    def receive(self, flits: Flits, cycle: int) -> None:
        """Check and count what came out in this cycle."""

    @abstractmethod
    def give_back(self) -> IntArray:
        """Return the channels of terminals that free a place in this cycle; after `receive`."""

    def given(self, sent: Flits, back: IntArray) -> dict[str, IntArray]:
        """Return the fields of `Terminal.given`, by node, in a cycle.

        `sent` and `back` are what `send` and `give_back` returned; by default these note them.
        """
        return self._given

    def seen(self, out: Flits, credited: IntArray) -> dict[str, IntArray]:
        """Return the fields of `Terminal.seen`, by node, in a cycle.

        `out` and `credited` are what `receive` and `credit` were given; by default these note them.
        """
        return self._seen

    @abstractmethod
    def stop(self) -> None:
        """Send no packet that has not been begun."""

    @property
    @abstractmethod
    def empty(self) -> bool:
        """Return whether all that was sent and can be delivered has been, with its credits."""

    @property
    def all_delivered(self) -> bool:
        """Return whether every packet that can be delivered has been."""
        return bool((self.delivered[self.expected] >= 0).all())

    @property
    def longest_time(self) -> int | None:
        """Return the longest time in the network of what has come out; None: not noted."""
        return None

    @property
    def missing(self) -> str:
        """Say which packet has not been delivered."""
        late = np.flatnonzero(self.expected & (self.delivered < 0))
        return f"packet {late[0]} of {len(late)} is missing" if len(late) else "none is missing"


@dataclass(frozen=True)
class Terminal(ABC):
    """A kind of terminal. Its attributes are the parameters under ``terminal`` of a network file.

    Attributes
    ----------
    kind : str
        Its name in network files.
    around : bool
        Whether modules of it stand around the nodes, outside the modules of these.
    cycles : int
        What it adds to the cycles of a packet through the network, at both ends together.
    flit_cycles : int
        What each further flit of a packet adds: 2 if a packet is stored before it is sent.
    grant_cycles : int
        What a request and its grant add beside their way through the network.
    reorder_cycles : int
        What a packet takes longer where the network may change the order of packets.
    counters : tuple of Counter
        What it counts at every node.
    unit : str
        What goes in and comes out.
    jitter_reason : str
        Why the cycles of a packet are not always the same; nothing if they are.
    endpoints : int
        That share a terminal. Endpoint e of node v has the number v * endpoints + e.
    late : tuple of str
        Fields of `seen` that follow from what comes over links in the same cycle.
    """

    kind: ClassVar[str]
    around: ClassVar[bool] = False
    cycles: ClassVar[int] = 0
    flit_cycles: ClassVar[int] = 1
    grant_cycles: ClassVar[int] = 0
    reorder_cycles: ClassVar[int] = 0
    counters: ClassVar[tuple[Counter, ...]] = ()
    unit: ClassVar[str] = "flits"
    jitter_reason: ClassVar[str] = ""
    endpoints: ClassVar[int] = 1
    late: ClassVar[tuple[str, ...]] = ()

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
        return 1

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

    @abstractmethod
    def model(self, traffic: Traffic, **options: Any) -> Any:
        """Return what sends the packets of `traffic` and takes those that come."""

    def describe(self) -> dict[str, Any]:
        """Return the kind and the parameters as plain data."""
        return {"kind": self.kind, **asdict(self)}
