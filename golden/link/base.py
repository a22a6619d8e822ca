"""What every kind of link is: parameters, limits, and what is seen of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import Layout
from fingerpost.golden.routing import Routing
from fingerpost.golden.topology import Topology


@dataclass(frozen=True)
class Link(ABC):
    """A kind of link. Its attributes are the parameters under ``link`` of a network file."""

    kind: ClassVar[str]
    """Its name in network files."""
    status_width: ClassVar[int] = 0
    """Bits of a tail that are not the user's but the link's: 0 if the packet is good."""
    multiple: ClassVar[int] = 1
    """A flit has a multiple of so many bits."""
    at_nodes: ClassVar[bool] = True
    """Whether the links of a node are those of its router."""
    own_clocks: ClassVar[bool] = False
    """Whether every node has a clock and a reset of its own."""
    payload: ClassVar[tuple[str, ...]] = ("head", "tail", "data")
    """The fields of `seen` that mean nothing where ``valid`` is 0."""
    jitter_reason: ClassVar[str] = ""
    """Why the cycles from router to router are not always the same; nothing if what is sent arrives
    in the same cycle."""

    def told(self, degree: int) -> dict[str, int]:
        """Return what a node with so many ports is told of its links: names, and bits."""
        return {}

    @property
    def unit(self) -> int:
        """Return the clocks of a node in the link's own unit of time."""
        return 1

    @abstractmethod
    def check(self, routing: Routing, *, flit_width: int, channels: int) -> None:
        """Refuse a network that the link cannot carry.

        Raises
        ------
        ValueError
            If it cannot; the message says what is needed.
        """

    def registers(self, lengths: Callable[[], IntArray]) -> IntArray | None:
        """Return the registers on the link of each port, or on all; None if there are none.

        A flit and a credit take a cycle more for each.

        Parameters
        ----------
        lengths : callable
            Returns the length of the link of each port in tiles, shape (nodes, degree).

        Raises
        ------
        ParameterError
            If they are too many.
        """
        return None

    def streams(self, topology: Topology, boards: IntArray | None) -> BoolArray | None:
        """Return which links are stream links, shape (nodes, degree); None if there are none.

        Parameters
        ----------
        boards : (nodes,), optional
            The board of each node.

        Raises
        ------
        ParameterError
            If that depends on boards, and there are none.
        """
        return None

    @abstractmethod
    def rate(self, flit_width: int) -> float:
        """Return the flits per cycle that a link can carry, both of its directions being busy."""

    @abstractmethod
    def seen(self, *, flit_width: int, channels: int) -> Layout:
        """Return what can be seen of a link in a cycle, as benches pack it."""

    def wires(self, *, flit_width: int, channels: int) -> int:
        """Return the wires of a link, both ways: of one that is seen as it is, what is seen."""
        return self.seen(flit_width=flit_width, channels=channels).width

    def describe(self) -> dict[str, Any]:
        """Return the kind and the parameters as plain data."""
        given = {key: value for key, value in asdict(self).items() if value is not None}
        return {"kind": self.kind, **given}

    def formats(self, *, flit_width: int, channels: int, depth: int) -> dict[str, Any]:
        """Return what else must be known of what is on the wires, as plain data."""
        return {}
