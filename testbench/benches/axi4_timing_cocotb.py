"""Managers and memories at AXI4 sides, beside those of the model: every address, R and B in time.

Managers issue the transactions of a traffic when they are due, and never stall; memories answer
after a fixed number of cycles. What is on channels R and B in each cycle is what the model has.
"""

from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from fingerpost.golden.engine import engine
from fingerpost.golden.measure.simulation import ends
from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.golden.terminal import Axi4Terminal
from fingerpost.golden.terminal.transaction import INCR
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.traffic import READ, Transactions
from fingerpost.hdl.bus.axi import LITE
from fingerpost.hdl.terminal.axi4 import sides
from fingerpost.testbench.benches.exchange import start
from fingerpost.testbench.runner import finish, parameters, tick

Event = tuple[int, int, str]
"""A cycle, a node, and what is there: an address on AR or AW, a beat on R, the last one, or B."""


def offered(network: AnyNetwork, given: dict[str, Any]) -> Traffic:
    """Return the transactions of all managers."""
    return Traffic(
        network,
        given["load"],
        given["cycles"],
        seed=given["seed"],
        lengths=tuple(given["lengths"]),
        pattern=given["traffic"],
        classes=Transactions(given["reads"]).shares,
        ends=ends(network),
    )


def expected(network: AnyNetwork, traffic: Traffic, memory_cycles: int) -> Iterator[Event]:
    """Yield what the model does, until all transactions are complete.

    Raises
    ------
    ValueError
        If something comes out where it should not.
    """
    transactions = Transactions(memory_cycles=memory_cycles)
    model = engine(network, [traffic], transactions=transactions, compiled=False)
    run = model.runs[0]
    sides = model.arrays.terminals.sides
    while not run.all_delivered:
        model.run(1)
        for node in range(network.topology.terminal_numbers):
            reads, writes = sides.reads[0, node], sides.writes[0, node]
            if reads["valid"]:
                yield run.now, node, "last" if reads["last"] else "r"
            if writes["valid"]:
                yield run.now, node, "b"
    for number, cycle in enumerate(run.begun.tolist()):
        kind = "ar" if traffic.message_class[number] == READ else "aw"
        yield cycle, int(traffic.source[number]), kind
    if run.faults:
        raise ValueError(run.faults[0])


SIGNALS = {channel + name for channel, names in LITE.items() for name in (*names, "valid", "ready")}
"""Those of AXI4-Lite."""


class Port:
    """The signals of a side."""

    def __init__(self, dut: Any, prefix: str, node: int, *, lite: bool) -> None:
        self.dut, self.prefix, self.node = dut, f"{prefix}_axi{'l' * lite}_{node}_", node
        self.lite = lite
        self.handles: dict[str, Any] = {}

    def _handle(self, name: str) -> Any:
        if name not in self.handles:
            self.handles[name] = getattr(self.dut, self.prefix + name)
        return self.handles[name]

    def drive(self, **values: int) -> None:
        """Drive some inputs; with AXI4-Lite those that there are."""
        for name, value in values.items():
            if not self.lite or name in SIGNALS:
                self._handle(name).value = value

    def passes(self, channel: str) -> bool:
        """Return whether something passes on a channel in this cycle."""
        return self.high(f"{channel}valid") and self.high(f"{channel}ready")

    def high(self, name: str) -> bool:
        """Return whether an output is 1."""
        return int(self._handle(name).value) == 1


