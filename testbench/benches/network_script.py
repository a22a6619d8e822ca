"""Networks under traffic in lock-step: packets, stalls, failing links, and what counters count."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.engine import engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.router.delay_line import last_written
from fingerpost.golden.router.state import of_run
from fingerpost.golden.traffic import Traffic
from fingerpost.hdl.counting import RegisterMap
from fingerpost.testbench.lock_step import END, Chunk, Group, Layout, Script, Turn
from fingerpost.testbench.sources import terminal_fields, wire_fields

PATIENCE = 4000
"""Cycles in which a network must drain once its terminals have stopped, if all carries a flit a
cycle; as much longer as its links or terminals are slower."""

DRAIN = 256
"""Cycles at once in which a network drains; what is behind the last that matters is cut off."""


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


def turns(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the stimulus of each turn."""
    return [{**given, **turn} for turn in given["turns"] or [{}]]


def network_layout(network: AnyNetwork) -> Layout:
    """Return what terminals give; what is on links by node and port, then at terminals."""
    topology, terminal = network.topology, network.terminal
    nodes, streams = range(topology.nodes), terminal.streams(network)
    fields = terminal_fields(network)
    links = Group(wire_fields(network), nodes, topology.local, network.link.payload)
    ends = Group(fields["received"], nodes, streams, terminal.payload, terminal.late)
    return Layout(ends.rows, fields["sent"], (links, ends))


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


class NetworkTurn(Turn):
    """Packets for so many cycles; then the network drains.

    Parameters
    ----------
    network : AnyNetwork
    given : mapping
        The stimulus, as `fingerpost.testbench.benches.network.NetworkBench.parameters` has it.

    Attributes
    ----------
    last : int
        The cycle in which it ends, drained or not.
    """

    def __init__(self, network: AnyNetwork, given: Mapping[str, Any]) -> None:
        self.network, self.given = network, given
        self.cycles, self.surplus = given["cycles"], given["surplus"]
        packets = traffic(network, given)
        self.engine = engine(network, [packets], stall=given["stall"], surplus=self.surplus)
        self.run = self.engine.runs[0]
        # If all send to one terminal, the last packet of each waits there for those of the others.
        waits = len(network.topology.terminals) * int(packets.length.max(initial=0))
        self.last = self.cycles + 1 + int((PATIENCE + waits) / network.rate)
        self._over, self._lost = False, 0
        self._links: FailingLinks | None = None
        if network.link.told(network.topology.degree):
            assert isinstance(network, DeflectionNetwork)
            self._links = FailingLinks(network, given["seed"])

    def done(self) -> bool:
        """Return whether there is nothing more to wait for.

        What is lost for want of a credit does not come out.
        """
        return bool(self.run.empty or self.surplus)

    def chunk(self, most: int) -> Chunk:
        drains = self.cycle >= self.cycles
        if self.cycle == self.cycles and not self._over:
            self.run.stop()
            self._over = self.done()
        if self._over:
            return END
        most = min(most, self.last - self.cycle, DRAIN) if drains else most
        most = most if drains else min(most, self.cycles - self.cycle)
        if self._links:
            self.engine.tell(self._links.give(failing=not drains))
            most = 1
        record = self.engine.record(most)
        if drains and self.run.empty:
            # Nothing happens behind the last flit, or the last credit that a terminal gives back.
            shown = (record.terminals, "valid"), (record.given, "credit")
            ends = [columns[name].any(axis=1) for columns, name in shown if name in columns]
            busy = np.any(ends, axis=0)
            if busy.any():  # nothing ends if all that was sent is malformed, or is serial
                most = int(np.flatnonzero(busy)[-1]) + 1
        self.cycle += most
        self._over = drains and (self.done() or self.cycle >= self.last)
        if self._links:
            self._lost = int(record.terminals["lost"][0].sum())
        given, *expected = (
            {name: column[:most] for name, column in columns.items()}
            for columns in (record.given, record.links, record.terminals)
        )
        return Chunk(most, given, expected)

    def lacking(self) -> str:
        run = self.run
        if self.surplus:
            return ""
        if run.empty:
            return run.faults[0] if run.faults else ""
        late = np.flatnonzero(run.expected & (run.delivered < 0))
        missing = f"packet {late[0]} of {len(late)} is missing" if len(late) else "none is missing"
        return f"cycle {self.cycle}: flits are still in the network, {missing}"

    def report(self) -> dict[str, Any]:
        run = self.run
        return {
            "packets": int(run.expected.sum()),
            "delivered": int((run.delivered[run.expected] >= 0).sum()),
            "flits": int(run.received.sum()),
            "errors": int(run.errors.sum()),
            "overruns": int(run.overruns.sum()),
            **({"lost": self._lost} if self._links else {}),
        }


