"""AXI4-Stream terminals under the drivers of cocotbext-axi: what was sent is what comes out."""

import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import build_any
from fingerpost.testbench.benches.exchange import Exchange, chance, counted, start
from fingerpost.testbench.runner import finish, parameters, tick

PERIOD, PERIODS = 10, (6, 8, 12, 14, 10)
"""Nanoseconds, of the network and of its terminals if these have clocks of their own."""


def clock_of(dut: Any, node: int) -> tuple[Any, Any]:
    """Return clock and reset of a terminal that has its own."""
    return getattr(dut, f"axis_{node}_clk"), getattr(dut, f"axis_{node}_rst")


def take(exchange: Exchange, node: int, frame: AxiStreamFrame) -> None:
    """Take what came out at a node: its bytes, and whether it is marked as bad."""
    kept = frame.tkeep or [1] * len(frame.tdata)
    content = bytes(byte for byte, keep in zip(frame.tdata, kept, strict=True) if keep)
    source, bad = frame.tuser[-1] >> 1, bool(frame.tuser[-1] & 1)
    if set(frame.tdest) != {node} or {user >> 1 for user in frame.tuser} != {source}:
        exchange.wrong(f"node {node}: tdest or the source changes in a packet")
    exchange.arrive(source, node, (content, bad))


@cocotb.test()
async def delivers(dut: Any) -> None:
    """Send packets between all pairs, to unknown numbers, and marked as bad; count arrivals."""
    given = parameters()
    network = build_any(given["description"])
    terminals, facts = network.topology.terminals.tolist(), network.terminal.describe()
    rng = random.Random(given["seed"])
    exchange = Exchange(terminals, in_order=network.in_order)
    dut.rst.value = 1
    own = "clock" in facts
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
    for node, period in periods.items():
        Clock(clock_of(dut, node)[0], period, "ns").start()
    await start(dut, PERIOD if own else 2)
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
            content = rng.randbytes(rng.randint(1, given["longest"]))
            bad = rng.random() < 0.1
            exchange.send(source, goal, (content, bad))
            sources[source].send_nowait(AxiStreamFrame(content, tdest=goal, tuser=int(bad)))

    quiet = cycle = 0
    while quiet < given["patience"] and not exchange.message:
        await ClockCycles(dut.clk, 16)
        cycle, quiet = cycle + 16, quiet + 16
        for node, sink in sinks.items():
            while not sink.empty():
                take(exchange, node, sink.recv_nowait(compact=False))
                quiet = 0
        tick(exchange.delivered, exchange.packets)
        if exchange.delivered == exchange.packets and all(s.idle() for s in sources.values()):
            break
    exchange.complete()
    cut = int(facts["timeout"] > 0 and not exchange.message)
    if cut:
        exchange.message = await falls_silent(dut, facts["timeout"], sources, sinks)
    await ClockCycles(dut.clk, 16)
    nodes = network.topology.nodes
    counts = {name: sum(counted(dut, name, nodes)) for name in ("refused", "expired", "errors")}
    for name, due in (("refused", exchange.refused), ("expired", cut)):
        exchange.expect(counts[name] == due, f"{name} is {counts[name]}, not {due}")
    finish(exchange.message, cycles=cycle, **exchange.counts(), **counts)


async def comes(dut: Any, sink: AxiStreamSink, cycles: int) -> bool:
    """Wait for a packet, or so many cycles."""
    for _ in range(cycles):
        await ClockCycles(dut.clk, 1)
        if not sink.empty():
            return True
    return False


async def falls_silent(
    dut: Any,
    timeout: int,
    sources: dict[int, AxiStreamSource],
    sinks: dict[int, AxiStreamSink],
) -> str:
    """Let a terminal fall silent inside a packet, and return what is wrong with what comes."""
    (source, sender), (dest, sink) = min(sources.items()), max(sinks.items())
    sender.set_pause_generator(None)
    sender.pause = False
    content = bytes(range(16 * sink.byte_lanes))
    sender.send_nowait(AxiStreamFrame(content, tdest=dest))
    await ClockCycles(dut.clk, 5)
    sender.pause = True
    if not await comes(dut, sink, timeout + 1000):
        return f"node {dest}: a packet whose sender fell silent is not closed"
    frame = sink.recv_nowait(compact=False)
    begun = bytes(frame.tdata)[: -sink.byte_lanes]  # the beat that closes it has no data
    if not content.startswith(begun) or not begun or frame.tuser[-1] != source << 1 | 1:
        return f"node {dest}: a packet whose sender fell silent ends without an error mark"
    # The rest of it is dropped; the next packet arrives normally.
    sender.pause = False
    sender.send_nowait(AxiStreamFrame(content, tdest=dest))
    await sender.wait()
    if not await comes(dut, sink, 1000):
        return f"node {dest}: nothing comes after a packet that was closed"
    frame = sink.recv_nowait(compact=False)
    if bytes(frame.tdata) != content or frame.tuser[-1] != source << 1:
        return f"node {dest}: a packet after one that was closed is not as it was sent"
    return ""
