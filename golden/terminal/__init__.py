"""Terminals: what is at the local port of every node that has one.

A file of a kind has its parameters and layouts (`Terminal`); what it does in a cycle is in the same
file, or in those of its components, which have the names that they have in `fingerpost.hdl`. All
work on the records and named tuples of `records` and `state`.
"""

from collections.abc import Mapping
from typing import Any

from fingerpost.golden.parameters import ParameterError, either, section
from fingerpost.golden.terminal.axi4 import Axi4Terminal
from fingerpost.golden.terminal.axi_stream import AxiStreamTerminal
from fingerpost.golden.terminal.base import Terminal
from fingerpost.golden.terminal.credit import CreditTerminal
from fingerpost.golden.terminal.mailbox import MailboxTerminal
from fingerpost.golden.terminal.memory_map import regions
from fingerpost.golden.terminal.os_link import OsLinkTerminal

__all__ = [
    "TERMINALS",
    "Axi4Terminal",
    "AxiStreamTerminal",
    "CreditTerminal",
    "MailboxTerminal",
    "OsLinkTerminal",
    "Terminal",
    "terminal",
]


TERMINALS: dict[str, type[Terminal]] = {
    kind.kind: kind
    for kind in (
        CreditTerminal,
        AxiStreamTerminal,
        OsLinkTerminal,
        MailboxTerminal,
        Axi4Terminal,
    )
}


def terminal(description: Mapping[str, Any], flit_width: int) -> Terminal:
    """Return the kind that ``terminal`` of a network file names; without one, credits.

    `description` is the contents of the file, `flit_width` that of its router.

    Raises
    ------
    ParameterError
        If a parameter is impossible.
    """
    parameters = dict(description.get("terminal") or {"kind": CreditTerminal.kind})
    kind = parameters.pop("kind")
    if kind not in TERMINALS:
        raise ParameterError(
            "kind",
            f"Terminal needs a kind that is {either(TERMINALS)}, not {kind!r}",
            section="terminal",
        )
    with section("terminal"):
        made = TERMINALS[kind](**parameters)
    return made.within(flit_width, regions(description.get("memory_map")))
