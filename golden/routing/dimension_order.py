"""Dimension-order routing on grids: e-cube on hypercubes, XY on meshes (Dally & Seitz 1987)."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.header import Layout, bits
from fingerpost.golden.routing.base import Decision, Routing, Straps
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.topology.grid import Grid


class DimensionOrder(Routing):
    """Go to the destination's coordinate in dimension 0, then in dimension 1, and so on.

    In a ring a packet takes the shorter way. To the node opposite both are as long: it goes up
    from even coordinates and down from odd ones, so that both ways carry alike.

    Where nothing wraps the dimensions come in order, so one channel is enough. On a ring of 5 nodes
    or more a packet moves to the next channel at the dateline. The rings of two dimensions share
    that channel: those in the upper half of the other dimension have their dateline half a ring
    further on. A packet that was raised in the first of them thus enters the second in the half
    behind its dateline, and does not come round to it. So 1 + ceil(rings / 2) channels are enough:
    two on a torus of one or two dimensions, three with three or four.

    Parameters
    ----------
    topology : Grid

    Attributes
    ----------
    far : (nodes, dimensions)
        The last coordinate on the way up to which that is the shorter way; the highest one if the
        dimension does not wrap.
    """

    algorithm = "dimension-order"
    families = ("grid",)

    topology: Grid

    def __init__(self, topology: Topology) -> None:
        self.topology = topology = self._only(topology, Grid)
        x, sizes = topology.coordinate, np.array(topology.sizes)
        opposite_is_up = x % 2 == 0
        reach = (sizes - 1 + opposite_is_up) // 2
        self.far: IntArray = np.where(topology.wraps, (x + reach) % sizes, sizes - 1)
        # Columns, one after the other in memory: decisions are made of millions of packets.
        self._here, self._far = (np.ascontiguousarray(table.T) for table in (x, self.far))
        self.header = Layout.sequence(
            **{
                f"x{i}": (bits(size), f"coordinate {i} of the destination")
                for i, size in enumerate(topology.sizes)
            }
        )
        self._coordinates = self.header.pack(**dict(zip(self.header, x.T, strict=True)))
        straps: dict[str, tuple[int, str, IntArray]] = {}
        for i, (size, ring) in enumerate(zip(topology.sizes, topology.wraps, strict=True)):
            straps[f"x{i}"] = bits(size), f"its coordinate {i}", x[:, i]
            if ring:
                what = f"the last coordinate {i} that is nearer upwards"
                straps[f"far{i}"] = bits(size), what, self.far[:, i]
        self.straps = Straps(straps)

    @property
    def orbit(self) -> IntArray:
        """Return orbits of the topology, cut in two where opposite nodes have two ways."""
        topology = self.topology
        line = [s if s > 2 else 1 for s in topology.sizes]
        ring = [1 if s % 2 else 2 for s in topology.sizes]
        return topology.alike(topology.classes(np.where(topology.wraps, ring, line).tolist()))

    def encode(self, source: IntArray, destination: IntArray) -> IntArray:
        """Return the coordinates of `destination`; the source does not matter."""
        return self._coordinates[destination]

    def generate_header(self, node: IntArray, header: IntArray) -> tuple[IntArray, IntArray]:
        """Refuse coordinates that are none."""
        refused = np.zeros_like(header)
        for name, size in zip(self.header, self.topology.sizes, strict=True):
            refused |= self.header.cut(name, header) >= size
        return header, refused

    def unit(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decision:
        """Compare coordinates; the lowest dimension in which they differ decides."""
        port = np.full_like(header, self.topology.local)
        for i, (up, down) in reversed(list(enumerate(self.topology.ports))):
            here, there = self._here[i].take(node), self.header.cut(f"x{i}", header)
            rises = there > here
            if self.topology.wraps[i]:
                far = self._far[i].take(node)
                near = there <= far
                rises = (rises & near) | ((far < here) & (rises | near))
            port = np.where(there == here, port, down + (up - down) * rises)
        return Decision(port, header, np.zeros_like(header))

    def vc_increments(self) -> BoolArray:
        """Return the turns at the datelines of all rings."""
        topology = self.topology
        x, ports = topology.coordinate, topology.degree + 1
        turn = np.zeros((topology.nodes, ports, ports), np.bool_)
        rings = [i for i, size in enumerate(topology.sizes) if topology.wraps[i] and size > 4]
        for place, i in enumerate(rings):
            (up, down), half = topology.ports[i], topology.sizes[i] // 2
            dateline = np.zeros(topology.nodes, np.int64)
            if place ^ 1 < len(rings):
                other = rings[place ^ 1]  # with which it shares a channel
                dateline += half * (x[:, other] >= topology.sizes[other] // 2)
            turn[x[:, i] == dateline, down, up] = True
            turn[x[:, i] == (dateline + half) % topology.sizes[i], up, down] = True
        return turn
