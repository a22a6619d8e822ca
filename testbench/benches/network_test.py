"""The network in lock-step with the model: every link and terminal in every cycle."""

from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from golden.arrays import IntArray
from golden.model import Flits, Model, Terminals, Traffic
from golden.model.links import OsLinks
from golden.network import Network, build
from testbench.packing import pack, read, unpack
from testbench.runner import parameters, report, tick
from testbench.sources import terminal_fields, wire_fields

PATIENCE = 4000
"""Cycles in which a network must drain once its terminals have stopped."""

SLOWER = 60
"""Times as long for OS-Links, and for each clock of a bit."""


class Expected:
    """What the model says the bench must see, in the columns of the bench's vectors."""

    def __init__(self, network: Network, model: Model) -> None:
        self.model = model
        self.nodes, self.local, self.ports = model.nodes, model.local, model.ports
        self.channels = network.virtual_channels
        self.flit_width = network.flit_width

    def _flits(self, rows: int, at: IntArray, flits: Flits) -> dict[str, IntArray]:
        columns = {name: np.zeros(rows, np.int64) for name in ("valid", "head", "tail", "data")}
        columns["valid"][at] = 1 << flits.channel
        for name in ("head", "tail", "data"):
            columns[name][at] = getattr(flits, name)
        return columns

    def wires(self) -> dict[str, IntArray]:
        """Return what is between the nodes, by node and port."""
        links = self.model.links
        return self._os_wires(links) if isinstance(links, OsLinks) else self._links()

    def _os_wires(self, links: OsLinks) -> dict[str, IntArray]:
        """Return the wires of OS-Links, and what their ports have found wrong."""
        columns = {name: np.zeros(self.nodes * self.local, np.int64) for name in ("wire", "errors")}
        node, port = np.divmod(links.places, self.ports)
        columns["wire"][node * self.local + port] = links.wires
        columns["errors"][node * self.local + port] = links.errors
        return columns

    def _links(self) -> dict[str, IntArray]:
        """Return the links; credits with the link that they belong to."""
        model = self.model
        node, port = np.divmod(model.link.place, self.ports)
        columns = self._flits(self.nodes * self.local, node * self.local + port, model.link)
        inputs, channel = np.divmod(model.credit, self.channels)
        linked = model.port[inputs] != self.local
        node, port = np.divmod(model.start[inputs[linked]], self.ports)
        columns["credit"] = np.zeros(self.nodes * self.local, np.int64)
        np.add.at(columns["credit"], node * self.local + port, 1 << channel[linked])
        return columns

    def terminals(self) -> dict[str, IntArray]:
        """Return the terminals by node."""
        model = self.model
        columns = self._flits(self.nodes, model.ejected.place // self.ports, model.ejected)
        inputs = model.credit // self.channels
        columns["credit"] = np.zeros(self.nodes, np.int64)
        columns["credit"][inputs[model.port[inputs] == self.local] // self.ports] = 1
        columns["errors"], columns["overruns"] = model.errors, model.overruns
        return columns


def difference(expected: dict[str, IntArray], seen: dict[str, IntArray], ports: int) -> str:
    """Return the first difference, or nothing. Of an idle link only that it is idle matters."""
    for name, golden in expected.items():
        wrong = golden != seen[name]
        if name in ("head", "tail", "data"):
            wrong &= expected["valid"] > 0
        if wrong.any():
            row = int(wrong.argmax())
            node, port = divmod(row, ports)
            where = f"port {port}" if ports > 1 else "terminal"
            return (
                f"node {node}, {where}: expected {name} {int(golden[row]):#x}, "
                f"seen {int(seen[name][row]):#x}"
            )
    return ""


@cocotb.test()
async def runs_in_lock_step(dut: Any) -> None:
    """Send random traffic, compare all that is visible in each cycle, then drain."""
    given = parameters()
    network = build(given["description"])
    model = Model(network)
    traffic = Traffic(
        network,
        given["load"],
        given["cycles"],
        seed=given["seed"],
        lengths=tuple(given["lengths"]),
        malformed=given["malformed"],
    )
    terminals = Terminals(traffic, stall=given["stall"], surplus=given["surplus"])
    expected = Expected(network, model)
    n, local = model.nodes, model.local
    wires, terminal = wire_fields(network), terminal_fields(network)
    wire_bits = n * local * sum(width for _, width in wires)
    to_terminals = terminal["received"]
    from_terminals = terminal["sent"]

    dut.rst.value = 1
    dut.given.value = 0
    Clock(dut.clk, 2, "ns").start()
    falling, settled = FallingEdge(dut.clk), ReadOnly()
    for _ in range(3):
        await falling
    dut.rst.value = 0

    patience = PATIENCE * (SLOWER * network.link.clocks_per_bit if network.link else 1)
    message, cycle = "", 0
    while True:
        if cycle == given["cycles"]:
            terminals.stop()
        # What is lost for want of a credit does not come out; then there is nothing to wait for.
        done = terminals.empty or given["surplus"] or cycle > given["cycles"] + patience
        if cycle >= given["cycles"] and done:
            break
        inputs = model.credit // model.channels
        terminals.credit(inputs[model.port[inputs] == local] // model.ports)
        injected = terminals.send(cycle)
        terminals.receive(model.ejected, cycle)
        returned = terminals.give_back()
        columns = {name: np.zeros(n, np.int64) for name, _ in from_terminals}
        at = injected.place // model.ports
        columns["valid"][at], columns["credit"][returned] = 1, 1
        for name in ("head", "tail", "data"):
            columns[name][at] = getattr(injected, name)
        dut.given.value = pack(from_terminals, columns)
        await settled
        value = read(dut.seen)
        if value is None:
            message = f"cycle {cycle}: undefined bits"
        else:
            between = unpack(wires, n * local, value & ((1 << wire_bits) - 1))
            ends = unpack(to_terminals, n, value >> wire_bits)
            message = difference(expected.wires(), between, local) or difference(
                expected.terminals(), ends, 1
            )
            message = message and f"cycle {cycle}, {message}"
        if message:
            break
        model.step(injected, returned)
        cycle += 1
        if cycle % 64 == 0:
            tick(min(cycle, given["cycles"]), given["cycles"])
        await falling

    if not message and not given["surplus"] and not terminals.empty:
        message = f"cycle {cycle}: flits are still in the network, {terminals.missing}"
    if not message and not given["surplus"] and terminals.faults:
        message = terminals.faults[0]
    report(
        cycles=cycle,
        mismatches=int(bool(message)),
        message=message,
        packets=int(terminals.expected.sum()),
        delivered=int((terminals.delivered[terminals.expected] >= 0).sum()),
        flits=terminals.received_flits,
        errors=int(model.errors.sum()),
        overruns=int(model.overruns.sum()),
    )
    assert not message, message
