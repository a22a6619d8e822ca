"""The model's side of a network in lock-step: what goes in, what must come of it, and the end."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.engine import Engine, Record, Run, engine
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic import Traffic
from fingerpost.testbench.packing import Columns

PATIENCE = 4000
"""Cycles in which a network must drain once its terminals have stopped, if all carries a flit a
cycle; as much longer as its links or terminals are slower."""


KEPT = 12
"""Cycles up to the first difference that are reported."""

Group = tuple[Mapping[str, IntArray], Mapping[str, IntArray], int, Sequence[str]]
"""What must be and what is seen, by node and port; ports of a node; what means nothing if idle."""


def traffic(network: AnyNetwork, given: Mapping[str, Any]) -> Traffic:
    """Return the packets of a stimulus."""
    return Traffic(
        network,
        given["load"],
        given["cycles"],
        seed=given["seed"],
        lengths=given["lengths"],
        malformed=given["malformed"],
        pattern=given["traffic"],
        arrivals=given["arrivals"],
    )


def last_cycle(network: AnyNetwork, packets: Traffic, cycles: int) -> int:
    """Return the cycle in which a run ends, drained or not.

    If all send to one terminal, the last packet of each waits there for those of the others.
    """
    turns = len(network.topology.terminals) * int(packets.length.max(initial=0))
    return cycles + 1 + int((PATIENCE + turns) / network.rate)


class FailingLinks:
    """Links that fail at any time, and come back, with both directions of each; and new entries.

    In a cycle one in `EACH` fails of those that are up, and ten times as many come back. One in
    `WRITES` nodes gets another entry of its table, or one that it had.
    """

    EACH, WRITES = 300, 8

    def __init__(self, network: DeflectionNetwork, seed: int) -> None:
        topology = network.topology
        self.network = network
        entries = [network.entries(node) for node in range(topology.nodes)]
        self.productive, self.distance = map(np.stack, zip(*entries, strict=True))
        self.other: list[list[int]] = [[] for _ in range(topology.nodes)]
        self.rng = np.random.default_rng(seed)
        self.up = np.ones((topology.nodes, topology.degree), np.bool_)
        node, port = np.nonzero(topology.neighbour >= 0)
        ends = topology.neighbour[node, port], topology.arrival_port[node, port]
        once = (node < ends[0]) | ((node == ends[0]) & (port <= ends[1]))
        self.ends = (node[once], port[once]), (ends[0][once], ends[1][once])

    def give(self, *, failing: bool) -> dict[str, IntArray]:
        """Return what nodes are told, as `Link.told` has it.

        If none is `failing` all links are up, and tables become what they were.
        """
        up = self._up(failing=failing)
        columns = {
            name: np.zeros(self.network.topology.nodes, np.int64)
            for name in self.network.link.told(self.network.topology.degree)
        }
        columns["link_up"] = up @ (1 << np.arange(up.shape[1]))
        for node in range(len(up)):
            if entry := self._entry(node, failing=failing):
                destination, bits, hops = entry
                packed = self.network.packed(node, np.array([bits]), np.array([hops]))
                columns["table_write"][node] = 1
                columns["table_destination"][node] = destination
                columns["table_entry"][node] = int(packed[0])
        return columns

    def _entry(self, node: int, *, failing: bool) -> tuple[int, int, int] | None:
        """Return an entry for a node, if it gets one: destination, productive, distance."""
        other, rng = self.other[node], self.rng
        if failing and rng.random() * self.WRITES >= 1:
            return None
        if other and (not failing or rng.random() < 0.5):
            at = node, other.pop()
            return at[1], int(self.productive[at]), int(self.distance[at])
        away = np.flatnonzero(self.distance[node])
        if not failing or not len(away) or self.network.distance_width < 2:
            return None
        at = node, int(rng.choice(away))
        other.append(at[1])
        links = len(self.network.topology.node_type[node].outputs)
        # One of distance 1 leads to the terminal itself: there the flit is taken out.
        return at[1], int(rng.integers(1, 1 << links)), max(2, int(self.distance[at]))

    def _up(self, *, failing: bool) -> BoolArray:
        """Return which links are up, by node and port."""
        up, chance = self.up[self.ends[0]], self.rng.random(len(self.ends[0][0])) * self.EACH
        up = np.where(up, chance >= 1, chance < 10) | (not failing)
        for end in self.ends:
            self.up[end] = up
        return self.up.copy()


class NetworkRun:
    """A run of the model, cycle by cycle: `finished`, `give`, what is expected, `step`.

    Parameters
    ----------
    network : AnyNetwork
    given : mapping
        The stimulus, as `fingerpost.testbench.benches.network.NetworkBench.parameters` has it.

    Attributes
    ----------
    cycle : int
        The cycle that comes next.
    """

    def __init__(self, network: AnyNetwork, given: Mapping[str, Any]) -> None:
        self.network = network
        self.cycles, self.surplus = given["cycles"], given["surplus"]
        packets = traffic(network, given)
        self.engine = self._engine(packets, stall=given["stall"], surplus=given["surplus"])
        self.run = self.engine.runs[0]
        self.last = last_cycle(network, packets, self.cycles)
        self.cycle = 0
        self._links: FailingLinks | None = None
        if network.link.told(network.topology.degree):
            assert isinstance(network, DeflectionNetwork)
            self._links = FailingLinks(network, given["seed"])
        self._record: Record
        self._before: deque[tuple[Columns, Columns]] = deque(maxlen=KEPT)
        self._difference: dict[str, Any] = {}

    def _engine(self, packets: Traffic, **options: Any) -> Engine:
        """Return what runs the model."""
        return engine(self.network, [packets], **options)

    def finished(self) -> bool:
        """Return whether all is delivered or late; call once before each cycle."""
        if self.cycle == self.cycles:
            self.run.stop()
        # What is lost for want of a credit does not come out; then there is nothing to wait for.
        done = self.run.empty or self.surplus or self.cycle >= self.last
        return self.cycle >= self.cycles and bool(done)

    def give(self) -> dict[str, IntArray]:
        """Let the model go through a cycle; return what goes into nodes in it, by node."""
        if self._links:
            self.engine.tell(self._links.give(failing=self.cycle < self.cycles))
        self._record = self.engine.record(1)
        return _only(self._record.given)

    def step(self) -> None:
        """Go on to the next cycle; after `give`."""
        self.cycle += 1

    def wires(self) -> dict[str, IntArray]:
        """Return what must be between the nodes, by node and port."""
        return _only(self._record.links)

    def terminals(self) -> dict[str, IntArray]:
        """Return what must come out at the terminals, by node."""
        return _only(self._record.terminals)

    def expected(self) -> tuple[Columns, Columns]:
        """Return `wires` and `terminals` of this cycle, and remember them."""
        self._before.append((self.wires(), self.terminals()))
        return self._before[-1]

    def compare(self, wires: Columns, terminals: Columns) -> str:
        """Return the first difference of what is seen from what must be, or nothing."""
        between, ends = self.expected()
        streams = self.network.terminal.streams(self.network)
        groups = (
            (between, wires, self.network.topology.local, self.network.link.payload),
            (ends, terminals, streams, self.network.terminal.payload),
        )
        message = sentence(self.cycle, groups)
        if message:
            self._difference = self._told(groups)
        return message

    def _told(self, groups: Sequence[Group]) -> dict[str, Any]:
        """Return what was at the place of a difference; before it, hardware was as the model."""
        places = (difference(expected, seen, payload) for expected, seen, _, payload in groups)
        which, (name, row) = next((i, found) for i, found in enumerate(places) if found)
        _, seen, ports, _ = groups[which]
        node, port = divmod(row, ports)
        model = {
            field: [int(columns[which][field][row]) for columns in self._before] for field in seen
        }
        return {
            "node": node,
            "port": None if which else port,
            "field": name,
            "cycle": self.cycle,
            "model": model,
            "hardware": {field: [*model[field][:-1], int(seen[field][row])] for field in seen},
        }

    def lacking(self) -> str:
        """Return what is wrong at the end of a run without a difference, or nothing."""
        if self.surplus:
            return ""
        return undelivered(self.cycle, self.run)

    def report(self, message: str) -> dict[str, Any]:
        """Return what came of the run."""
        counts = counted(self.cycle, self.run, message)
        if self._links:
            counts["lost"] = int(self._record.terminals["lost"].sum())
        return counts | ({"difference": self._difference} if self._difference else {})


def undelivered(cycle: int, run: Run) -> str:
    """Return what is wrong at the end of a run, or nothing."""
    if not run.empty:
        late = np.flatnonzero(run.expected & (run.delivered < 0))
        missing = f"packet {late[0]} of {len(late)} is missing" if len(late) else "none is missing"
        return f"cycle {cycle}: flits are still in the network, {missing}"
    return run.faults[0] if run.faults else ""


def counted(cycle: int, run: Run, message: str) -> dict[str, Any]:
    """Return what came of so many cycles of a run, and the first difference in words."""
    return {
        "cycles": cycle,
        "mismatches": int(bool(message)),
        "message": message,
        "packets": int(run.expected.sum()),
        "delivered": int((run.delivered[run.expected] >= 0).sum()),
        "flits": int(run.received.sum()),
        "errors": int(run.errors.sum()),
        "overruns": int(run.overruns.sum()),
    }


def turns(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the stimulus of each part of a run."""
    return [{**given, **turn} for turn in given["turns"] or [{}]]


