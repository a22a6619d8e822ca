"""Packets between terminals under drivers that know no model: what is sent is what comes out."""

import random
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, Timer

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.lib.ports import of_node
from fingerpost.hdl.terminal import terminal_end
from fingerpost.hdl.terminal.axi_text import AxiStreamTerminalText
from fingerpost.hdl.terminal.base import terminal_label


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


def counted(dut: Any, name: str, network: AnyNetwork) -> list[int]:
    """Return a counter of every node, or of every terminal; 0 of those that have none.

    Raises
    ------
    AttributeError
        If none has it.
    """
    labels: list[Any] = [*range(network.topology.nodes)]
    if name in {counter.name for counter in network.terminal.counters}:
        labels = [terminal_label(network, t) for t in range(network.topology.terminal_numbers)]
    ports = [getattr(dut, of_node(name, label), None) for label in labels]
    if not any(port is not None for port in ports):
        raise AttributeError(f"Network has no counter {name}")
    return [0 if port is None else int(port.value) for port in ports]


class Clocks:
    """The clocks and resets of a network and of its terminals, each of which may have its own.

    Those of terminals then have any periods and phases, and are up to `FASTER` times as fast as
    that of the network, and up to `SLOWER` times as slow.

    Parameters
    ----------
    dut : cocotb's handle
        Of the network.
    network : Network
        With AXI4-Stream terminals or mailboxes.
    seed : int

    Attributes
    ----------
    of : dict
        Clock and reset of each terminal or endpoint.
    own : bool
        Whether these are their own.
    """

    PERIOD, FASTER, SLOWER = 1000, 3, 2.5

    def __init__(self, dut: Any, network: AnyNetwork, seed: int) -> None:
        text = terminal_end(network).text
        assert isinstance(text, AxiStreamTerminalText)
        self.dut, self.rng, self.own = dut, random.Random(seed), bool(text.clocks())
        numbers = network.terminal.numbers(network.topology.terminals)
        self.of = {v: tuple(getattr(dut, name) for name in text.clock(v)) for v in numbers}
        for _, reset in self.sides():
            reset.value = 1

    def sides(self) -> list[Any]:
        """Return all clocks with their resets, that of the network first."""
        return [(self.dut.clk, self.dut.rst), *(self.of.values() if self.own else ())]

    async def start(self) -> None:
        """Start all clocks, and end the resets."""
        if not self.own:
            await start(self.dut)
            return
        await Timer(1, "ns")  # by then nothing that is driven is undefined
        for clock, _ in self.sides():
            least, most = int(self.PERIOD / self.FASTER / 2), int(self.PERIOD * self.SLOWER / 2)
            half = self.PERIOD // 2 if clock is self.dut.clk else self.rng.randint(least, most)
            cocotb.start_soon(self._tick(clock, 2 * half))
        await self.reset(*self.sides())

    async def _tick(self, clock: Any, period: int) -> None:
        clock.value = 0
        await Timer(self.rng.randint(1, period), "ns")
        Clock(clock, period, "ns").start()

    async def reset(self, *sides: Any) -> None:
        """Reset these for six cycles of the slowest clock."""
        for clock, reset in sides:
            await FallingEdge(clock)
            reset.value = 1
        await Timer(int(6 * self.SLOWER * self.PERIOD), "ns")
        for clock, reset in sides:
            await FallingEdge(clock)
            reset.value = 0


async def start(dut: Any) -> None:
    """Start the clock, and end the reset."""
    await Timer(1, "ns")  # by then nothing that is driven is undefined
    Clock(dut.clk, 2, "ns").start()
    await ClockCycles(dut.clk, 3)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
