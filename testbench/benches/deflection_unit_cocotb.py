"""Deflection routers alone against golden: where flits go, and with which key."""

from collections.abc import Iterator
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.model.deflection import DeflectionModel, Slots
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.testbench.benches.deflection_unit import DeflectionUnitBench
from fingerpost.testbench.network_run import sentence
from fingerpost.testbench.packing import Columns, pack, read, unpack
from fingerpost.testbench.runner import parameters, report, tick
from fingerpost.testbench.sources import wire_fields

FULL = 0.8
"""The share of inputs with a flit where there are flits at all inputs at once."""


class Routers:
    """The model of all routers, whose links carry what is asked.

    Attributes
    ----------
    network : DeflectionNetwork
    model : DeflectionModel
    there : (rows,) array of bool
        By node and port: what is tried, and has a link.
    """

    def __init__(self, network: DeflectionNetwork, nodes: IntArray, rng: Any) -> None:
        self.network, self.model, self.rng = network, DeflectionModel(network), rng
        wiring, local = self.model.wiring, network.topology.local
        tried = np.isin(wiring.node, nodes)
        place = np.searchsorted(nodes, wiring.node)
        self.into = (place * local + wiring.input)[tried]
        self.out = (place * local + wiring.output)[tried]
        self.slot, self.rows = np.flatnonzero(tried), len(nodes) * local
        self.there: BoolArray = np.isin(np.arange(self.rows), self.out)

    def ask(self, alone: int | None) -> Columns:
        """Put flits on links: to one destination, at one input of each node, or to all inputs."""
        slots, rng, model = len(self.slot), self.rng, self.model
        wiring, local = model.wiring, model.wiring.local[self.slot]
        if alone is None:
            destination = rng.integers(1 << self.network.destination_width, size=slots)
            valid = rng.random(slots) < FULL
        else:
            number, at = divmod(alone, max(1, self.network.topology.local))
            destination, valid = np.full(slots, number), local == at
        home = np.full(self.network.topology.nodes, -1)
        home[self.network.topology.terminals] = np.arange(len(self.network.topology.terminals))
        # A flit is at home if its key says so: the key is 0 there and nowhere else.
        here = destination == home[wiring.node[self.slot]]
        key = np.where(here, 0, rng.integers(1, model.most_key + 1, size=slots))
        data = rng.integers(1 << min(62, self.network.flit_width), size=slots)
        columns = {"valid": valid, "epoch": rng.integers(2, size=slots), "key": key}
        columns |= {"destination": destination, "data": data}
        links = Slots.empty(len(wiring.node))
        for name, column in columns.items():
            getattr(links, name)[wiring.source[self.slot]] = column
        model.links = links
        model.count = int(rng.integers(2)) << self.network.epoch
        asked = {name: np.zeros(self.rows, np.int64) for name in columns}
        for name, column in columns.items():
            asked[name][self.into] = column
        return asked

    def answer(self) -> Columns:
        """Return what leaves in this cycle."""
        found = {}
        for name in ("valid", *self.network.link.payload):
            found[name] = np.zeros(self.rows, np.int64)
            found[name][self.out] = getattr(self.model.links, name)[self.slot]
        return found

    def step(self) -> None:
        """Go through a clock edge; terminals take what is at home, and send nothing."""
        ports = self.network.topology.nodes * self.network.ejections
        self.model.step(Flits.empty(), np.arange(ports))


def questions(network: DeflectionNetwork, contended: int) -> Iterator[int | None]:
    """Yield what is asked in each cycle: `Routers.ask` knows what."""
    yield from range((1 << network.destination_width) * network.topology.local)
    yield from (None for _ in range(contended))


@cocotb.test()
async def decides_like_golden(dut: Any) -> None:
    """Ask all questions of all nodes at once, and compare what leaves."""
    given = parameters()
    bench = DeflectionUnitBench.of(given)
    network: Any = bench.network
    nodes = bench.chosen()
    routers = Routers(network, nodes, np.random.default_rng(given["seed"]))
    fields, local = wire_fields(network), network.topology.local
    dut.rst.value, dut.asked.value, dut.epoch.value = 1, 0, 0
    Clock(dut.clk, 2, "ns").start()
    falling, settled = FallingEdge(dut.clk), ReadOnly()
    for _ in range(3):
        await falling
    dut.rst.value = 0
    every = [*questions(network, given["contended"])]
    decisions = mismatches = 0
    message = ""
    for cycle, question in enumerate([*every, *[None] * network.hop_cycles]):
        expected = routers.answer()
        asked = routers.ask(question)
        dut.asked.value = pack(fields, asked)
        dut.epoch.value = routers.model.count >> network.epoch
        await settled
        value = read(dut.answered)
        if value is None:
            message = f"cycle {cycle}: undefined bits"
        else:
            seen = unpack(fields, routers.rows, value)
            seen["valid"] *= routers.there
            groups = [(expected, seen, local, network.link.payload)]
            message = sentence(cycle, groups, nodes.tolist())
        decisions += int(expected["valid"].sum())
        if message:
            mismatches = 1
            break
        routers.step()
        if cycle % 64 == 0:
            tick(cycle, len(every))
        await falling
    report(decisions=decisions, mismatches=mismatches, message=message)
    assert not mismatches, message
