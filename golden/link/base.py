"""What every kind of link is: parameters, limits, and what the model does between two routers."""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.header import Layout
from fingerpost.golden.routing import Routing


class Between(ABC):
    """What is between the routers of a model, in one cycle after the other."""

    @abstractmethod
    def step(self, flits: Flits, credit: IntArray) -> tuple[Flits, IntArray]:
        """Go through one cycle; return what arrives in it.

        Parameters
        ----------
        flits : Flits
            What the outputs of routers send.
        credit : array
            The channels of inputs that give back a credit; those of terminals mean nothing.

        Returns
        -------
        flits : Flits
            What arrives, `place` being the output at which the link starts.
        credit : array
            The channels of inputs of which a credit arrives at the other end of the link; those of
            terminals mean nothing.
        """

    @abstractmethod
    def seen(self, flits: Flits, credit: IntArray) -> dict[str, IntArray]:
        """Return the fields of `Link.seen` at every output, before the `step` of this cycle."""


@dataclass(frozen=True)
class Link(ABC):
    """A kind of link. Its attributes are the parameters under ``link`` of a network file.

    Attributes
    ----------
    kind : str
        Its name in network files.
    status_width : int
        Bits of a tail that are not the user's but the link's: 0 if the packet is good.
    multiple : int
        A flit has a multiple of so many bits.
    own_clocks : bool
        Whether every node has a clock and a reset of its own.
    payload : tuple of str
        The fields of `seen` that mean nothing where ``valid`` is 0.
    jitter_reason : str
        Why the cycles from router to router are not always the same; nothing if what is sent
        arrives in the same cycle.
    """

    kind: ClassVar[str]
    status_width: ClassVar[int] = 0
    multiple: ClassVar[int] = 1
    own_clocks: ClassVar[bool] = False
    payload: ClassVar[tuple[str, ...]] = ("head", "tail", "data")
    jitter_reason: ClassVar[str] = ""

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

    @abstractmethod
    def rate(self, flit_width: int) -> float:
        """Return the flits per cycle that a link can carry, both of its directions being busy."""

    @abstractmethod
    def seen(self, *, flit_width: int, channels: int) -> Layout:
        """Return what can be seen of a link in a cycle, as benches pack it."""

    def between(
        self, start: IntArray, end: IntArray, *, channels: int, depth: int, flit_width: int
    ) -> Between:
        """Return what is between the routers of a `golden.model.Model`.

        Parameters
        ----------
        start, end : arrays
            Of every port of a node, the output at which its link starts and the input at which it
            ends; its own place if it has none.
        channels, depth, flit_width : int

        Raises
        ------
        TypeError
            If they are not wires that carry flits and credits.
        """
        raise TypeError(f"Model needs links of kind flit, not {self.kind}")

    def describe(self) -> dict[str, Any]:
        """Return the kind and the parameters as plain data."""
        return {"kind": self.kind, **asdict(self)}

    def formats(self) -> dict[str, Any]:
        """Return what else must be known of what is on the wires, as plain data."""
        return {}
