"""The diagrams of OS-Link ports, of OS-Link terminals, and of terminals with own clocks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from amaranth import (
    Cat,
    ClockDomain,
    ClockSignal,
    DomainRenamer,
    Elaboratable,
    Module,
    ResetSignal,
    Value,
)
from amaranth.hdl import ValueLike
from amaranth.lib.wiring import connect
from amaranth.sim import Simulator

from fingerpost.drawing.timing import Diagram, Get, Trace, record
from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.packets import DATA, Packets, decode
from fingerpost.hdl.link import OsLink
from fingerpost.hdl.link.bare_port import BarePort
from fingerpost.hdl.link.registered_port import RegisteredPort, port_registers
from fingerpost.hdl.terminal import terminal_end
from fingerpost.hdl.terminal.crossing import Crossing
from fingerpost.hdl.terminal.os_link import OsLinkInterface
from fingerpost.testbench.context import Context
from scripts.waves.network import Pair, bus_rows, levels, pair, stream

PEER = OsLinkParameters()
"""Ports as they are by default: five clocks to a bit."""

START = 60
"""Bit times from the reset until a port has begun to send what was there from the start."""

CLOCK = "outside"
"""The clock around ports that bring one of their own."""

BYTE = 11
"""Bit times of a byte on a wire."""

LENGTH = "length[0]", "length[1]", "data", "data"
"""What bytes in the middle of a message are called."""


class BackToBack(Elaboratable):
    """Two ports that stand alone, each the other's peer; they get one clock, `CLOCK`."""

    def __init__(self, here: BarePort | RegisteredPort, there: BarePort) -> None:
        self.here, self.there = here, there

    def elaborate(self, platform: object) -> Module:
        """Cross the wires."""
        m = Module()
        m.domains += ClockDomain(CLOCK)
        m.submodules.here, m.submodules.there = here, there = self.here, self.there
        m.d.comb += [here.link_in.eq(there.link_out), there.link_in.eq(here.link_out)]
        for end in (here, there):
            m.d.comb += [end.clk.eq(ClockSignal(CLOCK)), end.rst.eq(ResetSignal(CLOCK))]
        return m


class Bytes:
    """A user that sends bytes into a port, and takes received ones some clocks later."""

    def __init__(self, port: Any, send: Sequence[int], *, wait: int = 0) -> None:
        self.port, self.left, self.wait, self.there = port, list(send), wait, 0

    def drive(self, get: Get) -> Iterator[tuple[Any, Any]]:
        """Offer a byte, and take one."""
        yield self.port.s_axis_tvalid, int(bool(self.left))
        yield self.port.s_axis_tdata, self.left[0] if self.left else 0
        if self.left and get(self.port.s_axis_tready):
            self.left.pop(0)
        self.there = self.there + 1 if get(self.port.m_axis_tvalid) else 0
        yield self.port.m_axis_tready, int(self.there > self.wait)
        if self.there > self.wait:
            self.there = 0


