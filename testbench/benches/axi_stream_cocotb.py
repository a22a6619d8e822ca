"""AXI4-Stream terminals under the drivers of cocotbext-axi: what was sent is what comes out."""

import random
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, Timer
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from fingerpost.golden.header import bits
from fingerpost.golden.network.network import Network, build
from fingerpost.testbench.runner import parameters, report, tick

Due = dict[tuple[int, int], deque[tuple[bytes, bool]]]
"""Of every source and destination, the packets under way, and whether they are marked as bad."""


PERIOD, PERIODS = 10, (6, 8, 12, 14, 10)
"""Nanoseconds, of the network and of its terminals if these have clocks of their own."""


def clock_of(dut: Any, node: int) -> tuple[Any, Any]:
    """Return clock and reset of a terminal that has its own."""
    return getattr(dut, f"axis_{node}_clk"), getattr(dut, f"axis_{node}_rst")


def chance(rng: random.Random, share: float) -> Iterator[bool]:
    """Yield true in a share of the cycles."""
    while True:
        yield rng.random() < share


class Exchange:
    """All that is sent, and what is wrong with what comes."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.due: Due = defaultdict(deque)
        self.packets = self.delivered = self.strangers = 0
        self.message = ""

    def packet(self, rng: random.Random, source: int, dest: int, longest: int) -> AxiStreamFrame:
        """Return a packet; it is expected if its destination has a terminal."""
        content = rng.randbytes(rng.randint(1, longest))
        bad = rng.random() < 0.1
        if dest in self.network.topology.terminals:
            self.due[source, dest].append((content, bad))
            self.packets += 1
        else:
            self.strangers += 1
        return AxiStreamFrame(content, tdest=dest, tuser=int(bad))

    def arrive(self, node: int, frame: AxiStreamFrame) -> None:
        """Take what came out at a node."""
        kept = frame.tkeep or [1] * len(frame.tdata)
        content = bytes(byte for byte, keep in zip(frame.tdata, kept, strict=True) if keep)
        source, bad = frame.tuser[-1] >> 1, bool(frame.tuser[-1] & 1)
        if set(frame.tdest) != {node} or {user >> 1 for user in frame.tuser} != {source}:
            self.message = self.message or f"node {node}: tdest or the source changes in a packet"
        due = self.due[source, node]
        known = (content, bad) in (list(due)[:1] if self.network.in_order else due)
        if known:
            due.remove((content, bad))
            self.delivered += 1
        elif not self.message:
            self.message = (
                f"node {node}: {content.hex()}{' marked as bad' * bad} came, which {source} did "
                "not send, or not next"
            )


@cocotb.test()
async def delivers(dut: Any) -> None:
    """Send packets between all pairs, to unknown numbers, and marked as bad; count arrivals."""
    given = parameters()
    network = build(given["description"])
    terminals = network.topology.terminals.tolist()
    exchange, rng = Exchange(network), random.Random(given["seed"])
    dut.rst.value = 1
    own = "clock" in network.terminal.describe()
    periods = {node: PERIODS[node % len(PERIODS)] for node in terminals} if own else {}
    sources, sinks = {}, {}
    for node in terminals:
        bus = {side: AxiStreamBus.from_prefix(dut, f"{side}_axis_{node}") for side in "sm"}
        clock, reset = clock_of(dut, node) if own else (dut.clk, dut.rst)
        reset.value = 1
        sources[node] = AxiStreamSource(bus["s"], clock, reset)
        sinks[node] = AxiStreamSink(bus["m"], clock, reset)
        sources[node].set_pause_generator(chance(random.Random(node), given["idle"]))
        sinks[node].set_pause_generator(chance(random.Random(~node), given["pause"]))
    await Timer(1, "ns")  # by then nothing that is driven is undefined
    Clock(dut.clk, PERIOD if own else 2, "ns").start()
    for node, period in periods.items():
        Clock(clock_of(dut, node)[0], period, "ns").start()
    await ClockCycles(dut.clk, 3)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
    for node in periods:
        clock, reset = clock_of(dut, node)
        await FallingEdge(clock)
        reset.value = 0

    strangers = sorted({*range(1 << bits(network.topology.nodes))} - {*terminals})
    for source in terminals:
        goals = [node for node in terminals if node != source] * given["rounds"]
        goals += [rng.choice(strangers) for _ in range(given["odd"]) if strangers]
        rng.shuffle(goals)
        for goal in goals:
            frame = exchange.packet(rng, source, goal, given["longest"])
            sources[source].send_nowait(frame)

    quiet = cycle = 0
    while quiet < given["patience"] and not exchange.message:
        await ClockCycles(dut.clk, 16)
        cycle, quiet = cycle + 16, quiet + 16
        for node, sink in sinks.items():
            while not sink.empty():
                exchange.arrive(node, sink.recv_nowait(compact=False))
                quiet = 0
        tick(exchange.delivered, exchange.packets)
        if exchange.delivered == exchange.packets and all(s.idle() for s in sources.values()):
            break
    cut = 0
    if network.terminal.describe()["timeout"] and not exchange.message:
        exchange.message = await falls_silent(dut, exchange, sources, sinks)
        cut = 1
    await ClockCycles(dut.clk, 16)
    counted = {name: sum(_each(dut, name, network)) for name in ("refused", "expired", "errors")}
    message = exchange.message
    if not message and exchange.delivered < exchange.packets:
        message = f"{exchange.packets - exchange.delivered} packets do not come out"
    if not message and counted["refused"] != exchange.strangers:
        message = f"{exchange.strangers} packets to no terminal, {counted['refused']} counted"
    if not message and counted["expired"] != cut:
        message = f"{cut} packets were closed, {counted['expired']} counted"
    report(
        cycles=cycle,
        mismatches=int(bool(message)),
        message=message,
        packets=exchange.packets,
        delivered=exchange.delivered,
        **counted,
    )
    assert not message, message


async def falls_silent(
    dut: Any,
    exchange: Exchange,
    sources: dict[int, AxiStreamSource],
    sinks: dict[int, AxiStreamSink],
) -> str:
    """Let a terminal fall silent inside a packet, and return what is wrong with what comes."""
    timeout = exchange.network.terminal.describe()["timeout"]
    (source, sender), (dest, sink) = min(sources.items()), max(sinks.items())
    sender.set_pause_generator(None)
    sender.pause = False
    content = bytes(range(16 * sink.byte_lanes))
    sender.send_nowait(AxiStreamFrame(content, tdest=dest))
    await ClockCycles(dut.clk, 5)
    sender.pause = True
    for _ in range(timeout + 1000):
        await ClockCycles(dut.clk, 1)
        if not sink.empty():
            break
    else:
        return f"node {dest}: a packet whose sender fell silent is not closed"
    frame = sink.recv_nowait(compact=False)
    begun = bytes(frame.tdata)[: -sink.byte_lanes]  # the beat that closes it has no data
    if not content.startswith(begun) or not begun or frame.tuser[-1] != source << 1 | 1:
        return f"node {dest}: a packet whose sender fell silent ends without an error mark"
    # The rest of it is dropped; the next packet arrives normally.
    sender.pause = False
    sender.send_nowait(AxiStreamFrame(content, tdest=dest))
    await sender.wait()
    for _ in range(1000):
        await ClockCycles(dut.clk, 1)
        if not sink.empty():
            break
    else:
        return f"node {dest}: nothing comes after a packet that was closed"
    frame = sink.recv_nowait(compact=False)
    if bytes(frame.tdata) != content or frame.tuser[-1] != source << 1:
        return f"node {dest}: a packet after one that was closed is not as it was sent"
    return ""


def _each(dut: Any, name: str, network: Network) -> Iterator[int]:
    """Yield a counter of every node."""
    value = int(getattr(dut, name).value)
    for node in range(network.topology.nodes):
        yield value >> 8 * node & 0xFF
