"""A network across OS-Links, every node on its own clock: all pairs of terminals exchange frames.

There is no lock-step without a common clock. What is checked is that every frame comes out whole,
once, where it shall, and that no port finds anything wrong.
"""

import random
from collections import deque
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer
from cocotb.utils import get_sim_time

from fingerpost.golden.link.cells import frame, packet
from fingerpost.golden.network.network import Network, build
from fingerpost.testbench.benches.exchange import Exchange
from fingerpost.testbench.packing import read
from fingerpost.testbench.runner import finish, parameters, tick

PERIOD = 1000
"""Nanoseconds of a clock; only ratios matter."""

SKEW = 15
"""Bit times within which the nodes leave their reset."""

LONGEST = 24
"""Bytes of payload."""


class Frames(Exchange):
    """Frames between all pairs.

    Attributes
    ----------
    waiting : list of deque
        For every node, the frames that it is to send: flits.
    credits : list
        The credits of every node's terminal.
    flits, payload : int
        What has come, and its bytes.
    last : float
        When the last frame came, in nanoseconds.
    """

    def __init__(self, network: Network, rounds: int, rng: random.Random) -> None:
        terminals, nodes = network.topology.terminals.tolist(), network.topology.nodes
        super().__init__(terminals, in_order=network.in_order)
        self.network = network
        self.waiting: list[deque[list[int]]] = [deque() for _ in range(nodes)]
        self.credits = [network.terminal_depth] * nodes
        self.flits, self.payload, self.last = 0, 0, 0.0
        self.coming: dict[int, list[int]] = {}
        for source in terminals:
            others = [end for end in terminals if end != source] * rounds
            rng.shuffle(others)
            for end in others:
                # The source is named in the payload, for the header may forget it.
                payload = source.to_bytes(2, "little") + rng.randbytes(rng.randrange(LONGEST - 1))
                header = int(network.routing.addresses(np.array([source]), np.array([end]))[0])
                width = network.routing.address_layout.width
                self.waiting[source].append(packet(header, width, payload, network.flit_width))
                self.send(source, end, payload)

    def take(self, node: int, head: bool, tail: bool, data: int) -> None:
        """Take a flit that came out at a terminal."""
        flits = self.coming.setdefault(node, [])
        self.expect(head != bool(flits), f"node {node}: a packet without head or tail")
        flits.append(data)
        self.flits += 1
        if not tail:
            return
        del self.coming[node]
        try:
            payload, status = frame(
                flits, self.network.routing.address_layout.width, self.network.flit_width
            )
        except ValueError as error:
            self.wrong(f"node {node}: {error}")
            return
        self.expect(not status, f"node {node}: a frame of status {status:#x}")
        self.arrive(int.from_bytes(payload[:2], "little"), node, payload)
        self.payload += len(payload)
        self.last = get_sim_time("ns")


async def terminal(dut: Any, node: int, exchange: Frames, stall: float, seed: int) -> None:
    """Send the frames of a node as its credits allow, and take what comes."""
    network, rng = exchange.network, random.Random(seed)
    side = network.terminal.seen(network)
    credits, backlog = exchange.credits, 0
    waiting, index = exchange.waiting[node], 0
    given, seen = getattr(dut, f"given_{node}"), getattr(dut, f"seen_{node}")
    falling = FallingEdge(getattr(dut, f"clk_{node}"))
    busy = True
    while True:
        await falling
        value = read(seen)
        if value is None:
            exchange.wrong(f"node {node}: undefined bits")
            return
        now = {name: side.cut(name, value) for name in side}
        if now["valid"]:
            exchange.take(node, bool(now["head"]), bool(now["tail"]), now["data"])
            backlog += 1
        credits[node] += now["credit"]
        word = 0
        if waiting and credits[node]:
            flits = waiting[0]
            tail = index == len(flits) - 1
            word = int(side.pack(valid=1, head=index == 0, tail=tail, data=flits[index]))
            credits[node] -= 1
            index = 0 if tail else index + 1
            if tail:
                waiting.popleft()
        if backlog and rng.random() >= stall:
            backlog -= 1
            word |= int(side.pack(credit=1))
        if word or busy:
            given.value = word
        busy = bool(word)


@cocotb.test()
async def frames_between_all_pairs(dut: Any) -> None:
    """Run until every frame is there, or nothing has come for long.

    Raises
    ------
    ValueError
        If the network has no OS-Links.
    """
    given = parameters()
    network = build(given["description"])
    rng = random.Random(given["seed"])
    exchange = Frames(network, given["rounds"], rng)
    bit = PERIOD * network.link.unit
    periods = []
    for node in range(network.topology.nodes):
        getattr(dut, f"rst_{node}").value = 1
        getattr(dut, f"given_{node}").value = 0
        # At both ends of the range are some, whatever the seed.
        off = (-1, 1)[node] if node < 2 else rng.uniform(-1, 1)
        periods.append(2 * round(PERIOD * (1 + off * given["offset"]) / 2))

    async def wake(node: int) -> None:
        await Timer(rng.randrange(1, PERIOD), "ns")
        Clock(getattr(dut, f"clk_{node}"), periods[node], "ns").start()
        await Timer(10 * PERIOD + rng.randrange(SKEW * bit), "ns")
        getattr(dut, f"rst_{node}").value = 0
        cocotb.start_soon(terminal(dut, node, exchange, given["stall"], rng.randrange(1 << 32)))

    for node in range(network.topology.nodes):
        cocotb.start_soon(wake(node))
    await Timer(1, "ns")
    before, quiet = -1, 0
    while exchange.delivered < exchange.packets and not exchange.message:
        await Timer(1000 * bit, "ns")
        tick(exchange.delivered, exchange.packets)
        quiet = quiet + 1 if exchange.delivered == before else 0
        before = exchange.delivered
        if quiet == given["patience"]:
            exchange.complete()
    await Timer(1000 * bit, "ns")  # the last credits come back
    back = all(credit == network.terminal_depth for credit in exchange.credits)
    exchange.expect(back, f"credits are missing: {exchange.credits}")
    for name in ("link_errors", "errors"):
        exchange.expect(not int(getattr(dut, name).value), f"{name} is not 0")
    finish(
        exchange.message,
        cycles=int(exchange.last / PERIOD),
        frames=exchange.packets,
        delivered=exchange.delivered,
        flits=exchange.flits,
        payload=exchange.payload,
        bit_times=exchange.last / bit,
    )
