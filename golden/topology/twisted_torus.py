"""Twisted tori (C. H. Sequin 1981; J. M. Camara et al. 2010)."""

from typing import Annotated

from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.topology.base import MAX_NODES
from fingerpost.golden.topology.grid import Grid


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
