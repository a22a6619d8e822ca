"""What the counters of a network must show, counted in the model."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.model.allocation import Requests
from fingerpost.golden.model.model import Model
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.testbench.network_run import NetworkRun

__all__ = ["CountedRun"]


class CountedRun(NetworkRun):
    """A run of the model that remembers, cycle by cycle, what has happened at every port.

    Attributes
    ----------
    history : dict of lists of arrays
        By the name of a counter: entry c is the counts after c cycles, by node or by node and port.
    """

    def __init__(self, network: AnyNetwork, given: Mapping[str, Any]) -> None:
        super().__init__(network, given)
        model, n, each = self.model, network.topology.nodes, network.ejections
        followed = *network.node_counters, *network.terminal.counters
        self.names = [counter.name for counter in followed]
        sizes = {"sent": n, "received": n * each, "out": n * model.local}
        sizes |= {"stalled": n * model.ports} if isinstance(model, Model) else {}
        self.history = {name: [np.zeros(size, np.int64)] for name, size in sizes.items()}
        self.history |= {name: [] for name in self.names}
        if isinstance(model, Model):
            self._watch(model)

    def _watch(self, model: Model) -> None:
        """Count the cycles in which flits wait for an output."""
        n = model.nodes
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
        each = self.network.ejections
        came = seen["valid"][:, None] >> np.arange(each) & 1 if each > 1 else seen["valid"] > 0
        self._add("received", came.ravel() & given.get("ready", 1))
        self._add("out", (between["valid"] > 0).astype(np.int64))
        for name in self.names:
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