def join(reports: Sequence[dict[str, Any]], *, resets: int) -> dict[str, Any]:
    """Return what came of the parts of a run, up to the one with a difference.

    The message names the part, if it is not the first. `before` counts the cycles before it, with
    so many of each reset.
    """
    *earlier, last = reports
    joined = dict(last)
    for report in earlier:
        for name, value in report.items():
            if name not in ("mismatches", "message", "difference"):
                joined[name] += value
    if earlier and last["message"]:
        joined["message"] = f"after {len(earlier)} resets, {last['message']}"
    if "difference" in last:
        before = sum(report["cycles"] + resets for report in earlier)
        joined["difference"] = {**last["difference"], "before": before}
    return joined


def _only(columns: Mapping[str, IntArray]) -> dict[str, IntArray]:
    """Return the columns of the only cycle of a record."""
    return {name: column[0] for name, column in columns.items()}


def sentence(cycle: int, groups: Iterable[Group], nodes: Sequence[int] | None = None) -> str:
    """Return the first difference in a cycle, in words, or nothing.

    Rows are those of `nodes`; of all, if nothing is said.
    """
    for expected, seen, ports, payload in groups:
        found = difference(expected, seen, payload)
        if found:
            name, row = found
            place, port = divmod(row, ports)
            node = nodes[place] if nodes else place
            where = f"port {port}" if ports > 1 else "terminal"
            return (
                f"cycle {cycle}, node {node}, {where}: expected {name} "
                f"{int(expected[name][row]):#x}, seen {int(seen[name][row]):#x}"
            )
    return ""


def difference(
    expected: Mapping[str, IntArray],
    seen: Mapping[str, IntArray],
    payload: Sequence[str],
) -> tuple[str, int] | None:
    """Return the first field and row that differ; `payload` means nothing where ``valid`` is 0."""
    for name, golden in expected.items():
        wrong = golden != seen[name]
        if name in payload:
            wrong &= expected["valid"] > 0
        if wrong.any():
            return name, int(wrong.argmax())
    return None
