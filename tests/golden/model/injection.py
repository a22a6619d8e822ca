"""What a terminal's queue does with flits that come without a credit, one node, told as rules."""

from dataclasses import dataclass

__all__ = ["Door"]

Marks = tuple[bool, bool]
"""Head and tail of a flit."""


@dataclass
class Door:
    """Lets flits in while there is room; ends a packet that has lost one.

    Attributes
    ----------
    lost : int
        The flits that it kept out.
    broken : bool
        A packet that is inside has lost a flit, and waits for its tail.
    """

    lost: int = 0
    broken: bool = False

    def step(self, sent: Marks | None, *, full: bool, inside: bool) -> Marks | None:
        """Take what is sent in a cycle; return head and tail of what comes in."""
        if full:
            if sent is not None:
                self.lost += 1
                self.broken |= inside
            return None
        if self.broken:  # there is room again, first of all for the tail
            self.lost += sent is not None
            self.broken = False
            return False, True
        return sent
