"""Networks of diameter 2 with nearly as many nodes as there can be.

PolarFly: Brown graphs, points of a projective plane. W. G. Brown 1966, P. Erdos and A. Renyi 1962;
K. Lakhotia et al. 2022. Slim Fly: McKay-Miller-Siran graphs. M. Besta and T. Hoefler 2014;
B. D. McKay, M. Miller and J. Siran 1998; P. R. Hafner 2004.
"""

from itertools import product
from typing import Annotated

import numpy as np

from fingerpost.golden.algebra.field import Field, is_prime_power
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.base import MAX_DEGREE, Topology, by_coordinates
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


LARGEST = max(
    q for q in range(3, MAX_DEGREE) if is_prime_power(q) and q + (q + 1) // 4 * 2 <= MAX_DEGREE
)
"""The largest q whose nodes have not too many links."""


class SlimFly(Topology):
    """The McKay-Miller-Siran graph of 2 q^2 nodes; that of q = 5 is the Hoffman-Singleton graph.

    Node s,x,y is linked to s,x,y+d for each d of a set D_s of field elements, and 0,x,y to 1,m,c
    where y = m x + c. With w the primitive element, D_0 is w^0, w^2, ... below w^(q-1) if q is
    4u + 1 or 4u; if q is 4u - 1, it is w^0, w^2, ..., w^(2u-2) and the negatives of these. D_1 is
    w D_0. A port for each element of the set comes first, then one for each x of the other side.
    Adding to all y and c keeps ports.

    Parameters
    ----------
    q : int
        The elements of the field, numbered as by `Field`.

    Raises
    ------
    ParameterError
        If q is no prime power, or 2, or nodes have too many links.
    """

    family = "slim-fly"
    label_form = "side,x,y"

    def __init__(
        self,
        *,
        q: Annotated[
            int,
            Parameter(
                "Elements of the field; a node has about 3q/2 links.",
                f"a prime power in 3..{LARGEST}",
                minimum=3,
                maximum=LARGEST,
                example=3,
            ),
        ],
    ) -> None:
        if not (3 <= q <= LARGEST and is_prime_power(q)):
            raise ParameterError("q", f"Slim-fly needs q a prime power in 3..{LARGEST}, not {q}")
        self.q, field = q, Field(q)
        steps = _steps(field)
        own = steps.shape[1]
        side, x, y = np.unravel_index(np.arange(2 * q * q), (2, q, q))
        beside = (side * q + x)[:, None] * q + field.sum[y[:, None], steps[side]]
        away = field.product[x[:, None], np.arange(q)]  # m x
        away = np.where(side[:, None] == 0, field.negative[away], away)
        across = ((1 - side)[:, None] * q + np.arange(q)) * q + field.sum[y[:, None], away]
        back = [row.tolist().index(step) for row in steps for step in field.negative[row].tolist()]
        arrival = np.concatenate(
            [np.array(back).reshape(2, own)[side], np.repeat(own + x[:, None], q, axis=1)], axis=1
        )
        names = [f"d{i}" for i in range(own)] + [f"x{i}" for i in range(q)]
        super().__init__(np.concatenate([beside, across], axis=1), arrival, tuple(names))
        self.orbit = side * q + x

    def name(self, node: int) -> str:
        side, x, y = np.unravel_index(node, (2, self.q, self.q))
        return f"{side},{x},{y}"

    def parse(self, label: str) -> int | None:
        return by_coordinates(",".join(label.split(",")[::-1]), (self.q, self.q, 2))

    def constants(self) -> dict[str, object]:
        return {"q": self.q}


def _steps(field: Field) -> IntArray:
    """Return the sets of both sides, a row each."""
    q, even = field.q, np.arange(0, field.q - 1, 2)
    if q % 4 == 3:
        half = even[: (q + 1) // 4]
        even = np.concatenate([half, half + (q - 1) // 2])
    return np.stack([field.power[even], field.power[(even + 1) % (q - 1)]])
