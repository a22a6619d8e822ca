"""Every kind of terminal by its name."""

from collections.abc import Mapping
from typing import Any

from fingerpost.golden.parameters import ParameterError, either, section
from fingerpost.golden.terminal.axi_stream import AxiStreamTerminal
from fingerpost.golden.terminal.base import Terminal
from fingerpost.golden.terminal.credit import CreditTerminal
from fingerpost.golden.terminal.mailbox import MailboxTerminal
from fingerpost.golden.terminal.os_link import OsLinkTerminal

TERMINALS: dict[str, type[Terminal]] = {
    kind.kind: kind for kind in (CreditTerminal, AxiStreamTerminal, OsLinkTerminal, MailboxTerminal)
}


def terminal(description: Mapping[str, Any] | None) -> Terminal:
    """Return the kind that ``terminal`` of a network file names; without one, credits.

    Raises
    ------
    ParameterError
        If a parameter is impossible.
    """
    parameters = dict(description or {"kind": CreditTerminal.kind})
    kind = parameters.pop("kind")
    if kind not in TERMINALS:
        raise ParameterError(
            "kind",
            f"Terminal needs a kind that is {either(TERMINALS)}, not {kind!r}",
            section="terminal",
        )
    with section("terminal"):
        return TERMINALS[kind](**parameters)
