"""What the counters of a network must show, counted in the model."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.model.allocation import Requests
from fingerpost.golden.model.model import Model
from fingerpost.golden.network.network import Network
from fingerpost.testbench.network_run import NetworkRun

__all__ = ["CountedRun"]


class CountedRun(NetworkRun):
    """A run of the model that remembers, cycle by cycle, what has happened at every port.

    Attributes
    ----------
    history : dict of lists of arrays
        By the name of a counter: entry c is the counts after c cycles, by node or by node and port.
    """

    def __init__(self, network: Network, given: Mapping[str, Any]) -> None:
        super().__init__(network, given)
        model, n = self.model, network.topology.nodes
        assert isinstance(model, Model)
        self.names = [counter.name for counter in network.terminal.counters]
        sizes = {"sent": n, "received": n, "out": n * model.local, "stalled": n * model.ports}
        self.history = {name: [np.zeros(size, np.int64)] for name, size in sizes.items()}
        self.history |= {name: [] for name in ("errors", "overruns", *self.names)}
        allocate = model.allocation.step

        def watched(requests: Requests, push: IntArray) -> IntArray:
            granted: IntArray = allocate(requests, push)
            waits, goes = np.zeros((2, n * model.ports), np.int64)
            waits[requests.output] = 1
            goes[requests.output[granted]] = 1
            self._add("stalled", waits & ~goes)
            return granted

        model.allocation.step = watched  # type: ignore[method-assign]

    def give(self) -> dict[str, IntArray]:
        """Return what the terminals send in this cycle, and count all that is seen in it."""
        given, between, seen = super().give(), self.wires(), self.terminals()
        self._add("sent", (given["valid"] > 0) & seen.get("ready", 1))
        self._add("received", (seen["valid"] > 0) & given.get("ready", 1))
        self._add("out", (between["valid"] > 0).astype(np.int64))
        for name in ("errors", "overruns", *self.names):
            self.history[name].append(np.array(seen[name]))
        return given

    def _add(self, name: str, events: IntArray) -> None:
        self.history[name].append(self.history[name][-1] + events)

    def counts(self, cycles: int) -> dict[str, IntArray]:
        """Return the counts after so many cycles, by name: a row for each node.

        The outputs at which flits wait are registered first, so they are a cycle late.
        """
        n = self.network.topology.nodes
        at = {name: cycles - (name == "stalled" and cycles > 0) for name in self.history}
        return {name: self.history[name][at[name]].reshape(n, -1) for name in self.history}
