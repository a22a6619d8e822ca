"""The diagrams: what is simulated for each, and which signals are shown."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from amaranth import Elaboratable, Module

from fingerpost.drawing.timing import Diagram, Get, Receiver, Sender, Trace, boxes, record
from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.network.network import Network
from fingerpost.hdl.counting.counters import Counters
from fingerpost.hdl.counting.registers import register_map
from fingerpost.hdl.link import OsLink
from scripts.waves.network import Pair, bus_rows, levels, pair, stream, written
from scripts.waves.os_links import clocks, messages, port, registers

DEPTH = 3
"""Places of a queue: few, so that credits run out."""

NOWHERE = 0x7C
"""An address behind the last counter."""

CLOCKS_PER_BIT = 4
"""Clocks in a bit time of the OS-Link, the fewest there can be."""


def packet(data: Sequence[int], to: int) -> list[tuple[int, int, int]]:
    """Return a packet with a flit for each data; the header is lowest in the head."""
    last = len(data) - 1
    return [
        (int(i == 0), int(i == last), each << 1 | to if i == 0 else each)
        for i, each in enumerate(data)
    ]


def crossing(
    network: Network, flits: Sequence[tuple[int, int, int]], *, wait: int, cycles: int
) -> tuple[dict[str, list[int]], list[int]]:
    """Send flits from node 0 to node 1, and return all wires and the credits of the sender."""
    both = Pair(network)
    here, there = both.nodes
    wires: dict[str, Any] = {"inject": here.inject, "link": here.outputs[0], "eject": there.eject}
    watch = {
        f"{name}_{what}": getattr(end, what)
        for name, end in wires.items()
        for what in ("valid", "flit", "credit")
    }
    sender = Sender(here.inject, flits, network.terminal_depth)
    receiver = Receiver(there.eject, wait)

    def drive(cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        yield from sender.drive(get)
        yield from receiver.drive(cycle, get)

    return record(both, drive, watch, cycles), sender.counted


def rows(seen: dict[str, list[int]], end: str) -> tuple[Trace, ...]:
    """Return the rows of a link or of a terminal's port."""
    valid, flit, credit = (f"{end}_{what}" for what in ("valid", "flit", "credit"))
    flits = Trace(flit, boxes(seen[valid], seen[flit]))
    return (*levels(seen, valid), flits, *levels(seen, credit))


def small() -> Network:
    """Return the network of the first diagrams."""
    return pair(router={"flit_width": 8, "buffer_depth": DEPTH})


def link() -> Diagram:
    """Show a packet of six flits on a link: never more under way than the receiver has places."""
    flits = packet([0x50, 0x51, 0x52, 0x53, 0x54, 0x55], to=1)
    seen, _ = crossing(small(), flits, wait=0, cycles=19)
    left, count = [], DEPTH
    for valid, back in zip(seen["link_valid"], seen["link_credit"], strict=True):
        count -= valid
        left.append(str(count))
        count += back
    link, counted = rows(seen, "link"), Trace("credits left", tuple(left))
    return Diagram({"terminal 0": rows(seen, "inject")[:2], "link": (*link, counted)})


def injection() -> Diagram:
    """Show two packets from a terminal, the second of one flit; credits come as they move on."""
    data = [0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58]
    flits = [*packet(data, to=1), *packet([0x60], to=1)]
    seen, counted = crossing(small(), flits, wait=3, cycles=22)
    counter = Trace("your counter", tuple(map(str, counted)))
    return Diagram({"terminal 0": (*rows(seen, "inject"), counter)})


def ejection() -> Diagram:
    """Show a terminal that frees a place three cycles after a flit has come."""
    flits = packet([0x50, 0x51, 0x52, 0x53, 0x54], to=1)
    seen, _ = crossing(small(), flits, wait=3, cycles=28)
    begin = seen["eject_valid"].index(1) - 1
    some = {name: values[begin:] for name, values in seen.items()}
    return Diagram({"terminal 1": rows(some, "eject")}, first=begin)


