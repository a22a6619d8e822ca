"""What runs traffic through a network, many cycles a call, whichever model is behind it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.traffic import Traffic

Columns = Mapping[str, NDArray[Any]]


class Record(NamedTuple):
    """What goes into all routers, and comes out of them, in each of some cycles.

    Columns by name; the first axis is the cycle. What means nothing on links is 0.

    Attributes
    ----------
    first : int
        The number of the first cycle.
    given : mapping of (cycles, nodes) arrays
        `Terminal.given`: what terminals give.
    links : mapping of (cycles, nodes * degree) arrays
        `Link.seen`: the registers of routers, by node and port.
    terminals : mapping of (cycles, nodes) arrays
        `Terminal.seen`, and what nodes count: the same at terminals.
    """

    first: int
    given: Columns
    links: Columns
    terminals: Columns


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
    def beats(self) -> IntArray:
        """Return the beats of each packet that users took.

        Raises
        ------
        TypeError
            If terminals are not AXI4-Stream.
        """
        raise TypeError("Beats need AXI4-Stream terminals")

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
    def longest_time(self) -> int | None:
        """Return the longest time in the network of what has come out; None: not noted."""
        return None

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
    takes_windows : bool
        Whether `exchange` works.
    runs : sequence of Run
        One for each traffic, in their order.
    """

    name: ClassVar[str]
    why: str = ""
    takes_windows: bool = False
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

    def tell(self, told: Mapping[str, IntArray]) -> None:
        """Tell the nodes of all runs something of their links, from the next cycle on.

        Parameters
        ----------
        told : mapping of (nodes,) arrays
            Fields of `fingerpost.golden.link.Link.told`. Those of an entry of a table are of the
            next cycle only.

        Raises
        ------
        TypeError
            If nodes are told nothing.
        """
        raise TypeError("Engine needs links that may fail to be told of them")

    @property
    def packets(self) -> NDArray[Any]:
        """Return records of the packets that the only run knows of.

        Raises
        ------
        TypeError
            If the engine takes no windows.
        """
        raise TypeError("Engine needs packets that are all there from the start")

    def exchange(self, more: Traffic | None) -> NDArray[Any]:
        """Forget the packets that have been delivered, and return them; take more.

        The others of each terminal come first. What a run shows by packet is then by what there is
        in `packets`. What is returned is there until the next call.

        Raises
        ------
        TypeError
            If the engine needs packets that are all there from the start.
        """
        raise TypeError("Engine needs packets that are all there from the start")

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
