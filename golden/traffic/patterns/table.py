"""Patterns from a table in a file, whose rows name nodes."""

from abc import abstractmethod
from functools import cached_property
from pathlib import Path

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic import columns
from fingerpost.golden.traffic.patterns.base import Pattern


class FromTable(Pattern):
    """A pattern from a CSV or Parquet file.

    Raises
    ------
    ValueError
        If the file is not there or has not the columns that are asked for.
    """

    file: str

    def __post_init__(self) -> None:
        # A worker that makes these packets may run in another folder.
        object.__setattr__(self, "file", str(Path(self.file).resolve()))
        self._check()

    @abstractmethod
    def _check(self) -> None:
        """See to the other parameters, and read the table."""

    @abstractmethod
    def _columns(self) -> dict[str, tuple[str, type]]:
        """Return the columns to read, see `fingerpost.golden.traffic.columns`."""

    @cached_property
    def table(self) -> columns.Columns:
        """Return the columns of the file; read once.

        Raises
        ------
        ValueError
            If there is nothing in it.
        """
        table = columns.read(self.file, self._columns())
        if not len(table["source"]):
            raise ParameterError("file", f"{self.file}: needs at least one row below the names")
        return table

    def terminals(self, topology: Topology, column: str) -> IntArray:
        """Return the terminals that a column names by their nodes.

        Raises
        ------
        ValueError
            If a node has none.
        """
        node = self.table[column]
        place = np.minimum(np.searchsorted(topology.terminals, node), len(topology.terminals) - 1)
        wrong = np.flatnonzero(topology.terminals[place] != node)
        if len(wrong):
            raise ParameterError(
                "file",
                f"{self.file}: row {wrong[0] + 1}: {column}: needs a node that has a terminal, of "
                f"{topology.terminals[0]}..{topology.terminals[-1]}, not {node[wrong[0]]}",
            )
        return place
