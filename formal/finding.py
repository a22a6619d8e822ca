"""What comes out of looking at all gates, or of trying all inputs."""

from dataclasses import dataclass

__all__ = ["LARGEST", "Finding"]

LARGEST = 1 << 22
"""Cases that are tried in all."""


@dataclass(frozen=True)
class Finding:
    """What came out of looking at the gates of a component.

    Attributes
    ----------
    component, claim, engine : str
    cases : int
        How many were looked at, which are all there are.
    broken : tuple of str
        The first few that are not as claimed.
    """

    component: str
    claim: str
    engine: str
    cases: int
    broken: tuple[str, ...] = ()
