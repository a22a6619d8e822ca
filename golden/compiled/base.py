"""What runs traffic through a network, many cycles a call, whichever model is behind it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.traffic import Traffic

__all__ = ["Engine", "Record", "Run", "Wire"]


class Wire(NamedTuple):
    """What is on wires in each of some cycles; the first axis is the cycle.

    Attributes
    ----------
    valid : array of int
        A bit for each channel: the one that a flit is on; 0 if there is none.
    head, tail : array of bool
    data : array of int
        These three mean nothing where there is no flit, and are 0 there.
    credit : array of int
        A bit for each channel of which a place is free again.
    """

    valid: NDArray[np.uint32]
    head: BoolArray
    tail: BoolArray
    data: IntArray
    credit: NDArray[np.uint32]


class Record(NamedTuple):
    """What goes into all routers, and comes out of them, in each of some cycles.

    Attributes
    ----------
    first : int
        The number of the first cycle.
    given : Wire of (cycles, nodes) arrays
        What each terminal sends; `credit` is what it gives back for what came out. A channel is a
        message class.
    seen : Wire of (cycles, nodes, ports) arrays
        The registers of each router: the flit on the link of each output, port `local` being that
        to the terminal. `credit` are the channels of the input of the same number that give back
        a credit; at `local`, the credits that the terminal gets.
    errors, overruns : (cycles, nodes) arrays
        The counters in that cycle, before its clock edge.
    """

    first: int
    given: Wire
    seen: Wire
    errors: IntArray
    overruns: IntArray


class Run(ABC):
    """What became of one traffic. All that is counted is counted from the start on.

    Attributes
    ----------
    traffic : Traffic
    """

    traffic: Traffic

    @property
    @abstractmethod
    def now(self) -> int:
        """Return the cycles that it has run."""

    @property
    @abstractmethod
    def expected(self) -> BoolArray:
        """Return the packets that can be delivered."""

    @property
    @abstractmethod
    def delivered(self) -> IntArray:
        """Return the cycle in which the tail of each packet came out, -1 if it did not."""

    @property
    @abstractmethod
    def received(self) -> IntArray:
        """Return the flits that came out at each node."""

    @property
    @abstractmethod
    def sent(self) -> IntArray:
        """Return the flits that were on the link of each output, as (nodes, ports)."""

    @property
    @abstractmethod
    def faults(self) -> list[str]:
        """Return what was wrong with what came out; at most ten are kept."""

    @property
    @abstractmethod
    def errors(self) -> IntArray:
        """Return the malformed packets and flits at each node, as its counter shows them."""

    @property
    @abstractmethod
    def overruns(self) -> IntArray:
        """Return the flits of each terminal without a credit, as the counter shows them."""

    @property
    @abstractmethod
    def flits(self) -> int:
        """Return the flits between the terminals: in queues, on links, at entrances."""

    @property
    @abstractmethod
    def empty(self) -> bool:
        """Return whether all that was sent and can be delivered has been, with its credits."""

    @property
    def all_delivered(self) -> bool:
        """Return whether every packet that can be delivered has been."""
        return bool((self.delivered[self.expected] >= 0).all())

    @abstractmethod
    def stop(self) -> None:
        """Send no packet that has not been begun."""


class Engine(ABC):
    """A network with its terminals, once for each traffic.

    Attributes
    ----------
    name : str
        ``compiled`` or ``reference``.
    why : str
        Why it is not the compiled one; nothing if it is.
    runs : sequence of Run
        One for each traffic, in their order.
    """

    name: ClassVar[str]
    why: str = ""
    runs: Sequence[Run]

    @abstractmethod
    def run(self, cycles: int, *, until_delivered: bool = False) -> None:
        """Go through so many cycles.

        With `until_delivered` each run goes on only until every packet that can be delivered has
        been.

        Raises
        ------
        ValueError
            If the compiled model would have to count further than it can.
        """

    @abstractmethod
    def record(self, cycles: int) -> Record:
        """Go through so many cycles; return what went in and came out in the first run."""

    @abstractmethod
    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return all that changes, as arrays."""

    @abstractmethod
    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on where `state` was; network, traffic and options are the same as then."""

    def save(self, path: Path) -> None:
        """Write the state to a file, as one npz."""
        with path.open("wb") as file:
            np.savez(file, **dict[str, Any](self.state()))

    def load(self, path: Path) -> None:
        """Go on where `save` was called."""
        with np.load(path, allow_pickle=False) as state:
            self.restore(dict(state))
