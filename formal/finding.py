"""What comes out of looking at all gates, or of trying inputs."""

from dataclasses import dataclass

__all__ = ["LARGEST", "Finding", "too_many"]

LARGEST = 1 << 22
"""Cases that are tried in all."""


@dataclass(frozen=True)
class Finding:
    """What came out of looking at the gates of a component.

    Attributes
    ----------
    component, claim : str
    engine : str
        structure, exhaustive, pdr or induction, which prove; sampled, which does not; or none.
    cases : int
        How many were looked at, which are all there are if the engine proves; of pdr and induction
        the claims.
    broken : tuple of str
        The first few that are not as claimed.
    reason : str
        Why nothing was tried or decided, if nothing was.
    """

    component: str
    claim: str
    engine: str
    cases: int
    broken: tuple[str, ...] = ()
    reason: str = ""

    @classmethod
    def not_tried(cls, component: str, claim: str, reason: str) -> "Finding":
        """Return that nothing was tried, and why."""
        return cls(component, claim, "none", 0, reason=reason)

    @property
    def verdict(self) -> str:
        """Return proven or broken; held, which may be chance; or not tried."""
        if self.broken:
            return "broken"
        if self.reason:
            return "not tried"
        return "held" if self.engine == "sampled" else "proven"


def too_many(cases: int, *, at_least: bool = False) -> str:
    """Return why so many cases are not tried; nothing if they can be."""
    several = f"{cases} cases or more" if at_least else f"{cases} cases"
    return f"{several}, at most {LARGEST} are tried" if cases > LARGEST else ""
