"""A node: with wires it is its router, with OS-Links it brings packets to the other end whole."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from amaranth import Module, Value
from amaranth.sim import Simulator

from fingerpost.golden.link.cells import STATUS
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.network import node_straps
from fingerpost.hdl.emit.verilog import router
from fingerpost.hdl.link import link_ends
from fingerpost.hdl.node import Node, additions, node
from fingerpost.hdl.router.router import Router
from fingerpost.hdl.terminal import terminal_end
from fingerpost.testbench.context import Context


def ring(nodes: int, *, flit_width: int, depth: int, channels: int, **link: Any) -> Network:
    """Build a ring of nodes; two are a pair."""
    links = {tuple(sorted((i, (i + 1) % nodes))) for i in range(nodes)}
    return build(
        {
            "name": "ring",
            "topology": {"family": "edge-list", "nodes": nodes, "links": sorted(links)},
            "routing": {"algorithm": "table"},
            "router": {
                "flit_width": flit_width, "buffer_depth": depth, "virtual_channels": channels,
            },
            "link": link,
        }
    )  # fmt: skip


def inputs(dut: Any, network: Network, rng: random.Random) -> Iterator[tuple[Any, Any]]:
    """Yield values for the inputs of a router, or of a node that is like one."""
    for link in (*dut.inputs, dut.inject):
        valid = rng.randrange(len(link.valid)) if rng.random() < 0.4 else None
        yield link.valid, 0 if valid is None else 1 << valid
        packet = rng.random() < 0.9
        data = rng.getrandbits(network.flit_width - 3) << 3 | rng.randrange(8)
        yield link.flit, {"head": packet, "tail": packet, "data": data}
    for link in (*dut.outputs, dut.eject):
        yield link.credit, rng.getrandbits(len(link.credit))
    yield Value.cast(dut.straps), node_straps(network, 1)[0]
    yield dut.increments, rng.getrandbits(len(dut.increments))


def outputs(dut: Any) -> list[Value]:
    """Return the outputs, in the same order for a router and for what is like one."""
    outgoing, incoming = (*dut.outputs, dut.eject), (*dut.inputs, dut.inject)
    seen = [x for link in outgoing for x in (link.valid, link.flit)]
    seen += [*(link.credit for link in incoming), dut.errors, dut.overruns]
    return [Value.cast(x) for x in seen]


def test_with_wires_it_is_its_router() -> None:
    network = ring(5, flit_width=8, depth=2, channels=2, kind="flit")
    both = router(network), Node(router(network), link_ends(network), terminal_end(network))
    assert additions(network) == []
    assert isinstance(node(network, router(network)), Router)
    changed: set[int] = set()
    m = Module()
    m.submodules += both

    async def bench(ctx: Context) -> None:
        before: list[int] = []
        for cycle in range(180):
            for dut in both:
                for value, given in inputs(dut, network, random.Random(cycle)):
                    ctx.set(value, given)
            await ctx.delay(1e-8)
            alone, around = ([ctx.get(x) for x in outputs(dut)] for dut in both)
            assert around == alone
            changed.update(k for k, x in enumerate(alone) if before and before[k] != x)
            before = alone
            await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert changed == set(range(len(outputs(both[0]))))  # all of them do something


FLITS = 6
"""How many a terminal sends, or a few more to end the packet."""


class Terminal:
    """The far end of a terminal port: sends packets to the other node, and notes what comes."""

    def __init__(self, network: Network, end: Any, to: int, rng: random.Random) -> None:
        self.network, self.end, self.to, self.rng = network, end, to, rng
        self.willing = 0.5 if to else 0.004  # one takes what comes, one makes the other wait
        self.flits = self.packets(FLITS)
        self.sent: list[tuple[bool, bool, int]] = []
        self.came: list[tuple[bool, bool, int]] = []
        self.most = network.terminal_depth
        self.credits = self.most
        self.owed = 0

    def packets(self, flits: int) -> Iterator[tuple[bool, bool, int]]:
        """Yield packets of one to four flits, whose tails leave room for their status."""
        while flits > 0:
            length = self.rng.randint(1, 4)
            flits -= length
            for i in range(length):
                last = i == length - 1
                data = self.rng.getrandbits(self.network.flit_width - STATUS * last)
                header = self.network.routing.header.width
                yield i == 0, last, data >> header << header | self.to if i == 0 else data

    def cycle(self, ctx: Context) -> None:
        """Go through a cycle: what comes, credits both ways, and a flit if there is one."""
        inject, eject = self.end.inject, self.end.eject
        self.credits += ctx.get(inject.credit)
        assert self.credits <= self.most
        if ctx.get(eject.valid):
            flit = eject.flit
            self.came.append(
                (bool(ctx.get(flit.head)), bool(ctx.get(flit.tail)), ctx.get(flit.data))
            )
            self.owed += 1
            assert self.owed <= self.network.buffer_depth  # no flit without a credit
        back = self.owed > 0 and self.rng.random() < self.willing
        self.owed -= back
        ctx.set(eject.credit, back)
        flit = next(self.flits, None) if self.credits and self.rng.random() < 0.5 else None
        ctx.set(inject.valid, flit is not None)
        if flit:
            self.sent.append(flit)
            self.credits -= 1
            ctx.set(inject.flit, dict(zip(("head", "tail", "data"), flit, strict=True)))


class Pair:
    """Two nodes with an OS-Link between them, and their terminals."""

    def __init__(self, network: Network, seed: int) -> None:
        rng = random.Random(seed)
        self.rng, self.nodes = rng, [node(network, router(network)) for _ in range(2)]
        self.network = network
        self.terminals = [Terminal(network, end, 1 - i, rng) for i, end in enumerate(self.nodes)]
        self.errors, self.malformed = [0, 0], [0, 0]

    @property
    def done(self) -> bool:
        """Whether all has been sent and has come, with its credits."""
        a, b = self.terminals
        return all(
            len(here.sent) == len(there.came) >= FLITS
            and (here.sent[-1][1], here.credits, here.owed) == (True, here.most, 0)
            for here, there in ((a, b), (b, a))
        )

    def run(self, cycles: int, *, hit: int | None = None) -> None:
        """Run; in cycle `hit` and those of its bit the wire from node 0 is not as it should be."""
        m = Module()
        m.submodules += self.nodes
        ends: list[Any] = self.nodes

        async def bench(ctx: Context) -> None:
            for i, end in enumerate(ends):
                straps, increments = node_straps(self.network, i)
                ctx.set(Value.cast(end.straps), straps)
                ctx.set(end.increments, increments)
            for cycle in range(cycles):
                wires = [ctx.get(end.link_out) for end in ends]
                if cycle % 16 == 0:  # the wire is a register
                    for end, wire in zip(ends, wires, strict=True):
                        ctx.set(end.link_in, 1 - wire)
                    await ctx.delay(1e-8)
                    assert [ctx.get(end.link_out) for end in ends] == wires
                if hit is not None and hit <= cycle < hit + self.network.link.unit:
                    wires[0] ^= 1
                for i, end in enumerate(ends):
                    ctx.set(end.link_in, wires[1 - i])
                    self.terminals[i].cycle(ctx)
                    errors = ctx.get(end.link_errors)
                    assert errors & self.errors[i] == self.errors[i]  # they stay
                    self.errors[i] = errors
                await ctx.tick()
                if self.done:
                    break
            self.malformed = [ctx.get(end.errors) + ctx.get(end.overruns) for end in ends]

        simulator = Simulator(m)
        simulator.add_clock(1e-6)
        simulator.add_testbench(bench)
        simulator.run()


OS_LINK = {"kind": "os-link", "clocks_per_bit": 4}


@pytest.mark.parametrize(
    ("channels", "depth", "width"),
    [
        (1, 1, 24),
        (4, 2, 24),
        *(pytest.param(*x, marks=pytest.mark.regress) for x in ((1, 8, 56), (2, 3, 32))),
    ],
)
def test_with_os_links_packets_come_whole_and_in_order(
    channels: int, depth: int, width: int
) -> None:
    network = ring(2, flit_width=width, depth=depth, channels=channels, **OS_LINK)
    assert additions(network) == ["OS-Links"]
    pair = Pair(network, seed=depth)
    pair.run(200 * width)
    for here, there in (pair.terminals, pair.terminals[::-1]):
        assert len(here.sent) >= FLITS
        assert next(here.flits, None) is None
        assert sorted_by_packet(there.came) == sorted_by_packet(here.sent)
        assert (here.credits, here.owed) == (here.most, 0)  # one for each flit
        if channels == 1:
            assert there.came == here.sent
    assert pair.errors == pair.malformed == [0, 0]


def sorted_by_packet(flits: list[tuple[bool, bool, int]]) -> list[list[tuple[bool, bool, int]]]:
    """Return packets, each in one piece, in any order: those on several channels may overtake."""
    packets: list[list[tuple[bool, bool, int]]] = []
    for flit in flits:
        if flit[0]:
            packets.append([])
        packets[-1].append(flit)
    return sorted(packets)


def test_with_os_links_what_is_wrong_on_a_wire_is_told() -> None:
    network = ring(2, flit_width=24, depth=2, channels=1, **OS_LINK)
    pair = Pair(network, seed=1)
    pair.run(1000, hit=400)
    assert pair.errors[1]