def port() -> Diagram:
    """Show two bytes that go and one that comes at the same time, with all acknowledges."""
    n = PEER.clocks_per_bit
    both = BackToBack(BarePort(PEER), BarePort(PEER))
    here: Any = both.here
    ends = Bytes(here, [0x5C, 0xA3], wait=n - 1), Bytes(both.there, [0x17])
    names = "tvalid", "tready", "tdata"
    watch = {
        f"{way}_axis_{name}": getattr(here, f"{way}_axis_{name}") for way in "sm" for name in names
    }
    watch |= {name: getattr(here, name) for name in ("link_out", "link_in", "tx_done", "idle")}

    def drive(cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        for end in ends:
            yield from end.drive(get)

    seen = record(both, drive, watch, (START + 4 * BYTE) * n, CLOCK)
    begin = seen["link_out"].index(1) - n
    some = {name: values[begin : begin + 28 * n - 1] for name, values in seen.items()}

    return Diagram(
        {
            "to send": stream(some, "s_axis", 2),
            "wires": levels(some, "link_out", "link_in"),
            "received": stream(some, "m_axis", 2),
            "signs": levels(some, "tx_done", "idle"),
        },
        first=-n,
        step=n,
        dense=True,
    )


def registers() -> Diagram:
    """Show software that is interrupted by a byte, reads it, and sends it back."""
    both = BackToBack(RegisteredPort(PEER), BarePort(PEER))
    here: Any = both.here
    place = {register.name: register.address for register in port_registers(PEER)}
    peer, got = Bytes(both.there, [0xA3]), list[int]()
    at: dict[str, int] = {}
    reading = {"ar": ("araddr",), "r": ("rdata",)}
    writing: dict[str, tuple[str, ...]] = {"aw": ("awaddr",), "w": ("wdata",), "b": ()}
    named = [
        f"s_axil_{name}"
        for channel, payloads in (reading | writing).items()
        for name in (f"{channel}valid", *payloads)
    ]
    watch = {name: getattr(here, name) for name in named}
    watch |= {name: getattr(here, name) for name in ("link_in", "link_out", "irq")}

    def drive(cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        yield from peer.drive(get)
        if get(here.irq):
            at.setdefault("read", cycle + 1)
        if get(here.s_axil_rvalid):
            got.append(get(here.s_axil_rdata) & 0xFF)
            at.setdefault("write", cycle + 2)
        enables, reads = cycle == START, cycle == at.get("read")
        writes = cycle == at.get("write")
        yield here.s_axil_arvalid, int(reads)
        yield here.s_axil_araddr, place["receive"] if reads else 0
        for channel in ("aw", "w"):
            yield getattr(here, f"s_axil_{channel}valid"), int(enables or writes)
        yield here.s_axil_awaddr, place["enable"] if enables else place["send"] if writes else 0
        yield here.s_axil_wdata, 2 if enables else got[0] if writes else 0
        yield here.s_axil_wstrb, 0b1111
        yield here.s_axil_rready, 1
        yield here.s_axil_bready, 1

    seen = record(both, drive, watch, (START + 2 * BYTE) * PEER.clocks_per_bit, CLOCK)
    begin = seen["irq"].index(1) - 7
    some = {name: values[begin : begin + 22] for name, values in seen.items()}

    return Diagram(
        {
            "wires": levels(some, "link_in", "link_out", "irq"),
            "reading": bus_rows(some, reading, "s_axil_"),
            "writing": bus_rows(some, writing, "s_axil_"),
        }
    )


class Talking(Elaboratable):
    """Two nodes with OS-Link terminals, and at each a port that speaks with it."""

    def __init__(self) -> None:
        network = pair(router={"flit_width": 16}, terminal={"kind": "os-link"})
        self.pair = Pair(network)
        ends: list[Any] = [*terminal_end(network).components().values()]
        ends += terminal_end(network).components().values()
        self.terminals: list[OsLinkInterface] = ends
        self.peers = [OsLink(PEER) for _ in ends]

    def elaborate(self, platform: object) -> Module:
        """Join each node with its terminal, and that with its peer."""
        m = Module()
        m.submodules.pair = self.pair
        for v, (here, peer) in enumerate(zip(self.terminals, self.peers, strict=True)):
            m.submodules[f"terminal{v}"], m.submodules[f"peer{v}"] = here, peer
            node = self.pair.nodes[v]
            connect(m, here.s_axis, node.s_axis)
            connect(m, node.m_axis, here.m_axis)
            m.d.comb += [
                self.pair.tdest[v].eq(here.tdest),
                here.link_in.eq(peer.link_out),
                peer.link_in.eq(here.link_out),
            ]
        return m


def messages() -> Diagram:
    """Show a message of two bytes on the wires, bit by bit, from terminal 0 to terminal 1."""
    n, both = PEER.clocks_per_bit, Talking()
    left = [1, 0, 2, 0, *b"hi"]
    watch = {
        f"link_{way}_{v}": getattr(end, f"link_{way}")
        for v, end in enumerate(both.terminals)
        for way in ("in", "out")
    }
    sends: Any = both.peers[0].tx

    def drive(cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        yield sends.valid, int(bool(left))
        yield sends.payload, left[0] if left else 0
        if left and get(sends.ready):
            left.pop(0)
        yield both.peers[1].rx.ready, 1

    seen = record(both, drive, watch, (START + 16 * BYTE) * n)
    wires = np.array([*seen.values()]).T.astype(bool)
    packets = decode(wires, np.full(len(seen), len(wires)), n)
    wire = dict(zip(seen, range(len(seen)), strict=True))
    begin = seen["link_in_0"].index(1) - n
    ends = int(packets.of(wire["link_out_1"], DATA)[-1]) + (BYTE + 2) * n
    bits = range(begin, ends, n)
    parts = (
        ("link_in_0", ("to[0]", "to[1]", *LENGTH), "sent"),
        ("link_out_0", (), ""),
        ("link_out_1", ("from[0]", "from[1]", *LENGTH, "status"), "received"),
        ("link_in_1", (), ""),
    )
    groups: dict[str, tuple[Trace, ...]] = {}
    for name, called, what in parts:
        traces = [Trace(name, tuple(seen[name][clock] for clock in bits))]
        if called:
            traces.append(Trace(what, bytes_of(packets, wire[name], called, bits)))
        group = f"terminal {name[-1]}"
        groups[group] = (*groups.get(group, ()), *traces)
    return Diagram(groups, first=-1, step=BYTE, dense=True)


def bytes_of(packets: Packets, wire: int, called: Sequence[str], bits: range) -> tuple[str, ...]:
    """Return for each bit on a wire the byte that it is of, and what that is called."""
    row = [""] * len(bits)
    of = (packets.wire == wire) & (packets.kind == DATA)
    starts, values = packets.start[of].tolist(), packets.value[of].tolist()
    for start, value, name in zip(starts, values, called, strict=True):
        first = -((bits.start - start) // bits.step)  # the first bit that is seen behind its start
        row[first : first + BYTE] = [f"{name} {value:02X}"] * BYTE
    return tuple(row)


HALVES = {"axis_0": 3, "sync": 2, "axis_1": 5}
"""Half a period of each clock, in steps of the diagram; `sync` is the network's."""

STEP = 1e-6
"""Seconds of simulated time in a step."""

BEATS = 0xA0A1, 0xA2A3, 0xA4A5


class Crossed(Elaboratable):
    """Two nodes, and between each and its terminal queues, joined as `generate` joins them."""

    def __init__(self) -> None:
        self.domains: dict[str, Any] = {name: ClockDomain(name) for name in HALVES}
        terminal = {"kind": "axi-stream", "clock": "own"}
        self.pair = Pair(pair(router={"flit_width": 16}, terminal=terminal))
        here, there = self.pair.nodes
        self.sent = [here.s_axis.tdata, here.s_axis.tkeep, here.s_axis.tlast, self.pair.tdest[0]]
        self.received = [there.m_axis.tdata, there.m_axis.tlast]
        self.into, self.out = (Crossing(len(Cat(x))) for x in (self.sent, self.received))

    def elaborate(self, platform: object) -> Module:
        """Put a queue before node 0, and one behind node 1."""
        m = Module()
        m.domains += self.domains.values()
        here, there = self.pair.nodes
        m.submodules.pair = self.pair
        m.submodules.into = DomainRenamer({"write": "axis_0", "read": "sync"})(self.into)
        m.submodules.out = DomainRenamer({"write": "sync", "read": "axis_1"})(self.out)
        m.d.comb += [
            Cat(self.sent).eq(self.into.r_data),
            here.s_axis.tvalid.eq(self.into.r_valid),
            self.into.r_ready.eq(here.s_axis.tready),
            self.out.w_data.eq(Cat(self.received)),
            self.out.w_valid.eq(there.m_axis.tvalid),
            there.m_axis.tready.eq(self.out.w_ready),
        ]
        return m


def record_crossed(
    hardware: Crossed, watch: Mapping[str, ValueLike], steps: int
) -> dict[str, list[int]]:
    """Send three beats, and return what signals are in each step, half a step behind its begin."""
    seen: dict[str, list[int]] = {name: [] for name in watch}

    async def sender(ctx: Context) -> None:
        end = hardware.into
        await ctx.tick("axis_0").repeat(2)
        for number, beat in enumerate(BEATS):
            last = number == len(BEATS) - 1
            ctx.set(end.w_valid, 1)
            ctx.set(end.w_data, beat | 3 << 16 | last << 18 | 1 << 19)
            await ctx.tick("axis_0").until(end.w_ready)
        ctx.set(end.w_valid, 0)

    async def reader(ctx: Context) -> None:
        ctx.set(hardware.out.r_ready, 1)

    async def look(ctx: Context) -> None:
        await ctx.delay(STEP / 2)
        for _ in range(steps):
            for name, signal in watch.items():
                seen[name].append(ctx.get(Value.cast(signal)))
            await ctx.delay(STEP)

    simulator: Any = Simulator(hardware)
    for name, half in HALVES.items():
        simulator.add_clock(2 * half * STEP, phase=0, domain=name)
    for bench in (sender, reader, look):
        simulator.add_testbench(bench)
    simulator.run()
    return seen


def clocks() -> Diagram:
    """Show a packet of three beats from a terminal to another; each has a clock of its own."""
    both = Crossed()
    here, there = both.pair.nodes
    first, second = both.into, both.out
    watch: dict[str, ValueLike] = {
        "axis_0_clk": both.domains["axis_0"].clk,
        "s_axis_0_tvalid": first.w_valid,
        "s_axis_0_tready": first.w_ready,
        "s_axis_0_tdata": first.w_data[:16],
        "clk": both.domains["sync"].clk,
        "s_axis_tvalid[0]": here.s_axis.tvalid,
        "s_axis_tready[0]": here.s_axis.tready,
        "link_valid": here.outputs[0].valid,
        "m_axis_tvalid[1]": there.m_axis.tvalid,
        "axis_1_clk": both.domains["axis_1"].clk,
        "m_axis_1_tvalid": second.r_valid,
        "m_axis_1_tdata": second.r_data[:16],
        "m_axis_1_tlast": second.r_data[16],
    }
    seen = record_crossed(both, watch, 116)

    groups = {
        "terminal 0": (*levels(seen, "axis_0_clk"), *stream(seen, "s_axis_0")),
        "network": levels(seen, *list(watch)[4:9]),
        "terminal 1": (*levels(seen, "axis_1_clk"), *stream(seen, "m_axis_1")),
    }
    return Diagram(groups, step=10, dense=True)
