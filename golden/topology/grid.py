"""Grids: line, ring, mesh, torus, hypercube, and all between; twisted tori; HexaMesh.

HexaMesh is nodes in hexagonal rings, with links to the six around each; P. Iff et al. 2023.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Annotated

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.topology.base import MAX_DEGREE, MAX_NODES, Topology, by_coordinates
from fingerpost.golden.topology.edge_list import EdgeList


class Grid(Topology):
    """Nodes x0,x1,... with a link between those that differ by 1 in one coordinate.

    Node x0,x1,... has the number x0 + s0 (x1 + s1 (x2 + ...)). The ports go dimension by
    dimension: ``di+`` to the node above and ``di-`` to the node below, or one port ``di`` where the
    size is 2. At the border of a dimension that does not wrap the port is there without a link.

    Parameters
    ----------
    sizes : sequence of int
        Nodes in each dimension, s0, s1, ..., at least 2.
    wrap : bool or sequence of bool
        Whether the last node of a dimension is linked to the first, of all dimensions or of each.
        Two nodes have one link either way.

    Attributes
    ----------
    coordinate : (nodes, dimensions)
        x0, x1, ... of every node.
    wraps : tuple of bool
        Of each dimension whether it is a ring, of 3 nodes at least.
    ports : tuple of (up, down)
        The ports of each dimension.

    Raises
    ------
    ValueError
        If there is no such network, or it is too large.
    """

    family = "grid"

    def __init__(
        self,
        *,
        sizes: Annotated[
            Sequence[int],
            Parameter(
                "Nodes in each dimension.",
                "a list of whole numbers of at least 2, as in [8, 8]",
                example=[3, 4],
            ),
        ],
        wrap: Annotated[
            bool | Sequence[bool],
            Parameter(
                "Whether the last node of a dimension is linked to the first; of all dimensions, "
                "or of each.",
                "true, false, or a list of these, one for each of the sizes",
                example=True,
            ),
        ] = False,
    ) -> None:
        self.sizes = tuple(sizes)
        if not self.sizes or min(self.sizes) < 2:
            raise ParameterError(
                "sizes", f"Grid needs one or more sizes of at least 2, not {list(sizes)}"
            )
        first = list(accumulate((min(size - 1, 2) for size in self.sizes), initial=0))
        if first[-1] > MAX_DEGREE:
            raise ParameterError(
                "sizes",
                f"Grid needs sizes for at most {MAX_DEGREE} ports, one for a 2 and two for others, "
                f"not {first[-1]}",
            )
        if prod(self.sizes) > MAX_NODES:
            raise ParameterError(
                "sizes",
                f"Grid needs sizes that give at most {MAX_NODES} nodes, not {prod(self.sizes)}",
            )
        wrap = [wrap] * len(self.sizes) if isinstance(wrap, bool) else wrap
        if len(wrap) != len(self.sizes):
            raise ParameterError(
                "wrap", f"Grid needs a wrap for each of {len(self.sizes)} sizes, not {len(wrap)}"
            )
        self.wraps = tuple(bool(w) and s > 2 for w, s in zip(wrap, self.sizes, strict=True))
        self.ports = tuple((up, next_up - 1) for up, next_up in pairwise(first))

        node = np.arange(prod(self.sizes))
        step = np.cumprod((1, *self.sizes[:-1]))
        self.coordinate: IntArray = node[:, None] // step % self.sizes
        neighbour = np.full((len(node), first[-1]), -1)
        arrival_port = neighbour.copy()
        for i, (up, down) in enumerate(self.ports):
            x, size = self.coordinate[:, i], self.sizes[i]
            for way, port, other in ((1, up, down), (-1, down, up)):
                there = (x + way) % size
                linked = (there == x + way) | self.wraps[i]
                neighbour[linked, port] = (node + (there - x) * step[i])[linked]
                arrival_port[linked, port] = other
        names = [
            f"d{i}{way}" for i, s in enumerate(self.sizes) for way in ("+-" if s > 2 else ("",))
        ]
        super().__init__(neighbour, arrival_port, tuple(names))
        # A step along a ring, or across all pairs, is a symmetry that keeps the ports.
        self.orbit = self.classes(
            [1 if ring or s == 2 else s for ring, s in zip(self.wraps, self.sizes, strict=True)]
        )

    @property
    def rings(self) -> IntArray:
        """Return for each port its dimension, if that wraps, else -1."""
        ring = [i if wraps else -1 for i, wraps in enumerate(self.wraps)]
        return np.repeat(ring, [down + 1 - up for up, down in self.ports])

    @property
    def positions(self) -> IntArray:
        """Return tiles by coordinates: x0, x2, ... make x, and x1, x3, ... make y.

        Of further dimensions blocks stand side by side. Rings are folded: all links are 2 tiles
        long, but for one at each end.
        """
        found = np.zeros((self.nodes, 2), np.int64)
        step = [1, 1]
        for i, (size, wraps) in enumerate(zip(self.sizes, self.wraps, strict=True)):
            x = self.coordinate[:, i]
            folded = np.where(2 * x < size, 2 * x, 2 * (size - x) - 1)
            found[:, i % 2] += step[i % 2] * (folded if wraps else x)
            step[i % 2] *= size
        return found

    def classes(self, moduli: Sequence[int]) -> IntArray:
        """Return a class for every node: of those whose coordinates agree by the `moduli`."""
        return self.coordinate % moduli @ np.cumprod((1, *moduli[:-1]))

    def name(self, node: int) -> str:
        return ",".join(map(str, self.coordinate[node].tolist()))

    @property
    def label_form(self) -> str:
        """Return the coordinates and their bounds."""
        label = ",".join(f"x{i}" for i in range(len(self.sizes)))
        bounds = ", ".join(f"x{i} < {size}" for i, size in enumerate(self.sizes))
        return f"a label {label} with {bounds}"

    def parse(self, label: str) -> int | None:
        return by_coordinates(label, self.sizes)

    def constants(self) -> dict[str, object]:
        """Return sizes and wraps, and the name under which such networks are known, if any."""
        rings = {ring for ring, size in zip(self.wraps, self.sizes, strict=True) if size > 2}
        known = ""
        if not rings:
            known = "hypercube"
        elif len(rings) == 1:
            one, more = ("ring", "torus") if True in rings else ("line", "mesh")
            known = one if len(self.sizes) == 1 else more
        constants: dict[str, object] = {"sizes": list(self.sizes), "wrap": list(self.wraps)}
        return constants | ({"known_as": known} if known else {})


class TwistedTorus(Grid):
    """A torus of two dimensions whose links from the last row to the first go `twist` columns on.

    Nodes, numbers and ports are those of the grid [columns, rows]: node x,y has the number
    x + columns y, and from x,rows-1 port ``d1+`` leads to x+twist,0. Translations keep all ports.
    With 2 a columns, a rows and a twist of a the diameter is a, that of the torus 3 a / 2
    (Camara et al.).

    Parameters
    ----------
    columns, rows : int
    twist : int
        In 0..columns-1; 0 makes a torus.

    Attributes
    ----------
    twist : int

    Raises
    ------
    ValueError
        If a parameter is out of range, or the network too large.
    """

    family = "twisted-torus"
    vertex_transitive = True

    def __init__(
        self,
        *,
        columns: Annotated[int, Parameter("Nodes in a row.", minimum=3, example=6)],
        rows: Annotated[int, Parameter("Nodes in a column.", minimum=3, example=3)],
        twist: Annotated[
            int,
            Parameter(
                "Columns between the ends of a link from the last row to the first.",
                "a whole number in 0..columns-1",
                minimum=0,
                example=3,
            ),
        ],
    ) -> None:
        check_limits(TwistedTorus, "Twisted torus", columns=columns, rows=rows)
        if columns * rows > MAX_NODES:
            raise ParameterError(
                "", f"Twisted torus needs at most {MAX_NODES} nodes, not {columns * rows}"
            )
        if not 0 <= twist < columns:
            raise ParameterError(
                "twist",
                f"Twisted torus needs twist in 0..columns-1 = 0..{columns - 1}, not {twist}",
            )
        super().__init__(sizes=(columns, rows), wrap=True)
        self.twist = twist
        neighbour = self.neighbour.copy()
        x, y = self.coordinate.T
        (_, _), (up, down) = self.ports
        neighbour[y == rows - 1, up] = (x[y == rows - 1] + twist) % columns
        neighbour[y == 0, down] = (x[y == 0] - twist) % columns + (rows - 1) * columns
        neighbour.setflags(write=False)
        self.neighbour = neighbour

    def constants(self) -> dict[str, object]:
        columns, rows = self.sizes
        return {"columns": columns, "rows": rows, "twist": self.twist}


STEPS = (1, 0), (0, 1), (-1, 1)
"""To the right, to the upper right and to the upper left; the other three lead back."""


class HexaMesh(EdgeList):
    """The hexagonal mesh of `radius` rings around a node: 3 r (r + 1) + 1 nodes, diameter 2 r.

    Nodes are numbered row by row from below, and called x,y: y is the row, and x grows by 1 to the
    right and from a node to the one at its upper right.

    Parameters
    ----------
    radius : int

    Raises
    ------
    ParameterError
        If the radius is out of range.
    """

    family = "hexamesh"
    label_form = "x,y"

    def __init__(
        self,
        *,
        radius: Annotated[
            int, Parameter("Rings around the middle node.", minimum=1, maximum=300, example=1)
        ],
    ) -> None:
        check_limits(HexaMesh, "Hexamesh", radius=radius)
        self.radius, size = radius, 2 * radius + 1
        nodes = [(x, y) for y in range(size) for x in range(size) if radius <= x + y <= 3 * radius]
        number = {place: node for node, place in enumerate(nodes)}
        links = [
            (node, number[x + dx, y + dy])
            for (x, y), node in number.items()
            for dx, dy in STEPS
            if (x + dx, y + dy) in number
        ]
        super().__init__(
            links=links,
            nodes=len(nodes),
            names=[f"{x},{y}" for x, y in nodes],
            places=[(x + y / 2, y * 0.75**0.5) for x, y in nodes],
        )

    def parse(self, label: str) -> int | None:
        return super().parse(label.replace(" ", ""))

    def constants(self) -> dict[str, object]:
        return {"radius": self.radius, **super().constants()}