class Manager(Port):
    """A manager: it takes all, and issues what is due."""

    def __init__(
        self, dut: Any, network: AnyNetwork, node: int, traffic: Traffic, *, lite: bool
    ) -> None:
        super().__init__(dut, "s", node, lite=lite)
        terminal = network.terminal
        assert isinstance(terminal, Axi4Terminal)
        places = {
            target: base for base, _, target in terminal.memory_map(network.topology).ranges()
        }
        self.queues: dict[str, deque[tuple[int, int, int]]] = {"ar": deque(), "aw": deque()}
        self.data: deque[bool] = deque()  # of each beat of W, whether it is the last
        for number in (traffic.source == node).nonzero()[0].tolist():
            beats = int(traffic.length[number])
            address = places[int(traffic.destination[number])]
            read = traffic.message_class[number] == READ
            at = int(traffic.time[number]), address, beats - 1
            self.queues["ar" if read else "aw"].append(at)
            if not read:
                self.data.extend([*[False] * (beats - 1), True])
        size = (terminal.data_width // 8).bit_length() - 1
        names = "id", "lock", "prot", "cache", "qos"
        for channel in self.queues:
            self.drive(**{channel + name: 0 for name in names})
            self.drive(**{f"{channel}size": size, f"{channel}burst": INCR})
        self.drive(rready=1, bready=1, wdata=0, wstrb=0)

    def begin(self, now: int) -> None:
        """Offer what is due."""
        for channel, queue in self.queues.items():
            due, address, length = queue[0] if queue else (0, 0, 0)
            valid = bool(queue) and due <= now
            values = {"valid": valid, "addr": address, "len": length}
            self.drive(**{channel + name: int(value) for name, value in values.items()})
        self.drive(wvalid=int(bool(self.data)), wlast=int(bool(self.data) and self.data[0]))

    def end(self, now: int) -> Iterator[Event]:
        """Yield what passes in this cycle."""
        for channel, queue in self.queues.items():
            if self.passes(channel):
                queue.popleft()
                yield now, self.node, channel
        if self.passes("w"):
            self.data.popleft()
        if self.passes("r"):
            yield now, self.node, "last" if self.lite or self.high("rlast") else "r"
        if self.passes("b"):
            yield now, self.node, "b"


class Memory(Port):
    """A memory that takes all, and answers after `cycles`."""

    def __init__(self, dut: Any, node: int, cycles: int, *, lite: bool) -> None:
        super().__init__(dut, "m", node, lite=lite)
        self.cycles = cycles
        self.reads: deque[list[int]] = deque()  # from when on, and beats that are left
        self.writes: deque[int] = deque()
        self.drive(arready=1, awready=1, wready=1, rid=0, bid=0, rresp=0, bresp=0, rdata=0)

    def begin(self, now: int) -> None:
        """Offer what is due."""
        reads = bool(self.reads) and self.reads[0][0] <= now
        self.drive(rvalid=int(reads), rlast=int(reads and self.reads[0][1] == 1))
        self.drive(bvalid=int(bool(self.writes) and self.writes[0] <= now))

    def end(self, now: int) -> Iterator[Event]:
        """Take what passes; nothing of it is compared."""
        if self.passes("r"):
            self.reads[0][1] -= 1
            if not self.reads[0][1]:
                self.reads.popleft()
        if self.passes("b"):
            self.writes.popleft()
        if self.passes("ar"):
            beats = 1 if self.lite else int(self._handle("arlen").value) + 1
            self.reads.append([now + self.cycles, beats])
        if self.passes("w") and (self.lite or self.high("wlast")):
            self.writes.append(now + self.cycles)
        yield from ()


@cocotb.test()
async def keeps_the_cycles(dut: Any) -> None:
    """Compare all addresses and responses with those of the model."""
    given = parameters()
    network = build_any(given["description"])
    traffic = offered(network, given)
    dut.rst.value = 1
    ports: list[Manager | Memory] = []
    for node, side in sides(network):
        if side.manager:
            ports.append(Manager(dut, network, node, traffic, lite=side.lite))
        else:
            ports.append(Memory(dut, node, given["memory_cycles"], lite=side.lite))
    for port in ports:
        port.begin(-1)
    due = Counter(expected(network, traffic, given["memory_cycles"]))
    end, seen = max(due)[0] + given["patience"], Counter[Event]()
    await start(dut)
    falling, settled = FallingEdge(dut.clk), ReadOnly()
    for now in range(end):
        for port in ports:
            port.begin(now)
        await settled
        for port in ports:
            seen.update(port.end(now))
        tick(now, end)
        await falling
    wrong = sorted((due - seen).keys() | (seen - due).keys())
    message = ""
    if wrong:
        cycle, node, what = wrong[0]
        message = (
            f"cycle {cycle}, node {node}: {what} {due[wrong[0]]} times in the model, "
            f"{seen[wrong[0]]} in hardware"
        )
    finish(
        message,
        mismatches=len(wrong),
        cycles=end,
        transactions=len(traffic.source),
        events=seen.total(),
    )
