"""Cubic Cayley graphs of metacyclic groups: three links at a node."""

from typing import Annotated

from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.topology.metacyclic import GENERATOR, Element, MetacyclicGraph


class MetacyclicCubic(MetacyclicGraph):
    """The Cayley graph of Z_m x|_r Z_k with the links A, B, A^-1, where B is its own inverse.

    With C all three are their own inverses, and the links are A, B, C. Such elements are
    (k/2, y) with y (1 + r^(k/2)) = 0 modulo m, and (0, m/2); a group of odd order has none.

    Parameters
    ----------
    m, k, r : int
        The modulus, the number of classes, and the multiplier.
    A, B : (t, y)
        The generators.
    C : (t, y), optional
        The third one.

    Raises
    ------
    ValueError
        If r^k is not 1 modulo m; if B, or with C any of the three, is not its own inverse; if A is
        without C; if links coincide; if the graph is too large or not connected.
    """

    family = "metacyclic-cubic"
    two_way = True

    def __init__(  # the same keys, and one more
        self,
        *,
        m: Annotated[
            int, Parameter("The modulus of y.", "a whole number of at least 2", example=7)
        ],
        k: Annotated[
            int,
            Parameter("The modulus of t: classes.", "a whole number of at least 2", example=6),
        ],
        r: Annotated[
            int,
            Parameter("The multiplier: r^k = 1 modulo m.", "a whole number in 1..m-1", example=3),
        ],
        A: Annotated[Element, Parameter("Generator A as [t, y].", GENERATOR, example=[1, 1])],
        B: Annotated[
            Element,
            Parameter("Generator B as [t, y], its own inverse.", GENERATOR, example=[3, 0]),
        ],
        C: Annotated[
            Element | None,
            Parameter("A third generator; then A is its own inverse, too, as is C.", GENERATOR),
        ] = None,
    ) -> None:
        self._prepare(m, r, k, A=A, B=B, C=C)

    def _links(self, chosen: dict[str, Element]) -> tuple[dict[str, Element], list[int]]:
        """Return A, B and the inverse of A, or A, B and C; each arrives at its inverse."""
        alone = [name for name, g in chosen.items() if self.inverse(g) != g]
        if "C" in chosen:
            if alone:
                raise ParameterError(
                    alone[0],
                    "MetacyclicCubic needs A, B and C that are their own inverses, not "
                    f"{alone[0]} = {chosen[alone[0]]}",
                )
            return chosen, [0, 1, 2]
        if alone != ["A"]:
            self._refuse_pair(alone, chosen)
        return {**chosen, "A^-1": self.inverse(chosen["A"])}, [2, 1, 0]

    def _refuse_pair(self, alone: list[str], chosen: dict[str, Element]) -> None:
        """Say what is wrong with A or B."""
        if "B" not in alone:
            raise ParameterError(
                "A",
                "MetacyclicCubic needs an A that is not its own inverse, or a third generator C, "
                f"not A = {chosen['A']} alone",
            )
        why = " (a group of odd order has none)" if self.p * self.k % 2 else ""
        raise ParameterError(
            "B",
            f"MetacyclicCubic needs a B that is its own inverse{why}, not B = {chosen['B']}",
        )
