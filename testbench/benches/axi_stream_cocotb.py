"""AXI4-Stream terminals under the drivers of cocotbext-axi: what was sent is what comes out."""

import random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.hdl.terminal.around import stream_name
from fingerpost.testbench.benches.exchange import Clocks, Exchange, chance, counted
from fingerpost.testbench.runner import finish, parameters, tick


class Drivers:
    """Sources and sinks of all streams, by number of the terminal or endpoint and class."""

    def __init__(self, dut: Any, network: AnyNetwork, given: dict[str, Any]) -> None:
        self.dut, self.network, self.given = dut, network, given
        self.clocks, self.rng = Clocks(dut, network, given["seed"]), random.Random(given["seed"])
        self.numbers = network.terminal.numbers(network.topology.terminals)
        self.exchange = Exchange(self.numbers, in_order=network.in_order)
        self.sources: dict[tuple[int, int], AxiStreamSource] = {}
        self.sinks: dict[tuple[int, int], AxiStreamSink] = {}
        self.cycles = 0
        for node in self.numbers:
            for c in range(network.classes):
                stream = node * network.classes + c
                name, clock = stream_name(network, stream), self.clocks.of[node]
                s_axis, m_axis = (AxiStreamBus.from_prefix(dut, f"{x}_axis_{name}") for x in "sm")
                self.sources[node, c] = source = AxiStreamSource(s_axis, *clock)
                self.sinks[node, c] = sink = AxiStreamSink(m_axis, *clock)
                source.set_pause_generator(chance(random.Random(stream), given["idle"]))
                sink.set_pause_generator(chance(random.Random(~stream), given["pause"]))

    def send(self, rounds: int, odd: int) -> None:
        """Send packets between all pairs in each class, some to no terminal, some marked as bad."""
        rng = self.rng
        places = self.network.topology.terminal_numbers * self.network.terminal.endpoints
        strangers = sorted({*range(1 << bits(places))} - {*self.numbers})
        for (source, c), driver in self.sources.items():
            goals = [node for node in self.numbers if node != source] * rounds
            goals += [rng.choice(strangers) for _ in range(odd) if strangers]
            rng.shuffle(goals)
            for goal in goals:
                content = rng.randbytes(rng.randint(1, self.given["longest"]))
                bad = rng.random() < 0.1
                self.exchange.send(source, goal, (content, bad), c)
                driver.send_nowait(AxiStreamFrame(content, tdest=goal, tuser=int(bad)))

    async def receive(self) -> None:
        """Take packets until all have come, or none has for long."""
        exchange, quiet = self.exchange, 0
        while quiet < self.given["patience"] and not exchange.message:
            await ClockCycles(self.dut.clk, 16)
            self.cycles, quiet = self.cycles + 16, quiet + 16
            for (node, c), sink in self.sinks.items():
                while not sink.empty():
                    take(exchange, node, sink.recv_nowait(compact=False), c)
                    quiet = 0
            tick(exchange.delivered, exchange.packets)
            sent = all(source.idle() for source in self.sources.values())
            if sent and exchange.delivered == exchange.packets:
                break
        exchange.complete()
        await ClockCycles(self.dut.clk, 32)  # what is dropped has gone, too

    def counts(self) -> dict[str, int]:
        """Return what is counted at all nodes in all classes."""
        return {
            name: sum(sum(each.to_bytes(8)) for each in counted(self.dut, name, self.network))
            for name in ("refused", "expired", "errors")
        }


def take(exchange: Exchange, node: int, frame: AxiStreamFrame, c: int) -> None:
    """Take what came out at a node: its bytes, and whether it is marked as bad."""
    kept = frame.tkeep or [1] * len(frame.tdata)
    content = bytes(byte for byte, keep in zip(frame.tdata, kept, strict=True) if keep)
    source, bad = frame.tuser[-1] >> 1, bool(frame.tuser[-1] & 1)
    if set(frame.tdest) != {node} or {user >> 1 for user in frame.tuser} != {source}:
        exchange.wrong(f"node {node}: tdest or the source changes in a packet")
    exchange.arrive(source, node, (content, bad), c)


@cocotb.test()
async def delivers(dut: Any) -> None:
    """Send packets between all pairs, to unknown numbers, and marked as bad; count arrivals.

    Terminals with clocks of their own are then reset, one of them alone and the network alone.
    """
    given = parameters()
    drivers = Drivers(dut, build_any(given["description"]), given)
    exchange, clocks = drivers.exchange, drivers.clocks
    await clocks.start()
    drivers.send(given["rounds"], given["odd"])
    await drivers.receive()
    timeout = drivers.network.terminal.describe()["timeout"]
    cut = int(timeout > 0 and not exchange.message)
    if cut:
        exchange.message = await falls_silent(dut, timeout, drivers.sources, drivers.sinks)
    await ClockCycles(dut.clk, 16)
    counts = drivers.counts()
    for name, due in (("refused", exchange.refused), ("expired", cut)):
        exchange.expect(counts[name] == due, f"{name} is {counts[name]}, not {due}")
    for side in ([*clocks.of.values()][-1], clocks.sides()[0]) if clocks.own else ():
        await clocks.reset(side)
        # With flow control the memories of receivers are cleared behind a reset.
        await ClockCycles(dut.clk, 200)
        drivers.send(1, 0)
        await drivers.receive()
    finish(exchange.message, cycles=drivers.cycles, **exchange.counts(), **counts)


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
    sources: dict[tuple[int, int], AxiStreamSource],
    sinks: dict[tuple[int, int], AxiStreamSink],
) -> str:
    """Let a terminal fall silent inside a packet, and return what is wrong with what comes."""
    (source, c), (dest, _) = min(sources), max(sinks)
    sender, sink = sources[source, c], sinks[dest, c]
    sender.set_pause_generator(None)
    sender.pause = False
    content = bytes(range(16 * sink.byte_lanes))
    sender.send_nowait(AxiStreamFrame(content, tdest=dest))
    await ClockCycles(sender.clock, 5)
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