class NetworkScript(Script):
    """A network under traffic.

    Parameters
    ----------
    network : AnyNetwork
    stimuli : sequence of mappings
        Of each turn.
    kind : type of NetworkTurn
    """

    def __init__(
        self,
        network: AnyNetwork,
        stimuli: Sequence[Mapping[str, Any]],
        kind: type[NetworkTurn] = NetworkTurn,
    ) -> None:
        self.network, self.stimuli, self.kind = network, stimuli, kind
        self.layout = network_layout(network)
        self.cycles = sum(given["cycles"] for given in stimuli)

    def turns(self) -> Iterator[NetworkTurn]:
        return (self.kind(self.network, given) for given in self.stimuli)


class CountedTurn(NetworkTurn):
    """A turn that remembers, cycle by cycle, what has happened at every port.

    Attributes
    ----------
    history : dict of lists of arrays
        By the name of a counter: entry c is the counts after c cycles, by node or by node and port.
    reads : callable
        Returns whether counters are still to be read: then it goes on.
    wrong : callable
        Returns what is wrong with what was read, or nothing.
    """

    def __init__(self, network: AnyNetwork, given: Mapping[str, Any]) -> None:
        super().__init__(network, given)
        topology, each = network.topology, network.ejections
        followed = *network.node_counters, *network.terminal.counters
        self.names = [counter.name for counter in followed]
        n, ends = topology.nodes, topology.terminal_numbers
        sizes = {"sent": ends, "received": ends * each, "out": n * topology.local}
        sizes |= {"stalled": n * topology.all_ports} if isinstance(self.engine, Wormhole) else {}
        self.history = {name: [np.zeros(size, np.int64)] for name, size in sizes.items()}
        self.history |= {name: [] for name in self.names}
        self.reads: Callable[[], bool] = lambda: False
        self.wrong: Callable[[], str] = str

    def done(self) -> bool:
        return super().done() and not self.reads()

    def lacking(self) -> str:
        return self.wrong() or super().lacking()

    def _requested(self, engine: Wormhole) -> BoolArray:
        """Return the outputs that flits at the front of queues request before this cycle."""
        nodes, ports = engine.config.nodes, engine.config.ports
        routers = of_run(engine.arrays, 0).routers
        queues = np.arange(engine.config.queues)
        node, queue = np.nonzero(routers.router["valid"][:, None] >> queues & 1)
        requested = np.zeros((nodes, ports), np.bool_)
        requested[node, routers.vc_buffer["route_port"].reshape(nodes, -1)[node, queue]] = True
        return requested.ravel()

    def _granted(self, engine: Wormhole) -> BoolArray:
        """Return the outputs that a flit left for in the cycle that has just been run."""
        in_flight, link = of_run(engine.arrays, 0).in_flight, engine.config.link
        arriving = np.bitwise_or.reduce(last_written(in_flight.arriving, self.run.now))
        granted: BoolArray = arriving[link["dst_node"]] >> link["dst_port"] & 1 > 0
        return granted & (link["dst_node"] >= 0)

    def chunk(self, most: int) -> Chunk:
        engine = self.engine if isinstance(self.engine, Wormhole) else None
        requested = self._requested(engine) if engine else None
        chunk = super().chunk(1)
        if not chunk.cycles:
            return chunk
        given, (between, seen) = chunk.cycle(0)
        if engine and requested is not None:
            self._add("stalled", requested & ~self._granted(engine))
        self._add("sent", (given["valid"] > 0) & seen.get("ready", 1))
        each = self.network.ejections
        came = seen["valid"][:, None] >> np.arange(each) & 1 if each > 1 else seen["valid"] > 0
        self._add("received", came.ravel() & given.get("ready", 1))
        self._add("out", (between["valid"] > 0).astype(np.int64))
        for name in self.names:
            self.history[name].append(np.array(seen[name]))
        return chunk

    def _add(self, name: str, events: IntArray | BoolArray) -> None:
        self.history[name].append(self.history[name][-1] + events)

    def counts(self, cycles: int) -> dict[str, IntArray]:
        """Return the counts after so many cycles, by name: a row for each node.

        The outputs at which flits wait are registered first, so they are a cycle late.
        """
        n = self.network.topology.nodes
        at = {name: cycles - (name == "stalled" and cycles > 0) for name in self.history}
        return {name: self.history[name][at[name]].reshape(n, -1) for name in self.history}

    def difference(self, map: RegisterMap, start: int, end: int, address: int, shown: bytes) -> str:
        """Return the first counter of a snapshot that is not as the model has it, or nothing."""
        if end % map.round or not start < end <= self.cycle:
            return f"counters of cycles {start} to {end} in cycle {self.cycle}"
        before, after = self.counts(start), self.counts(end)
        for node, register in product(range(map.nodes), map.node):
            expected = after[register.name] - before[register.name]
            for index in range(register.count):
                at = map.address(node, register.name, index) - address
                seen = int.from_bytes(shown[at : at + 4], "little")
                if 0 <= at < len(shown) and seen != expected[node, index]:
                    return (
                        f"cycles {start} to {end}, node {node}, {register.name} {index}: "
                        f"expected {expected[node, index]}, seen {seen}"
                    )
        return ""
