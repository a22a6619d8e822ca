"""A run of the model that counts what counters count."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.router.delay_line import last_written
from fingerpost.golden.router.state import of_run
from fingerpost.hdl.counting import RegisterMap
from fingerpost.testbench.benches.network_script import NetworkTurn
from fingerpost.testbench.lock_step import Chunk


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
        n, each, local = network.topology.nodes, network.ejections, network.topology.local
        followed = *network.node_counters, *network.terminal.counters
        self.names = [counter.name for counter in followed]
        sizes = {"sent": n, "received": n * each, "out": n * local}
        sizes |= {"stalled": n * (local + 1)} if isinstance(self.engine, Wormhole) else {}
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
