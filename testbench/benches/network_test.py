"""The network in lock-step with the model: every link and terminal in every cycle."""

from collections.abc import Sequence
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from golden.arrays import IntArray
from golden.counters import COUNTERS
from golden.model import Model, Traffic
from golden.network import build
from golden.terminal import Ends
from testbench.packing import pack, read, unpack
from testbench.runner import parameters, report, tick
from testbench.sources import terminal_fields, wire_fields

PATIENCE = 4000
"""Cycles in which a network must drain once its terminals have stopped, if its links carry a flit a
cycle; as much longer as they are slower."""


class Expected:
    """What the model says the bench must see, in the columns of the bench's vectors."""

    def __init__(self, model: Model, terminals: Ends) -> None:
        self.model, self.ends = model, terminals

    def wires(self) -> dict[str, IntArray]:
        """Return what is between the nodes, by node and port."""
        model = self.model
        seen = model.links.seen(model.link, model.credit)
        return {
            name: column.reshape(model.nodes, model.ports)[:, : model.local].ravel()
            for name, column in seen.items()
        }

    def credited(self) -> IntArray:
        """Return the nodes that give back a credit of their terminal."""
        inputs = self.model.credit // self.model.channels
        nodes: IntArray = inputs[self.model.port[inputs] == self.model.local] // self.model.ports
        return nodes

    def terminals(self) -> dict[str, IntArray]:
        """Return the terminals by node."""
        columns = self.ends.seen(self.model.ejected, self.credited())
        return columns | {c.name: getattr(self.model, c.name) for c in COUNTERS}


def difference(
    expected: dict[str, IntArray],
    seen: dict[str, IntArray],
    ports: int,
    payload: Sequence[str] = ("head", "tail", "data"),
) -> str:
    """Return the first difference, or nothing; `payload` means nothing where ``valid`` is 0."""
    for name, golden in expected.items():
        wrong = golden != seen[name]
        if name in payload:
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
    await lock_step(dut)


async def lock_step(dut: Any) -> None:
    """Go through a run in lock-step, and report what came of it."""
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
    terminals = network.terminal.ends(traffic, stall=given["stall"], surplus=given["surplus"])
    expected = Expected(model, terminals)
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

    patience = PATIENCE / network.link.rate(network.flit_width)
    message, cycle = "", 0
    while True:
        if cycle == given["cycles"]:
            terminals.stop()
        # What is lost for want of a credit does not come out; then there is nothing to wait for.
        done = terminals.empty or given["surplus"] or cycle > given["cycles"] + patience
        if cycle >= given["cycles"] and done:
            break
        terminals.credit(expected.credited())
        injected = terminals.send(cycle)
        terminals.receive(model.ejected, cycle)
        returned = terminals.give_back()
        dut.given.value = pack(from_terminals, terminals.given(injected, returned))
        await settled
        value = read(dut.seen)
        if value is None:
            message = f"cycle {cycle}: undefined bits"
        else:
            between = unpack(wires, n * local, value & ((1 << wire_bits) - 1))
            ends = unpack(to_terminals, n, value >> wire_bits)
            message = difference(expected.wires(), between, local) or difference(
                expected.terminals(), ends, 1, network.terminal.payload
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
