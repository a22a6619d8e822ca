"""HexaMesh: nodes in hexagonal rings, with links to the six around each; P. Iff et al. 2023."""

from typing import Annotated

from fingerpost.golden.parameters import Parameter, check_limits
from fingerpost.golden.topology.edge_list import EdgeList

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
