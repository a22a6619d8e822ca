"""Packets between terminals under drivers that know no model: what is sent is what comes out."""

import random
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, Timer


class Exchange:
    """All that is sent, and what is wrong with what comes.

    Parameters
    ----------
    terminals : sequence of int
        What is sent to others is refused.
    in_order : bool
        Whether packets of a pair come in the order in which they were sent.

    Attributes
    ----------
    due : dict
        Of every source, destination and class, the packets under way.
    packets, refused, delivered : int
        That are due, that go to no terminal, and that have come.
    message : str
        What went wrong first.
    """

    def __init__(self, terminals: Sequence[int], *, in_order: bool) -> None:
        self.terminals, self.in_order = terminals, in_order
        self.due: defaultdict[tuple[int, int, int], deque[Any]] = defaultdict(deque)
        self.packets = self.refused = self.delivered = 0
        self.message = ""

    def send(self, source: int, to: int, packet: Any, c: int = 0) -> None:
        """Expect a packet, if its destination has a terminal."""
        if to in self.terminals:
            self.due[source, to, c].append(packet)
            self.packets += 1
        else:
            self.refused += 1

    def arrive(self, source: int, node: int, packet: Any, c: int = 0) -> None:
        """Take what came out at a node."""
        due = self.due[source, node, c]
        if packet in (list(due)[:1] if self.in_order else due):
            due.remove(packet)
            self.delivered += 1
        else:
            self.wrong(f"node {node}: {packet} came, which {source} did not send, or not next")

    def wrong(self, what: str) -> None:
        """Remember what is wrong first."""
        self.message = self.message or what

    def expect(self, good: bool, otherwise: str) -> None:
        """Remember what is wrong if something is not as it should be."""
        if not good:
            self.wrong(otherwise)

    def complete(self) -> None:
        """See to it that all has come."""
        missing = self.packets - self.delivered
        self.expect(not missing, f"{missing} packets do not come out")

    def counts(self) -> dict[str, int]:
        """Return what to report."""
        return {"packets": self.packets, "delivered": self.delivered}


def chance(rng: random.Random, share: float) -> Iterator[bool]:
    """Yield true in a share of the cycles."""
    while True:
        yield rng.random() < share


def counted(dut: Any, name: str, nodes: int) -> list[int]:
    """Return a counter of every node."""
    value = int(getattr(dut, name).value)
    return [value >> 8 * node & 0xFF for node in range(nodes)]


async def start(dut: Any, period: int = 2) -> None:
    """Start the clock, and end the reset."""
    await Timer(1, "ns")  # by then nothing that is driven is undefined
    Clock(dut.clk, period, "ns").start()
    await ClockCycles(dut.clk, 3)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
