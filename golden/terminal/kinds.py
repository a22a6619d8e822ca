"""Every kind of terminal by its name."""

from collections.abc import Mapping
from typing import Any

from golden.terminal.base import Terminal
from golden.terminal.credit import CreditTerminal

__all__ = ["TERMINALS", "terminal"]

TERMINALS: dict[str, type[Terminal]] = {kind.kind: kind for kind in (CreditTerminal,)}


def terminal(description: Mapping[str, Any] | None) -> Terminal:
    """Return the terminals that are asked for; by default those with credits.

    Raises
    ------
    ValueError
        If there is no such kind, or a parameter is impossible.
    """
    parameters = dict(description or {"kind": CreditTerminal.kind})
    kind = parameters.pop("kind")
    if kind not in TERMINALS:
        raise ValueError(f"Terminal needs a kind that is {' or '.join(TERMINALS)}, not {kind!r}")
    return TERMINALS[kind](**parameters)