def axi_stream() -> Diagram:
    """Show a packet of three beats; its reader is not ready for two cycles."""
    both = Pair(pair(router={"flit_width": 16}, terminal={"kind": "axi-stream"}))
    here, there = both.nodes
    beats, busy = [0xA0A1, 0xA2A3, 0xA4A5], (9, 10)
    names = "tvalid", "tready", "tdata", "tlast"
    watch = {
        **{f"s_axis_{name}": getattr(here.s_axis, name) for name in names},
        "s_axis_tdest": both.tdest[0],
        "link_valid": here.outputs[0].valid,
        **{f"m_axis_{name}": getattr(there.m_axis, name) for name in names},
    }
    left = list(beats)

    def drive(cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        offers = cycle > 0 and bool(left)
        yield here.s_axis.tvalid, int(offers)
        yield here.s_axis.tdata, left[0] if offers else 0
        yield here.s_axis.tkeep, 3
        yield here.s_axis.tlast, int(offers and len(left) == 1)
        yield (
            both.tdest[0],
            int(offers and len(left) == len(beats)),
        )  # of the first beat only it counts
        yield there.m_axis.tready, int(cycle not in busy)
        if offers and get(here.s_axis.tready):
            left.pop(0)

    seen = record(both, drive, watch, 18)
    dest = (str(to) if to else "" for to in seen["s_axis_tdest"])
    sends = (*stream(seen, "s_axis"), Trace("s_axis_tdest", tuple(dest)))
    link = levels(seen, "link_valid")
    return Diagram({"terminal 0": sends, "link": link, "terminal 1": stream(seen, "m_axis")})


def axi_lite() -> Diagram:
    """Show two reads, the second of no register and its answer taken late, and a write.

    The data of the write come two cycles after its address.
    """
    registers = register_map(pair(counters={"kind": "axi-lite", "of": "terminals"}))
    counters = Counters(registers)
    bus = counters.bus
    version, control = (registers.named(name).address for name in ("version", "control"))
    offers = {"araddr": {1: version, 6: NOWHERE}, "awaddr": {2: control}, "wdata": {4: 1}}
    reading = {"ar": ("araddr",), "r": ("rdata", "rresp")}
    writing = {"aw": ("awaddr",), "w": ("wdata",), "b": ("bresp",)}
    watch = {
        name: getattr(bus, name)
        for channel, payloads in (reading | writing).items()
        for name in (f"{channel}valid", f"{channel}ready", *payloads)
    }

    def drive(cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        for payload, values in offers.items():
            yield getattr(bus, payload), values.get(cycle, 0)
            yield getattr(bus, f"{payload[:-4]}valid"), int(cycle in values)
        yield bus.wstrb, 0b1111
        yield bus.rready, int(cycle not in (9, 10))
        yield bus.bready, 1

    seen = record(counters, drive, watch, 14)

    return Diagram({"reading": bus_rows(seen, reading), "writing": bus_rows(seen, writing)})


class Ports(Elaboratable):
    """Two OS-Link ports, each the other's peer."""

    def __init__(self, parameters: OsLinkParameters) -> None:
        self.a, self.b = OsLink(parameters), OsLink(parameters)

    def elaborate(self, platform: object) -> Module:
        """Cross the wires."""
        m = Module()
        m.submodules.a, m.submodules.b = a, b = self.a, self.b
        m.d.comb += [a.link_in.eq(b.link_out), b.link_in.eq(a.link_out)]
        return m


def os_link() -> Diagram:
    """Show two bytes and their acknowledges, clock by clock; B's reader takes its time."""
    ports = Ports(OsLinkParameters(CLOCKS_PER_BIT))
    left, waits = [0x5C, 0xA3], [0] * CLOCKS_PER_BIT
    watch = {
        "tx_valid": ports.a.tx.valid,
        "tx_payload": ports.a.tx.payload,
        "A to B": ports.a.link_out,
        "B to A": ports.b.link_out,
        "tx_done": ports.a.tx_done,
        "rx_valid": ports.b.rx.valid,
        "rx_payload": ports.b.rx.payload,
    }

    def drive(cycle: int, get: Get) -> Iterator[tuple[Any, Any]]:
        yield ports.a.tx.valid, int(bool(left))
        yield ports.a.tx.payload, left[0] if left else 0
        if left and get(ports.a.tx.ready):
            left.pop(0)
        waits.append(get(ports.b.rx.valid))
        yield ports.b.rx.ready, int(all(waits[-CLOCKS_PER_BIT:]))

    seen = record(ports, drive, watch, 60 * CLOCKS_PER_BIT)
    begin = seen["A to B"].index(1) - CLOCKS_PER_BIT
    some = {name: values[begin : begin + 26 * CLOCKS_PER_BIT] for name, values in seen.items()}
    return Diagram(
        {
            "port A": (
                *levels(some, "tx_valid"),
                written(some, "tx_payload", "tx_valid", 2),
                *levels(some, "tx_done"),
            ),
            "wires": levels(some, "A to B", "B to A"),
            "port B": (*levels(some, "rx_valid"), written(some, "rx_payload", "rx_valid", 2)),
        },
        first=-CLOCKS_PER_BIT,
        step=CLOCKS_PER_BIT,
        dense=True,
    )


DIAGRAMS: dict[str, Callable[[], Diagram]] = {
    "link": link,
    "injection": injection,
    "ejection": ejection,
    "axi-stream": axi_stream,
    "axi-stream-clocks": clocks,
    "axi-lite": axi_lite,
    "os-link": os_link,
    "os-link-port": port,
    "os-link-registers": registers,
    "os-link-terminal": messages,
}
"""Each by the name of its file."""
