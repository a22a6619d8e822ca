"""What is put to deflection routers without their links, and what must leave them."""

from collections.abc import Iterator

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.model.deflection import DeflectionModel, Slots
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.testbench.packing import Columns
from fingerpost.testbench.sources import wire_fields

__all__ = ["DeflectionQuestions", "given_fields"]

FULL = 0.8
"""The share of inputs with a flit where flits may come by all at once."""


def given_fields(network: DeflectionNetwork) -> tuple[tuple[str, int], ...]:
    """Return the fields of what is given at an input: the link, and the next epoch of the node."""
    return (*wire_fields(network), ("next_epoch", 1))


class DeflectionQuestions:
    """The model of all routers, whose links carry what is asked.

    First every number of a destination arrives alone at every input, so that what is wanted
    decides; then flits arrive at most inputs at once, so that priorities do. What is ejected is
    not compared. To be iterated once.

    Parameters
    ----------
    network : DeflectionNetwork
    nodes : array
        Those that are tried, in rising order.
    contended : int
        Cycles with flits at most inputs.
    seed : int

    Attributes
    ----------
    cycles : int
        How long it takes, until the last flit has left.
    rows : int
        Ports of all nodes that are tried.
    """

    def __init__(
        self, network: DeflectionNetwork, nodes: IntArray, *, contended: int, seed: int
    ) -> None:
        self.network, self.model = network, DeflectionModel(network)
        self.rng = np.random.default_rng(seed)
        wiring, degree = self.model.wiring, network.topology.degree
        tried = np.isin(wiring.node, nodes)
        place = np.searchsorted(nodes, wiring.node)
        # The slots of what is tried, and the rows of their inputs and outputs.
        self.slot, self.rows = np.flatnonzero(tried), len(nodes) * degree
        self.into = (place * degree + wiring.input)[tried]
        self.out = (place * degree + wiring.output)[tried]
        # The number of the terminal at each node.
        self.home = np.full(network.topology.nodes, -1)
        self.home[network.topology.terminals] = np.arange(len(network.topology.terminals))
        self.cycles_alone = (1 << network.destination_width) * degree
        self.cycles = self.cycles_alone + contended + network.hop_cycles

    def __iter__(self) -> Iterator[tuple[Columns, Columns]]:
        """Yield for each cycle what is given and what leaves, by node and port."""
        for cycle in range(self.cycles):
            leaves = self._leaves()  # before what is asked takes its place on the links
            yield self._ask(cycle if cycle < self.cycles_alone else None), leaves
            # Terminals take what is at home, and send nothing.
            ports = self.network.topology.nodes * self.network.ejections
            self.model.step(Flits.empty(), np.arange(ports))

    def _ask(self, alone: int | None) -> Columns:
        """Put flits on links: by number to a destination at one input of each node, or any."""
        slots, rng, model, wiring = len(self.slot), self.rng, self.model, self.model.wiring
        valid: BoolArray
        if alone is None:
            destination = rng.integers(1 << self.network.destination_width, size=slots)
            valid = rng.random(slots) < FULL
        else:
            number, slot = divmod(alone, self.network.topology.degree)
            destination, valid = np.full(slots, number), wiring.local[self.slot] == slot
        # A flit is at home if its key says so: the key is 0 there and nowhere else.
        here = destination == self.home[wiring.node[self.slot]]
        key = np.where(here, 0, rng.integers(1, model.most_key + 1, size=slots))
        data = rng.integers(1 << min(62, self.network.flit_width), size=slots)
        columns = {"valid": valid, "epoch": rng.integers(2, size=slots), "key": key}
        columns |= {"destination": destination, "data": data}
        links = Slots.empty(len(wiring.node))
        for name, column in columns.items():
            getattr(links, name)[wiring.source[self.slot]] = column
        model.links = links
        next_epoch = int(rng.integers(2))
        model.count = next_epoch << self.network.epoch
        asked = {name: np.zeros(self.rows, np.int64) for name in columns}
        for name, column in columns.items():
            asked[name][self.into] = column
        return asked | {"next_epoch": np.full(self.rows, next_epoch)}

    def _leaves(self) -> Columns:
        """Return what leaves in this cycle."""
        found = {}
        for name in ("valid", *self.network.link.payload):
            found[name] = np.zeros(self.rows, np.int64)
            found[name][self.out] = getattr(self.model.links, name)[self.slot]
        return found
