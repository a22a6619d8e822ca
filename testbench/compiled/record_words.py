"""What the compiled model has recorded, as the words that go into a network and are seen of it."""

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.compiled import Record, Wire
from fingerpost.golden.network.network import Network
from fingerpost.testbench.compiled.layout import Layout
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.packing import Columns, fill

__all__ = ["RecordWords"]


class RecordWords:
    """Makes words of records.

    Parameters
    ----------
    network : Network
        One whose links are wires, and whose terminals have credits.
    layout : Layout
    """

    def __init__(self, network: Network, layout: Layout) -> None:
        self.layout = layout
        topology = network.topology
        self.local, ports = topology.local, topology.degree + 1
        far = topology.neighbour * ports + topology.arrival_port
        # What has no link has the credit of no input: that of one behind the last.
        self.far: IntArray = np.where(topology.neighbour < 0, topology.nodes * ports, far).ravel()

    def of(self, record: Record) -> tuple[Words, Words]:
        """Return what goes in, and what must be seen, in each cycle of a record."""
        given, seen = self.layout.make(len(record.errors))
        fill(self.layout.sent, record.given._asdict(), self.layout.rows(given))
        terminals = Wire._make(column[..., self.local] for column in record.seen)._asdict()
        counted = {"errors": record.errors, "overruns": record.overruns}
        columns = self._wires(record.seen), terminals | counted
        for part, column, (_, fields) in zip(
            self.layout.parts(seen), columns, self.layout.groups, strict=True
        ):
            fill(fields, column, part)
        return given, seen

    def _wires(self, seen: Wire) -> Columns:
        """Return links by node and port, each with the credits that its other end gives back."""
        cycles = len(seen.valid)
        found = {
            name: getattr(seen, name)[..., : self.local].reshape(cycles, -1)
            for name in ("valid", "head", "tail", "data")
        }
        credit = seen.credit.reshape(cycles, -1)
        none = np.zeros((cycles, 1), credit.dtype)
        return found | {"credit": np.concatenate([credit, none], axis=1)[:, self.far]}
