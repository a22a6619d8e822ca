"""A trace: packets that were recorded elsewhere."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.arrivals import Arrivals
from fingerpost.golden.traffic.demand import Demand, pairs
from fingerpost.golden.traffic.lengths import Lengths
from fingerpost.golden.traffic.packets import Packets
from fingerpost.golden.traffic.patterns.table import FromTable


@dataclass(frozen=True)
class Trace(FromTable):
    """The packets of a file, one a row, in any order; the first is made in cycle 0.

    Without a load they go in the cycles of the file; with one, time runs faster or slower, such
    that the whole trace offers it.
    """

    name: ClassVar[str] = "trace"
    recorded: ClassVar[bool] = True
    memory: ClassVar[bool] = True
    file: Annotated[str, Parameter("A CSV or Parquet file.", example="trace.csv")]
    cycle: Annotated[str, Parameter("Its column of cycles.")] = "cycle"
    source: Annotated[str, Parameter("Its column of sources.")] = "source"
    destination: Annotated[str, Parameter("Its column of destinations.")] = "destination"
    flits: Annotated[str, Parameter("Its column of lengths, or a number for all.")] = "flits"

    def _columns(self) -> dict[str, tuple[str, type]]:
        names = {"cycle": self.cycle, "source": self.source, "destination": self.destination}
        if not self.flits.isdecimal():
            names["flits"] = self.flits
        return {key: (name, int) for key, name in names.items()}

    def _check(self) -> None:
        if self.lengths.min() < 1:
            raise ParameterError("flits", f"{self.file}: {self.flits}: needs at least 1 flit")

    @property
    def lengths(self) -> IntArray:
        """Return the flits of every packet."""
        if self.flits.isdecimal():
            return np.full(len(self.table["source"]), int(self.flits))
        return self.table["flits"]

    @property
    def time(self) -> IntArray:
        """Return the cycles in which packets are made, from that of the first."""
        cycle: IntArray = self.table["cycle"]
        time: IntArray = cycle - cycle.min()
        return time

    def load(self, topology: Topology) -> float:
        """Return the flits per terminal and cycle that the trace offers from first to last."""
        flits = int(self.lengths.sum())
        return flits / (int(self.time.max()) + 1) / len(topology.terminals)

    def demand(self, topology: Topology) -> Demand:
        """Return the flits from each terminal to each, in proportion."""
        n = len(topology.terminals)
        source, destination = (self.terminals(topology, key) for key in ("source", "destination"))
        flits = self.lengths.astype(np.float64)
        return Demand.weighted(pairs(n, source, destination, flits))

    def packets(
        self,
        topology: Topology,
        load: float | None,
        cycles: int,
        *,
        arrivals: Arrivals,
        lengths: Lengths,
        rng: np.random.Generator,
        later: bool = False,
    ) -> Packets:
        """Return the packets of the trace that fall into the cycles.

        Raises
        ------
        ValueError
            If the load is impossible.
        """
        if cycles < 1:
            raise ValueError(f"Traffic needs at least 1 cycle, not {cycles}")
        time = self.time
        if load is not None:
            if not load > 0:
                raise ValueError(f"{self.title()} needs a load above 0, not {load:g}")
            time = (time * (self.load(topology) / load)).astype(np.int64)
        source, destination = (self.terminals(topology, key) for key in ("source", "destination"))
        order = np.lexsort((time, source))
        order = order[time[order] < cycles]
        return Packets(source[order], destination[order], time[order], self.lengths[order])
