"""What stands around a module in a proof that a mutant is equivalent."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

__all__ = ["NOTHING", "Rows", "Surroundings", "function"]

Rows = Iterable[tuple[tuple[int, int], int]]
"""Numbers, each by two numbers."""


class Surroundings(NamedTuple):
    """Verilog around two copies of a module.

    The lines may read ``sent_LINK``: the flits that a sender with credits puts on a link.

    Attributes
    ----------
    lines : tuple of str
    driven : mapping
        What drives inputs of the module, by port.
    """

    lines: tuple[str, ...] = ()
    driven: Mapping[str, str] = {}


NOTHING = Surroundings()


def function(name: str, width: int, inputs: tuple[int, int], rows: Rows) -> Iterator[str]:
    """Yield a function of two numbers of so many bits, 0 for all that are not in a row."""
    yield f"  function [{width - 1}:0] {name}("
    yield f"    input [{inputs[0] - 1}:0] first, input [{inputs[1] - 1}:0] second);"
    yield "    case ({first, second})"
    for (first, second), value in rows:
        yield f"      {{{inputs[0]}'d{first}, {inputs[1]}'d{second}}}: {name} = {width}'d{value};"
    yield f"      default: {name} = 0;"
    yield "    endcase"
    yield "  endfunction"
