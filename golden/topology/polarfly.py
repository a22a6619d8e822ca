"""Brown graphs: points of a projective plane, of diameter 2 and nearly as many as there can be.

W. G. Brown 1966, P. Erdos and A. Renyi 1962; as a network, PolarFly, K. Lakhotia et al. 2022.
"""

from itertools import product
from typing import Annotated

import numpy as np

from fingerpost.golden.algebra.field import Field, is_prime_power
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import MAX_DEGREE
from fingerpost.golden.topology.edge_list import EdgeList


class PolarFly(EdgeList):
    """The orthogonal polarity graph of the projective plane over GF(q): q^2 + q + 1 nodes.

    A node is a point x,y,z whose first coordinate but 0 is 1; two are linked if their scalar
    product is 0. The q + 1 points for which that with themselves is 0 have q links, others q + 1.

    Parameters
    ----------
    q : int
        The elements of the field, numbered as by `Field`.

    Raises
    ------
    ParameterError
        If q is no prime power, or nodes have too many links.
    """

    family = "polarfly"
    label_form = "a point x,y,z"

    def __init__(
        self,
        *,
        q: Annotated[
            int,
            Parameter(
                "Elements of the field; a node has q + 1 links or q.",
                f"a prime power in 2..{MAX_DEGREE - 1}",
                minimum=2,
                maximum=MAX_DEGREE - 1,
                example=2,
            ),
        ],
    ) -> None:
        if not (2 <= q < MAX_DEGREE and is_prime_power(q)):
            raise ParameterError(
                "q", f"Polarfly needs q a prime power in 2..{MAX_DEGREE - 1}, not {q}"
            )
        self.q, field = q, Field(q)
        points = [(1, y, z) for y, z in product(range(q), repeat=2)]
        points += [(0, 1, z) for z in range(q)] + [(0, 0, 1)]
        x, y, z = (field.product[at[:, None], at] for at in np.array(points).T)
        links = np.argwhere(np.triu(field.sum[field.sum[x, y], z] == 0, k=1))
        names = [",".join(map(str, point)) for point in points]
        super().__init__(links=links.tolist(), nodes=len(points), names=names)

    def parse(self, label: str) -> int | None:
        return super().parse(label.replace(" ", ""))

    def constants(self) -> dict[str, object]:
        return {"q": self.q, **super().constants()}
