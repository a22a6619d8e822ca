"""The kinds of terminals that a network file may name, as golden's classes have them."""

from fingerpost.derived import derived
from fingerpost.parts import Part
from golden.terminal import TERMINALS

__all__ = ["TERMINAL_PARTS"]

TERMINAL_PARTS: tuple[type[Part], ...] = tuple(
    derived(terminal, "kind", name, "The kind of terminal.", section="Terminal")
    for name, terminal in TERMINALS.items()
)
"""Every kind of terminal."""
