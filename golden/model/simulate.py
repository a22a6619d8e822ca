"""Run a network with its terminals, cycle by cycle, whatever engine makes the cycles."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from golden.arrays import IntArray
from golden.flit import Flits
from golden.model.model import Model
from golden.network import Network
from golden.terminal import Ends
from golden.traffic import Traffic

__all__ = ["STILL", "Engine", "Run", "cycle"]

STILL = 5000
"""Cycles in which nothing moves, after which nothing ever will: no link is so slow."""


class Engine(Protocol):
    """What makes the cycles of a network: `Model`, or whatever does the same.

    The attributes are those of `Model`.
    """

    nodes: int
    local: int
    ports: int
    channels: int
    port: IntArray
    link: Flits
    ejected: Flits
    credit: IntArray
    errors: IntArray

    def step(self, injected: Flits, ejection_credit: IntArray) -> None:
        """Go through one cycle, up to and including its clock edge."""


def cycle(model: Engine, terminals: Ends, number: int) -> None:
    """Run one cycle of a network and its terminals."""
    queue = model.credit // model.channels
    terminals.credit(queue[model.port[queue] == model.local] // model.ports)
    injected = terminals.send(number)
    terminals.receive(model.ejected, number)
    model.step(injected, terminals.give_back())


class Run:
    """A network, its terminals, and what they have done so far.

    Parameters
    ----------
    network : Network
    traffic : Traffic
    stall : float
        The probability with which a terminal does not give a credit back in a cycle.
    engine : callable
        Makes the engine.

    Attributes
    ----------
    now : int
        The next cycle.
    moved : int
        The last cycle in which a flit or a credit moved.
    sent : (nodes * ports,)
        The flits on each link so far.
    """

    def __init__(
        self,
        network: Network,
        traffic: Traffic,
        *,
        stall: float = 0.0,
        engine: Callable[[Network], Engine] = Model,
    ) -> None:
        self.network, self.traffic = network, traffic
        self.model, self.terminals = engine(network), network.terminal.ends(traffic, stall=stall)
        self.sent = np.zeros(self.model.nodes * self.model.ports, np.int64)
        self.now = self.moved = 0

    def advance(self, cycles: int) -> None:
        """Go through so many cycles."""
        model, sent = self.model, self.sent
        for now in range(self.now, self.now + cycles):
            cycle(model, self.terminals, now)
            sent[model.link.place] += 1
            if len(model.link.place) or len(model.ejected.place) or len(model.credit):
                self.moved = now
        self.now += cycles

    @property
    def delivered(self) -> IntArray:
        """Return the cycle in which each packet came out, -1 if it did not."""
        return self.terminals.delivered

    @property
    def still(self) -> int:
        """Return for how many cycles nothing has moved, though there is something to deliver."""
        quiet = self.now - 1 - self.moved
        if quiet <= 0:
            return 0
        due = self.traffic.time <= self.moved
        late = due & self.terminals.expected & (self.delivered < 0)
        return quiet if late.any() else 0

    def check(self) -> None:
        """Refuse to go on if something came out where it should not.

        Raises
        ------
        ValueError
            If it did.
        """
        if self.terminals.faults:
            raise ValueError(f"Model needs repair: {self.terminals.faults[0]}")
