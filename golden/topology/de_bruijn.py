"""De Bruijn and Kautz graphs of any number of nodes, with links both ways.

S. M. Reddy, D. K. Pradhan and J. G. Kuhl 1980; M. Imase and M. Itoh 1981, 1983.
"""

from typing import Annotated, ClassVar

from fingerpost.golden.parameters import Parameter, check_limits
from fingerpost.golden.topology.base import MAX_DEGREE
from fingerpost.golden.topology.edge_list import LARGEST, EdgeList


class GeneralizedDeBruijn(EdgeList):
    """Links i - d i + a modulo n, for a = 0..d-1, each once, and none from a node to itself.

    With n = d^D it is the de Bruijn graph of words of D letters. Nodes have at most 2 d links.

    Parameters
    ----------
    nodes : int
        n, more than d.
    d : int

    Raises
    ------
    ParameterError
        If a parameter is out of range.
    """

    family = "generalized-de-bruijn"
    factor: ClassVar[int] = 1
    first: ClassVar[int] = 0

    def __init__(
        self,
        *,
        nodes: Annotated[
            int,
            Parameter("Nodes, n.", minimum=3, maximum=LARGEST // MAX_DEGREE, example=10),
        ],
        d: Annotated[
            int,
            Parameter(
                "Half the links at a node, at most.", minimum=2, maximum=MAX_DEGREE // 2, example=2
            ),
        ],
    ) -> None:
        check_limits(type(self), self.family.capitalize(), nodes=nodes, d=d)
        self.d = d
        links = {
            (min(i, j), max(i, j))
            for i in range(nodes)
            for a in range(self.first, self.first + d)
            if i != (j := self.factor * (d * i + a) % nodes)
        }
        super().__init__(links=sorted(links), nodes=nodes)

    def constants(self) -> dict[str, object]:
        return {"d": self.d, **super().constants()}


class GeneralizedKautz(GeneralizedDeBruijn):
    """Links i - -d i - a modulo n, for a = 1..d, each once, and none from a node to itself.

    With n = (d + 1) d^(D-1) it is the Kautz graph K(d, D), without directions. Nodes have at most
    2 d links.
    """

    family = "generalized-kautz"
    factor = -1
    first = 1
