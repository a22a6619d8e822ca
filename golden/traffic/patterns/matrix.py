"""A permutation, or any weighted matrix, from a file."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic.demand import Demand, pairs
from fingerpost.golden.traffic.patterns.table import FromTable


@dataclass(frozen=True)
class Matrix(FromTable):
    """Packets go from sources to destinations as weights say; a row of the file is a pair of nodes.

    The load is the mean over all terminals: where the weights of one add up to more, it sends more.
    Pairs that are not there have weight 0, those that are there twice have the sum. With weight 1
    for all, n rows make a permutation.
    """

    name: ClassVar[str] = "matrix"
    file: Annotated[str, Parameter("A CSV or Parquet file.", example="matrix.csv")]
    source: Annotated[str, Parameter("Its column of sources.")] = "source"
    destination: Annotated[str, Parameter("Its column of destinations.")] = "destination"
    weight: Annotated[str, Parameter("Its column of weights, or a number for all.")] = "weight"

    def _columns(self) -> dict[str, tuple[str, type]]:
        columns: dict[str, tuple[str, type]] = {
            "source": (self.source, int),
            "destination": (self.destination, int),
        }
        if not self.weight.isdecimal():
            columns["weight"] = self.weight, float
        return columns

    def _check(self) -> None:
        weight = self.table.get("weight")
        if weight is not None and not (weight.min() >= 0 and 0 < weight.sum() < float("inf")):
            raise ParameterError("weight", f"{self.file}: {self.weight}: needs weights above 0")

    def demand(self, topology: Topology) -> Demand:
        """Return the weights, in proportion."""
        n = len(topology.terminals)
        source, destination = (self.terminals(topology, key) for key in ("source", "destination"))
        weight = self.table.get("weight", source * 0.0 + 1)
        return Demand.weighted(pairs(n, source, destination, weight))
